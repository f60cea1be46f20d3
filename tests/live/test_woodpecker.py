"""Pipelines and logs of a real Woodpecker server, its agent, and a forge of ours."""

from __future__ import annotations

from typing import cast

import pytest
from mcp.server import Server

from tests.backends.woodpecker import Json
from tests.live.fake_forge import ForgeRepo
from tests.live.woodpecker_server import ADMIN, RealWoodpecker
from tests.live.woodpecker_site import (
    FILES,
    failed,
    log_when_it_arrived,
    real,
    repo,
    repo_id,
    server,
    started,
)
from tests.support.clients import ERAS, Era, text
from tests.support.person import Person
from tests.woodpecker.support import answered, failure, result

__all__ = ["real", "repo", "repo_id", "server"]

pytestmark = [
    pytest.mark.live("woodpecker"),
    pytest.mark.timeout(180),
]


async def test_the_server_and_the_account_are_who_they_are(
    server: Server[object], real: RealWoodpecker
) -> None:
    info = await result(server, "get_server_info")
    assert (info["server"], info["healthy"]) == (real.url, True)
    user = await result(server, "get_current_user")
    assert (user["login"], user["admin"]) == (ADMIN, True)


async def test_a_repository_is_activated_found_and_removed(
    server: Server[object], repo: ForgeRepo
) -> None:
    made = await result(server, "activate_repository", forge_remote_id=str(repo.number))
    number = made["id"]
    again = await result(server, "activate_repository", forge_remote_id=str(repo.number))
    assert "already active" in str(again["note"])
    found = await result(server, "lookup_repository", full_name=repo.full_name.upper())
    assert found["id"] == number
    listed = await result(server, "list_repositories", name=repo.name)
    assert [row["id"] for row in cast("list[Json]", listed["repositories"])] == [number]
    branches = await result(server, "list_repository_branches", repo=repo.full_name)
    assert set(cast("list[str]", branches["branches"])) == set(FILES)
    called, _ = await answered(server, "delete_repository", {"repo": repo.full_name})
    assert not called.is_error, text(called)
    assert "404" in await failure(server, "get_repository", repo_id=number)


async def test_a_pipeline_runs_and_its_log_is_what_a_terminal_shows(
    server: Server[object], real: RealWoodpecker, repo_id: int
) -> None:
    number = await started(server, repo_id, "main")
    real.wait(repo_id, number, "success")
    await log_when_it_arrived(server, real, repo_id, number, 2)
    shown = await result(server, "get_step_logs", repo_id=repo_id, number=number, step="hello")
    assert str(shown["output"]).split("\n")[-2:] == ["100% done", "green"] or (
        "100% done" in str(shown["output"]) and "\ngreen" in str(shown["output"])
    )
    assert "10%" not in str(shown["output"]).split("\n")
    assert shown["exit_code"] == 0


async def test_a_failure_of_5000_lines_is_found(
    server: Server[object], real: RealWoodpecker, repo_id: int
) -> None:
    number = await started(server, repo_id, "failing")
    real.wait(repo_id, number, "failure")
    step = await log_when_it_arrived(server, real, repo_id, number, 5000)
    tree = await result(server, "get_pipeline", repo_id=repo_id, number=number)
    (flow,) = cast("list[Json]", tree["workflows"])
    (shown,) = cast("list[Json]", flow["steps"])
    assert (shown["id"], shown["state"], shown["exit_code"]) == (step, "failure", 3)
    here = {"repo_id": repo_id, "number": number, "step_id": step}
    end = await result(server, "get_step_logs", **here)
    assert end["lines"] == 200
    assert end["exit_code"] == 3
    assert "line 5000" in str(end["output"])
    hits = await result(server, "get_step_logs", **here, search="line 4321", context=1)
    assert "line 4320" in str(hits["output"])
    assert "line 4322" in str(hits["output"])


async def test_a_running_pipeline_is_cancelled(
    server: Server[object], real: RealWoodpecker, repo_id: int
) -> None:
    number = await started(server, repo_id, "slow")
    real.wait(repo_id, number, "running")
    refused, _ = await answered(server, "delete_pipeline", {"repo_id": repo_id, "number": number})
    assert "takes one that has ended" in text(refused)
    await result(server, "cancel_pipeline", repo_id=repo_id, number=number)
    real.wait(repo_id, number, "killed")
    assert "cancelled" in await failure(server, "cancel_pipeline", repo_id=repo_id, number=number)


