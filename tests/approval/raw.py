"""JSON-RPC by hand, for what the SDK's client would not send."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TypeAlias, cast

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server import Server
from mcp.shared.message import SessionMessage

Document: TypeAlias = dict[str, object]

BOUND_SECONDS = 30.0
"""How long any reply may take before a test fails."""

FORM: Document = {"elicitation": {}}
"""A client that shows forms."""


class Wire:
    """One connection, message by message."""

    def __init__(
        self,
        to_server: MemoryObjectSendStream[SessionMessage],
        from_server: MemoryObjectReceiveStream[SessionMessage],
    ) -> None:
        self._to_server = to_server
        self._from_server = from_server
        self._last_id = 0
        self._replies: dict[object, Document] = {}
        self._notices: list[Document] = []

    async def send(self, message: Mapping[str, object]) -> None:
        """Send one message as it is."""
        parsed = types.jsonrpc_message_adapter.validate_python({"jsonrpc": "2.0", **message})
        await self._to_server.send(SessionMessage(parsed))

    async def start(self, method: str, params: Mapping[str, object]) -> int:
        """Send a request and return its id."""
        self._last_id += 1
        await self.send({"id": self._last_id, "method": method, "params": dict(params)})
        return self._last_id

    async def receive(self) -> Document:
        """Return the next message of the server."""
        async with asyncio.timeout(BOUND_SECONDS):
            received = await self._from_server.receive()
        message = received.message.model_dump(by_alias=True, exclude_unset=True, mode="json")
        if "method" not in message:
            self._replies[message.get("id")] = message
        elif "id" not in message:
            self._notices.append(message)
        return message

    def notified(self, method: str) -> list[Document]:
        """The notifications of one kind that came so far."""
        return [notice for notice in self._notices if notice["method"] == method]

    async def reply_to(self, request_id: int) -> Document:
        """Return the reply to a request, whenever it came."""
        while request_id not in self._replies:
            await self.receive()
        return self._replies[request_id]

    async def request(self, method: str, params: Mapping[str, object]) -> Document:
        """Send a request and return its reply."""
        return await self.reply_to(await self.start(method, params))

    async def initialize(self, version: str, capabilities: Document, name: str = "raw") -> Document:
        """Shake hands."""
        client: Document = {"name": name, "version": "1"}
        reply = await self.request(
            "initialize",
            {"protocolVersion": version, "capabilities": capabilities, "clientInfo": client},
        )
        await self.send({"method": "notifications/initialized"})
        return reply

    async def drop(self) -> None:
        """Leave, as a client does that dies."""
        await self._to_server.aclose()


@asynccontextmanager
async def wire(server: Server[object]) -> AsyncIterator[Wire]:
    """Serve one connection in this process."""
    to_server, inbound = anyio.create_memory_object_stream[SessionMessage | Exception](100)
    outbound, from_server = anyio.create_memory_object_stream[SessionMessage](100)
    async with anyio.create_task_group() as tasks, from_server:
        tasks.start_soon(server.run, inbound, outbound, server.create_initialization_options())
        try:
            yield Wire(to_server, from_server)
        finally:
            await to_server.aclose()


def envelope(capabilities: Document | None) -> Document:
    """The `_meta` of a request on 2026-07-28."""
    prefix = "io.modelcontextprotocol"
    return {
        f"{prefix}/protocolVersion": "2026-07-28",
        f"{prefix}/clientInfo": {"name": "raw", "version": "1"},
        f"{prefix}/clientCapabilities": capabilities or {},
    }


def modern(
    tool: str, arguments: Document, capabilities: Document | None = None, /, **more: object
) -> Document:
    """The params of a `tools/call` on 2026-07-28; `more` as it is sent."""
    declared = FORM if capabilities is None else capabilities
    return {"name": tool, "arguments": arguments, "_meta": envelope(declared), **more}


def result(reply: Document) -> Document:
    """The result of a reply that is no protocol error."""
    assert "result" in reply, reply
    return cast("Document", reply["result"])


def words(reply: Document) -> str:
    """All text of a reply's result."""
    blocks = cast("list[dict[str, str]]", result(reply)["content"])
    return "\n".join(block["text"] for block in blocks)


def is_question(reply: Document) -> bool:
    """Whether a reply asks."""
    return result(reply).get("resultType") == "input_required"


def state_of(reply: Document) -> str:
    """The sealed state of a reply that asks."""
    assert is_question(reply), reply
    return cast("str", result(reply)["requestState"])
