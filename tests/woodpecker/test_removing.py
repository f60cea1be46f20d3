"""Removing and moving, with what goes along."""

from __future__ import annotations

import pytest
from mcp.server import Server

from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import text, token_in
from tests.woodpecker.calls import arrange
from tests.woodpecker.support import (
    answered,
    failure,
    json_answer,
    outcome,
    result,
    text_answer,
)


@pytest.mark.requirement("T-woodpecker-44")
async def test_removing_and_switching_off_are_two_approvals(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    token = token_in(await outcome(server, "delete_repository", {"repo_id": 5}))
    kept = {"repo_id": 5, "keep_data": True}
    assert "refused" in await failure(server, "delete_repository", **kept, confirm_token=token)
    other = token_in(await outcome(server, "delete_repository", kept))
    said = await failure(server, "delete_repository", repo_id=5, confirm_token=other)
    assert "refused" in said
    await result(server, "delete_repository", repo_id=5, confirm_token=token)
    assert backend.lines("DELETE") == ["DELETE /api/repos/5?remove=true"]


@pytest.mark.requirement("S-wood-8", "T-woodpecker-46")
async def test_what_goes_with_an_organisation_is_counted(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    acme = next(org for org in backend.state.orgs if org["name"] == "acme")
    arguments = {"org_id": acme["id"]}
    _, asked = await answered(server, "delete_organization", arguments)
    assert "3 repositories in it, with their pipelines" in asked[0]
    other = backend.state.add_org("other")["id"]
    full = [{"id": number, "org_id": other} for number in range(50)]
    backend.script("GET", "/api/repos", json_answer(full))
    _, asked = await answered(server, "delete_organization", {"org_id": other})
    assert "at least 200 repositories" in asked[0]


async def test_what_goes_with_an_account_is_counted(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    eve = backend.state.user("eve")
    assert eve is not None
    backend.state.add_repo(77, "eve/dotfiles", org_id=eve["org_id"])
    _, asked = await answered(server, "delete_user", {"login": "eve"})
    assert "and 1 repository in there" in asked[0]
    called, asked = await answered(server, "delete_user", {"login": "eve"})
    assert asked == []
    assert "404" in text(called)


async def test_a_count_that_cannot_be_read_is_unknown(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    acme = next(org for org in backend.state.orgs if org["name"] == "acme")
    backend.script("GET", "/api/repos", text_answer(500))
    backend.script("GET", "/api/users/root", text_answer(500))
    for tool, arguments in (
        ("delete_user", {"login": "eve"}),
        ("delete_user", {"login": "root"}),
        ("delete_organization", {"org_id": acme["id"]}),
    ):
        _, asked = await answered(server, tool, arguments)
        assert "an unknown number of repositories" in asked[0]


@pytest.mark.requirement("T-woodpecker-47")
async def test_a_busy_agent_is_not_deleted(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    backend.state.tasks.append({"id": "17", "agent_id": 31, "repo_id": 5})
    called, _ = await answered(server, "delete_agent", {"agent_id": 31})
    assert called.is_error
    assert "busy" in text(called)
    assert "It runs task 17 (repository 5)." in text(called)
    assert "list_agent_tasks" in text(called)


@pytest.mark.requirement("S-wood-14", "T-woodpecker-48")
async def test_a_move_that_answers_with_an_error_is_looked_at(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.version = "3.11.0"
    arguments = {"repo_id": 5, "to": "acme/renamed"}
    called, asked = await answered(server, "move_repository", arguments)
    assert called.structured_content is not None
    assert called.structured_content["full_name"] == "acme/renamed"
    assert "HTTP 500" in called.structured_content["note"]
    assert "  To: acme/renamed" in asked[0]


@pytest.mark.requirement("T-woodpecker-48")
async def test_a_move_that_did_not_happen_is_an_error(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    called, _ = await answered(server, "move_repository", {"repo_id": 5, "to": "acme/nowhere"})
    assert called.is_error
    assert "may not exist on the forge" in text(called)
    backend.script("POST", "/api/repos/12/move", text_answer(401))
    called, _ = await answered(server, "move_repository", {"repo_id": 12, "to": "acme/renamed"})
    assert "must be its admin there" in text(called)


async def test_a_move_whose_result_cannot_be_read_says_so(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("GET", "/api/repos/5", text_answer(500))
    called, _ = await answered(server, "move_repository", {"repo_id": 5, "to": "acme/renamed"})
    assert not called.is_error
    assert "could not be read back" in text(called)
    assert '"verified":false' in text(called)


async def test_the_new_owner_is_named_by_id(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    root = backend.state.user("root")
    assert root is not None
    _, asked = await answered(server, "chown_repository", {"repo_id": 5})
    assert f"(user {root['id']}) owner of repository 5" in asked[0]
    backend.script("GET", "/api/user", text_answer(200, "<html>"))
    _, asked = await answered(server, "chown_repository", {"repo_id": 5})
    assert "(its id is unknown)" in asked[0]
