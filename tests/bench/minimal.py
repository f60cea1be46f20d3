"""The smallest useful server on the SDK's low-level API: the yardstick."""

from __future__ import annotations

import asyncio

import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server


async def list_tools(
    _context: object, _params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    schema: dict[str, object] = {"type": "object", "properties": {"text": {"type": "string"}}}
    return types.ListToolsResult(
        tools=[types.Tool(name="echo", description="Echo a text.", input_schema=schema)]
    )


async def call_tool(_context: object, params: types.CallToolRequestParams) -> types.CallToolResult:
    text = str((params.arguments or {}).get("text", ""))
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


async def main() -> None:
    server: Server[object] = Server("minimal", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
