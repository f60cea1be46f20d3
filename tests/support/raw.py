"""A client that says exactly what it is told, over streams in this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.shared.message import SessionMessage

Document = dict[str, object]
Question: TypeAlias = tuple[str, Document]

CLIENT: Document = {"name": "test", "version": "1"}

HELLO: Question = (
    "initialize",
    {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT},
)

ENVELOPE: Document = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}


async def exchange(server: Server[object], questions: Sequence[Question]) -> list[Document]:
    """Put requests to a server, one after the other, and return the results."""
    to_server, inbound = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outbound, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    results: list[Document] = []
    async with anyio.create_task_group() as tasks:
        options = server.create_initialization_options()
        tasks.start_soon(server.run, inbound, outbound, options)
        async with to_server, from_server:
            for number, (method, params) in enumerate(questions):
                request = types.JSONRPCRequest(
                    jsonrpc="2.0", id=number, method=method, params=params
                )
                await to_server.send(SessionMessage(request))
                answer = (await from_server.receive()).message
                assert isinstance(answer, types.JSONRPCResponse), answer
                results.append(cast("Document", answer.result))
    return results
