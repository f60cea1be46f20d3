"""A service that answers with exactly the bytes that a test gives it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from mcp_serverkit.http.client import HTTP
from mcp_serverkit.http.connection import Connection

Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

NOTHING = b"HTTP/1.1 204 No Content\r\n\r\n"


def answer(status: str, body: bytes = b"", *headers: str) -> bytes:
    """Compose an answer of known length."""
    lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


@dataclass
class Service:
    """A running service.

    Attributes:
        port: Where it listens on loopback.
        heads: Request line and headers of every request.
        bodies: Their bodies.
        answers: What it answers, in order; the last one again and again.
    """

    answers: list[bytes] = field(default_factory=lambda: [NOTHING])
    heads: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    port: int = 0

    @property
    def lines(self) -> list[str]:
        """The request lines."""
        return [head.split("\r\n", 1)[0] for head in self.heads]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request and close."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            length = [line for line in head.lower().split("\r\n") if "content-length:" in line]
            body = await reader.readexactly(int(length[0].partition(":")[2])) if length else b""
            self.heads.append(head)
            self.bodies.append(body)
            writer.write(self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serving(
    *answers: bytes, behaviour: Behaviour | None = None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Service]:
    """Serve on loopback, with the given answers or in the given way."""
    service = Service(list(answers) or [NOTHING])
    handler = behaviour or service.serve
    tasks: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        # asyncio itself reports a handler that ends by cancellation.
        with suppress(asyncio.CancelledError):
            await handler(reader, writer)
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=tls)
    service.port = server.sockets[0].getsockname()[1]
    try:
        yield service
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


@dataclass
class Waits:
    """A sleep that only notes how long it was to be."""

    seconds: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def connection(base_url: str, **more: object) -> Connection:
    """A connection to the service."""
    values: dict[str, object] = {
        "base_url": base_url,
        "service": "kit",
        "variable": "KIT_URL",
        "timeout": 5.0,
        "user_agent": "kit-mcp/1",
        "ca_variable": "KIT_CA_FILE",
    }
    return Connection(**{**values, **more})  # type: ignore[arg-type]


@asynccontextmanager
async def client(
    base_url: str,
    *,
    environ: dict[str, str] | None = None,
    waits: Waits | None = None,
    repeat_429: bool = True,
    path_safe: str = "",
    **more: object,
) -> AsyncIterator[HTTP]:
    """An HTTP client that is closed afterwards."""
    http = HTTP(
        connection(base_url, **more),
        environ=environ or {},
        sleep=waits or Waits(),
        repeat_429=repeat_429,
        path_safe=path_safe,
    )
    try:
        yield http
    finally:
        await http.aclose()
