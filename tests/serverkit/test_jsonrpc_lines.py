"""What is said about a line that the SDK passes over, and what waits is looked through."""

from __future__ import annotations

import json
import os
import select
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_serverkit.runtime import jsonrpc_lines
from mcp_serverkit.runtime.jsonrpc_lines import (
    complaint,
    drain,
    read_chunk,
    without_cancelled,
    write_all,
)
from mcp_serverkit.runtime.stdio import decode
from tests.serverkit.pipes import BOUND_SECONDS, pipe


def _error(line: bytes | None) -> tuple[object, int, str]:
    answer = complaint(line)
    assert answer is not None
    parsed = json.loads(answer)
    assert parsed["jsonrpc"] == "2.0"
    assert parsed.keys() == {"jsonrpc", "id", "error"}
    return parsed["id"], parsed["error"]["code"], parsed["error"]["message"]


@pytest.mark.parametrize(
    ("line", "request_id", "code"),
    [
        (None, None, -32700),
        (b"nonsense", None, -32700),
        (b"\xff", None, -32700),
        (b'{"a":', None, -32700),
        (b"[" * 100_000, None, -32700),
        (b"[]", None, -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None, -32600),
        (b"7", None, -32600),
        (b"null", None, -32600),
        (b'"text"', None, -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":[],"method":"ping"}', None, -32600),
        (b'{"id":1,"method":"ping"}', 1, -32600),
        (b'{"jsonrpc":"1.0","id":"a","method":"ping"}', "a", -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', 1, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"x","params":[]}', 1, -32600),
        (b'{"jsonrpc":"2.0","id":1}', 1, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"\\ud83d"}}', 1, -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"\\udfff":1}}', 1, -32602),
        (b'{"jsonrpc":"2.0","id":"\\ud83d","method":"x"}', "\ufffd", -32602),
    ],
)
def test_a_line_that_can_be_answered_is(line: bytes | None, request_id: object, code: int) -> None:
    told = _error(line)
    assert told[:2] == (request_id, code)
    assert code != -32602 or "surrogate" in told[2]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"  \r",
        b'{"jsonrpc":"1.0","method":"notifications/x"}',
        b'{"method":"x","params":{"a":"\\ud83d"}}',
        b'{"jsonrpc":"1.0","id":1,"result":{}}',
        b'{"id":1,"error":{}}',
        b'{"jsonrpc":"2.0","id":1,"result":{"a":"\\ud83d"}}',
        b"{}",
    ],
)
def test_a_notification_or_a_response_gets_no_answer(line: bytes) -> None:
    assert complaint(line) is None


@pytest.mark.parametrize("depth", [150, 250, 400, 600, 800, 990, 1_200])
def test_depth_is_no_way_to_end_the_process(depth: int) -> None:
    line = (
        b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":' + b"[" * depth + b"]" * depth + b"}}"
    )
    assert decode(line) is not None or complaint(line) is not None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": JSON,
        "method": st.sampled_from(["ping", "x"]) | JSON,
        "params": st.dictionaries(st.text(max_size=3), JSON, max_size=2) | JSON,
        "result": JSON,
        "error": JSON,
    },
)


@given(MESSAGES | JSON)
def test_whatever_comes_is_taken_answered_or_passed_over_without_an_exception(
    message: object,
) -> None:
    line = json.dumps(message).encode()
    if decode(line) is None:
        answer = complaint(line)
        if isinstance(message, dict) and "id" not in message:
            assert answer is None
        if answer is not None:
            answer.decode("utf-8")
            assert b"\n" not in answer


@given(st.binary(max_size=80))
def test_no_bytes_raise(line: bytes) -> None:
    if decode(line) is None:
        complaint(line)


