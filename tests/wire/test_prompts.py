"""Prompts over stdio: listed and read at once; what is said with one loads the SDK."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from mcp_serverkit.definition import Definition
from scripts.definitions import DEFINITIONS
from tests.support.process import Message, ServerProcess, spawn
from tests.support.raw import ENVELOPE

by_name = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)


def sdk_is_loaded(server: ServerProcess) -> bool:
    maps = Path(f"/proc/{server.process.pid}/maps").read_text(encoding="utf-8")
    return "pydantic_core" in maps


def text(answer: Message) -> str:
    """The text of a prompt."""
    (message,) = cast("list[Message]", cast("Message", answer["result"])["messages"])
    return str(cast("Message", message["content"])["text"])


@pytest.mark.requirement("F-24")
@by_name
@pytest.mark.parametrize("modern", [False, True])
async def test_a_client_that_reads_every_prompt_at_its_start_loads_no_sdk(
    definition: Definition, modern: bool
) -> None:
    more: Message = {"_meta": ENVELOPE} if modern else {}
    (prompt,) = definition.prompts()
    async with spawn(definition.package) as server:
        if not modern:
            await server.initialize()
        listed = await server.request(2, "prompts/list", more)
        (entry,) = cast("list[Message]", cast("Message", listed["result"])["prompts"])
        assert entry["name"] == prompt.name
        told = await server.request(3, "prompts/get", {"name": entry["name"], **more})
        empty: Message = {"name": entry["name"], "arguments": {}, **more}
        again = await server.request(4, "prompts/get", empty)
        assert again["result"] == told["result"]
        assert text(told) == prompt.filled({})
        assert not sdk_is_loaded(server)
        said = {argument.name: "x y" for argument in prompt.arguments}
        given = await server.request(5, "prompts/get", {**empty, "arguments": said})
        assert text(given) == prompt.filled(said)
        assert sdk_is_loaded(server)
        # The SDK says the same of a prompt with nothing said.
        late = await server.request(6, "prompts/get", {"name": entry["name"], **more})
        assert late["result"] == told["result"]
        wrong = await server.request(7, "prompts/get", {**empty, "arguments": {"wrong": "x"}})
        assert cast("Message", wrong["error"])["code"] == -32602
        await server.close_stdin()
        assert await server.exit_code() == 0


@pytest.mark.requirement("F-24")
async def test_a_prompt_goes_with_its_tools() -> None:
    async with spawn("ntfy_mcp", {"NTFY_DENY_TOOLS": "list_messages"}) as server:
        hello = await server.initialize()
        assert "prompts" not in cast("Message", cast("Message", hello["result"])["capabilities"])
        listed = await server.request(2, "prompts/list", {})
        assert cast("Message", listed["result"]) == {"prompts": []}
        told = await server.request(3, "prompts/get", {"name": "catch_up"})
        assert cast("Message", told["error"])["code"] == -32601
        await server.close_stdin()
        assert await server.exit_code() == 0
