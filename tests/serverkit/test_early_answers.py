"""The early answers: which messages are plain enough, and what is handed over."""

from __future__ import annotations

import json
import os
import select
import threading
from typing import cast

import pytest

from mcp_serverkit import catalogue
from mcp_serverkit.catalogue import EMPTY_LISTS, StoredAnswers, load
from mcp_serverkit.config.settings import read_settings
from mcp_serverkit.runtime import early_answers, jsonrpc_lines
from mcp_serverkit.runtime.early_answers import EarlyAnswers, Handover
from ntfy_mcp.definition import NTFY
from ntfy_mcp.order import EXTRAS, ORDER
from tests.serverkit.pipes import BOUND_SECONDS, Message, pipe
from tests.support.raw import CLIENT, ENVELOPE

META = "io.modelcontextprotocol/"


@pytest.fixture(scope="module")
def answers() -> StoredAnswers:
    values = read_settings(NTFY.variables, NTFY.prefix, {}).values
    early = NTFY.answers(values)
    assert early is not None
    return early


def _request(method: str, params: object = None, request_id: object = 1) -> Message:
    message: Message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return message if params is None else {**message, "params": params}


def _hello(**changes: object) -> Message:
    params: Message = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": CLIENT,
        **changes,
    }
    return _request("initialize", {k: v for k, v in params.items() if v is not ...})


CATCH_UP: Message = {"name": "catch_up"}
PROMPTED: list[tuple[str, Message]] = [("list", {}), ("get", {**CATCH_UP, "arguments": {}})]
READY: Message = {"jsonrpc": "2.0", "method": "notifications/initialized"}
CANCEL: Message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}}


def _line(message: object) -> bytes:
    return message if isinstance(message, bytes) else json.dumps(message).encode()


def _run(
    answers: StoredAnswers, *messages: object, end: bytes = b"\n"
) -> tuple[list[Message], object]:
    """Feed messages and then the end of input; return answers and handover."""
    with pipe() as to_server, pipe() as from_server:
        os.write(to_server.write_end, b"\n".join(map(_line, messages)) + end)
        to_server.close_writer()
        handover = EarlyAnswers(answers, to_server.read_end, from_server.write_end).run()
        from_server.close_writer()
        with os.fdopen(os.dup(from_server.read_end), "rb") as out:
            said = [json.loads(line) for line in out.read().splitlines()]
    return cast("list[Message]", said), handover


def test_a_handshake_is_answered_and_its_end_is_the_end(answers: StoredAnswers) -> None:
    said, handover = _run(answers, _hello(), READY, _request("tools/list", {}, 2))
    assert [message["id"] for message in said] == [1, 2]
    assert cast("Message", said[0]["result"])["protocolVersion"] == "2025-11-25"
    assert len(cast("list[object]", cast("Message", said[1]["result"])["tools"])) == len(
        ORDER
    ) - len(EXTRAS)
    assert handover is None


@pytest.mark.requirement("F-23")
@pytest.mark.parametrize("method", EMPTY_LISTS)
def test_a_list_of_what_is_not_there_is_empty_in_both_eras(
    method: str, answers: StoredAnswers
) -> None:
    said, handover = _run(
        answers, _hello(), READY, _request(method, {}, 2), _request(method, None, 3)
    )
    assert handover is None
    lists = [cast("Message", message["result"]) for message in said[1:]]
    modern, handover = _run(answers, _request(method, {"_meta": ENVELOPE}))
    assert handover is None
    lists.append(cast("Message", modern[0]["result"]))
    for listed in lists:
        assert [value for value in listed.values() if isinstance(value, list)] == [[]]
    capabilities = cast("Message", cast("Message", said[0]["result"])["capabilities"])
    assert capabilities.keys() == {"prompts", "tools"}


@pytest.mark.parametrize("method", EMPTY_LISTS)
def test_no_list_is_answered_early_before_the_handshake(
    method: str, answers: StoredAnswers
) -> None:
    said, handover = _run(answers, _request(method, {}))
    assert said == []
    assert handover is not None


