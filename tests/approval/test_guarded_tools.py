"""Every guarded tool, every persona, both eras; and what the listing says of the guard."""

from __future__ import annotations

import mcp_types as types
import pytest
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError

from mcp_approval.mcp_adapter import refuse_sdk_boundary
from mcp_serverkit.config.settings import read_settings
from mcp_serverkit.server import build_server
from tests.approval.conftest import MakeStand, Stand
from tests.approval.fixture_server import SHOP, TOOLS, Shop
from tests.support.clients import ERAS, Arguments, Era, call, connect, text
from tests.support.personas import PERSONAS, Persona, play

CALLS: dict[str, Arguments] = {
    "delete_items": {"names": ["a", "b"]},
    "approve_run": {"repo_id": 5, "number": 12},
    "release_run": {"repo_id": 5, "number": 12},
    "update_item": {"name": "apples", "colour": "red"},
    "clear_stock": {"name": "apples"},
    "create_login": {"name": "eve", "password": "a-long-password"},
    "send": {"to": "a@example.org"},
}


def test_there_is_a_call_for_each_guarded_tool() -> None:
    assert set(CALLS) == {tool.name for tool in TOOLS.guarded}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("persona", PERSONAS, ids=lambda persona: persona.name)
@pytest.mark.parametrize("tool", CALLS)
@pytest.mark.requirement("AP-46")
async def test_no_persona_but_the_one_that_approves_reaches_the_upstream(
    tool: str, persona: Persona, era: Era, make_stand: MakeStand
) -> None:
    stand = make_stand(wait_seconds=persona.wait_seconds)
    await play(persona, stand.server, era, tool, CALLS[tool])
    assert [name for name, _ in stand.shop.acts] == ([tool] if persona.approves else [])


@pytest.mark.requirement("AP-46")
async def test_the_listing_shows_the_token_exactly_where_a_tool_asks(stand: Stand) -> None:
    async with connect(stand.server, "2025-11-25") as client:
        tools = (await client.list_tools()).tools
    with_token = {tool.name for tool in tools if "confirm_token" in tool.input_schema["properties"]}
    assert with_token == set(CALLS)
    for tool in tools:
        assert tool.annotations is not None
        assert ("Needs confirmation." in (tool.description or "")) is (tool.name in CALLS)
        assert tool.annotations.read_only_hint is (tool.name not in CALLS)
        if tool.name in CALLS:
            token = tool.input_schema["properties"]["confirm_token"]
            assert set(token) == {"type", "description"}
            assert token["type"] == "string"
            assert "confirm_token" not in tool.input_schema.get("required", [])


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.requirement("AP-44")
async def test_read_only_neither_lists_nor_calls_a_guarded_tool(era: Era) -> None:
    values = read_settings(SHOP.variables, SHOP.prefix, {"SHOP_READ_ONLY": "yes"}).values
    shop = Shop()
    server = build_server(SHOP, values, app=shop)
    async with connect(server, era) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["list_items"]
        for tool, arguments in CALLS.items():
            with pytest.raises(MCPError) as caught:
                await call(client, tool, arguments)
            assert caught.value.code == types.INVALID_PARAMS
            assert str(caught.value) == f"Unknown tool: {tool}"
    assert shop.acts == []


@pytest.mark.parametrize("argument", ["confirm", "approved", "force", "confirmed", "yes"])
@pytest.mark.parametrize("era", ERAS)
async def test_no_argument_that_a_model_can_set_approves(
    argument: str, era: Era, stand: Stand
) -> None:
    async with connect(stand.server, era) as client:
        refused = await call(client, "approve_run", {**CALLS["approve_run"], argument: True})
    assert refused.is_error is True
    assert text(refused).startswith(f"{argument}: is no argument of this tool")
    assert stand.shop.acts == []
    assert stand.lines == []


def test_the_sdk_s_own_seal_must_not_stand_before_ours(stand: Stand) -> None:
    refuse_sdk_boundary(stand.server)
    security = RequestStateSecurity.ephemeral()
    stand.server.middleware.append(RequestStateBoundary(security, default_audience="shop-mcp"))
    with pytest.raises(RuntimeError, match="request state boundary"):
        refuse_sdk_boundary(stand.server)
