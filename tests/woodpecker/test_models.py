"""Documents of every version and names in paths."""

from __future__ import annotations

import pytest
from mcp.server import Server

from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import text
from tests.woodpecker.calls import arrange
from tests.woodpecker.conftest import ADMIN_TOKEN, server_of
from tests.woodpecker.support import (
    answered,
    failure,
    json_answer,
    outcome,
    result,
    text_answer,
)


def old_server(backend: WoodpeckerBackend) -> Server[object]:
    return server_of({"WOODPECKER_URL": backend.url, "WOODPECKER_TOKEN": ADMIN_TOKEN})


@pytest.mark.requirement("T-woodpecker-49")
async def test_a_pipeline_of_2_x_looks_like_any_other(old_backend: WoodpeckerBackend) -> None:
    old_backend.state.add_pipeline(5)
    old_backend.state.repos[0]["trusted"] = dict.fromkeys(("network", "volumes", "security"), True)
    server = old_server(old_backend)
    shown = await result(server, "get_pipeline", repo_id=5, number=1)
    now = old_backend.state.now
    pipeline, step = shown["pipeline"], shown["workflows"][0]["steps"][0]  # type: ignore[index]
    for part in (pipeline, step):
        assert isinstance(part, dict)
        assert (part["started"], part["finished"]) == (now, now + 5)
    assert pipeline["created"] == now  # type: ignore[index]
    repository = await result(server, "get_repository", repo_id=5)
    assert repository["trusted"] is True


@pytest.mark.requirement("T-woodpecker-49")
@pytest.mark.parametrize("seen", [True, False])
async def test_one_flag_of_trust_on_2_x_is_explained(
    seen: bool, old_backend: WoodpeckerBackend
) -> None:
    server = old_server(old_backend)
    if seen:
        await result(server, "get_current_user")
    called, asked = await answered(
        server, "update_repository", {"repo_id": 5, "trusted_network": True}
    )
    assert called.is_error
    assert "2.x" in text(called)
    assert asked == []
    assert old_backend.writes == []


@pytest.mark.requirement("T-woodpecker-49")
async def test_three_equal_flags_of_trust_are_one_on_2_x(old_backend: WoodpeckerBackend) -> None:
    flags = dict.fromkeys(("trusted_network", "trusted_volumes", "trusted_security"), True)
    called, asked = await answered(
        old_server(old_backend), "update_repository", {"repo_id": 5, **flags}
    )
    assert not called.is_error
    assert len(asked) == 1
    assert old_backend.writes[0].json() == {"trusted": True}


