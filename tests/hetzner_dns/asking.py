"""Reading what a call would ask, and driving its second leg by hand."""

from __future__ import annotations

import mcp_types as types
from mcp import Client
from mcp.server import Server

from tests.support.clients import Arguments, Result, accept, connect, leg, question, text


async def decline(context: object, params: object) -> types.ElicitResult:
    return types.ElicitResult(action="decline")


def message(asked: types.InputRequiredResult) -> str:
    request = (asked.input_requests or {})["confirm"]
    assert isinstance(request, types.ElicitRequest)
    assert isinstance(request.params, types.ElicitRequestFormParams)
    return request.params.message


async def dialog(server: Server[object], tool: str, arguments: Arguments) -> str:
    """The text of the dialog that a call raises."""
    async with connect(server, "2026-07-28", decline) as client:
        return message(await question(client, tool, arguments))


async def approve_other(
    client: Client, tool: str, approved: Arguments, other: Arguments, other_tool: str | None = None
) -> types.CallToolResult | types.InputRequiredResult:
    """Get a yes for one call and present it with another."""
    asked = await question(client, tool, approved)
    return await leg(client, other_tool or tool, other, answer=accept(), state=asked.request_state)


async def refusal(server: Server[object], tool: str, arguments: Arguments) -> str:
    """The error text of a call that must fail before anybody is asked."""
    async with connect(server, "2026-07-28", decline) as client:
        result = await leg(client, tool, arguments)
    assert isinstance(result, types.CallToolResult), f"asked: {text(result)}"
    assert result.is_error, text(result)
    return text(result)


async def outcome(server: Server[object], tool: str, arguments: Arguments) -> Result:
    """The final result of a call by a client that approves."""

    async def yes(context: object, params: object) -> types.ElicitResult:
        return accept()

    async with connect(server, "2026-07-28", yes) as client:
        return await client.call_tool(tool, dict(arguments))
