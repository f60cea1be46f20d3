"""The question that is pushed: 2025-06-18 and 2025-11-25, and nothing older."""

from __future__ import annotations

import asyncio

import mcp_types as types
import pytest
from mcp.client.context import ClientRequestContext

from mcp_approval import mcp_adapter
from mcp_approval.approver import WAIT_SECONDS
from mcp_approval.in_flight import OPEN_LIMIT
from tests.approval.conftest import MakeStand, Stand
from tests.approval.raw import FORM, Document, Wire, result, wire, words
from tests.support.clients import accept, call, connect, text

ITEMS: Document = {"names": ["a"]}
YES: Document = {"action": "accept", "content": {"confirm": True}}


def _call(tool: str, arguments: Document, **meta: object) -> Document:
    params: Document = {"name": tool, "arguments": arguments}
    return {**params, "_meta": dict(meta)} if meta else params


async def _open(client: Wire, arguments: Document, **meta: object) -> tuple[int, Document]:
    """Make a guarded call and return its id and the question that came for it."""
    call_id = await client.start("tools/call", _call("delete_items", arguments, **meta))
    question = await client.receive()
    assert question["method"] == "elicitation/create", question
    return call_id, question


async def _answer(client: Wire, question: Document, answer: Document) -> None:
    await client.send({"id": question["id"], "result": answer})


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
async def test_a_version_that_knows_elicitation_is_pushed_to(version: str, stand: Stand) -> None:
    async with wire(stand.server) as client:
        await client.initialize(version, FORM)
        call_id, question = await _open(client, ITEMS)
        assert stand.shop.acts == []
        await _answer(client, question, YES)
        reply = await client.reply_to(call_id)
    assert result(reply).get("isError") is not True
    assert len(stand.shop.acts) == 1


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26"])
@pytest.mark.parametrize("declared", [FORM, {"elicitation": {"form": {}}}, {}])
async def test_an_older_version_takes_the_token_path_whatever_it_declares(
    version: str, declared: Document, stand: Stand
) -> None:
    async with wire(stand.server) as client:
        await client.initialize(version, declared)
        reply = await client.request("tools/call", _call("delete_items", ITEMS))
        token = words(reply).partition('confirm_token="')[2][:32]
        arguments = {**ITEMS, "confirm_token": token}
        await client.request("tools/call", _call("delete_items", arguments))
    assert len(stand.shop.acts) == 1
    assert stand.decisions == ["token_issued", "token_accepted"]


@pytest.mark.parametrize("declared", [{}, {"elicitation": {"url": {}}}, {"sampling": {}}])
@pytest.mark.requirement("AP-16")
async def test_a_client_without_forms_takes_the_token_path(
    declared: Document, stand: Stand
) -> None:
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", declared)
        reply = await client.request("tools/call", _call("delete_items", ITEMS))
    assert 'confirm_token="' in words(reply)
    assert "This client cannot show a dialog" in words(reply)


FAILURES: dict[str, tuple[Document, str]] = {
    "an error": ({"error": {"code": -32603, "message": "secret-of-the-host"}}, "client_error"),
    "invalid params": ({"error": {"code": -32602, "message": "no"}}, "client_error"),
    "does not know the method": (
        {"error": {"code": -32601, "message": "Method not found"}},
        "client_unsupported",
    ),
    "a bogus action": ({"result": {"action": "yes", "content": {"confirm": True}}}, "client_error"),
    "an empty result": ({"result": {}}, "client_error"),
    "a list as content": ({"result": {"action": "accept", "content": [True]}}, "client_error"),
    "an object as tick": (
        {"result": {"action": "accept", "content": {"confirm": {"a": 1}}}},
        "client_error",
    ),
    "accept without content": ({"result": {"action": "accept"}}, "not_ticked"),
    "accept with null": ({"result": {"action": "accept", "content": None}}, "not_ticked"),
    'accept with "true"': (
        {"result": {"action": "accept", "content": {"confirm": "true"}}},
        "not_ticked",
    ),
    "accept with 1": ({"result": {"action": "accept", "content": {"confirm": 1}}}, "not_ticked"),
    "decline": ({"result": {"action": "decline"}}, "declined"),
    "decline with a tick": (
        {"result": {"action": "decline", "content": {"confirm": True}}},
        "declined",
    ),
    "cancel": ({"result": {"action": "cancel"}}, "cancelled"),
}


@pytest.mark.parametrize(
    ("answer", "decision"), FAILURES.values(), ids=[f"AP-21: {name}" for name in FAILURES]
)
@pytest.mark.requirement("AP-21")
async def test_an_answer_that_is_no_yes_ends_the_call(
    answer: Document, decision: str, stand: Stand
) -> None:
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", FORM)
        call_id, question = await _open(client, ITEMS)
        await client.send({"id": question["id"], **answer})
        reply = await client.reply_to(call_id)
        told = words(reply)
        assert result(reply)["isError"] is True
        assert told.startswith("Not approved: ")
        assert "secret-of-the-host" not in told
        assert "Traceback" not in told
        assert "confirm_token" not in told
        assert "Calling again" not in told
        tools = await client.request("tools/list", {})
    assert result(tools)["tools"]
    assert stand.shop.acts == []
    assert stand.decisions == ["asked", decision]
    assert stand.approver.tokens.pending == 0


