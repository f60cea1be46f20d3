"""No text argument of any tool climbs out of its place in a path."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mcp_serverkit.tools.schema import parameters
from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import Arguments
from tests.woodpecker.conftest import MakeServer
from tests.woodpecker.support import failure
from woodpecker_ci_mcp.order import EXTRAS
from woodpecker_ci_mcp.tools import TOOLS

FILLED: dict[str, object] = {
    "repo_id": 5,
    "org_id": 1,
    "forge_id": 1,
    "number": 1,
    "step_id": 1,
    "cron_id": 1,
    "agent_id": 1,
    "name": "name",
    "login": "eve",
    "address": "reg.example.org",
    "full_name": "acme/web",
    "to": "acme/web",
    "forge_remote_id": "1",
    "schedule": "@daily",
    "branch": "main",
    "value": "v",
    "events": ["push"],
    "username": "bot",
    "password": "pw",
}
IN_PATHS = ("name", "login", "address", "full_name", "repo")
NOT_IN_PATHS = {
    ("list_repositories", "name"),
    ("create_cron", "name"),
    ("update_cron", "name"),
    ("create_agent", "name"),
    ("update_agent", "name"),
    ("create_secret", "name"),
    ("create_registry", "address"),
    ("create_user", "login"),
}


def calls() -> Iterator[tuple[str, str, Arguments]]:
    for tool in TOOLS:
        declared = parameters(tool.function)
        for name in IN_PATHS:
            if name not in declared or (tool.name, name) in NOT_IN_PATHS:
                continue
            filled = {
                key: FILLED[key]
                for key, (_, default) in declared.items()
                if key in FILLED and (default is ... or key == "repo_id")
            }
            if name == "repo":
                filled.pop("repo_id", None)
            yield tool.name, name, filled


@pytest.mark.requirement("R-25")
@pytest.mark.parametrize("value", ["", ".", "..", "a\nb", "x" * 501])
@pytest.mark.parametrize(
    ("tool", "argument", "arguments"),
    list(calls()),
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_dots_and_nothing_are_no_names(
    tool: str,
    argument: str,
    arguments: Arguments,
    value: str,
    make_server: MakeServer,
    backend: WoodpeckerBackend,
) -> None:
    server = make_server({"WOODPECKER_EXTRAS": "true"})
    said = await failure(server, tool, **{**arguments, argument: value})
    assert said.startswith(f"{argument}:")
    assert "confirm_token" not in said
    assert backend.requests == []


def test_the_walk_meets_every_kind_of_name() -> None:
    walked = {(tool, argument) for tool, argument, _ in calls()}
    assert {argument for _, argument in walked} == set(IN_PATHS)
    assert ("delete_secret", "name") in walked
    assert ("delete_user", "login") in walked
    assert {(tool, "repo") for tool in EXTRAS} <= walked
    assert len(walked) > 40
