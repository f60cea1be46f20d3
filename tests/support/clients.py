"""Clients for tests: the SDK's, in both eras, and the legs of a call driven by hand."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Literal, TypeAlias, cast
from unittest.mock import patch

import mcp_types as types
from mcp import Client
from mcp.client._transport import Transport
from mcp.client.session import ClientSession, ElicitationFnT
from mcp.server import Server

Era: TypeAlias = Literal["2025-11-25", "2026-07-28"]
ERAS: tuple[Era, ...] = ("2025-11-25", "2026-07-28")

Arguments: TypeAlias = Mapping[str, object]
Result: TypeAlias = types.CallToolResult


def reached(server: Server[object]) -> Server[object] | Transport:
    """How a client reaches a server; tests put other ways here."""
    return server


@asynccontextmanager
async def connect(
    server: Server[object],
    era: Era,
    answer: ElicitationFnT | None = None,
    *,
    capability: types.ElicitationCapability | None = None,
) -> AsyncIterator[Client]:
    """Connect the SDK's client to a server in this process.

    Args:
        server: The server.
        era: Protocol era.
        answer: Answers questions; without one, no capability is declared.
        capability: What to declare instead of the SDK's choice.
    """
    mode = "legacy" if era == "2025-11-25" else era
    client = Client(reached(server), mode=mode, elicitation_callback=answer)
    if capability is None:
        async with client:
            yield client
        return
    declared = types.ClientCapabilities(elicitation=capability)
    with patch.object(ClientSession, "_build_capabilities", lambda _self, _version: declared):
        async with client:
            yield client


async def call(client: Client, tool: str, arguments: Arguments | None = None) -> Result:
    """Call a tool and let the client answer what it is asked."""
    return await client.call_tool(tool, dict(arguments or {}))


async def leg(
    client: Client,
    tool: str,
    arguments: Arguments,
    *,
    answer: types.ElicitResult | None = None,
    state: str | None = None,
    key: str = "confirm",
) -> types.CallToolResult | types.InputRequiredResult:
    """Drive one leg of a call on 2026-07-28."""
    return await client.session.call_tool(
        tool,
        dict(arguments),
        input_responses=None if answer is None else {key: answer},
        request_state=state,
        allow_input_required=True,
    )


async def question(client: Client, tool: str, arguments: Arguments) -> types.InputRequiredResult:
    """Make a first leg that must end with a question."""
    result = await leg(client, tool, arguments)
    assert isinstance(result, types.InputRequiredResult), text(result)
    return result


def accept(confirm: object = True) -> types.ElicitResult:
    """An accepted form with whatever was put under `confirm`."""
    content = cast("dict[str, str | int | float | bool | list[str] | None]", {"confirm": confirm})
    return types.ElicitResult(action="accept", content=content)


def text(result: types.CallToolResult | types.InputRequiredResult) -> str:
    """All text of a result."""
    if isinstance(result, types.InputRequiredResult):
        return result.model_dump_json(by_alias=True)
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))


def structured(result: Result) -> dict[str, object]:
    """The structured content of a result that is no error."""
    assert not result.is_error, text(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def token_in(result: Result) -> str:
    """The token that a prompt handed out."""
    assert result.is_error, "a token prompt is an error result"
    before, found, rest = text(result).partition('confirm_token="')
    assert found, before
    return rest.partition('"')[0]


def document(result: Result) -> dict[str, object]:
    """The object in the text block, out of its markers."""
    body = text(result)
    if body.startswith("<untrusted-"):
        body = body.split("\n", 1)[1].rsplit("\n", 1)[0]
    parsed = json.loads(body)
    assert isinstance(parsed, dict)
    return parsed
