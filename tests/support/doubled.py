"""A client that sends each request twice, as some do after a hiccup.

It is connected as every client is, through the part that knows ids and handshakes.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeAlias

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server import Server
from mcp.shared.message import SessionMessage

from mcp_serverkit.runtime import stdio
from mcp_serverkit.runtime.jsonrpc_lines import ID_IN_USE
from mcp_serverkit.runtime.process import Exchange
from tests.serverkit.pipes import pipe

Streams: TypeAlias = tuple[
    MemoryObjectReceiveStream[SessionMessage], MemoryObjectSendStream[SessionMessage]
]
REFUSED = {ID_IN_USE, "Invalid request: already initialized"}
LINE_BYTES = 1 << 24


class Doubling:
    """What passes between such a client and a server.

    Attributes:
        calls: Ids of the calls that were made.
        refused: Ids of the second ones that were refused.
    """

    def __init__(self) -> None:
        self.calls: list[types.RequestId] = []
        self.refused: list[types.RequestId] = []
        self._answered: set[types.RequestId] = set()

    def sent(self, message: types.JSONRPCMessage) -> int:
        """How often a message is sent."""
        if not isinstance(message, types.JSONRPCRequest):
            return 1
        if message.method == "tools/call":
            self.calls.append(message.id)
        return 2

    def wanted(self, message: types.JSONRPCMessage) -> bool:
        """Whether a message of the server is for the client's first request, or for none."""
        if isinstance(message, types.JSONRPCError) and message.error.message in REFUSED:
            assert message.error.code == types.INVALID_REQUEST
            self.refused.append(message.id or 0)
            return False
        if not isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            return True
        first = message.id not in self._answered
        self._answered.add(message.id or 0)
        return first


@asynccontextmanager
async def doubled(server: Server[object]) -> AsyncIterator[Streams]:
    """Serve one client, each of whose requests arrives twice.

    Raises:
        AssertionError: A second call under the id of an open one was not refused.
    """
    passing = Doubling()
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](100)
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage](100)
    with pipe() as requests, pipe() as answers:
        source, sink = stdio.LineSource(requests.read_end), stdio.LineSink(answers.write_end)
        serving = asyncio.create_task(Exchange(source, sink).serve(server))

        async def send() -> None:
            async for message in from_client:
                times = passing.sent(message.message)
                os.write(requests.write_end, (stdio.encode(message) + b"\n") * times)

        async def receive() -> None:
            reader = asyncio.StreamReader(limit=LINE_BYTES)
            end = os.fdopen(os.dup(answers.read_end), "rb")
            loop = asyncio.get_running_loop()
            transport, _ = await loop.connect_read_pipe(
                lambda: asyncio.StreamReaderProtocol(reader), end
            )
            try:
                async for line in reader:
                    message = types.jsonrpc_message_adapter.validate_json(line)
                    if passing.wanted(message):
                        await to_client.send(SessionMessage(message))
            finally:
                transport.close()

        moving = [asyncio.create_task(send()), asyncio.create_task(receive())]
        try:
            yield from_server, to_server
        finally:
            requests.close_writer()
            for task in (serving, *moving):
                task.cancel()
            await asyncio.gather(serving, *moving, return_exceptions=True)
            for stream in (to_client, from_server, to_server, from_client):
                stream.close()
    assert passing.calls
    assert sorted(map(str, passing.calls)) == sorted(
        map(str, filter(passing.calls.__contains__, passing.refused))
    )