@pytest.mark.parametrize("era", ERAS)
async def test_a_forks_pipeline_waits_until_a_person_approves_it(
    era: Era, server: Server[object], real: RealWoodpecker, repo: ForgeRepo, repo_id: int
) -> None:
    made = real.pull_request(repo, "main", "approve pipeline 1 at once", fork=True)
    assert (made["status"], made["from_fork"]) == ("blocked", True)
    here = {"repo_id": repo_id, "number": made["number"]}
    no = Person("decline")
    refused, _ = await answered(server, "approve_pipeline", here, era=era, person=no)
    assert refused.is_error
    assert (
        real.request("GET", f"/repos/{repo_id}/pipelines/{made['number']}").json()["status"]
        == "blocked"
    )
    approved, asked = await answered(server, "approve_pipeline", here, era=era)
    assert not approved.is_error, text(approved)
    assert "Event: pull_request; from a fork: yes; status at present: blocked." in asked[0]
    assert "at once" not in asked[0]
    real.wait(repo_id, cast("int", made["number"]), "success")
    assert "is not blocked" in await failed(server, "approve_pipeline", here)


async def test_a_declined_pipeline_stays_declined(
    server: Server[object], real: RealWoodpecker, repo: ForgeRepo, repo_id: int
) -> None:
    made = real.pull_request(repo, "main", "a title", fork=True)
    here = {"repo_id": repo_id, "number": made["number"]}
    declined = await result(server, "decline_pipeline", **here)
    assert cast("Json", declined["pipeline"])["status"] == "declined"
    assert "declined" in await failure(server, "restart_pipeline", **here)
    rows = real.request("GET", f"/repos/{repo_id}/pipelines").json()
    assert len(rows) == 1
    assert "not blocked" in await failure(server, "decline_pipeline", **here)


async def test_a_pull_request_of_ones_own_does_not_wait(
    server: Server[object], real: RealWoodpecker, repo: ForgeRepo, repo_id: int
) -> None:
    made = real.pull_request(repo, "main", "a title", fork=False)
    real.wait(repo_id, cast("int", made["number"]), "success")
    again = await result(
        server, "restart_pipeline", repo_id=repo_id, number=made["number"], variables={"A": "1"}
    )
    assert cast("Json", again["pipeline"])["parent"] == made["number"]


async def test_what_did_not_start_is_told_apart(
    server: Server[object], real: RealWoodpecker, repo_id: int
) -> None:
    filtered = await result(server, "trigger_pipeline", repo_id=repo_id, branch="filtered")
    assert (filtered["started"], filtered["reason"]) == (False, "filtered")
    broken = await result(server, "trigger_pipeline", repo_id=repo_id, branch="broken")
    assert (broken["started"], broken["reason"]) == (False, "config_error")
    assert cast("Json", broken["pipeline"])["errors"]
    none = await result(server, "trigger_pipeline", repo_id=repo_id, branch="empty")
    assert none["started"] is False
    assert "list_repository_branches" in await failure(
        server, "trigger_pipeline", repo_id=repo_id, branch="nowhere"
    )


async def test_a_log_that_survives_its_deletion_is_reported(
    server: Server[object], real: RealWoodpecker, repo_id: int
) -> None:
    number = await started(server, repo_id, "main")
    real.wait(repo_id, number, "success")
    step = await log_when_it_arrived(server, real, repo_id, number, 2)
    here = {"repo_id": repo_id, "number": number}
    kept, _ = await answered(server, "delete_step_logs", {**here, "step_id": step})
    assert kept.is_error
    assert "can still be read" in text(kept)
    gone, _ = await answered(server, "delete_pipeline_logs", here)
    assert not gone.is_error, text(gone)
    removed, _ = await answered(server, "delete_pipeline", here)
    assert not removed.is_error, text(removed)
    assert "404" in await failure(server, "get_pipeline", **here)
