"""A gateway in front of a stand-in that answers writes in its place, as proxies do.

It may do so before or after it passed the request on, with any bytes or by hanging up.
Readings go through untouched.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

Answer = Callable[[bytes], bytes | None]
"""Makes the answer of the stand-in's, empty where nothing was passed on; None hangs up."""


@dataclass(frozen=True)
class Fault:
    """What the gateway does to each write.

    Attributes:
        passed_on: Whether the stand-in gets the request first.
        answer: What comes back.
    """

    passed_on: bool
    answer: Answer


@dataclass
class Gateway:
    """A running gateway.

    Attributes:
        url: Where it listens.
        fault: What it does to writes; without one it passes everything.
        passed: Writes that reached the stand-in.
        stopped: Writes that did not.
        edit: Changes what comes back of every request, readings included.
    """

    url: str
    fault: Fault | None = None
    passed: int = 0
    stopped: int = 0
    edit: Callable[[bytes], bytes] | None = None


@asynccontextmanager
async def in_front_of(url: str) -> AsyncIterator[Gateway]:
    """Run a gateway on loopback, before the stand-in at a URL."""
    parts = urlsplit(url)
    gateway = Gateway("")
    open_ones: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        open_ones.add(task)
        with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            head = await reader.readuntil(b"\r\n\r\n")
            body = await reader.readexactly(_length(head))
            reply = await _reply(gateway, str(parts.hostname), parts.port or 80, head, body)
            if reply is not None:
                writer.write(reply)
                await writer.drain()
        writer.close()
        open_ones.discard(task)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    gateway.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{parts.path}"
    try:
        yield gateway
    finally:
        server.close()
        for task in open_ones:
            task.cancel()
        await asyncio.gather(*open_ones, return_exceptions=True)
        await server.wait_closed()


async def _reply(gateway: Gateway, host: str, port: int, head: bytes, body: bytes) -> bytes | None:
    writes = not head.startswith((b"GET ", b"HEAD "))
    fault = gateway.fault if writes else None
    if fault is None or fault.passed_on:
        gateway.passed += writes
        answered = await _pass_on(host, port, head, body)
        if fault is not None:
            return fault.answer(answered)
        return answered if gateway.edit is None else gateway.edit(answered)
    gateway.stopped += 1
    return fault.answer(b"")


async def _pass_on(host: str, port: int, head: bytes, body: bytes) -> bytes:
    line, _, fields = head.partition(b"\r\n")
    kept = [
        field for field in fields.split(b"\r\n") if field and not field.lower().startswith(b"conn")
    ]
    reader, writer = await asyncio.open_connection(host, port)
    with closing(writer):
        writer.write(b"\r\n".join([line, *kept, b"connection: close", b"", b""]) + body)
        await writer.drain()
        return await reader.read()


def _length(head: bytes) -> int:
    for field in head.lower().split(b"\r\n"):
        if field.startswith(b"content-length:"):
            return int(field.partition(b":")[2])
    return 0


def reply(status: int, body: bytes = b"", kind: str = "application/json", *fields: str) -> bytes:
    """Compose an answer of the gateway's own."""
    lines = [
        f"HTTP/1.1 {status} Said",
        f"content-length: {len(body)}",
        *([f"content-type: {kind}"] if kind else []),
        "connection: close",
        *fields,
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def body_of(answered: bytes) -> bytes:
    """Return the body of an answer; one without a body counts as an empty object."""
    return answered.partition(b"\r\n\r\n")[2] or b"{}"