def test_the_modern_questions_are_answered(answers: StoredAnswers) -> None:
    params = {"_meta": ENVELOPE}
    said, handover = _run(
        answers, _request("server/discover", params, "a"), _request("tools/list", params, "b")
    )
    assert [message["id"] for message in said] == ["a", "b"]
    assert all(cast("Message", message["result"])["resultType"] == "complete" for message in said)
    assert handover is None


@pytest.mark.parametrize(
    "messages",
    [
        [_hello(), READY, _request("ping")],
        [_request("ping"), _hello()],
        [_hello(capabilities={"elicitation": {}})],
        [
            _hello(
                capabilities={
                    "elicitation": {"form": {}, "url": {}},
                    "roots": {"listChanged": True},
                }
            )
        ],
        [_hello(capabilities={"sampling": {"tools": {}}})],
        [_hello(protocolVersion="1999-01-01")],
        [_hello(clientInfo={**CLIENT, "title": "T", "websiteUrl": "https://x.example"})],
        [_hello(), _request("tools/list"), _request("tools/list", {"_meta": {"progressToken": 7}})],
        [_hello(), READY, CANCEL, READY],
        [_request("tools/list", {"_meta": {**ENVELOPE, "progressToken": "t"}})],
        [_hello(), _request("prompts/list"), _request("prompts/get", CATCH_UP)],
        [_hello(), _request("prompts/get", {**CATCH_UP, "arguments": {}, "_meta": {}})],
        [_request("prompts/get", {**CATCH_UP, "_meta": {**ENVELOPE, "progressToken": 7}})],
        [_request(f"prompts/{what}", {**said, "_meta": ENVELOPE}) for what, said in PROMPTED],
        [_request("ping", request_id=2**53 - 1), _request("ping", request_id="")],
        [b"", b"  \r", _request("ping"), b""],
    ],
)
def test_what_is_plain_needs_no_sdk(messages: list[object], answers: StoredAnswers) -> None:
    said, handover = _run(answers, *messages)
    requests = [m for m in messages if isinstance(m, dict) and "id" in m]
    assert [message["id"] for message in said] == [m["id"] for m in requests]
    assert all("result" in message for message in said)
    assert handover is None


@pytest.mark.parametrize(
    "message",
    [
        b"nonsense",
        b"[]",
        b"\xff",
        b"[" * 10_000,
        b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"pin\\u0067"}',
        b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}',
        {"id": 1, "method": "ping"},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": 7},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "extra": 1},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        _request("ping", request_id=None),
        _request("ping", request_id=True),
        _request("ping", request_id=1.0),
        _request("ping", request_id=2**53),
        _request("ping", []),
        _request("ping", {"a": 1}),
        _request("ping", {"_meta": {"other": 1}}),
        _request("ping", {"_meta": []}),
        _request("ping", {"_meta": {"progressToken": 1.5}}),
        _request("tools/list"),
        _request("tools/list", {"cursor": "x"}),
        _request("tools/call", {"name": "list_messages"}),
        _request("server/discover"),
        _request("server/discover", {"_meta": ENVELOPE, "more": 1}),
        _request(
            "server/discover", {"_meta": {**ENVELOPE, f"{META}protocolVersion": "2099-01-01"}}
        ),
        _request("server/discover", {"_meta": {**ENVELOPE, f"{META}clientInfo": {"name": "x"}}}),
        _request("server/discover", {"_meta": {**ENVELOPE, f"{META}clientCapabilities": None}}),
        _request("server/discover", {"_meta": {**ENVELOPE, f"{META}logLevel": "info"}}),
        _request("server/discover", {"_meta": {f"{META}protocolVersion": "2026-07-28"}}),
        _request("ping", {"_meta": ENVELOPE}),
        _request("prompts/get", CATCH_UP),
        _request("prompts/get", {"_meta": ENVELOPE}),
        _request("prompts/get", {**CATCH_UP, "_meta": {**ENVELOPE, f"{META}logLevel": "info"}}),
        _hello(protocolVersion=7),
        _hello(protocolVersion=...),
        _hello(clientInfo=...),
        _hello(clientInfo={"name": 1, "version": "1"}),
        _hello(clientInfo={**CLIENT, "icons": []}),
        _hello(capabilities=[]),
        _hello(capabilities={"experimental": {}}),
        _hello(capabilities={"elicitation": None}),
        _hello(capabilities={"elicitation": {"form": {"a": 1}}}),
        _hello(capabilities={"elicitation": {"other": {}}}),
        _hello(capabilities={"roots": {"listChanged": 1}}),
        _hello(capabilities={"roots": {"listChanged": {}}}),
        _hello(_meta={}),
        READY,
        CANCEL,
        {"jsonrpc": "2.0", "method": "no/such/notification"},
    ],
    ids=lambda message: str(message)[:60],
)
def test_what_is_not_plain_is_handed_over_untouched(
    message: object, answers: StoredAnswers
) -> None:
    said, handover = _run(answers, message, _request("ping", request_id=99))
    assert said == []
    waiting = _line(message) + b"\n" + _line(_request("ping", request_id=99)) + b"\n"
    assert handover == Handover((), waiting, begun=True)


