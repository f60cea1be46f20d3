"""One id, one open request; one handshake a connection. A small model says what must come.

The model is held against the side that answers early and the side that serves.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Literal, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_serverkit.catalogue import Catalogue, StoredAnswers
from mcp_serverkit.instructions import Offered
from mcp_serverkit.runtime import stdio
from mcp_serverkit.runtime.catalogue_writer import catalogue
from mcp_serverkit.runtime.early_answers import EarlyAnswers, Handover
from mcp_serverkit.runtime.jsonrpc_lines import ID_IN_USE
from mcp_serverkit.runtime.open_requests import OpenRequests
from mcp_serverkit.runtime.process import Exchange
from mcp_serverkit.server import build_server
from tests.serverkit.busy import DEFINITION, HELLO, READY, URL, Waiting, call_of, note_of, request
from tests.serverkit.kit import reading
from tests.serverkit.pipes import Conversation, Message, conversation, pipe
from tests.support.raw import CLIENT, ENVELOPE

FEW = 60
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", FEW))
INITIALIZED = "Invalid request: already initialized"
HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")

Id: TypeAlias = int | str
Kind: TypeAlias = Literal["ping", "list", "wait", "cancel", "initialize", "bad initialize", "go on"]
Step: TypeAlias = tuple[Kind, Id, str]

STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["ping", "list", "wait", "wait", "cancel", "initialize", "bad initialize", "go on"]
        ),
        st.sampled_from([6, "6", 0, "a"]),
        st.sampled_from(HANDSHAKES),
    ),
    max_size=10,
)


class Model:
    """What must come, by the rules alone."""

    def __init__(self) -> None:
        self.open: list[tuple[type, Id]] = []
        self.version = ""

    def expected(self, kind: Kind, request_id: Id, version: str) -> str:
        """The kind of answer to a request, or nothing where none comes yet."""
        key = (type(request_id), request_id)
        if key in self.open:
            return ID_IN_USE
        if kind == "initialize" and not self.version:
            self.version = version
            return "result"
        if kind in {"initialize", "bad initialize"}:
            return INITIALIZED if self.version else "error"
        if kind == "ping" or (kind == "list" and self.version):
            return "result"
        if kind == "wait" and self.version:
            self.open.append(key)
            return ""
        return "error"


def message_of(kind: Kind, request_id: Id, version: str) -> Message:
    hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}
    match kind:
        case "initialize":
            return request(request_id, "initialize", **hello)
        case "bad initialize":
            return request(request_id, "initialize", protocolVersion=version)
        case "wait":
            return call_of(request_id, "wait_for_it")
        case "cancel":
            return note_of("notifications/cancelled", requestId=request_id)
        case "list":
            return request(request_id, "tools/list")
        case _:
            return request(request_id, "ping")


def said_by(answer: Message) -> str:
    """The kind of an answer, or the text of a refusal of ours."""
    if "result" in answer:
        return "result"
    error = answer["error"]
    assert isinstance(error, dict)
    text = str(error["message"])
    ours = text in {ID_IN_USE, INITIALIZED}
    assert not ours or error["code"] == -32600
    return text if ours else "error"


@asynccontextmanager
async def client_of(app: Waiting, early: StoredAnswers | None) -> AsyncIterator[Conversation]:
    """Serve one client, from the first byte on, with or without the early answers."""
    server = build_server(DEFINITION, reading(URL).values, app=app)
    with pipe() as to_server, pipe() as from_server:

        async def serve() -> None:
            handover: Handover | None = Handover((), b"")
            if early is not None:
                answering = EarlyAnswers(early, to_server.read_end, from_server.write_end)
                handover = await asyncio.to_thread(answering.run)
                handover = None if handover is None else answering.take_over(handover)
            if handover is not None:
                lines = stdio.LineSource(to_server.read_end, handover.waiting, begun=handover.begun)
                sink = stdio.LineSink(from_server.write_end)
                await Exchange(lines, sink, handover.replay, grace_seconds=0.01).serve(server)

        serving = asyncio.create_task(serve())
        client = Conversation(to_server, from_server, serving)
        try:
            yield client
        finally:
            client.close()
            with suppress(asyncio.CancelledError):
                await serving


async def play(steps: list[Step], early: StoredAnswers | None) -> None:
    """Take the steps one after the other; each answer must be the model's."""
    app, model = Waiting(), Model()
    async with client_of(app, early) as client:
        client.send_raw(b"\xef\xbb\xbf")
        for number, (kind, request_id, version) in enumerate(steps):
            key = (type(request_id), request_id)
            if kind == "go on":
                app.go.set()
                answered = [await client.receive() for _ in model.open]
                assert sorted(map(str, (each["id"] for each in answered))) == sorted(
                    str(each) for _, each in model.open
                )
                app.go.clear()
                model.open = []
                continue
            client.send(message_of(kind, request_id, version))
            if kind == "cancel":
                model.open = [each for each in model.open if each != key]
            else:
                expected = model.expected(kind, request_id, version)
                if expected:
                    answer = await client.receive()
                    assert (answer["id"], said_by(answer)) == (request_id, expected)
                    assert type(answer["id"]) is type(request_id)
                    if kind == "initialize" and expected == "result":
                        assert (
                            json.loads(json.dumps(answer))["result"]["protocolVersion"] == version
                        )
                        client.send(READY)
                    continue
            # No answer comes, so another one shows that this message was dealt with.
            client.send(request(f"then {number}", "ping"))
            assert (await client.receive())["id"] == f"then {number}"


