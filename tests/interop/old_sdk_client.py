"""Plays one scenario with the Python SDK 1.9; the same JSON in and out as `client.mjs`.

It asks for 2025-03-26 and knows neither dialogs nor structured results. It runs in an
environment of its own, and imports nothing of ours.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def play(scenario: dict[str, object]) -> dict[str, object]:
    """Start a server, list its tools and make the calls."""
    parameters = StdioServerParameters.model_validate(
        {name: scenario[name] for name in ("command", "args", "env")}
    )
    calls = scenario["calls"]
    assert isinstance(calls, list)
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        # Our own environment has a later SDK, whose types have other names.
        hello: Any = await session.initialize()
        listed: Any = await session.list_tools()
        results: list[Any] = [
            await session.call_tool(call["tool"], call["arguments"]) for call in calls
        ]
    return {
        "server": hello.serverInfo.name,
        "version": hello.protocolVersion,
        "tools": [tool.name for tool in listed.tools],
        "asked": [],
        "results": [
            {
                "isError": result.isError,
                "text": "\n".join(part.text for part in result.content if part.type == "text"),
                "structured": None,
                "error": None,
            }
            for result in results
        ],
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(play(json.load(sys.stdin)))))
