"""The life of a server process, from the first byte to the last."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from mcp_serverkit.config.settings import Values
from mcp_serverkit.definition import Definition
from mcp_serverkit.runtime import stdio
from mcp_serverkit.runtime.early_answers import Handover
from mcp_serverkit.runtime.jsonrpc_lines import complaint
from mcp_serverkit.runtime.leaving import Leaving
from mcp_serverkit.server import build_server

if TYPE_CHECKING:
    from mcp.server import Server

_log = logging.getLogger(__name__)

GRACE_SECONDS = 0.5
"""How long calls that were under way at EOF may still be answered."""


class Exchange:
    """Carries messages between stdio and the SDK's server loop.

    Args:
        source: Where lines come from.
        sink: Where lines go.
        replay: Requests that were answered before, in order.
        ended: Told of the end of input.
        grace_seconds: How long calls that were under way then may still be answered.
    """

    def __init__(
        self,
        source: stdio.LineSource,
        sink: stdio.LineSink,
        replay: Sequence[bytes] = (),
        *,
        ended: Callable[[], None] = lambda: None,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self._source = source
        self._sink = sink
        self._replay = replay
        self._ended = ended
        self._grace_seconds = grace_seconds
        self._unseen: asyncio.Future[None] | None = None
        self._open: set[object] = set()
        self._answered = asyncio.Event()

    async def serve(self, server: Server[object]) -> None:
        """Serve until the client leaves."""
        to_server, inbound = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outbound, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        async with asyncio.TaskGroup() as tasks:
            writing = tasks.create_task(self._write(from_server))
            reading = tasks.create_task(self._read(to_server))
            leaving = tasks.create_task(self._watch_sink(reading))
            await server.run(inbound, outbound, server.create_initialization_options())
            await writing
            reading.cancel()
            leaving.cancel()

    async def _read(self, to_server: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        async with to_server:
            with suppress(anyio.BrokenResourceError):
                await self._put_unseen(to_server)
                async for line in self._source.lines():
                    message = None if line is None else stdio.decode(line)
                    if message is not None:
                        self._note_inbound(message)
                        await to_server.send(message)
                    elif (answer := complaint(line)) is not None:
                        await self._sink.write(answer)
            self._ended()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._grace_seconds):
                    while self._open:
                        self._answered.clear()
                        await self._answered.wait()

    async def _write(self, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with from_server:
            async for message in from_server:
                answers = isinstance(message.message, types.JSONRPCResponse | types.JSONRPCError)
                if answers and self._unseen is not None:
                    self._unseen.set_result(None)
                    continue
                await self._sink.write(stdio.encode(message))
                if isinstance(message.message, types.JSONRPCResponse | types.JSONRPCError):
                    self._open.discard(message.message.id)
                    self._answered.set()

    async def _put_unseen(
        self, to_server: MemoryObjectSendStream[SessionMessage | Exception]
    ) -> None:
        """Tell the SDK what was answered before it was loaded; its own answers are dropped."""
        for line in self._replay:
            message = stdio.decode(line)
            if message is None:
                continue
            if isinstance(message.message, types.JSONRPCRequest):
                self._unseen = asyncio.get_running_loop().create_future()
                await to_server.send(message)
                await self._unseen
                self._unseen = None
            else:
                await to_server.send(message)

    async def _watch_sink(self, reading: asyncio.Task[None]) -> None:
        await self._sink.broken.wait()
        reading.cancel()

    def _note_inbound(self, message: SessionMessage) -> None:
        match message.message:
            case types.JSONRPCRequest(id=request_id):
                self._open.add(request_id)
            case types.JSONRPCNotification(method="notifications/cancelled", params=params):
                cancelled = (params or {}).get("requestId")
                if isinstance(cancelled, str | int):
                    self._open.discard(cancelled)
                    self._answered.set()


def serve_stdio(
    definition: Definition,
    values: Values,
    source: int,
    sink: int,
    handover: Handover,
    leaving: Leaving,
) -> int:
    """Serve one client over stdio.

    Args:
        definition: The server.
        values: Its settings.
        source: Descriptor to read.
        sink: Descriptor to write.
        handover: What was read and answered before.
        leaving: Sees to the end.

    Returns:
        The exit code of the process.
    """
    gc.freeze()
    gc.enable()
    asyncio.run(_serve(definition, values, source, sink, handover, leaving))
    gc.freeze()
    return 0


async def _serve(
    definition: Definition,
    values: Values,
    source: int,
    sink: int,
    handover: Handover,
    leaving: Leaving,
) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    leaving.serve(lambda: loop.call_soon_threadsafe(stop.set))
    server = build_server(definition, values)
    lines = stdio.LineSource(source, handover.waiting)
    sent = stdio.LineSink(sink)
    exchange = Exchange(lines, sent, handover.replay, ended=leaving.begin)
    serving = asyncio.create_task(exchange.serve(server))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    leaving.begin()
    stopping.cancel()
    serving.cancel()
    with suppress(asyncio.CancelledError):
        await serving
