"""An answer that goes on: line by line, within bounds, and honest where it ends."""

from __future__ import annotations

import asyncio

import pytest

from mcp_serverkit.errors import NotConfigured, Unexpected, Unreachable, UpstreamFailure
from mcp_serverkit.http.client import HTTP
from mcp_serverkit.http.response import Response
from tests.serverkit.service import answer, connection, serving

CHUNKED = b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n"


def chunk(data: bytes) -> bytes:
    """One chunk of a body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


async def streamed(reply: bytes) -> tuple[Response, list[bytes]]:
    """Read an open answer to its end."""
    async with serving(reply) as service:
        http = HTTP(connection(service.url), environ={})
        try:
            async with http.stream("x", query={"since": "1"}, headers={"a": "b"}) as opened:
                return opened.head, [line async for line in opened.lines]
        finally:
            await http.aclose()


async def test_lines_come_whole_however_they_were_cut() -> None:
    body = chunk(b'{"a"') + chunk(b":1}\n{") + chunk(b"}\nrest") + b"0\r\n\r\n"
    head, lines = await streamed(CHUNKED + b"\r\n" + body)
    assert (head.status, head.content_type) == (200, "application/x-ndjson")
    assert lines == [b'{"a":1}', b"{}"]


async def test_a_refusal_is_read() -> None:
    head, lines = await streamed(answer("403 Forbidden", b'{"code":40301}'))
    assert (head.status, head.text, lines) == (403, '{"code":40301}', [])


async def test_a_refusal_that_breaks_off_is_still_one() -> None:
    head, lines = await streamed(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 100\r\n\r\nhalf")
    assert (head.status, head.text, lines) == (403, "", [])


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (answer("302 Found", b"", "location: /y"), "redirect"),
        (answer("200 OK", b"x", "content-encoding: gzip"), "compressed"),
        (answer("200 OK", b"x" * 70_000), "larger than what is taken"),
        (answer("200 OK", b"x\n" * 1_100_000), "larger than what is taken"),
    ],
)
async def test_what_cannot_be_used_is_told(reply: bytes, words: str) -> None:
    with pytest.raises(Unexpected, match=words):
        await streamed(reply)


async def test_a_stream_that_breaks_off_says_so() -> None:
    with pytest.raises(Unreachable, match="kit broke off"):
        await streamed(CHUNKED + b"\r\n" + chunk(b"{}\n"))


async def test_a_service_that_is_silent_or_away_is_told() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with serving(behaviour=silent) as service:
        http = HTTP(connection(service.url, timeout=0.05), environ={})
        with pytest.raises(UpstreamFailure, match=r"no answer within 0\.05 s"):
            async with http.stream("x"):
                raise AssertionError("nothing answered")
        await http.aclose()
    away = HTTP(connection(service.url), environ={})
    with pytest.raises(Unreachable, match="connection refused"):
        async with away.stream("x"):
            raise AssertionError("nothing listens")
    with pytest.raises(NotConfigured):
        async with away.stream("x", headers={"a": "\n"}):
            raise AssertionError("a bad header was sent")
    await away.aclose()
