"""Whether the client's dialog or a person outside it is asked."""

from __future__ import annotations

import mcp_types as types
import pytest

from mcp_approval.asking_client import Answer
from mcp_approval.verdict import Approval
from tests.approval.outside import Stand, stand
from tests.approval.scripted import Journal, ScriptedClient, require
from tests.support.clients import ERAS, accept, call

APPLES = {"names": ["apples"]}
WAITS = {"APPROVAL_WAIT_SECONDS": "45"}


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Stand:
    return stand(monkeypatch)


@pytest.mark.requirement("A-4")
async def test_a_client_that_shows_dialogs_is_asked_by_dialog(at: Stand) -> None:
    async def yes(*_: object) -> object:
        return accept()

    for era in ERAS:
        async with at.client(era, answer=yes) as client:
            assert not (await call(client, "delete_items", APPLES)).is_error
    assert at.window.shown == []


@pytest.mark.requirement("A-4")
async def test_a_client_that_does_not_know_its_own_dialogs_is_asked_outside_it(
    at: Stand,
) -> None:
    """It announces dialogs and answers -32601: nobody saw anything, so the channel asks."""

    async def unknown(*_: object) -> object:
        return types.ErrorData(code=-32601, message="Method not found")

    at.window.reply = "approve"
    async with at.client("2025-11-25", answer=unknown) as client:
        assert not (await call(client, "send", {"to": "anna"})).is_error
    assert len(at.window.shown) == 1
    assert at.shop.acts == [("send", "anna")]
    assert (at.shop.limiter.used, at.shop.limiter.reserved) == (1, 0)
    decisions = [line.partition("decision=")[2].split()[0] for line in at.lines]
    assert decisions == ["asked", "client_unsupported", "asked", "approved"]


@pytest.mark.requirement("A-4")
async def test_instead_never_raises_the_clients_dialog(monkeypatch: pytest.MonkeyPatch) -> None:
    at = stand(monkeypatch, APPROVAL_REACH_WHEN="instead", **WAITS)
    at.window.reply = "approve"

    async def never(*_: object) -> object:
        raise AssertionError("a dialog was raised")

    for era in ERAS:
        async with at.client(era, answer=never) as client:
            assert not (await call(client, "delete_items", APPLES)).is_error
    assert len(at.window.shown) == 2


@pytest.mark.requirement("A-16")
async def test_what_was_shown_to_nobody_gives_its_place_back_and_is_asked_outside(
    at: Stand,
) -> None:
    at.window.reply = "approve"
    journal = Journal()
    client = ScriptedClient(journal, "push", reply=Answer("unsupported"))
    approved = await require(at.approver, client)
    assert isinstance(approved, Approval)
    assert approved.by == "window"
    assert journal.events[:4] == ["hook", "question", "release", "hook"]
    assert journal.events[-1] == "commit"
