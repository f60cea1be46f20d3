"""An answer that goes on: its head, and its lines as they come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx

from mcp_serverkit.errors import Unexpected, Unreachable
from mcp_serverkit.http.connection import Connection, failure_reason
from mcp_serverkit.http.progress import Progress
from mcp_serverkit.http.reading import read_answer
from mcp_serverkit.http.response import Response

LINE_BYTES = 65_536
"""The longest line that is taken."""

STREAM_BYTES = 2_000_000
"""How much of one answer is read in all."""


@dataclass(frozen=True, slots=True)
class StreamedResponse:
    """The start of an answer.

    Attributes:
        head: Status and headers; with an error status, the body too.
        lines: The lines of a success, without their ends.
    """

    head: Response
    lines: AsyncIterator[bytes]


async def open_stream(
    connection: Connection, response: httpx.Response, progress: Progress, seconds: float
) -> StreamedResponse:
    """Look at the head of an answer; read it whole unless it is a success."""
    coded = response.headers.get("content-encoding", "").strip().lower()
    if not response.is_success or coded not in {"", "identity"}:
        try:
            async with asyncio.timeout(seconds):
                whole = await read_answer(connection, response, progress, LINE_BYTES)
        except (TimeoutError, httpx.HTTPError):
            whole = Response(response.status_code, {}, b"")
        return StreamedResponse(whole, _nothing())
    fields = {name.lower(): value for name, value in response.headers.items()}
    return StreamedResponse(
        Response(response.status_code, fields, b""), _lines(connection.service, response)
    )


async def _nothing() -> AsyncIterator[bytes]:
    return
    yield b""


async def _lines(service: str, response: httpx.Response) -> AsyncIterator[bytes]:
    """Cut the body into lines.

    Raises:
        Unreachable: The connection broke.
        Unexpected: A line, or the whole, is longer than is taken.
    """
    rest, total = b"", 0
    try:
        async for chunk in response.aiter_raw():
            total += len(chunk)
            *whole, rest = (rest + chunk).split(b"\n")
            if total > STREAM_BYTES or max(map(len, (*whole, rest))) > LINE_BYTES:
                raise Unexpected(f"The open answer of {service} is larger than what is taken.")
            for line in whole:
                yield line
    except httpx.HTTPError as error:
        raise Unreachable(f"{service} broke off: {failure_reason(error)}.") from None
