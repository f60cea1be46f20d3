"""A small HTTP/1.1 server on the loopback address, in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from .exchange import Reply, Stream

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

_HEAD_BYTES_LIMIT = 1 << 20
_ENDINGS = (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError)


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it arrived; header names are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def path(self) -> str:
        """The target without its query, still percent-encoded."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> dict[str, list[str]]:
        """The decoded query."""
        return parse_qs(self.target.partition("?")[2], keep_blank_values=True)

    def json(self) -> object:
        """The body read as JSON."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class HangUp:
    """Close the connection without an answer."""


@dataclass(frozen=True, slots=True)
class Rough:
    """An answer with faults in its delivery."""

    reply: Reply
    body_delay: float = 0.0
    cut_after: int | None = None


Outcome = Reply | Stream | HangUp | Rough


class WireServer:
    """Runs a request handler behind a real socket.

    Args:
        handler: Answers a request.
        date: The `Date` of an answer; None leaves it out.
    """

    def __init__(
        self,
        handler: Callable[[Request], Awaitable[Outcome]],
        date: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._handler = handler
        self._date = date
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._ready = threading.Event()
        self.port = 0

    def start(self) -> None:
        """Listen on a free port of 127.0.0.1."""
        self._thread = threading.Thread(target=self._run, name="ntfy-backend", daemon=True)
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("the stand-in did not start")

    def stop(self) -> None:
        """Close the port and every connection."""
        if self._thread is None or self._loop is None or self._stopping is None:
            return
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(10)
        self._thread = None

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        connections: set[asyncio.Task[None]] = set()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            if task is not None:
                connections.add(task)
                task.add_done_callback(connections.discard)
            await self._converse(reader, writer)

        server = await asyncio.start_server(connected, "127.0.0.1", 0, limit=_HEAD_BYTES_LIMIT)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stopping.wait()
        server.close()
        for task in list(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        await server.wait_closed()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read_request(reader)) is not None:
                outcome = await self._handler(request)
                if not await _send(outcome, request, reader, writer, self._date()):
                    break
        except (*_ENDINGS, asyncio.CancelledError):
            # A cancelled connection is one the server itself is closing.
            pass
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    lines = head.decode("utf-8", "replace").split("\r\n")
    method, target, _ = lines[0].split(" ", 2)
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if colon:
            headers.setdefault(name.strip().lower(), value.strip())
    return Request(method, target, headers, await _read_body(reader, headers))


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() != "chunked":
        return await reader.readexactly(int(headers.get("content-length", "0")))
    body = bytearray()
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readuntil(b"\r\n")
    return bytes(body)


async def _send(
    outcome: Outcome,
    request: Request,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    date: str | None,
) -> bool:
    """Send an answer; the result tells whether the connection stays open."""
    if isinstance(outcome, HangUp):
        return False
    if isinstance(outcome, Stream):
        return await _send_stream(outcome, reader, writer, date)
    rough = outcome if isinstance(outcome, Rough) else Rough(outcome)
    reply = rough.reply
    length = {} if "content-length" in reply.headers else {"Content-Length": str(len(reply.body))}
    head = _head(reply.status, reply.content_type, reply.headers | length, date)
    body = b"" if request.method == "HEAD" else reply.body[: rough.cut_after]
    if rough.body_delay:
        writer.write(head)
        await writer.drain()
        await asyncio.sleep(rough.body_delay)
        writer.write(body)
    else:
        writer.write(head + body)
    await writer.drain()
    return rough.cut_after is None and request.headers.get("connection", "").lower() != "close"


async def _send_stream(
    stream: Stream,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    date: str | None,
) -> bool:
    chunked = {"Transfer-Encoding": "chunked"}
    async with contextlib.aclosing(stream.chunks) as chunks:
        writer.write(_head(200, stream.content_type, chunked, date))
        async for chunk in chunks:
            if reader.at_eof() or writer.is_closing():
                return False
            if chunk:
                writer.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                await writer.drain()
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


def _head(status: int, content_type: str, headers: Mapping[str, str], date: str | None) -> bytes:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Unknown"
    lines = [f"HTTP/1.1 {status} {phrase}"]
    if content_type:
        lines.append(f"Content-Type: {content_type}")
    if date is not None:
        lines.append(f"Date: {date}")
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
