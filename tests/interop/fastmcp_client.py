"""Plays one scenario with FastMCP's client; the same JSON in and out as `client.mjs`,
and a `url` instead of a command where the server is reached by HTTP.

It runs in the environment of the clients, not in ours, and imports nothing of ours.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from typing import Any, cast

from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport

MODES = {"legacy": "legacy", "modern": "auto"}


class Player:
    """One scenario, and what is seen in it."""

    def __init__(self, scenario: dict[str, object]) -> None:
        self.scenario = scenario
        self.asked: list[str] = []
        self.results: list[dict[str, object]] = []
        self.running: asyncio.Task[dict[str, object]] | None = None

    async def play(self) -> dict[str, object]:
        scenario = self.scenario
        transport = scenario.get("url") or StdioTransport(
            command=str(scenario["command"]),
            args=cast("list[str]", scenario["args"]),
            env=cast("dict[str, str]", scenario["env"]),
            keep_alive=False,
        )
        says = scenario["answer"]
        client: Client[Any] = Client(
            cast("Any", transport),
            mode=MODES[str(scenario["era"])],
            elicitation_handler=None if says is None else cast("Any", self.answer),
        )
        async with client:
            tools = [tool.name for tool in await client.list_tools()]
            calls = scenario["calls"]
            assert isinstance(calls, list)
            for planned in calls:
                await self.make(client, planned)
            assert client.server_info is not None
            return {
                "server": client.server_info.name,
                "version": client.protocol_version,
                "tools": tools,
                "asked": self.asked,
                "results": self.results,
            }

    async def answer(self, message: str, *_: object) -> object:
        self.asked.append(message)
        says = self.scenario["answer"]
        if says == "leave" and self.running is not None:
            self.running.cancel()
            if self.running is not asyncio.current_task():
                await asyncio.wait({self.running})  # until the server was told
        if says in {"accept", "leave"}:
            return ElicitResult(action="accept", content={"confirm": True})
        return ElicitResult(action=says)

    async def make(self, client: object, planned: dict[str, object]) -> None:
        given = planned["arguments"]
        assert isinstance(given, dict)
        result = await self.call(client, str(planned["tool"]), given)
        if planned.get("repeat"):
            found = re.search(r'confirm_token="([0-9a-f]{32})"', str(result["text"]))
            token = found.group(1) if found else "none"
            await self.call(client, str(planned["tool"]), {**given, "confirm_token": token})

    async def call(self, client: object, tool: str, given: dict[str, object]) -> dict[str, object]:
        self.running = asyncio.ensure_future(outcome(client, tool, given))
        try:
            result = await self.running
        except asyncio.CancelledError:
            result = failure("cancelled")
        self.results.append(result)
        return result


async def outcome(client: object, tool: str, given: dict[str, object]) -> dict[str, object]:
    assert isinstance(client, Client)
    try:
        result = await client.call_tool(tool, given, raise_on_error=False)
    except Exception as error:  # noqa: BLE001 (whatever it is, the test looks at it)
        return failure(repr(error))
    return {
        "isError": result.is_error,
        "text": "\n".join(block.text for block in result.content if block.type == "text"),
        "structured": result.structured_content,
        "error": None,
    }


def failure(error: str) -> dict[str, object]:
    return {"isError": True, "text": "", "structured": None, "error": error}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(Player(json.load(sys.stdin)).play())))