@pytest.mark.parametrize(
    "message",
    [
        _hello(),
        _request("server/discover", {"_meta": ENVELOPE}),
        _request("prompts/get"),
        _request("prompts/get", {"name": "any"}),
        _request("prompts/get", {"name": ["catch_up"]}),
        _request("prompts/get", {**CATCH_UP, "arguments": {"since": "1h"}}),
        _request("prompts/get", {**CATCH_UP, "arguments": None}),
        _request("prompts/get", {**CATCH_UP, "arguments": []}),
        _request("prompts/get", {**CATCH_UP, "requestState": "x"}),
        *(_request(method, {"cursor": "x"}) for method in EMPTY_LISTS),
        *(_request(method, {"_meta": ENVELOPE}) for method in EMPTY_LISTS),
    ],
)
def test_what_the_sdk_must_know_is_handed_over_with_the_rest(
    message: Message, answers: StoredAnswers
) -> None:
    said, handover = _run(answers, _hello(), READY, _request("ping", request_id=2), message)
    assert [each["id"] for each in said] == [1, 2]
    replay = (_line(_hello()), _line(READY))
    assert handover == Handover(replay, _line(message) + b"\n", begun=True)


def test_the_first_request_of_a_conversation_is_replayed_since_it_sets_the_era(
    answers: StoredAnswers,
) -> None:
    first = _request("tools/list", {"_meta": ENVELOPE})
    second = _request("server/discover", {"_meta": ENVELOPE}, 2)
    _, handover = _run(answers, first, second, _hello())
    assert handover == Handover((_line(first),), _line(_hello()) + b"\n", begun=True)


def test_a_last_line_without_an_end_is_handed_over(answers: StoredAnswers) -> None:
    said, handover = _run(answers, _hello(), _request("ping", request_id=2), end=b"")
    assert [each["id"] for each in said] == [1]
    assert handover == Handover((_line(_hello()),), _line(_request("ping", request_id=2)), True)


def test_a_notification_with_parameters_is_handed_over_once_initialized(
    answers: StoredAnswers,
) -> None:
    odd = {**READY, "params": {"_meta": {"a": 1}}}
    _, handover = _run(answers, _hello(), odd)
    assert isinstance(handover, Handover)
    assert handover.waiting == _line(odd) + b"\n"


