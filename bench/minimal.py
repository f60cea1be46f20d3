"""The smallest useful server on the SDK's low-level API: the yardstick.

With a URL as argument its tool fetches that URL with httpx, as a server with a backend does.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable

import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server

Fetch = Callable[[], Awaitable[str]]


async def list_tools(
    _context: object, _params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    schema: dict[str, object] = {"type": "object", "properties": {"text": {"type": "string"}}}
    return types.ListToolsResult(
        tools=[types.Tool(name="echo", description="Echo a text.", input_schema=schema)]
    )


def fetching(url: str) -> Fetch:
    import httpx

    client = httpx.AsyncClient()

    async def fetch() -> str:
        return (await client.get(url)).text

    return fetch


async def main(url: str | None) -> None:
    fetch = None if url is None else fetching(url)

    async def call_tool(
        _context: object, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        text = str((params.arguments or {}).get("text", "")) if fetch is None else await fetch()
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    server: Server[object] = Server("minimal", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
