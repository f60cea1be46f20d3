"""What the package offers by name, what is loaded for it, and the private names it leans on."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest
from mcp.server import MCPServer

import mcp_approval
from tests.library.servers import SDK, make_server

NAMES = {
    "approver_for",
    "requires_approval",
    "Question",
    "Detail",
    "Ask",
    "Target",
    "Limits",
    "checked",
    "listed",
    "joined",
    "one_of",
    "TooMuchToShowError",
    "UnsafeIdentifierError",
}


def loaded_by(code: str) -> set[str]:
    """Modules that a fresh interpreter has after some lines."""
    lines = f"{code}\nimport sys\nprint(*sys.modules)"
    told = subprocess.run(
        [sys.executable, "-c", lines], check=True, capture_output=True, text=True, timeout=60
    )
    return set(told.stdout.split())


@pytest.mark.requirement("L-9")
def test_the_names_are_these_and_each_is_there_and_explained() -> None:
    assert set(mcp_approval.__all__) == NAMES
    assert list(mcp_approval.__all__) == sorted(mcp_approval.__all__)
    for name in NAMES:
        assert getattr(mcp_approval, name).__doc__.strip()


@pytest.mark.requirement("L-9")
def test_another_name_is_not_there() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Approver'"):
        _ = mcp_approval.Approver


@pytest.mark.requirement("L-9")
def test_a_question_is_described_without_the_sdk() -> None:
    loaded = loaded_by("from mcp_approval import Ask, Question, Detail, Target, Limits, checked")
    assert "mcp" not in loaded
    assert "pydantic" not in loaded


@pytest.mark.parametrize("server", ["ntfy", "smtp", "hetzner_dns", "woodpecker_ci"])
def test_the_servers_of_this_repository_load_nothing_of_it(server: str) -> None:
    loaded = loaded_by(f"import mcp_serverkit.server, {server}_mcp.definition")
    names = ("decorator", "for_server", "frameworks", "binding")
    ours = {f"mcp_approval.{name}" for name in names}
    assert "mcp_approval.mcp_adapter" in loaded
    assert not loaded & {*ours, "fastmcp"}


@pytest.mark.requirement("L-10")
def test_the_sdk_still_has_the_private_names_that_are_used() -> None:
    server = MCPServer("shop")
    server.tool()(test_another_name_is_not_there)
    for name in ("_lowlevel_server", "_tool_manager"):
        assert hasattr(server, name), f"MCPServer has no {name} any more; see mcp_adapter"
    (tool,) = server._tool_manager.list_tools()
    assert tool.fn is test_another_name_is_not_there, "a tool keeps its function elsewhere"
    assert callable(server._lowlevel_server.lifespan), "a server's lifespan is kept elsewhere"


@pytest.mark.requirement("L-10")
def test_fastmcp_still_has_the_private_names_that_are_used() -> None:
    server = make_server("FastMCP")
    inner = getattr(server, "_mcp_server", None)
    assert inner is not None, "FastMCP has no _mcp_server any more; see mcp_adapter"
    assert callable(inner.lifespan), "a server's lifespan is kept elsewhere"
    dependencies = import_module("fastmcp.server.dependencies")
    fields = dependencies.FastMCPRequestContext.__dataclass_fields__
    assert "_srctx" in fields, "FastMCP keeps the SDK's context elsewhere; see mcp_adapter"
    for name in ("find_kwarg_by_type", "without_injected_parameters"):
        assert hasattr(dependencies, name), f"FastMCP has no {name} any more; see frameworks"
    tool = server.tool()(_tool)
    assert hasattr(tool, "__fastmcp__"), "FastMCP does not mark its tools any more"


async def _tool() -> str:
    return ""


def test_questions_outside_are_taken_back_when_a_server_ends() -> None:
    from mcp_approval import approver_for

    plain, reaching = make_server(SDK), make_server(SDK)
    before = reaching._lowlevel_server.lifespan  # type: ignore[attr-defined]
    approver_for(plain, environ={})
    approver_for(reaching, environ={"APPROVAL_REACH": "window"})
    assert reaching._lowlevel_server.lifespan is not before  # type: ignore[attr-defined]
