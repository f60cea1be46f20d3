"""What a client is told before it calls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcp_serverkit.instructions import Asking, Offered
from mcp_serverkit.tools.registry import Tool
from tests.support.clients import ERAS, Era, connect
from tests.support.servers import reading_of
from tests.woodpecker.conftest import server_of
from woodpecker_ci_mcp.definition import STRICT, WOODPECKER
from woodpecker_ci_mcp.order import EXTRAS, ORDER
from woodpecker_ci_mcp.tools import TOOLS

README = Path(__file__).parents[2] / "packages" / "woodpecker-ci-mcp" / "README.md"
BUILDS = {"trigger_pipeline", "restart_pipeline", "run_cron", "approve_pipeline"}
REPEATING = {"trigger_pipeline", "restart_pipeline", "run_cron"}
GENTLE = {
    "activate_repository",
    "repair_repository",
    "cancel_pipeline",
    "decline_pipeline",
    "create_secret",
    "create_registry",
    "create_cron",
    "create_user",
    "create_agent",
    "create_forge",
    "update_agent",
    "pause_queue",
    "resume_queue",
    "set_log_level",
}
"""Tools that write and destroy nothing."""

MAKING = {"create_secret", "create_registry", "create_cron", "create_agent", "create_forge"}


def bytes_of(tools: list[dict[str, object]]) -> int:
    return len(json.dumps(tools, ensure_ascii=False, separators=(",", ":")).encode())


async def listed(environ: dict[str, str], era: Era = "2025-11-25") -> list[dict[str, object]]:
    async with connect(server_of(environ), era) as client:
        answer = await client.list_tools()
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in answer.tools]


@pytest.mark.requirement("S-all-18", "T-woodpecker-56")
@pytest.mark.parametrize("era", ERAS)
async def test_every_tool_has_a_title_four_hints_and_an_object_as_result(era: Era) -> None:
    tools = await listed({}, era)
    assert [tool["name"] for tool in tools] == [name for name in ORDER if name not in EXTRAS]
    for tool in tools:
        hints = tool["annotations"]
        assert isinstance(hints, dict)
        assert {type(value) for value in hints.values()} == {bool}
        assert len(hints) == 4
        assert hints["openWorldHint"] is False
        assert tool["title"]
        assert tool["outputSchema"]["type"] == "object"  # type: ignore[index]
        for name, argument in tool["inputSchema"]["properties"].items():  # type: ignore[index]
            assert argument["description"], f"{tool['name']}: {name}"
        assert '"type":[' not in json.dumps(tool, separators=(",", ":"))


@pytest.mark.requirement("S-wood-12", "S-wood-15", "T-woodpecker-56")
@pytest.mark.parametrize("tool", list(TOOLS), ids=lambda tool: tool.name)
def test_hints_say_what_a_call_does(tool: Tool) -> None:
    reads = tool.name.startswith(("get_", "list_", "lookup_")) or tool.name in EXTRAS
    hints = tool.annotations
    assert hints.read_only is reads
    assert hints.destructive is (not reads and tool.name not in GENTLE)
    assert hints.idempotent is (tool.name not in REPEATING | MAKING)
    if tool.name in BUILDS:
        assert hints.destructive
        assert bool(tool.asks) is (tool.name == "approve_pipeline")
    if tool.asks:
        assert hints.idempotent
        assert "Needs confirmation" in tool.description


def test_34_tools_read_and_37_write() -> None:
    by_default = [tool for tool in TOOLS if tool.name not in EXTRAS]
    reading = sum(tool.annotations.read_only for tool in by_default)
    assert (reading, len(by_default) - reading) == (34, 37)


@pytest.mark.requirement("T-woodpecker-56")
async def test_exactly_the_guarded_tools_take_a_token() -> None:
    tools = await listed({})
    taking = {
        tool["name"]
        for tool in tools
        if "confirm_token" in tool["inputSchema"]["properties"]  # type: ignore[index]
    }
    assert taking == {tool.name for tool in TOOLS.guarded}


@pytest.mark.parametrize(
    ("environ", "tokens"),
    [
        ({}, 15_000),
        ({"WOODPECKER_ALLOW_TOOLS": "essential"}, 2_500),
        ({"WOODPECKER_ALLOW_TOOLS": "essential", "WOODPECKER_EXTRAS": "true"}, 3_100),
    ],
)
async def test_the_listing_fits_its_budget(environ: dict[str, str], tokens: int) -> None:
    assert bytes_of(await listed(environ)) / 4 <= tokens


async def test_the_strict_switch_adds_three_tools_that_take_a_token() -> None:
    tools = await listed({"WOODPECKER_STRICT": "true"})
    taking = {
        tool["name"]
        for tool in tools
        if "confirm_token" in tool["inputSchema"]["properties"]  # type: ignore[index]
    }
    assert taking == {tool.name for tool in TOOLS.guarded} | set(STRICT)
    assert len(taking) == 26


@pytest.mark.requirement("S-wood-14")
def test_the_move_tells_of_versions_that_complain_after_moving() -> None:
    said = TOOLS["move_repository"].description
    assert "3.12" in said
    assert "500" in said
    assert "do not move again" in said


@pytest.mark.parametrize("how", ["dialog", "reach", "token"])
def test_the_instructions_follow_how_it_asks(how: Asking) -> None:
    said = WOODPECKER.instructions([Offered("delete_user", False, "always")], how)
    assert ("ask a person" in said) is (how != "token")
    assert ("confirm_token" in said) is (how == "token")
    assert "never instructions" in said


@pytest.mark.requirement("S-all-13")
def test_the_dialog_variable_has_no_prefix() -> None:
    names = [variable.name for variable in WOODPECKER.variables]
    assert "ELICITATION" in names
    assert reading_of(WOODPECKER, {"WOODPECKER_ELICITATION": "false"}).values["elicitation"] is True


@pytest.mark.requirement("S-all-23")
@pytest.mark.parametrize(
    "words",
    [
        "mcp-hub",
        "uvx --from ./packages/woodpecker-ci-mcp woodpecker-ci-mcp",
        "another project",
        "<!-- variables -->",
        "<!-- /tools -->",
    ],
)
def test_the_readme_says(words: str) -> None:
    assert words in README.read_text(encoding="utf-8")
