"""The gate, deletions and waiting, against a real server with an agent."""

from __future__ import annotations

import asyncio
import json
from typing import cast

import pytest
from mcp.server import Server

from tests.backends.woodpecker import Json
from tests.live.fake_forge import ForgeRepo
from tests.live.woodpecker_server import ADMIN, RealWoodpecker
from tests.live.woodpecker_site import (
    log_when_it_arrived,
    pipeline,
    real,
    repo,
    repo_id,
    server,
    started,
)
from tests.support.clients import ERAS, Era, call, connect, structured, text
from tests.woodpecker.conftest import server_of
from tests.woodpecker.support import answered, failure, result

pytestmark = [
    pytest.mark.live("woodpecker"),
    pytest.mark.timeout(300),
]

__all__ = ["real", "repo", "repo_id", "server"]

VALUE = "the-secret-of-the-repository"


def with_secrets(*names: str) -> dict[str, str]:
    """Files whose step counts the secrets that it has, and prints one that it should not."""
    lines = "".join(f"      REACH_{name.upper()}:\n        from_secret: {name}\n" for name in names)
    step = """
skip_clone: true
steps:
  - name: count
    image: sh
    environment:
"""
    commands = "    commands:\n      - env | grep -c ^REACH_\n      - env | grep ^REACH_ | rev\n"
    return {".woodpecker.yaml": step + lines + commands}


async def logs_of_all(server: Server[object], real: RealWoodpecker, repo_id: int) -> str:
    """The logs of every step of every pipeline."""
    said = []
    for row in real.request("GET", f"/repos/{repo_id}/pipelines").json():
        found = real.request("GET", f"/repos/{repo_id}/pipelines/{row['number']}").json()
        for workflow in found.get("workflows") or []:
            for step in workflow["children"]:
                here = {"repo_id": repo_id, "number": row["number"], "step_id": step["id"]}
                said.append(str((await result(server, "get_step_logs", **here))["output"]))
    return "".join(said)


async def test_what_was_held_does_not_run_by_a_restart(
    server: Server[object], real: RealWoodpecker, repo: ForgeRepo, repo_id: int
) -> None:
    secret = {"name": "deploy_key", "value": VALUE, "events": ["push", "pull_request", "manual"]}
    await result(server, "create_secret", repo_id=repo_id, **secret)
    repo.push("reading", with_secrets("deploy_key"))
    repo.push("missing", with_secrets("absent"))
    cancelled = real.pull_request(repo, "reading", "t", fork=True)["number"]
    done = await result(server, "cancel_pipeline", repo_id=repo_id, number=cancelled)
    assert "refuses it from now on" in str(done["note"])
    await result(
        server,
        "update_repository",
        repo_id=repo_id,
        cancel_previous_pipeline_events=["pull_request"],
    )
    superseded = real.pull_request(repo, "reading", "t", fork=True)["number"]
    # A newer run of the same head cancels the older one when it starts.
    own = real.pull_request(repo, "reading", "t", fork=False)["number"]
    real.wait(repo_id, cast("int", own), "success")
    held = real.pull_request(repo, "reading", "t", fork=True)["number"]
    broken = real.pull_request(repo, "missing", "t", fork=True)["number"]
    absent = {"name": "absent", "value": VALUE, "events": ["pull_request"]}
    await result(server, "create_secret", repo_id=repo_id, **absent)
    states = {
        row["number"]: row["status"]
        for row in real.request("GET", f"/repos/{repo_id}/pipelines").json()
    }
    unreleased = {
        cancelled: "killed",
        superseded: "killed",
        held: "blocked",
        broken: "error",
    }
    assert states == {**unreleased, own: "success"}
    await log_when_it_arrived(server, real, repo_id, cast("int", own), 4)
    ran = await logs_of_all(server, real, repo_id)
    for number in unreleased:
        said = await failure(
            server, "restart_pipeline", repo_id=repo_id, number=number, variables={"X": "1"}
        )
        assert said.startswith("code: never_released"), said
    assert len(real.request("GET", f"/repos/{repo_id}/pipelines").json()) == 5
    # Only the pull request of the repository itself printed it.
    assert await logs_of_all(server, real, repo_id) == ran
    assert ran.count(VALUE[::-1]) == 1


@pytest.mark.parametrize("era", ERAS)
async def test_the_dialog_counts_the_secrets_that_the_step_gets(
    era: Era, server: Server[object], real: RealWoodpecker, repo: ForgeRepo, repo_id: int
) -> None:
    org_id = real.request("GET", f"/repos/{repo_id}").json()["org_id"]
    one, two, three = (f"{name}_{repo_id}" for name in ("one", "two", "three"))
    open_to = {"value": "v", "events": ["pull_request"]}
    for place, name in (
        ({"repo_id": repo_id}, one),
        ({"scope": "organization", "org_id": org_id}, two),
        ({"scope": "global"}, three),
    ):
        await result(server, "create_secret", **cast("Json", place), name=name, **open_to)
    repo.push("counting", with_secrets(one, two, three))
    made = real.pull_request(repo, "counting", "t", fork=True)
    number = cast("int", made["number"])
    here = {"repo_id": repo_id, "number": number}
    called, asked = await answered(server, "approve_pipeline", here, era=era)
    assert not called.is_error, text(called)
    assert f"Pipeline id {made['id']}, commit {str(made['commit'])[:12]}." in asked[0]
    assert ": 1 of the repository, " in asked[0]
    total = int(asked[0].split(" secrets reach it")[0].rpartition(" ")[2])
    real.wait(repo_id, number, "success")
    step = await log_when_it_arrived(server, real, repo_id, number, 2)
    log = await result(server, "get_step_logs", **here, step_id=step)
    assert "\n3\n" in f"\n{log['output']}\n"
    # Secrets of the organisation and the instance that other tests left count as well.
    everywhere = [
        entry["name"]
        for path in (f"/repos/{repo_id}", f"/orgs/{org_id}", "")
        for entry in real.request("GET", f"{path}/secrets").json()
        if "pull_request" in entry["events"]
    ]
    assert total == len(set(everywhere)) >= 3
    assert log["exit_code"] == 0


