"""Starting, restarting, approving and declining."""

from __future__ import annotations

import pytest
from mcp.server import Server

from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import call, connect
from tests.woodpecker.calls import arrange
from tests.woodpecker.conftest import MakeServer
from tests.woodpecker.support import (
    failure,
    json_answer,
    result,
    text_answer,
)


async def test_a_trigger_starts_a_pipeline(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    started = await result(
        server, "trigger_pipeline", repo_id=5, branch="main", message="go", variables={"A": "1"}
    )
    assert started["started"] is True
    assert started["pipeline"]["status"] == "pending"  # type: ignore[index]
    assert backend.writes[0].json() == {
        "branch": "main",
        "message": "go",
        "variables": {"A": "1"},
    }


@pytest.mark.requirement("T-woodpecker-21")
async def test_a_filtered_trigger_is_told_apart(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.filtered_branches.add("main")
    started = await result(server, "trigger_pipeline", repo_id=5, branch="main")
    assert (started["started"], started["reason"]) == (False, "filtered")


@pytest.mark.requirement("T-woodpecker-21")
@pytest.mark.parametrize("version", ["3.13.0", "3.14.0"])
@pytest.mark.parametrize("tool", ["trigger_pipeline", "run_cron"])
async def test_a_configuration_that_cannot_be_loaded_is_told_with_its_errors(
    tool: str, version: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    backend.state.version = version
    backend.state.broken_branches.add("main")
    arguments = {"branch": "main"} if tool == "trigger_pipeline" else {"cron_id": 71}
    started = await result(server, tool, repo_id=5, **arguments)
    assert (started["started"], started["reason"]) == (False, "config_error")
    assert started["pipeline"]["errors"][0]["message"] == "could not load the config"  # type: ignore[index]


@pytest.mark.requirement("T-woodpecker-21")
async def test_a_pipeline_that_is_born_with_an_error_did_not_start(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    born = {"number": 9, "status": "error", "errors": [{"type": "linter", "message": "bad"}]}
    backend.script("POST", "/api/repos/5/pipelines", json_answer(born))
    started = await result(server, "trigger_pipeline", repo_id=5, branch="main")
    assert (started["started"], started["reason"]) == (False, "config_error")


async def test_the_newest_pipeline_may_be_unknown(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.broken_branches.add("main")
    backend.script("GET", "/api/repos/5/pipelines", text_answer(500))
    started = await result(server, "trigger_pipeline", repo_id=5, branch="main")
    assert started["reason"] == "config_error"
    assert "pipeline" not in started


@pytest.mark.requirement("T-woodpecker-22")
async def test_an_unknown_branch_is_hinted_at(server: Server[object]) -> None:
    said = await failure(server, "trigger_pipeline", repo_id=5, branch="nope")
    assert "500" in said
    assert "list_repository_branches" in said


@pytest.mark.requirement("T-woodpecker-23")
@pytest.mark.parametrize("variables", [{"A": {"b": 1}}, {"A": 1}, {"": "x"}, ["A"]])
async def test_variables_are_flat_texts(
    variables: object, server: Server[object], backend: WoodpeckerBackend
) -> None:
    said = await failure(server, "trigger_pipeline", repo_id=5, branch="main", variables=variables)
    assert "variables" in said
    assert backend.requests == []


@pytest.mark.requirement("T-woodpecker-24")
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"event": "push"}, "event"),
        ({"deploy_to": "prod"}, "deploy_to"),
        ({"variables": {"deploy_task": "x"}}, "variables"),
        ({"variables": {"event": "x"}}, "variables"),
    ],
)
async def test_a_restart_takes_only_what_woodpecker_does(
    arguments: dict[str, object], named: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5)
    assert named in await failure(server, "restart_pipeline", repo_id=5, number=1, **arguments)
    assert backend.requests == []


@pytest.mark.requirement("T-woodpecker-24")
async def test_a_restart_can_deploy(server: Server[object], backend: WoodpeckerBackend) -> None:
    backend.state.add_pipeline(5)
    backend.state.repos[0]["allow_deploy"] = True
    started = await result(
        server,
        "restart_pipeline",
        repo_id=5,
        number=1,
        event="deployment",
        deploy_to="prod",
        variables={"DRY": "1"},
    )
    assert started["pipeline"]["parent"] == 1  # type: ignore[index]
    assert backend.writes[0].query == {"event": "deployment", "deploy_to": "prod", "DRY": "1"}


async def test_deployments_that_are_not_allowed_are_hinted_at(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5)
    said = await failure(
        server, "restart_pipeline", repo_id=5, number=1, event="deployment", deploy_to="prod"
    )
    assert "allow_deploy" in said


@pytest.mark.requirement("T-woodpecker-25")
async def test_a_declined_pipeline_is_not_restarted(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5, status="declined", from_fork=True)
    said = await failure(server, "restart_pipeline", repo_id=5, number=1)
    assert "declined" in said
    assert "Nothing was sent" in said
    assert backend.writes == []


@pytest.mark.requirement("T-woodpecker-25")
async def test_a_blocked_pipeline_is_approved_not_restarted(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5, status="blocked")
    said = await failure(server, "restart_pipeline", repo_id=5, number=1)
    assert "approve_pipeline" in said
    assert backend.writes == []


async def test_a_restart_that_left_an_errored_pipeline_behind_shows_it(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5)
    backend.state.broken_branches.add("main")
    started = await result(server, "restart_pipeline", repo_id=5, number=1)
    assert (started["started"], started["reason"]) == (False, "config_error")
    assert started["pipeline"]["number"] == 2  # type: ignore[index]


@pytest.mark.parametrize("newest", [[], [{"number": 4, "parent": 3}], [{"number": 2, "parent": 1}]])
async def test_a_restart_that_left_nothing_behind_is_an_error(
    newest: list[object], server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5)
    backend.script("POST", "/api/repos/5/pipelines/1", text_answer(500))
    backend.script("GET", "/api/repos/5/pipelines", json_answer(newest))
    assert "500" in await failure(server, "restart_pipeline", repo_id=5, number=1)


@pytest.mark.requirement("T-woodpecker-26")
async def test_declining_what_is_not_blocked_is_explained(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5, status="running")
    said = await failure(server, "decline_pipeline", repo_id=5, number=1)
    assert "not blocked" in said


async def test_declining_and_cancelling_ask_nobody(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    backend.state.add_pipeline(5, status="running")
    declined = await result(server, "decline_pipeline", repo_id=5, number=1)
    assert declined["pipeline"]["status"] == "declined"  # type: ignore[index]
    cancelled = await result(server, "cancel_pipeline", repo_id=5, number=3)
    assert cancelled == {"pipeline": 3, "cancelled": True}
    assert "cancelled" in await failure(server, "cancel_pipeline", repo_id=5, number=2)


@pytest.mark.requirement("S-wood-13")
@pytest.mark.parametrize("tool", ["trigger_pipeline", "restart_pipeline", "run_cron"])
async def test_what_starts_a_build_does_so_each_time_and_says_so(
    tool: str, make_server: MakeServer, backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    server = make_server()
    arguments: dict[str, dict[str, object]] = {
        "trigger_pipeline": {"repo_id": 5, "branch": "main"},
        "restart_pipeline": {"repo_id": 5, "number": 2},
        "run_cron": {"repo_id": 5, "cron_id": 71},
    }
    for _ in range(2):
        await result(server, tool, **arguments[tool])
    assert len(backend.state.pipelines[5]) == 4
    async with connect(server, "2025-11-25") as client:
        listed = {entry.name: entry for entry in (await client.list_tools()).tools}
        assert (await call(client, "get_log_level")).is_error is not True
    assert "A repeat starts another run." in str(listed[tool].description)
    hints = listed[tool].annotations
    assert hints is not None
    assert (hints.destructive_hint, hints.idempotent_hint) == (True, False)
    assert "confirm_token" not in listed[tool].input_schema["properties"]
