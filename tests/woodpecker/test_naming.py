"""Naming a repository, and the level of a secret."""

from __future__ import annotations

import inspect
import json

import pytest
from mcp.server import Server

from tests.backends.woodpecker import Answer, WoodpeckerBackend
from tests.support.clients import text
from tests.support.servers import reading_of
from tests.support.time import FakeClock
from tests.woodpecker.calls import arrange
from tests.woodpecker.conftest import ADMIN_TOKEN
from tests.woodpecker.support import answered, failure, result, text_answer
from woodpecker_ci_mcp.api.client import WoodpeckerAPI
from woodpecker_ci_mcp.app import build
from woodpecker_ci_mcp.definition import WOODPECKER
from woodpecker_ci_mcp.tools import TOOLS


async def test_a_repository_is_looked_up_once_and_again_after_a_404(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    for _ in range(2):
        await result(server, "list_crons", repo="acme/web")
    assert backend.lines().count("GET /api/repos/lookup/acme/web") == 1
    backend.script("GET", "/api/repos/12/branches", text_answer(404))
    await failure(server, "list_repository_branches", repo="Acme/Web")
    await result(server, "list_crons", repo="acme/web")
    assert backend.lines().count("GET /api/repos/lookup/acme/web") == 2


WRITING: dict[str, dict[str, object]] = {
    "create_secret": {"name": "n", "value": "v", "events": ["push"]},
    "create_registry": {"address": "reg.example.org", "username": "u", "password": "p"},
    "create_cron": {"name": "n", "schedule": "@daily"},
    "update_repository": {"timeout": 30},
    "repair_repository": {},
    "trigger_pipeline": {"branch": "main"},
    "restart_pipeline": {"number": 1},
    "cancel_pipeline": {"number": 2},
    "delete_repository": {},
    "chown_repository": {},
    "move_repository": {"to": "acme/renamed"},
}


@pytest.mark.requirement("W-6")
@pytest.mark.parametrize("tool", WRITING)
async def test_no_write_acts_on_a_remembered_name(
    tool: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    await result(server, "list_pipelines", repo="acme/web")
    backend.state.repos[1]["full_name"] = "acme/old"
    backend.state.add_repo(99, "acme/web")
    backend.state.add_pipeline(99)
    backend.state.add_pipeline(99, status="running")
    called, _ = await answered(server, tool, {"repo": "acme/web", **WRITING[tool]})
    assert not called.is_error, text(called)
    assert backend.writes
    assert all(request.path.startswith("/api/repos/99") for request in backend.writes)


@pytest.mark.requirement("W-6")
def test_only_reads_take_a_known_id() -> None:
    for tool in TOOLS:
        source = inspect.getsource(tool.function)
        if not tool.annotations.read_only:
            assert "known=" not in source, tool.name


@pytest.mark.requirement("W-6")
async def test_a_read_uses_an_id_for_a_minute(backend: WoodpeckerBackend) -> None:
    clock = FakeClock()
    values = reading_of(
        WOODPECKER, {"WOODPECKER_URL": backend.url, "WOODPECKER_TOKEN": ADMIN_TOKEN}
    ).values
    app = build(values, ())
    api = WoodpeckerAPI(app.api._http, ADMIN_TOKEN, clock)
    for seconds, lookups in ((0, 1), (59, 1), (2, 2)):
        clock.advance(seconds)
        assert await api.repository_id("acme/web", known=True) == 12
        assert backend.lines().count("GET /api/repos/lookup/acme/web") == lookups
    await api.delete("repos", 21)
    await api.repository_id("acme/web", known=True)
    assert backend.lines().count("GET /api/repos/lookup/acme/web") == 3
    await app.aclose()


@pytest.mark.requirement("W-6")
async def test_a_deleted_repository_is_activated_at_the_first_call(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.forge_repos["1200"] = {"forge_remote_id": "1200", "full_name": "acme/web"}
    await answered(server, "delete_repository", {"repo": "acme/web"})
    made = await result(server, "activate_repository", forge_remote_id="1200")
    again = await result(server, "get_repository", repo="acme/web")
    assert again["id"] == made["id"] != 12


async def test_a_repository_that_was_never_activated_is_explained(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    found = Answer(200, json.dumps({"full_name": "a/b"}).encode(), "application/json")
    backend.script("GET", "/api/repos/lookup/a/b", found)
    assert "never activated" in await failure(server, "get_repository", repo="a/b")


@pytest.mark.parametrize(
    "arguments", [{}, {"repo_id": 5, "repo": "acme/web"}, {"repo_id": 0}, {"repo_id": 2**53}]
)
async def test_a_repository_is_named_in_exactly_one_way(
    arguments: dict[str, object], server: Server[object], backend: WoodpeckerBackend
) -> None:
    assert "repo_id" in await failure(server, "get_repository", **arguments)
    assert backend.requests == []


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "repo_id"),
        ({"scope": "organization"}, "org_id"),
        ({"scope": "organization", "org_id": 1, "repo_id": 5}, "repo_id"),
        ({"scope": "global", "repo": "acme/web"}, "repo"),
        ({"scope": "global", "org_id": 1}, "org_id"),
        ({"repo_id": 5, "org_id": 1}, "org_id"),
    ],
)
async def test_a_scope_takes_its_own_id_and_no_other(
    arguments: dict[str, object],
    named: str,
    server: Server[object],
    backend: WoodpeckerBackend,
) -> None:
    for tool in ("list_secrets", "list_registries"):
        assert named in await failure(server, tool, **arguments)
    assert backend.requests == []


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ({"scope": "organization", "org_id": 41}, "organisation 41"),
        ({"scope": "global"}, "the whole instance"),
    ],
)
async def test_each_level_is_named_in_the_question(
    place: dict[str, object], words: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    await result(server, "create_secret", **place, name="key", value="v", events=["push"])
    assert (await result(server, "get_secret", **place, name="key"))["name"] == "key"
    assert len((await result(server, "list_registries", **place))["registries"]) == 0  # type: ignore[arg-type]
    called, asked = await answered(server, "delete_secret", {**place, "name": "key"})
    assert f'delete secret "key" of {words}' in asked[0]
    assert not called.is_error