@pytest.mark.requirement("T-woodpecker-50")
async def test_activating_what_is_active_is_a_success(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    made = await result(server, "activate_repository", forge_remote_id="900")
    assert made["full_name"] == "acme/renamed"
    again = await result(server, "activate_repository", forge_remote_id="900")
    assert "already active" in str(again["note"])
    assert "forge" in await failure(server, "activate_repository", forge_remote_id="901")


@pytest.mark.requirement("T-woodpecker-50")
async def test_a_stale_entry_is_no_active_repository(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    words = "Repository already exists in Woodpecker. Remove the stale repository entry."
    backend.script("POST", "/api/repos", text_answer(409, words))
    assert "stale" in await failure(server, "activate_repository", forge_remote_id="900")


@pytest.mark.requirement("T-woodpecker-51")
async def test_a_look_up_keeps_its_slashes(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_repo(77, "group/sub/app")
    shown = await result(server, "lookup_repository", full_name="group/sub/app")
    assert shown["id"] == 77
    assert backend.lines() == ["GET /api/repos/lookup/group/sub/app"]


@pytest.mark.requirement("T-woodpecker-51")
@pytest.mark.parametrize(
    "name", ["a/../b", "a/..", "./b", "a//b", "/a/b", "a/b/", "a", "a/b?x", ""]
)
@pytest.mark.parametrize(
    ("tool", "argument"), [("lookup_repository", "full_name"), ("get_repository", "repo")]
)
async def test_a_name_that_climbs_is_refused(
    tool: str, argument: str, name: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    assert argument in await failure(server, tool, **{argument: name})
    assert backend.requests == []


@pytest.mark.requirement("T-woodpecker-52")
async def test_an_address_is_one_segment(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    address = "reg.example.org:5000/team"
    arguments = {"repo_id": 5, "address": address}
    await result(server, "create_registry", **arguments, username="bot", password="pw")
    await result(server, "get_registry", **arguments)
    _, asked = await answered(server, "delete_registry", arguments)
    assert f'the credentials for registry "{address}" of repository 5' in asked[0]
    path = "/api/repos/5/registries/reg.example.org%3A5000%2Fteam"
    lines = [line for line in backend.lines() if path in line]
    assert lines == [f"GET {path}"] * 4 + [f"DELETE {path}"]


@pytest.mark.requirement("T-woodpecker-53")
async def test_a_repository_is_found_by_part_of_its_name(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5)
    shown = await result(server, "list_repositories", name="API")
    assert [repo["full_name"] for repo in shown["repositories"]] == ["acme/payments-api"]  # type: ignore[attr-defined]
    last = shown["repositories"][0]["last_pipeline"]  # type: ignore[index]
    assert last == {"number": 1, "status": "success", "event": "push"}
    every = await result(server, "list_repositories", scope="instance", per_page=2, page=2)
    assert len(every["repositories"]) == 1  # type: ignore[arg-type]
    inactive = await result(server, "list_repositories", include_inactive=True)
    assert len(inactive["repositories"]) == 4  # type: ignore[arg-type]
    assert backend.lines() == [
        "GET /api/user/repos",
        "GET /api/repos?active=true&page=2&perPage=2",
        "GET /api/user/repos?all=true",
    ]


@pytest.mark.requirement("T-woodpecker-54")
async def test_credentials_are_marked_wherever_they_are(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.forges[0]["additional_options"] = {
        "git-password": "x-hunter2",
        "gitPassword": "x-hunter2",
        "API_KEY": "x-hunter2",
        "nested": [{"private-key": "x-hunter2"}],
        "my_token_count": 3,
        "tokens": "kept",
        "clone": "https://bob:x-hunter2@git.example.org/a",
    }
    shown = await result(server, "get_forge", forge_id=1)
    assert shown["additional_options"] == {
        "git-password": "(redacted)",
        "gitPassword": "(redacted)",
        "API_KEY": "(redacted)",
        "nested": [{"private-key": "(redacted)"}],
        "my_token_count": 3,
        "tokens": "kept",
        "clone": "https://git.example.org/a",
    }


async def test_a_secret_that_comes_with_its_value_is_marked(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    row = {"id": 1, "name": "a", "value": "x-hunter2", "events": ["push"], "images": None}
    backend.script("GET", "/api/secrets", json_answer([row]))
    backend.script("POST", "/api/secrets", json_answer(row))
    shown = await result(server, "list_secrets", scope="global")
    assert shown["secrets"] == [
        {"id": 1, "name": "a", "events": ["push"], "images": [], "value": "(redacted)"}
    ]
    made = await outcome(
        server, "create_secret", {"scope": "global", "name": "a", "value": "v", "events": ["push"]}
    )
    assert "x-hunter2" not in text(made)


async def test_the_feed_has_one_row_per_repository_that_ran(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5)
    backend.state.add_pipeline(5)
    latest = (await result(server, "get_pipeline_feed"))["feed"]
    assert [(row["repo_id"], row["number"]) for row in latest] == [(5, 2)]  # type: ignore[attr-defined]
    recent = (await result(server, "get_pipeline_feed", mode="recent"))["feed"]
    assert len(recent) == 2  # type: ignore[arg-type]
    assert backend.lines() == ["GET /api/user/feed?latest=true", "GET /api/user/feed"]


async def test_a_pipeline_in_a_list_is_short(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    rows = (await result(server, "list_pipelines", repo_id=5, status="success"))["pipelines"]
    (row,) = rows  # type: ignore[misc]
    assert row["message"] == "first line"  # type: ignore[has-type]
    assert row["commit"] == "0123456789ab"  # type: ignore[has-type]
    assert not {"author_avatar", "changed_files", "workflows"} & set(row)  # type: ignore[has-type]


async def test_a_pipeline_without_a_number_is_an_error(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("GET", "/api/repos/5/pipelines/latest", json_answer({"status": "x"}))
    said = await failure(server, "get_pipeline", repo_id=5, number="latest")
    assert "no number" in said
