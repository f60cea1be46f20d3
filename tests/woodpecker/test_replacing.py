"""Routes that replace every field: all of them are sent again."""

from __future__ import annotations

import pytest
from mcp.server import Server

from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import text
from tests.woodpecker.calls import arrange
from tests.woodpecker.conftest import MakeServer
from tests.woodpecker.support import (
    answered,
    failure,
    json_answer,
    outcome,
    result,
)


@pytest.mark.requirement("T-woodpecker-36")
@pytest.mark.parametrize("admin", [True, False])
async def test_an_email_changes_and_everything_else_is_sent_again(
    admin: bool, server: Server[object], backend: WoodpeckerBackend
) -> None:
    eve = backend.state.user("eve")
    assert eve is not None
    eve["admin"] = admin
    shown = await result(server, "update_user", login="eve", email="new@example.org")
    assert backend.writes[0].json() == {
        "login": "eve",
        "email": "new@example.org",
        "avatar_url": "https://git.example.org/avatars/eve",
        "admin": admin,
        "forge_id": 1,
        "forge_remote_id": eve["forge_remote_id"],
    }
    assert shown["user"]["email"] == "new@example.org"  # type: ignore[index]
    assert eve["admin"] is admin


@pytest.mark.requirement("S-wood-3", "T-woodpecker-37")
async def test_an_approved_admin_becomes_one(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arguments = {"login": "newcomer", "email": "n@example.org", "admin": True}
    called, asked = await answered(server, "create_user", arguments)
    assert called.structured_content is not None
    assert called.structured_content["user"]["admin"] is True
    assert len(asked) == 1
    assert "n@example.org" not in asked[0]
    created, granted = backend.writes
    assert created.json() == arguments
    assert granted.json() == {
        "login": "newcomer",
        "email": "n@example.org",
        "avatar_url": "",
        "admin": True,
        "forge_id": 1,
        "forge_remote_id": "0",
    }


@pytest.mark.requirement("T-woodpecker-37")
async def test_a_second_account_that_never_logged_in_is_explained(
    server: Server[object],
) -> None:
    await result(server, "create_user", login="first")
    said = await failure(server, "create_user", login="second")
    assert "only one of them" in said


@pytest.mark.requirement("T-woodpecker-37")
async def test_a_grant_that_was_not_stored_is_an_error(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("PATCH", "/api/users/.*", json_answer({"id": 0}))
    called, _ = await answered(server, "create_user", {"login": "newcomer", "admin": True})
    assert called.is_error
    assert "was created, but it is no admin" in text(called)


@pytest.mark.requirement("T-woodpecker-37")
async def test_an_answer_of_an_admin_needs_no_second_request(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("POST", "/api/users", json_answer({"id": 9, "login": "x", "admin": True}))
    await answered(server, "create_user", {"login": "x", "admin": True})
    assert len(backend.writes) == 1


@pytest.mark.requirement("T-woodpecker-37")
async def test_a_change_of_nobody_is_an_error(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    eve = backend.state.user("eve")
    assert eve is not None
    backend.state.version = "3.12.0"
    said = await failure(server, "update_user", login="eve", email="new@example.org")
    assert "Nothing was changed" in said
    assert eve["email"] == "eve@example.org"


@pytest.mark.requirement("T-woodpecker-37")
async def test_a_change_that_did_not_stick_is_an_error(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("PATCH", "/api/users/eve", json_answer({"id": 7, "login": "eve"}))
    said = await failure(server, "update_user", login="eve", email="new@example.org")
    assert "did not store email" in said
    assert "WOODPECKER_ADMIN" not in said


@pytest.mark.requirement("T-woodpecker-40")
async def test_a_forge_is_sent_back_whole(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    called, asked = await answered(server, "update_forge", {"forge_id": 1, "skip_verify": True})
    assert not called.is_error
    assert "change forge 1: skip_verify" in asked[0]
    assert backend.writes[0].json() == {
        "id": 1,
        "type": "gitea",
        "url": "https://git.example.org",
        "client": "oauth-client",
        "oauth_host": "https://login.example.org",
        "orgs": ["acme"],
        "additional_options": {"git-username": "bot", "git-password": "hunter2"},
        "skip_verify": True,
    }
    assert "redacted" not in backend.writes[0].body.decode()
    assert "hunter2" not in text(called)
    assert backend.state.forges[0]["stored_secret"] == "kept"


@pytest.mark.requirement("T-woodpecker-40")
@pytest.mark.parametrize("version", ["3.18.0", "3.11.0"])
async def test_a_forges_secret_goes_under_the_name_of_each_version(
    version: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.version = version
    arguments = {"forge_id": 1, "oauth_client_secret": "s3cr3t-of-the-forge"}
    called, asked = await answered(server, "update_forge", arguments)
    assert not called.is_error
    assert backend.state.forges[0]["stored_secret"] == "s3cr3t-of-the-forge"
    assert "s3cr3t" not in asked[0] + text(called)


@pytest.mark.requirement("T-woodpecker-40")
async def test_a_forge_that_is_only_half_seen_is_not_sent_back(
    make_server: MakeServer, backend: WoodpeckerBackend
) -> None:
    backend.state.tokens["eves-token"] = "eve"
    server = make_server({"WOODPECKER_TOKEN": "eves-token"})
    called, asked = await answered(server, "update_forge", {"forge_id": 1, "skip_verify": True})
    assert called.is_error
    assert "no admin of the instance" in text(called)
    assert asked == []
    assert backend.writes == []
    seen = await result(server, "get_forge", forge_id=1)
    assert list(seen)[1:-2] == [
        "id",
        "type",
        "url",
    ]


async def test_a_forges_destination_is_shown(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arguments = {"forge_id": 2, "url": "https://git.evil.example", "client": "other"}
    backend.state.forges.append({**backend.state.forges[0], "id": 2})
    _, asked = await answered(server, "update_forge", arguments)
    assert "  url: https://git.evil.example" in asked[0]
    assert "change forge 2: url, client" in asked[0]
    assert "Forge 1" not in asked[0]
    assert "other" not in asked[0].replace("another", "")


@pytest.mark.requirement("T-woodpecker-41")
async def test_a_drained_agent_keeps_its_name_and_a_renamed_one_stays_drained(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    shown = await result(server, "update_agent", agent_id=31, no_schedule=True)
    assert backend.writes[0].json() == {"name": "runner", "no_schedule": True}
    assert shown["agent"]["token"] == "(redacted)"  # type: ignore[index]
    await result(server, "update_agent", agent_id=31, name="x")
    assert backend.writes[1].json() == {"name": "x", "no_schedule": True}


@pytest.mark.requirement("T-woodpecker-41")
async def test_an_organisations_agent_is_read_from_its_list(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    backend.state.agents[0]["org_id"] = 41
    shown = await result(server, "update_agent", agent_id=31, org_id=41, name="x")
    assert shown["agent"]["name"] == "x"  # type: ignore[index]
    assert backend.lines() == [
        "GET /api/orgs/41/agents?page=1&perPage=50",
        "PATCH /api/orgs/41/agents/31",
    ]
    assert "no agent 32" in await failure(server, "update_agent", agent_id=32, org_id=41, name="x")


@pytest.mark.requirement("T-woodpecker-41")
async def test_labels_that_are_ignored_are_told(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    shown = await result(server, "update_agent", agent_id=31, custom_labels={"a": "b"})
    assert "ignored custom_labels" in str(shown["note"])
    made = await result(server, "create_agent", name="new", custom_labels={"a": "b"})
    assert "ignored custom_labels" in str(made["note"])
    backend.script("PATCH", "/api/agents/31", json_answer({"id": 31, "name": "runner"}))
    odd = await result(server, "update_agent", agent_id=31, name="x")
    assert odd["note"] == "Woodpecker did not store name."


@pytest.mark.requirement("T-woodpecker-42")
@pytest.mark.parametrize("place", [{}, {"org_id": 41}])
async def test_a_new_agents_token_is_shown_once(
    place: dict[str, int], server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    made = await result(server, "create_agent", name="new", **place)
    token = made["agent"]["token"]  # type: ignore[index]
    assert str(token).startswith("agent-token-")
    assert "credential" in str(made["note"])
    listed = await outcome(server, "list_agents", place)
    assert str(token) not in text(listed)
    assert "(redacted)" in text(listed)