@pytest.mark.requirement("AP-21")
async def test_a_client_that_drops_the_pipe_has_not_approved(stand: Stand) -> None:
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", FORM)
        await _open(client, ITEMS)
        await client.drop()
    assert stand.shop.acts == []


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
@pytest.mark.requirement("AP-24")
async def test_a_yes_that_comes_too_late_does_nothing(version: str, make_stand: MakeStand) -> None:
    stand = make_stand(wait_seconds=0.01)
    async with wire(stand.server) as client:
        await client.initialize(version, FORM)
        call_id, question = await _open(client, ITEMS)
        reply = await client.reply_to(call_id)
        await _answer(client, question, YES)
        await client.request("tools/list", {})
    assert words(reply).startswith("Not approved: the client answered nothing in time.")
    assert words(reply).endswith(" Calling again asks again.")
    assert stand.shop.acts == []
    assert stand.decisions == ["asked", "timed_out"]


def test_a_pushed_question_waits_fifteen_minutes(stand: Stand) -> None:
    assert WAIT_SECONDS == 15 * 60


@pytest.mark.requirement("AP-22")
async def test_a_cancelled_call_closes_its_question_and_executes_nothing(stand: Stand) -> None:
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", FORM)
        call_id, question = await _open(client, ITEMS)
        await client.send({"method": "notifications/cancelled", "params": {"requestId": call_id}})
        closed = await client.receive()
        while closed.get("method") != "notifications/cancelled":
            closed = await client.receive()
        assert closed["params"] == {"requestId": question["id"], "reason": "caller cancelled"}
        await _answer(client, question, YES)
        await client.request("tools/list", {})
        assert stand.shop.acts == []
        again_id, again = await _open(client, ITEMS)
        await _answer(client, again, YES)
        await client.reply_to(again_id)
    assert len(stand.shop.acts) == 1, "the cancelled call kept its claim on the target"


@pytest.mark.requirement("AP-23")
async def test_two_open_questions_each_get_their_own_answer(stand: Stand) -> None:
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", FORM)
        first_id, first = await _open(client, {"names": ["first"]})
        second_id, second = await _open(client, {"names": ["second"]})
        await _answer(client, second, {"action": "decline"})
        declined = await client.reply_to(second_id)
        await _answer(client, first, YES)
        done = await client.reply_to(first_id)
    assert result(declined)["isError"] is True
    assert result(done).get("isError") is not True
    assert stand.shop.acts == [("delete_items", ["first"])]


async def test_a_target_that_is_being_acted_on_is_not_asked_about(stand: Stand) -> None:
    stand.shop.held = asyncio.Event()
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", FORM)
        first_id, question = await _open(client, ITEMS)
        await _answer(client, question, YES)
        refused = await client.request("tools/call", _call("delete_items", ITEMS))
        stand.shop.held.set()
        await client.reply_to(first_id)
    assert words(refused).startswith("This very call is already being carried out.")
    assert result(refused)["isError"] is True
    assert len(stand.shop.acts) == 1


async def test_the_ninth_open_question_is_refused_and_a_closed_one_makes_room(
    stand: Stand,
) -> None:
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", FORM)
        opened = [await _open(client, {"names": [str(number)]}) for number in range(OPEN_LIMIT)]
        ninth = await client.request("tools/call", _call("delete_items", {"names": ["ninth"]}))
        call_id, question = opened[3]
        await _answer(client, question, {"action": "cancel"})
        await client.reply_to(call_id)
        await _open(client, {"names": ["ninth"]})
    assert OPEN_LIMIT == 8
    assert "8 questions are already waiting" in words(ninth)
    assert "or 60 seconds: then the oldest gives way." in words(ninth)
    assert stand.shop.acts == []
    assert stand.decisions.count("asked") == OPEN_LIMIT + 1


@pytest.mark.parametrize("token", ["progress", 7])
async def test_a_waiting_call_reports_progress_to_who_asked_for_it(
    token: str | int, stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert mcp_adapter.PROGRESS_SECONDS == 10
    monkeypatch.setattr(mcp_adapter, "PROGRESS_SECONDS", 0.001)
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", FORM)
        call_id, question = await _open(client, ITEMS, progressToken=token)
        beats = [await client.receive() for _ in range(3)]
        await _answer(client, question, YES)
        await client.reply_to(call_id)
    params = [beat["params"] for beat in beats]
    assert all(isinstance(param, dict) for param in params)
    reported = [param for param in params if isinstance(param, dict)]
    assert [param["progressToken"] for param in reported] == [token] * 3
    assert [param["message"] for param in reported] == ["waiting for an answer"] * 3
    values = [param["progress"] for param in reported]
    assert values == sorted(set(values)), "progress must rise"
    assert all(float(value).is_integer() for value in values)


async def test_without_a_progress_token_nothing_is_reported(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_adapter, "PROGRESS_SECONDS", 0.001)
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", FORM)
        await _open(client, ITEMS)
        # Three beats of another call: the silent one had as much time.
        await client.start("tools/call", _call("delete_items", {"names": ["b"]}, progressToken="b"))
        heard = [await client.receive() for _ in range(4)]
    beats = [message for message in heard if message["method"] == "notifications/progress"]
    assert len(beats) == 3
    assert ["'progressToken': 'b'" in str(beat["params"]) for beat in beats] == [True] * 3


async def test_the_sdk_client_is_pushed_the_same_question(stand: Stand) -> None:
    seen: list[types.ElicitRequestParams] = []

    async def answer(
        context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        seen.append(params)
        return accept()

    async with connect(stand.server, "2025-11-25", answer) as client:
        done = await call(client, "approve_run", {"repo_id": 5, "number": 12})
    assert not done.is_error, text(done)
    assert [params.message for params in seen] == [
        "This will let run 12 of repository 5 go on.\n\nIt runs with the secrets of the repository."
    ]
