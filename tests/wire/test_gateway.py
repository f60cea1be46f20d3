"""Behind a gateway: one that passes elicitation on, and one that cannot."""

from __future__ import annotations

from typing import cast

import mcp_types as types
import pytest
from mcp import Client
from mcp.client.session import ElicitationFnT
from mcp.server import Server
from mcp.server.context import ServerRequestContext

from mcp_serverkit.config.settings import read_settings
from mcp_serverkit.server import build_server
from ntfy_mcp.definition import NTFY
from tests.backends.ntfy import NtfyBackend
from tests.support.clients import ERAS, Era, accept, call, connect, text, token_in

DELETE: dict[str, object] = {"topic": "alerts", "sequence_ids": ["nightly"]}

Context = ServerRequestContext[object, object]


def ntfy_server(backend: NtfyBackend) -> Server[object]:
    reading = read_settings(NTFY.variables, NTFY.prefix, {"NTFY_URL": backend.url})
    return build_server(NTFY, reading.values)


def gateway(upstream: Server[object], era: Era, *, passes_on: bool) -> Server[object]:
    """A gateway that opens a session to the server behind it for each call."""

    async def call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        async def pass_on(_context: object, asked: types.ElicitRequestFormParams) -> object:
            return await context.session.elicit_form(
                asked.message, asked.requested_schema, context.request_id
            )

        answer = cast("ElicitationFnT", pass_on) if passes_on else None
        async with connect(upstream, era, answer) as client:
            return await client.call_tool(params.name, params.arguments)

    async def list_tools(
        _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        async with connect(upstream, era) as client:
            return await client.list_tools()

    server: Server[object] = Server("gateway", on_call_tool=call_tool, on_list_tools=list_tools)
    return server


@pytest.mark.requirement("S-all-23")
@pytest.mark.parametrize("era", ERAS, ids=lambda era: f"behind it {era}")
@pytest.mark.parametrize("agrees", [True, False])
async def test_a_gateway_that_passes_elicitation_on_shows_the_dialog(
    era: Era, agrees: bool
) -> None:
    shown: list[str] = []

    async def person(_context: object, asked: types.ElicitRequestFormParams) -> object:
        shown.append(asked.message)
        return accept() if agrees else types.ElicitResult(action="decline")

    with NtfyBackend() as backend:
        front = gateway(ntfy_server(backend), era, passes_on=True)
        async with connect(front, "2025-11-25", cast("ElicitationFnT", person)) as client:
            result = await call(client, "delete_messages", DELETE)
        assert len(shown) == 1
        assert "delete 1 notification" in shown[0]
        assert bool(result.is_error) is not agrees
        assert len([each for each in backend.requests if each.method != "GET"]) == agrees


@pytest.mark.requirement("S-all-8")
@pytest.mark.parametrize("era", ERAS, ids=lambda era: f"behind it {era}")
async def test_a_gateway_that_cannot_ask_gets_the_token_and_nothing_happens(era: Era) -> None:
    with NtfyBackend() as backend:
        front = gateway(ntfy_server(backend), era, passes_on=False)
        async with connect(front, "2025-11-25") as client:
            assert isinstance(client, Client)
            result = await call(client, "delete_messages", DELETE)
        assert token_in(result)
        assert "no person was asked" in text(result)
        assert [each for each in backend.requests if each.method != "GET"] == []
