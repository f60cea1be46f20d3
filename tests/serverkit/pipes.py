"""Descriptors for tests of the wire: a conversation over pipes in this process."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import cast

from mcp.server import Server

from mcp_serverkit.runtime import stdio
from mcp_serverkit.runtime.process import Exchange

BOUND_SECONDS = 5.0
"""How long any reply may take before a test fails."""

Message = dict[str, object]


class Pipe:
    """Both ends of a pipe; each may be closed early, and both are closed in the end."""

    def __init__(self) -> None:
        self.read_end, self.write_end = os.pipe()

    def close_reader(self) -> None:
        if self.read_end >= 0:
            os.close(self.read_end)
            self.read_end = -1

    def close_writer(self) -> None:
        if self.write_end >= 0:
            os.close(self.write_end)
            self.write_end = -1


@contextmanager
def pipe() -> Iterator[Pipe]:
    """Open a pipe."""
    made = Pipe()
    try:
        yield made
    finally:
        made.close_reader()
        made.close_writer()


class Conversation:
    """A client at the other end of a server's two pipes."""

    def __init__(self, to_server: Pipe, from_server: Pipe, serving: asyncio.Task[None]) -> None:
        self._to_server = to_server
        self._from_server = from_server
        self.serving = serving
        self._rest = b""

    def send_raw(self, data: bytes) -> None:
        """Write bytes as they are."""
        os.write(self._to_server.write_end, data)

    def send(self, *messages: object) -> None:
        """Write messages, a line each."""
        self.send_raw(b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    async def receive(self) -> Message:
        """Return the next message of the server."""
        async with asyncio.timeout(BOUND_SECONDS):
            while b"\n" not in self._rest:
                chunk = await asyncio.to_thread(os.read, self._from_server.read_end, 65_536)
                assert chunk, "the server closed its end"
                self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return cast("Message", json.loads(line))

    def close(self) -> None:
        """End the server's input."""
        self._to_server.close_writer()

    def stop_reading(self) -> None:
        """Close the server's output."""
        self._from_server.close_reader()

    async def ended(self) -> None:
        """Wait for the end of serving."""
        async with asyncio.timeout(BOUND_SECONDS):
            await self.serving


@asynccontextmanager
async def conversation(
    server: Server[object],
    *,
    waiting: bytes = b"",
    replay: tuple[bytes, ...] = (),
    ended: Callable[[], None] = lambda: None,
    grace_seconds: float = BOUND_SECONDS,
) -> AsyncIterator[Conversation]:
    """Serve one client over pipes."""
    with pipe() as to_server, pipe() as from_server:
        source = stdio.LineSource(to_server.read_end, waiting)
        sink = stdio.LineSink(from_server.write_end)
        exchange = Exchange(source, sink, replay, ended=ended, grace_seconds=grace_seconds)
        serving = asyncio.create_task(exchange.serve(server))
        client = Conversation(to_server, from_server, serving)
        try:
            yield client
        finally:
            client.close()
            if not serving.done():
                serving.cancel()
            with suppress(asyncio.CancelledError):
                await serving