STORED = Catalogue(asyncio.run(catalogue(DEFINITION)))
EARLY = StoredAnswers(
    STORED, [Offered(tool.name, tool.read_only, tool.asks) for tool in STORED.tools], ""
)


@pytest.mark.requirement("R-69", "C-4", "C-5")
@pytest.mark.timeout(0)
@settings(max_examples=EXAMPLES, derandomize=EXAMPLES == FEW, deadline=None)
@given(STEPS)
def test_each_answer_is_the_one_of_the_model_early_and_late(steps: list[Step]) -> None:
    for early in (None, EARLY):
        asyncio.run(play(steps, early))


@pytest.mark.requirement("R-69", "C-4")
async def test_a_second_call_under_an_open_id_is_refused_and_a_cancel_means_the_first() -> None:
    app = Waiting()
    server = build_server(DEFINITION, reading(URL).values, app=app)
    async with conversation(server) as client:
        client.send(HELLO, READY, call_of(6, "ask_first"))
        await client.receive()
        question = await client.receive()
        client.send(call_of(6, "ask_first"))
        refused = await client.receive()
        assert (refused["id"], said_by(refused)) == (6, ID_IN_USE)
        client.send(note_of("notifications/cancelled", requestId=6))
        assert (await client.receive())["method"] == "notifications/cancelled"
        accepted = {"action": "accept", "content": {"confirm": True}}
        client.send({"jsonrpc": "2.0", "id": question["id"], "result": accepted})
        client.send(request(7, "ping"))
        assert (await client.receive())["id"] == 7
        client.send(call_of(6, "at_once"))
        assert (await client.receive())["id"] == 6
    assert app.finished == []


@pytest.mark.requirement("R-69", "C-4")
async def test_in_the_modern_era_an_open_id_is_refused_too() -> None:
    app = Waiting()
    server = build_server(DEFINITION, reading(URL).values, app=app)
    async with conversation(server) as client:
        waiting = request(6, "tools/call", name="wait_for_it", arguments={}, _meta=ENVELOPE)
        client.send(waiting, waiting)
        refused = await client.receive()
        assert (refused["id"], said_by(refused)) == (6, ID_IN_USE)
        await app.began.wait()
        app.go.set()
        assert said_by(await client.receive()) == "result"
    assert app.finished == ["waited"]


@pytest.mark.requirement("R-69", "C-4")
async def test_a_number_and_its_spelling_are_two_ids() -> None:
    app = Waiting()
    server = build_server(DEFINITION, reading(URL).values, app=app)
    async with conversation(server) as client:
        client.send(HELLO, READY, call_of(6, "wait_for_it"), call_of("6", "wait_for_it"))
        await client.receive()
        client.send(note_of("notifications/cancelled", requestId="6"), request(7, "ping"))
        assert (await client.receive())["id"] == 7
        app.go.set()
        answer = await client.receive()
    assert answer["id"] == 6
    assert type(answer["id"]) is int
    assert app.finished == ["waited"]


@pytest.mark.requirement("R-75", "C-5")
@pytest.mark.parametrize("early", [None, EARLY], ids=["late", "early"])
async def test_a_second_handshake_takes_no_dialog_away(early: StoredAnswers | None) -> None:
    async with client_of(Waiting(), early) as client:
        client.send(HELLO, READY)
        await client.receive()
        second = request(
            2, "initialize", protocolVersion="2024-11-05", capabilities={}, clientInfo=CLIENT
        )
        client.send(second)
        assert said_by(await client.receive()) == INITIALIZED
        client.send(call_of(3, "ask_first"))
        assert (await client.receive())["method"] == "elicitation/create"


def test_an_answer_to_nothing_that_is_open_closes_nothing() -> None:
    requests = OpenRequests()
    number = requests.add("a")
    requests.close(number + 1)
    requests.close("a")
    assert "a" in requests
    assert requests.owed
    requests.close(number)
    requests.close(number)
    assert "a" not in requests
    assert not requests.owed