def test_an_endless_line_is_handed_over(
    answers: StoredAnswers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(early_answers, "MAX_LINE_BYTES", 100)
    monkeypatch.setattr(jsonrpc_lines, "CHUNK_BYTES", 64)
    _, handover = _run(answers, b"x" * 1_000)
    assert handover == Handover((), b"x" * 128, begun=True)


def test_a_descriptor_that_cannot_be_read_is_at_its_end(answers: StoredAnswers) -> None:
    with pipe() as unused:
        assert EarlyAnswers(answers, unused.write_end, unused.write_end).run() is None


def test_a_client_that_reads_no_more_is_left_to_the_sdk(answers: StoredAnswers) -> None:
    with pipe() as to_server, pipe() as from_server:
        from_server.close_reader()
        os.write(to_server.write_end, _line(_hello()) + b"\n")
        to_server.close_writer()
        handover = EarlyAnswers(answers, to_server.read_end, from_server.write_end).run()
    assert handover is not None
    assert handover.waiting == _line(_hello()) + b"\n"


def test_an_input_that_does_not_block_is_waited_for(answers: StoredAnswers) -> None:
    ended: list[object] = []
    with pipe() as to_server, pipe() as from_server:
        os.set_blocking(to_server.read_end, False)
        early = EarlyAnswers(answers, to_server.read_end, from_server.write_end)
        running = threading.Thread(target=lambda: ended.append(early.run()))
        running.start()
        for number in range(3):
            os.write(to_server.write_end, _line(_request("ping", request_id=number)) + b"\n")
            heard, _, _ = select.select([from_server.read_end], [], [], BOUND_SECONDS)
            assert heard, "the early answers ended although nobody left"
            assert json.loads(os.read(from_server.read_end, 65_536))["id"] == number
        to_server.close_writer()
        running.join()
    assert ended == [None]


def test_what_arrives_while_the_sdk_loads_is_taken_over_less_the_cancelled(
    answers: StoredAnswers,
) -> None:
    with pipe() as to_server, pipe() as from_server:
        early = EarlyAnswers(answers, to_server.read_end, from_server.write_end)
        for number in (7, 8, 9, 9):
            os.write(to_server.write_end, _line(_request("tools/call", {}, number)) + b"\n")
        for number in (7, 9):
            cancel = {**CANCEL, "params": {"requestId": number}}
            os.write(to_server.write_end, _line(cancel) + b"\n")
        handover = early.take_over(Handover((b"replay",), b'{"half'))
        refusal = json.loads(os.read(from_server.read_end, 65_536))
    assert (refusal["id"], refusal["error"]["code"]) == (9, -32600)
    assert handover.replay == (b"replay",)
    first, *rest = handover.waiting.split(b"\n")
    # The first line joins what was read before; it is no longer a request that can be cancelled.
    assert first == b'{"half' + _line(_request("tools/call", {}, 7))
    cancels = [_line({**CANCEL, "params": {"requestId": number}}) for number in (7, 9)]
    assert rest == [_line(_request("tools/call", {}, 8)), *cancels, b""]


def test_the_catalogue_of_a_package_is_loaded_or_absent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stored = load("ntfy_mcp")
    assert stored is not None
    assert [tool.name for tool in stored.tools] == [tool.name for tool in NTFY.registry()]
    assert load("mcp_serverkit") is None
    monkeypatch.setattr(catalogue, "FILE", "__init__.py")
    assert load("ntfy_mcp") is None


@pytest.mark.requirement("C-3")
@pytest.mark.parametrize("chunks", [[b"\xef\xbb\xbf"], [b"\xef", b"\xbb", b"\xbf"]])
def test_a_byte_order_mark_before_the_first_line_is_skipped(
    chunks: list[bytes], answers: StoredAnswers
) -> None:
    plain, _ = _run(answers, _hello())
    mark = b"".join(chunks)
    assert _run(answers, mark + _line(_hello()))[0] == plain
    said, handover = _run(answers, _hello(), mark + _line(_request("ping", request_id=2)))
    assert [each["id"] for each in said] == [1]
    assert isinstance(handover, Handover)
    assert handover.waiting.startswith(mark)
    assert _run(answers, mark, end=b"") == ([], None)