def _request(request_id: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": "tools/call"}).encode()


def _cancel(request_id: object) -> bytes:
    params = {"requestId": request_id}
    note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
    return json.dumps(note).encode()


def test_a_request_that_was_cancelled_before_anything_looked_at_it_is_taken_out() -> None:
    waiting = b"\n".join([_request(1), _request("1"), _cancel(1), _request(2), b""])
    left = b"\n".join([_request("1"), _cancel(1), _request(2), b""])
    assert without_cancelled(waiting) == (left, [])


@pytest.mark.requirement("R-69")
def test_a_second_request_under_the_id_of_one_that_is_cancelled_is_refused() -> None:
    lines = [_request(6), _request(6), _request("6"), _cancel(6), _request(6), b""]
    left, refusals = without_cancelled(b"\n".join(lines))
    assert left.split(b"\n") == [_request("6"), _cancel(6), _request(6), b""]
    (refusal,) = map(json.loads, refusals)
    assert (refusal["id"], refusal["error"]["code"]) == (6, -32600)


def test_a_cancellation_means_no_later_request() -> None:
    waiting = b"\n".join([_cancel(1), _request(1), b""])
    assert without_cancelled(waiting) == (waiting, [])


@pytest.mark.parametrize("request_id", [None, True, 1.0, [1], {"a": 1}])
def test_a_cancellation_of_no_id_takes_out_nothing(request_id: object) -> None:
    waiting = b"\n".join([_request(1), _cancel(request_id), b"nonsense", b'{"id":1}', b"[]"])
    assert without_cancelled(waiting) == (waiting, [])


@pytest.mark.parametrize(
    "waiting", [b"", b"half a li", b"a\nb", b'"notifications/cancelled"\n', b'{"method":\xff}']
)
def test_what_holds_no_cancellation_stays_as_it_is(waiting: bytes) -> None:
    assert without_cancelled(waiting) == (waiting, [])


def test_what_has_arrived_is_read_without_waiting() -> None:
    with pipe() as ends:
        assert drain(ends.read_end) == b""
        os.write(ends.write_end, b"one\ntw")
        assert drain(ends.read_end) == b"one\ntw"
        os.write(ends.write_end, b"o\n")
        ends.close_writer()
        assert drain(ends.read_end) == b"o\n"
        assert drain(ends.read_end) == b""
    assert drain(-1) == b""


def test_draining_stops_at_one_line_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonrpc_lines, "MAX_LINE_BYTES", 10)
    monkeypatch.setattr(jsonrpc_lines, "CHUNK_BYTES", 8)
    with pipe() as ends:
        os.write(ends.write_end, b"x" * 100)
        assert drain(ends.read_end) == b"x" * 16


def test_where_nothing_can_be_looked_at_without_waiting_nothing_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pipe() as ends:
        os.write(ends.write_end, b"one\n")
        assert drain(ends.read_end) == b""


@pytest.mark.parametrize("blocking", [True, False])
def test_a_line_larger_than_a_pipe_is_written_whole(
    blocking: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = b"x" * 1_000_000 + b"\n"
    received = bytearray()
    full = threading.Event()
    wait = select.select

    def noted(reading: list[int], writing: list[int], other: list[int]) -> object:
        full.set()
        return wait(reading, writing, other)

    monkeypatch.setattr(select, "select", noted)
    with pipe() as ends:
        os.set_blocking(ends.write_end, blocking)

        def read() -> None:
            # Not before the pipe is full, where the writer is told so.
            assert blocking or full.wait(BOUND_SECONDS)
            while len(received) < len(line) and (chunk := os.read(ends.read_end, 65_536)):
                received.extend(chunk)

        reader = threading.Thread(target=read)
        reader.start()
        written = write_all(ends.write_end, line)
        ends.close_writer()
        reader.join()
    assert written
    assert bytes(received) == line


def test_a_reader_that_is_gone_is_told() -> None:
    with pipe() as ends:
        ends.close_reader()
        assert not write_all(ends.write_end, b"x\n")


def test_an_input_that_does_not_block_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with pipe() as ends:
        os.set_blocking(ends.read_end, False)

        def arrive(readable: list[int], *_rest: object) -> None:
            assert readable == [ends.read_end]
            os.write(ends.write_end, b"late")

        monkeypatch.setattr(select, "select", arrive)
        assert read_chunk(ends.read_end) == b"late"
        ends.close_writer()
        assert read_chunk(ends.read_end) == b""
    assert read_chunk(-1) == b""
