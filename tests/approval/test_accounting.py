"""What a question costs: the hook before it, and who pays for which end."""

from __future__ import annotations

import asyncio

import mcp_types as types
import pytest
from mcp.client.context import ClientRequestContext

from tests.approval.conftest import Stand
from tests.approval.fixture_server import HOURLY
from tests.approval.raw import FORM, Document, wire, words
from tests.support.clients import Arguments, accept, call, connect, leg, question, text, token_in

LETTER: Arguments = {"to": "a@example.org"}


def _letter(number: int) -> Arguments:
    return {"to": f"r{number}@example.org"}


@pytest.mark.parametrize("end", ["decline", "cancel", "never", "unticked"])
@pytest.mark.requirement("AP-42")
async def test_every_pushed_question_costs_quota_however_it_ends(end: str, stand: Stand) -> None:
    replies = {
        "decline": types.ElicitResult(action="decline"),
        "cancel": types.ElicitResult(action="cancel"),
        "unticked": accept(False),
    }
    stand.approver.wait_seconds = 0.01

    async def answer(
        context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        if end == "never":
            await asyncio.Event().wait()
        return replies[end]

    async with connect(stand.server, "2025-11-25", answer) as client:
        ends = [await call(client, "send", _letter(number)) for number in range(HOURLY + 1)]
    assert stand.decisions.count("asked") == HOURLY
    assert text(ends[-1]) == "code: rate_limited\nThe hour is full. Nothing was sent."
    assert stand.shop.limiter.used == HOURLY
    assert stand.shop.limiter.reserved == 0


@pytest.mark.requirement("AP-42")
async def test_every_question_by_input_required_costs_quota_once(stand: Stand) -> None:
    async def never(
        context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        raise AssertionError("the legs are driven by hand")

    async with connect(stand.server, "2026-07-28", never) as client:
        asked = [await question(client, "send", _letter(number)) for number in range(HOURLY)]
        full = await leg(client, "send", _letter(HOURLY))
        state = asked[0].request_state
        done = await leg(client, "send", _letter(0), answer=accept(), state=state)
        again = await leg(client, "send", _letter(0), answer=accept(), state=state)
    assert "The hour is full" in text(full)
    assert isinstance(done, types.CallToolResult)
    assert not done.is_error, "the answering leg was refused by the limiter"
    assert "The hour is full" in text(again), "a full hour wins over a fresh question"
    assert stand.shop.limiter.used == HOURLY
    assert len(stand.shop.acts) == 1


@pytest.mark.requirement("AP-42")
async def test_a_wrong_token_costs_nothing(stand: Stand) -> None:
    async with connect(stand.server, "2025-11-25") as client:
        token = token_in(await call(client, "send", LETTER))
        for _ in range(10):
            await call(client, "send", {**LETTER, "confirm_token": "0" * 32})
        assert stand.shop.limiter.used == 0
        await call(client, "send", {**LETTER, "confirm_token": token})
    assert stand.shop.limiter.used == 1
    assert len(stand.shop.acts) == 1


async def test_a_client_that_does_not_know_the_request_costs_nothing(stand: Stand) -> None:
    letter: Document = dict(LETTER)
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", FORM)
        call_id = await client.start("tools/call", {"name": "send", "arguments": letter})
        pushed = await client.receive()
        error = {"code": -32601, "message": "Method not found"}
        await client.send({"id": pushed["id"], "error": error})
        told = words(await client.reply_to(call_id))
    assert told.startswith("Not approved: the client announced dialogs")
    assert "confirm_token" not in told
    assert stand.shop.limiter.used == 0
    assert stand.shop.limiter.reserved == 0


@pytest.mark.requirement("R-19")
async def test_three_declines_by_a_host_end_three_calls_and_the_fourth_may_be_accepted(
    stand: Stand,
) -> None:
    answers = [types.ElicitResult(action="decline")] * 3 + [accept()]

    async def host(
        context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        return answers.pop(0)

    async with connect(stand.server, "2025-11-25", host) as client:
        ends = [await call(client, "approve_run", {"repo_id": 1, "number": 2}) for _ in range(4)]
    assert [bool(end.is_error) for end in ends] == [True, True, True, False]
    assert len(stand.shop.acts) == 1
