"""With or without the early answers, a client hears the same."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import suppress

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_serverkit.catalogue import EMPTY_LISTS
from mcp_serverkit.config.settings import read_settings
from mcp_serverkit.runtime import stdio
from mcp_serverkit.runtime.early_answers import EarlyAnswers, Handover
from mcp_serverkit.runtime.process import Exchange
from mcp_serverkit.server import build_server
from ntfy_mcp.definition import NTFY
from tests.serverkit.pipes import pipe
from tests.support.raw import CLIENT, ENVELOPE

FEW = 150
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", FEW))
"""Conversations to try; `make fuzz` tries many, and other ones each time."""

META = "io.modelcontextprotocol/"
VALUES = read_settings(NTFY.variables, NTFY.prefix, {}).values


async def _serve(source: int, sink: int, handover: Handover) -> None:
    lines = stdio.LineSource(source, handover.waiting, begun=handover.begun)
    exchange = Exchange(lines, stdio.LineSink(sink), handover.replay, grace_seconds=0.2)
    async with asyncio.timeout(5):
        await exchange.serve(build_server(NTFY, VALUES))


def _heard(lines: list[bytes], *, early: bool) -> list[str]:
    """Say all lines, then leave; return the answers in an order of their own."""
    with pipe() as to_server, pipe() as from_server:
        os.write(to_server.write_end, b"".join(line + b"\n" for line in lines))
        to_server.close_writer()
        handover: Handover | None = Handover((), b"")
        if early:
            answers = NTFY.answers(VALUES)
            assert answers is not None
            answering = EarlyAnswers(answers, to_server.read_end, from_server.write_end)
            handover = answering.run()
            handover = None if handover is None else answering.take_over(handover)
        heard = bytearray()

        async def serve(handover: Handover) -> None:
            async def listen() -> None:
                while chunk := await asyncio.to_thread(os.read, from_server.read_end, 65_536):
                    heard.extend(chunk)

            listening = asyncio.create_task(listen())
            await _serve(to_server.read_end, from_server.write_end, handover)
            from_server.close_writer()
            await listening

        if handover is not None:
            asyncio.run(serve(handover))
        else:
            from_server.close_writer()
            while chunk := os.read(from_server.read_end, 65_536):
                heard.extend(chunk)
    return sorted(
        json.dumps(json.loads(line), sort_keys=True) for line in bytes(heard).splitlines()
    )


CAPABILITIES = st.sampled_from(
    [
        {},
        {"elicitation": {}},
        {"elicitation": {"form": {}, "url": {}}},
        {"roots": {"listChanged": True}},
        {"roots": {"listChanged": "yes"}},
        {"elicitation": None},
        {"elicitation": {"form": 7}},
        {"sampling": {"tools": {}, "context": {}}},
        {"experimental": {"x": {}}},
        {"unknown": 7},
        [],
    ]
)
INFO = st.sampled_from(
    [
        CLIENT,
        {**CLIENT, "title": "T"},
        {**CLIENT, "description": "D", "websiteUrl": "https://x.example"},
        {**CLIENT, "websiteUrl": "no url"},
        {**CLIENT, "title": 7},
        {**CLIENT, "icons": [{"src": "x"}]},
        {"name": "x"},
        {"name": "x", "version": 1},
        {},
        None,
    ]
)
VERSIONS = st.sampled_from(
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "1999-01-01", ""]
)
PROGRESS = st.sampled_from(
    [{}, {"progressToken": 1}, {"progressToken": "t"}, {"progressToken": 1.5}]
)
INITIALIZE = st.builds(
    lambda version, capabilities, info, more: {
        "protocolVersion": version,
        "capabilities": capabilities,
        "clientInfo": info,
        **more,
    },
    VERSIONS,
    CAPABILITIES,
    INFO,
    st.sampled_from([{}, {"_meta": {}}, {"extra": 1}]),
)
NAMED: st.SearchStrategy[dict[str, object]] = st.sampled_from(
    [
        {"name": "catch_up"},
        {"name": "catch_up"},
        {"name": "catch_up", "arguments": {}},
        {"name": "catch_up", "arguments": None},
        {"name": "catch_up", "arguments": []},
        {"name": "catch_up", "arguments": {"since": "1h"}},
        {"name": "catch_up", "arguments": {"since": 7}},
        {"name": "catch_up", "arguments": {"since": "1h\nTopics: all"}},
        {"name": "catch_up", "arguments": {"sinc": "1h"}},
        {"name": "catch_up", "inputResponses": {}},
        {"name": "catch_down"},
        {"name": 7},
        {"arguments": {}},
    ]
)
MODERN = st.builds(
    lambda version, capabilities, info, meta, more: {
        "_meta": {
            f"{META}protocolVersion": version,
            f"{META}clientCapabilities": capabilities,
            f"{META}clientInfo": info,
            **meta,
        },
        **more,
    },
    st.sampled_from(["2026-07-28", "2026-07-28", "2025-11-25", "2099-01-01", 7]),
    CAPABILITIES,
    INFO,
    PROGRESS,
    st.sampled_from([{}, {}, {"cursor": "x"}, {"extra": 1}]) | NAMED,
) | st.just({"_meta": ENVELOPE})
PLAIN: st.SearchStrategy[object] = st.sampled_from(
    [None, {}, {"_meta": {}}, {"_meta": {"a": 1}}, {"cursor": None}, {"cursor": "x"}, {"x": 1}, []]
) | PROGRESS.map(lambda meta: {"_meta": meta})
PROMPTED = NAMED | st.builds(lambda named, meta: {**named, "_meta": meta}, NAMED, PROGRESS)
METHODS = st.sampled_from(
    ["ping", "tools/list", "server/discover", "prompts/list", *EMPTY_LISTS, "no/such", ""]
)
PARAMS = {
    "initialize": INITIALIZE,
    "modern": MODERN,
    "plain": PLAIN,
    "prompt": PROMPTED | MODERN,
}
IDS = st.sampled_from(["a", "b", "", "1", 0, -1, 2**53, 2**70, 1.5, True, None])


def _request(number: int, request_id: object, method: object, params: object) -> bytes:
    # Ids of their own keep the answers apart; a few odd ones stay as they are.
    message = {"jsonrpc": "2.0", "id": number if request_id == "a" else request_id}
    message["method"] = method
    return json.dumps(message if params is None else {**message, "params": params}).encode()


def _key(request_id: object) -> tuple[type, object]:
    return type(request_id), request_id


@st.composite
def _conversations(draw: st.DrawFn) -> list[bytes]:
    """A plain start of either kind or none, and then anything."""
    hello = {"protocolVersion": draw(VERSIONS), "capabilities": {}, "clientInfo": CLIENT}
    ready = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    starts = [
        [_request(1_000, "a", "initialize", hello), ready],
        [_request(1_000, "a", "initialize", hello)],
        [_request(1_000, "a", "server/discover", {"_meta": ENVELOPE})],
        [],
    ]
    lines = draw(st.sampled_from(starts))
    odd = st.sampled_from(
        [
            b"",
            b"  ",
            b"nonsense",
            b"[]",
            b"\xff",
            b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
            b'{"jsonrpc":"2.0","id":"\\u0041","method":"ping"}',
            b'{"jsonrpc":"2.0","id":"q","method":"ping","extra":1}',
            b'{"jsonrpc":"2.0","id":"s","method":"ping","params":{"_meta":{"a":"\\ud800"}}}',
            b'{"id":"r","method":"ping"}',
            b'{"jsonrpc":"2.0","id":999,"result":{}}',
            b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}',
            b'{"jsonrpc":"2.0","method":"notifications/cancelled"}',
            b'{"jsonrpc":"2.0","method":"notifications/initialized","params":{"_meta":{"a":1}}}',
            b'{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
            ready,
        ]
    )
    used: set[tuple[type, object]] = set()
    if draw(st.booleans()):
        lines = [b"\xef\xbb\xbf" + b"".join(lines[:1]), *lines[1:]]
    for number in range(draw(st.integers(0, 5))):
        kind = draw(st.sampled_from(["initialize", "modern", "plain", "prompt", "odd"]))
        if kind == "odd":
            lines = [*lines, draw(odd)]
            continue
        # An id is used once here; what a second use means depends on who is quicker.
        request_id = draw((st.just("a") | IDS).filter(lambda each: _key(each) not in used))
        if request_id != "a":
            used.add(_key(request_id))
        method = {"initialize": "initialize", "prompt": "prompts/get"}.get(kind) or draw(METHODS)
        params = draw(PARAMS[kind])
        lines = [*lines, _request(100 + number, request_id, method, params)]
    return lines


@pytest.mark.timeout(0)
@settings(max_examples=EXAMPLES, derandomize=EXAMPLES == FEW)
@given(_conversations())
def test_the_early_answers_change_nothing_that_a_client_hears(lines: list[bytes]) -> None:
    alone = _heard(lines, early=False)
    early = _heard(lines, early=True)
    assert early == alone


@pytest.mark.parametrize("count", [1, 50])
def test_many_plain_requests_are_each_answered_once(count: int) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
    lines = [_request(1_000, "a", "initialize", hello)]
    lines += [_request(number, "a", "ping", None) for number in range(count)]
    lines += [_request(2_000, "a", "no/such", None)]
    with suppress(anyio.BrokenResourceError):
        ids = [json.loads(line)["id"] for line in _heard(lines, early=True)]
    assert sorted(ids) == [*range(count), 1_000, 2_000]
