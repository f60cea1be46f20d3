"""Naming a repository, and the level of a secret."""

from __future__ import annotations

import json

import pytest
from mcp.server import Server

from tests.backends.woodpecker import Answer, WoodpeckerBackend
from tests.woodpecker.calls import arrange
from tests.woodpecker.support import (
    answered,
    failure,
    result,
    text_answer,
)


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


async def test_a_guarded_call_looks_its_repository_up_afresh(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    await result(server, "list_crons", repo="acme/web")
    backend.state.repos[1]["full_name"] = "acme/old"
    backend.state.add_repo(99, "acme/web")
    _, asked = await answered(server, "delete_repository", {"repo": "acme/web"})
    assert "delete repository 99 from Woodpecker" in asked[0]


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
