"""Lines in and out: split, joined, huge, broken, from every kind of descriptor."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.message import SessionMessage

from mcp_serverkit.runtime import stdio
from tests.serverkit.pipes import BOUND_SECONDS, pipe


async def _all_lines(source: stdio.LineSource) -> list[bytes | None]:
    async with asyncio.timeout(BOUND_SECONDS):
        return [line async for line in source.lines()]


async def _lines_of(*chunks: bytes, waiting: bytes = b"") -> list[bytes | None]:
    """Read chunks that arrive one after the other."""
    with pipe() as ends:
        source = stdio.LineSource(ends.read_end, waiting)
        reading = asyncio.create_task(_all_lines(source))
        for chunk in chunks:
            os.write(ends.write_end, chunk)
            await asyncio.sleep(0)
        ends.close_writer()
        return await reading


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ([], []),
        ([b"one\n"], [b"one"]),
        ([b"one\ntwo\nthree\n"], [b"one", b"two", b"three"]),
        ([b"o", b"ne", b"\ntw", b"o\n"], [b"one", b"two"]),
        ([b"one\r\n"], [b"one\r"]),
        ([b"\n\n"], [b"", b""]),
        ([b"one\nno end"], [b"one", b"no end"]),
        ([b"\xff\xfe\n"], [b"\xff\xfe"]),
        (["ä\n".encode()[:1], "ä\n".encode()[1:]], ["ä".encode()]),
    ],
)
async def test_lines_are_split_and_joined_as_they_were_written(
    chunks: list[bytes], lines: list[bytes]
) -> None:
    assert await _lines_of(*chunks) == lines


MARK = b"\xef\xbb\xbf"


@pytest.mark.requirement("C-3")
@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ([MARK + b"one\n", b"two\n"], [b"one", b"two"]),
        ([MARK[:1], MARK[1:2], MARK[2:], b"one\n"], [b"one"]),
        ([b"one\n" + MARK + b"two\n"], [b"one", MARK + b"two"]),
        ([b"\n" + MARK + b"two\n"], [b"", MARK + b"two"]),
        ([MARK + MARK + b"one\n"], [MARK + b"one"]),
        ([MARK], []),
        ([MARK[:2] + b"\n"], [MARK[:2]]),
    ],
)
async def test_a_byte_order_mark_before_the_first_line_is_skipped(
    chunks: list[bytes], lines: list[bytes]
) -> None:
    assert await _lines_of(*chunks) == lines


@pytest.mark.requirement("C-3")
async def test_a_byte_order_mark_is_skipped_only_where_the_input_begins() -> None:
    with pipe() as ends:
        ends.close_writer()
        source = stdio.LineSource(ends.read_end, MARK + b"one\n", begun=True)
        assert await _all_lines(source) == [MARK + b"one"]


async def test_what_was_read_before_comes_first() -> None:
    assert await _lines_of(b"end\ntwo\n", waiting=b"one\nfront ") == [b"one", b"front end", b"two"]
    assert await _lines_of(waiting=b"only") == [b"only"]


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ([b"x" * 10 + b"\n"], [b"x" * 10]),
        ([b"x" * 11 + b"\n", b"next\n"], [None, b"next"]),
        ([b"x" * 6, b"x" * 6, b"x" * 6, b"\nnext\n"], [None, b"next"]),
        ([b"x" * 30], [None]),
        ([b"x" * 30 + b"\n" + b"y" * 30 + b"\nnext"], [None, None, b"next"]),
    ],
)
async def test_a_line_over_the_limit_is_passed_over_once_and_the_next_one_read(
    chunks: list[bytes], lines: list[bytes | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stdio, "MAX_LINE_BYTES", 10)
    assert await _lines_of(*chunks) == lines


async def test_a_file_is_read_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "in"
    file.write_bytes(b"one\n" + b"x" * 200_000 + b"\nlast")
    with file.open("rb") as opened:
        lines = await _all_lines(stdio.LineSource(opened.fileno()))
    assert lines == [b"one", b"x" * 200_000, b"last"]


async def test_the_null_device_is_at_its_end_at_once() -> None:
    descriptor = os.open(os.devnull, os.O_RDONLY)
    try:
        assert await _all_lines(stdio.LineSource(descriptor)) == []
    finally:
        os.close(descriptor)


async def test_a_socket_is_read_like_a_pipe() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(b"one\ntwo\n")
        ours.shutdown(socket.SHUT_WR)
        assert await _all_lines(stdio.LineSource(theirs.fileno())) == [b"one", b"two"]


async def test_a_descriptor_that_fails_is_at_its_end(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path / "write only", os.O_WRONLY | os.O_CREAT)
    try:
        assert await _all_lines(stdio.LineSource(descriptor)) == []
    finally:
        os.close(descriptor)


async def test_a_reader_that_is_cancelled_leaves_nothing_behind() -> None:
    with pipe() as ends:
        source = stdio.LineSource(ends.read_end)
        reading = asyncio.create_task(_all_lines(source))
        await asyncio.sleep(0)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        os.write(ends.write_end, b"later\n")
        ends.close_writer()
        assert await _all_lines(source) == [b"later"]


async def test_lines_larger_than_a_pipe_are_written_whole_and_in_order() -> None:
    with pipe() as ends:
        sink = stdio.LineSink(ends.write_end)
        lines = [bytes([65 + number]) * 300_000 for number in range(4)]
        writing = [asyncio.create_task(sink.write(line)) for line in lines]
        source = stdio.LineSource(ends.read_end)
        received = []
        async with asyncio.timeout(BOUND_SECONDS):
            async for line in source.lines():
                received.append(line)
                if len(received) == len(lines):
                    break
        await asyncio.gather(*writing)
    assert received == lines
    assert not sink.broken.is_set()


async def test_a_reader_that_is_gone_is_noticed_once_and_quietly() -> None:
    with pipe() as ends:
        sink = stdio.LineSink(ends.write_end)
        ends.close_reader()
        await sink.write(b"one")
        assert sink.broken.is_set()
        await sink.write(b"two")


async def test_a_reader_that_leaves_while_a_line_waits_is_noticed() -> None:
    with pipe() as ends:
        sink = stdio.LineSink(ends.write_end)
        writing = asyncio.create_task(sink.write(b"x" * 1_000_000))
        await asyncio.to_thread(os.read, ends.read_end, 10)
        ends.close_reader()
        async with asyncio.timeout(BOUND_SECONDS):
            await writing
        assert sink.broken.is_set()


async def test_a_file_takes_lines_too(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT)
    try:
        sink = stdio.LineSink(descriptor)
        await sink.write(b"one")
        await sink.write(b"two")
    finally:
        os.close(descriptor)
    assert (tmp_path / "out").read_bytes() == b"one\ntwo\n"


@pytest.mark.requirement("R-20")
def test_half_a_surrogate_pair_in_a_result_becomes_the_replacement_character() -> None:
    message = types.JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": "fix \ud83d ä 😀"})
    line = stdio.encode(SessionMessage(message))
    assert line == '{"jsonrpc":"2.0","id":1,"result":{"text":"fix \ufffd ä 😀"}}'.encode()


@given(st.recursive(st.text(st.characters()), lambda inner: st.lists(inner, max_size=3)))
def test_every_result_is_one_line_of_utf_8(value: object) -> None:
    message = types.JSONRPCResponse(jsonrpc="2.0", id="x", result={"value": value})
    line = stdio.encode(SessionMessage(message))
    line.decode("utf-8")
    assert b"\n" not in line
    assert b"\r" not in line


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}',
        b' {"jsonrpc": "2.0", "method": "notifications/initialized"} \r',
        b'{"jsonrpc":"2.0","id":"a","result":{}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}}',
        b'{"jsonrpc":"2.0","method":"x","params":{"id":null}}',
    ],
)
def test_a_message_that_the_sdk_takes_is_decoded(line: bytes) -> None:
    assert stdio.decode(line) is not None


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"nonsense",
        b"[]",
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
        b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
        b'{"id":1,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"\\ud83d"}}',
        b'{"jsonrpc":"2.0","method":"x","params":{"id":' + b"1" * 5_000 + b"}}",
        b"[" * 100_000,
        b"\xff",
    ],
)
def test_a_message_that_the_sdk_would_pass_over_is_not(line: bytes) -> None:
    assert stdio.decode(line) is None
