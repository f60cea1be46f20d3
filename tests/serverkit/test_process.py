"""A process's conversation, in this process: what begins, what ends it, what survives."""

from __future__ import annotations

import asyncio
import json
import os

import mcp_types as types
import pytest
from mcp.server import Server

from mcp_serverkit.runtime import stdio
from mcp_serverkit.runtime.process import Exchange
from mcp_serverkit.server import build_server
from tests.serverkit.busy import DEFINITION, HELLO, READY, URL, Waiting, call_of, note_of, request
from tests.serverkit.kit import reading
from tests.serverkit.pipes import Message, conversation, pipe
from tests.support.raw import ENVELOPE


@pytest.fixture
def app() -> Waiting:
    return Waiting()


@pytest.fixture
def server(app: Waiting) -> Server[object]:
    return build_server(DEFINITION, reading(URL).values, app=app)


async def test_a_client_is_served_in_both_eras(server: Server[object]) -> None:
    async with conversation(server) as client:
        client.send(HELLO, READY, call_of(1, "at_once"))
        assert (await client.receive())["id"] == "hello"
        told = await client.receive()
    assert told["id"] == 1
    async with conversation(server) as client:
        client.send(request(1, "tools/list", _meta=ENVELOPE))
        assert "result" in await client.receive()


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\\ud83d"}}\n',
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n',
        b"[]\n",
        b"nonsense\n",
    ],
)
async def test_what_the_sdk_passes_over_is_answered_and_the_next_request_served(
    line: bytes, server: Server[object]
) -> None:
    async with conversation(server) as client:
        client.send(HELLO)
        await client.receive()
        client.send_raw(line)
        assert "error" in await client.receive()
        client.send(request(2, "ping"))
        assert (await client.receive())["id"] == 2


@pytest.mark.parametrize(
    "note",
    [
        note_of("notifications/cancelled", requestId=[1]),
        note_of("notifications/cancelled", requestId={"a": 1}),
        note_of("notifications/cancelled", requestId=None),
        note_of("notifications/cancelled", requestId=999),
        note_of("notifications/cancelled"),
        {"jsonrpc": "2.0", "method": "notifications/cancelled"},
        note_of("notifications/progress", progressToken=1, progress="x"),
        note_of("no/such/notification", a=1),
        {"jsonrpc": "2.0", "id": 999, "result": {}},
        {"jsonrpc": "2.0", "id": 999, "error": {"code": 1, "message": "x"}},
    ],
)
async def test_no_notification_and_no_stray_response_ends_the_process(
    note: Message, server: Server[object]
) -> None:
    async with conversation(server) as client:
        client.send(HELLO, READY, note, request(2, "ping"))
        await client.receive()
        assert await client.receive() == {"jsonrpc": "2.0", "id": 2, "result": {}}
        assert not client.serving.done()


async def test_calls_run_side_by_side(server: Server[object], app: Waiting) -> None:
    async with conversation(server) as client:
        client.send(HELLO, READY, call_of(1, "wait_for_it"), call_of(2, "at_once"))
        await client.receive()
        assert (await client.receive())["id"] == 2
        app.go.set()
        assert (await client.receive())["id"] == 1


async def test_a_question_goes_out_and_its_answer_comes_back(server: Server[object]) -> None:
    async with conversation(server) as client:
        client.send(HELLO, READY, call_of(1, "ask_first"))
        await client.receive()
        question = await client.receive()
        assert question["method"] == "elicitation/create"
        answer = {"action": "accept", "content": {"confirm": True}}
        client.send({"jsonrpc": "2.0", "id": question["id"], "result": answer})
        done = await client.receive()
    assert done["id"] == 1
    assert "done" in str(done["result"])


@pytest.mark.requirement("R-20")
@pytest.mark.parametrize(
    "answer",
    [
        {"result": {"action": "accept", "content": {"confirm": True, "remark": "\ud83d"}}},
        {"result": "yes"},
        {"result": None},
        {"error": "no"},
        {"jsonrpc": "1.0", "result": {"action": "accept", "content": {"confirm": True}}},
    ],
)
async def test_an_answer_that_the_sdk_cannot_take_ends_the_question(
    answer: Message, server: Server[object]
) -> None:
    async with conversation(server) as client:
        client.send(HELLO, READY, call_of(1, "ask_first"))
        await client.receive()
        question = await client.receive()
        client.send({"jsonrpc": "2.0", "id": question["id"], **answer})
        ended = await client.receive()
    assert ended["id"] == 1
    assert "Not approved: the client failed to answer" in str(ended["result"])


async def test_a_cancelled_call_stops_and_no_answer_is_owed(
    server: Server[object], app: Waiting
) -> None:
    async with conversation(server) as client:
        client.send(HELLO, READY, call_of(1, "wait_for_it"))
        await client.receive()
        await app.began.wait()
        client.send(note_of("notifications/cancelled", requestId=1))
        client.close()
        await client.ended()
    assert app.finished == []


async def test_at_the_end_of_input_open_calls_are_still_answered(
    server: Server[object], app: Waiting
) -> None:
    noticed = asyncio.Event()
    async with conversation(server, ended=noticed.set, grace_seconds=60) as client:
        client.send(HELLO, READY, call_of(1, "wait_for_it"))
        await client.receive()
        await app.began.wait()
        client.close()
        await noticed.wait()
        for _ in range(20):  # turns of the loop, in which the call would be given up
            await asyncio.sleep(0)
        app.go.set()
        assert (await client.receive())["id"] == 1
        await client.ended()
    assert app.finished == ["waited"]
    assert app.closed == 1


async def test_at_the_end_of_input_a_call_without_end_is_given_up(
    server: Server[object], app: Waiting
) -> None:
    async with conversation(server, grace_seconds=0.01) as client:
        client.send(HELLO, READY, call_of(1, "wait_for_it"))
        await client.receive()
        await app.began.wait()
        client.close()
        await client.ended()
    assert app.finished == []


async def test_a_client_that_stops_reading_ends_the_conversation(
    server: Server[object],
) -> None:
    async with conversation(server) as client:
        client.send(HELLO)
        await client.receive()
        client.stop_reading()
        client.send(request(2, "ping"))
        await client.ended()


async def test_what_was_answered_before_is_put_to_the_sdk_and_not_answered_again(
    server: Server[object],
) -> None:
    replay = tuple(json.dumps(message).encode() for message in (HELLO, READY))
    waiting = json.dumps(request(5, "ping")).encode() + b"\n"
    async with conversation(server, replay=(*replay, b"nonsense"), waiting=waiting) as client:
        assert await client.receive() == {"jsonrpc": "2.0", "id": 5, "result": {}}
        client.send(call_of(6, "at_once"))
        assert (await client.receive())["id"] == 6


async def test_an_error_that_belongs_to_no_request_is_passed_on() -> None:
    with pipe() as to_server, pipe() as from_server:
        lines = stdio.LineSource(to_server.read_end)
        exchange = Exchange(lines, stdio.LineSink(from_server.write_end))
        nobodys = types.ErrorData(code=-32700, message="Parse error")
        await exchange._answer(types.JSONRPCError(jsonrpc="2.0", id=None, error=nobodys))
        said = await asyncio.to_thread(os.read, from_server.read_end, 1_000)
    assert json.loads(said)["error"]["message"] == "Parse error"
