"""A phone and a window by environment alone: the example does not change for either."""

from __future__ import annotations

import asyncio
from typing import cast

import mcp_types as types
import pytest
from mcp.client.session import ElicitationFnT

from mcp_approval.reach import loading
from tests.approval.broker import ANSWERS, ASK, broker, until
from tests.approval.outside import Scripted
from tests.library.servers import FRAMEWORKS, example_text, load, wire_server
from tests.support.clients import ERAS, Era, call, connect, text

FOREIGN = {"branch": "main", "confirm_token": "0" * 32}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_tap_on_the_phone_deletes_and_a_decline_does_not(
    framework: str, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    with broker() as instance:
        for name, value in {
            "APPROVAL_REACH": "phone",
            "APPROVAL_NTFY_URL": instance.backend.url,
            "APPROVAL_NTFY_ASK_TOPIC": ASK,
            "APPROVAL_NTFY_ANSWER_TOPIC": ANSWERS,
            "APPROVAL_NTFY_TOKEN": instance.server,
            "APPROVAL_NTFY_BUTTON_TOKEN": instance.button,
        }.items():
            monkeypatch.setenv(name, value)
        server = wire_server(load(example_text(framework)).server)
        async with connect(server, era) as client:
            declined = asyncio.create_task(call(client, "delete_branch", {"branch": "old"}))
            await until(instance.shown)
            await instance.tap("Decline")
            assert text(await declined).startswith("Not approved: a person declined by phone.")
            asking = asyncio.create_task(call(client, "delete_branch", FOREIGN))
            await until(lambda: any("Branch: main" in str(one) for one in instance.shown()))
            await until(instance.buttons)
            await instance.tap("Approve")
            assert text(await asking) == "deleted main"


@pytest.mark.requirement("A-5")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_window_beside_a_dialog_that_nobody_answers_decides(
    framework: str, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = Scripted()
    monkeypatch.setattr("tests.approval.outside.opened", lambda _: window)
    monkeypatch.setattr(loading, "CHANNELS", {"window": "tests.approval.outside:opened"})
    monkeypatch.setenv("APPROVAL_REACH", "window")
    monkeypatch.setenv("APPROVAL_REACH_WHEN", "always")
    shown: list[object] = []

    async def dismiss(_context: object, params: object) -> types.ElicitResult:
        shown.append(params)
        return types.ElicitResult(action="cancel")

    server = wire_server(load(example_text(framework)).server)
    async with connect(server, era, cast("ElicitationFnT", dismiss)) as client:
        asking = asyncio.create_task(call(client, "delete_branch", {"branch": "main"}))
        await until(lambda: shown and window.shown)
        window.say("approve")
        assert text(await asking) == "deleted main"
    assert len(shown) == len(window.shown) == 1


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_window_is_asked_and_a_repeated_call_learns_the_answer(
    framework: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = Scripted()
    monkeypatch.setattr("tests.approval.outside.opened", lambda _: window)
    monkeypatch.setattr(loading, "CHANNELS", {"window": "tests.approval.outside:opened"})
    monkeypatch.setenv("APPROVAL_REACH", "window")
    monkeypatch.setenv("APPROVAL_WAIT_SECONDS", "0")
    server = wire_server(load(example_text(framework)).server)
    async with connect(server, "2026-07-28") as client:
        awaiting = await call(client, "delete_branch", FOREIGN)
        assert text(awaiting).startswith("Awaiting a person: a person was asked in a window")
        assert "mcp-approval/awaiting" in (awaiting.meta or {})
        window.say("approve")
        assert text(await call(client, "delete_branch", {"branch": "main"})) == "deleted main"
        again = await call(client, "delete_branch", {"branch": "main"})
        assert text(again).startswith("Awaiting a person")
    assert window.closed, "what is open is taken back when the server ends"