@pytest.mark.parametrize("tool", ["delete_pipeline", "delete_pipeline_logs"])
async def test_no_log_file_is_left(
    tool: str, server: Server[object], real: RealWoodpecker, repo_id: int
) -> None:
    before = real.log_files
    number = await started(server, repo_id, "main")
    real.wait(repo_id, number, "success")
    await log_when_it_arrived(server, real, repo_id, number, 2)
    assert len(real.log_files) > len(before)
    called, _ = await answered(server, tool, {"repo_id": repo_id, "number": number})
    assert not called.is_error, text(called)
    assert real.log_files == before


async def test_the_own_admin_right_stays(server: Server[object], real: RealWoodpecker) -> None:
    assert "Another admin" in await failure(server, "update_user", login=ADMIN, admin=False)
    assert real.rows("users", login=ADMIN, admin=1) == 1


async def test_a_new_repository_of_an_old_name_is_the_one_that_is_written_to(
    server: Server[object], real: RealWoodpecker, repo: ForgeRepo, repo_id: int
) -> None:
    old = repo.full_name
    await result(server, "list_pipelines", repo=old)
    repo.name = f"{repo.name}-moved"
    called, _ = await answered(
        server, "move_repository", {"repo_id": repo_id, "to": repo.full_name}
    )
    assert not called.is_error, text(called)
    other = real.forge.add_repo(ADMIN, old.rpartition("/")[2])
    other.push("main", pipeline("hello", "true"))
    other_id = real.activate(other)
    assert other_id != repo_id
    secret = {"name": "late", "value": "v", "events": ["push"]}
    await result(server, "create_secret", repo=old, **secret)
    assert real.rows("secrets", repo_id=other_id, name="late") == 1
    assert real.rows("secrets", repo_id=repo_id, name="late") == 0


async def test_an_organisation_leaves_no_registry_row(
    server: Server[object], real: RealWoodpecker
) -> None:
    real.forge.add_account("doomed")
    made = real.forge.add_repo("doomed", "thing")
    made.push("main", pipeline("hello", "true"))
    found = real.request("GET", "/orgs/lookup/bob")
    org_id = found.json()["id"]
    await result(
        server,
        "create_registry",
        scope="organization",
        org_id=org_id,
        address="reg.example.org",
        username="bot",
        password="pw",
    )
    agent = await result(server, "create_agent", org_id=org_id, name="of-bob")
    assert real.rows("registries", org_id=org_id) == 1
    called, asked = await answered(server, "delete_organization", {"org_id": org_id})
    gone = structured(called)
    assert "1 registry" in asked[0]
    assert gone["left_agents"] == [cast("Json", agent["agent"])["id"]]
    assert real.rows("registries", org_id=org_id) == 0
    assert real.rows("orgs", id=org_id) == 0


@pytest.fixture
def extra(real: RealWoodpecker) -> Server[object]:
    login = {"WOODPECKER_URL": real.url, "WOODPECKER_TOKEN": real.tokens[ADMIN]}
    chosen = {"WOODPECKER_ALLOW_TOOLS": "essential", "WOODPECKER_EXTRAS": "true"}
    return server_of({**login, **chosen}, sleep=asyncio.sleep)


async def test_a_wait_sees_a_run_that_is_cancelled_meanwhile(
    extra: Server[object], server: Server[object], real: RealWoodpecker, repo_id: int
) -> None:
    number = await started(server, repo_id, "slow")
    real.wait(repo_id, number, "running")
    waiting = asyncio.create_task(
        result(extra, "wait_for_pipeline", repo_id=repo_id, number=number, timeout_s=40)
    )
    await asyncio.sleep(3)
    await result(server, "cancel_pipeline", repo_id=repo_id, number=number)
    waited = await waiting
    assert (waited["done"], waited["status"]) == (True, "killed")
    assert "running" not in str(waited["workflows"])


async def test_why_did_it_fail_fix_it_run_it_again_tell_me_when_it_is_green(
    extra: Server[object],
    server: Server[object],
    real: RealWoodpecker,
    repo: ForgeRepo,
    repo_id: int,
) -> None:
    lines = ("seq 1 600", "echo FAIL totals_test.go:12", "seq 601 2200", "exit 3")
    repo.push("main", pipeline("test", *lines))
    number = await started(server, repo_id, "main")
    real.wait(repo_id, number, "failure")
    await log_when_it_arrived(server, real, repo_id, number, 2_201)
    told: list[str] = []
    async with connect(extra, "2026-07-28") as client:

        async def say(tool: str, **arguments: object) -> Json:
            given = {"repo": repo.full_name, **arguments}
            called = await call(client, tool, given)
            told.append(json.dumps(given) + text(called))
            return structured(called)

        why = await say("diagnose_pipeline")
        assert "FAIL totals_test.go:12" in told[0]
        assert why["cause"] == "step"
        repo.push("main", pipeline("test", "true"))
        again = await say("trigger_pipeline", branch="main")
        wanted = cast("Json", again["pipeline"])["number"]
        last = await say("wait_for_pipeline", number=wanted)
        if not last["done"]:
            last = await say("wait_for_pipeline", number=wanted)
    assert last["status"] == "success"
    assert len(told) <= 4
    assert sum(map(len, told)) <= 4_000
