"""The life of a server process, from the first byte to the last."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from mcp_serverkit.config.settings import Values
from mcp_serverkit.definition import Definition
from mcp_serverkit.runtime import stdio
from mcp_serverkit.runtime.early_answers import Handover
from mcp_serverkit.runtime.jsonrpc_lines import ID_IN_USE, complaint, invalid_request
from mcp_serverkit.runtime.leaving import Leaving
from mcp_serverkit.runtime.open_requests import OpenRequests
from mcp_serverkit.server import build_server

if TYPE_CHECKING:
    from mcp.server import Server

_log = logging.getLogger(__name__)

ToServer: TypeAlias = MemoryObjectSendStream[SessionMessage | Exception]

GRACE_SECONDS = 1.0
"""How long calls that were under way at EOF may still be answered; less than the deadline."""


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
        self._unseen: asyncio.Future[bool] | None = None
        self._requests = OpenRequests()
        self._hello: int | None = None
        self._initialized = False
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

    async def _read(self, to_server: ToServer) -> None:
        async with to_server:
            with suppress(anyio.BrokenResourceError):
                await self._put_unseen(to_server)
                async for line in self._source.lines():
                    message = None if line is None else stdio.decode(line)
                    answer = complaint(line) if message is None else self._refusal(message)
                    if answer is not None:
                        await self._sink.write(answer)
                    elif message is not None:
                        await self._forward(message, to_server)
            self._ended()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._grace_seconds):
                    await self._until(lambda: not self._requests.owed)

    def _refusal(self, message: SessionMessage) -> bytes | None:
        """Answer a request that must not start: its id is in use, or the handshake was made."""
        request = message.message
        if not isinstance(request, types.JSONRPCRequest):
            return None
        if request.id in self._requests:
            return invalid_request(request.id, ID_IN_USE)
        if request.method == "initialize" and self._initialized:
            return invalid_request(request.id, "Invalid request: already initialized")
        return None

    async def _forward(self, message: SessionMessage, to_server: ToServer) -> None:
        match message.message:
            case types.JSONRPCRequest() as request:
                number = self._requests.add(request.id)
                if request.method == "initialize":
                    self._hello = number
                settled = partial(self._settled, number)
                numbered = SessionMessage(
                    request.model_copy(update={"id": number}),
                    ServerMessageMetadata(on_request_unanswered=settled),
                )
                await to_server.send(numbered)
                if request.method == "initialize":
                    # Whether the next one is the first depends on the answer to this one.
                    await self._until(lambda: request.id not in self._requests)
            case types.JSONRPCNotification(method="notifications/cancelled") as note:
                number_or_none = self._requests.cancelled((note.params or {}).get("requestId"))
                if number_or_none is not None:
                    self._answered.set()
                    params = {**(note.params or {}), "requestId": number_or_none}
                    cancelled = note.model_copy(update={"params": params})
                    await to_server.send(SessionMessage(cancelled))
            case _:
                await to_server.send(message)

    async def _settled(self, number: int) -> None:
        """Note that a cancelled handler has ended."""
        self._requests.close(number)
        self._answered.set()

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            self._answered.clear()
            await self._answered.wait()

    async def _write(self, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with from_server:
            async for message in from_server:
                answer = message.message
                if not isinstance(answer, types.JSONRPCResponse | types.JSONRPCError):
                    await self._sink.write(stdio.encode(message))
                elif self._unseen is not None:
                    self._unseen.set_result(isinstance(answer, types.JSONRPCResponse))
                else:
                    await self._answer(answer)

    async def _answer(self, answer: types.JSONRPCResponse | types.JSONRPCError) -> None:
        number = answer.id
        request_id = None if number is None else self._requests.id_of(number)
        named = answer if request_id is None else answer.model_copy(update={"id": request_id})
        await self._sink.write(stdio.encode(SessionMessage(named)))
        if number is None:
            return
        if number == self._hello:
            self._initialized = isinstance(answer, types.JSONRPCResponse)
        self._requests.close(number)
        self._answered.set()

    async def _put_unseen(self, to_server: ToServer) -> None:
        """Tell the SDK what was answered before it was loaded; its own answers are dropped."""
        for line in self._replay:
            message = stdio.decode(line)
            if message is None:
                continue
            if isinstance(message.message, types.JSONRPCRequest):
                self._unseen = asyncio.get_running_loop().create_future()
                await to_server.send(message)
                taken = await self._unseen
                self._unseen = None
                if message.message.method == "initialize":
                    self._initialized = taken
            else:
                await to_server.send(message)

    async def _watch_sink(self, reading: asyncio.Task[None]) -> None:
        await self._sink.broken.wait()
        reading.cancel()


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
    lines = stdio.LineSource(source, handover.waiting, begun=handover.begun)
    sent = stdio.LineSink(sink)
    exchange = Exchange(lines, sent, handover.replay, ended=leaving.begin)
    serving = asyncio.create_task(exchange.serve(server))
    stopping = asyncio.create_task(stop.wait())
    leaving.watch_input(source)
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    leaving.begin()
    stopping.cancel()
    serving.cancel()
    (ended,) = await asyncio.gather(serving, return_exceptions=True)
    if isinstance(ended, Exception) and not stop.is_set():
        raise ended
    # Asked to stop, streams break under what was being said: that is no defect.
