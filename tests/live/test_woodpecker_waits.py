"""What a pipeline waits for, held code, and waits over a restart, against a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import cast

import pytest
from mcp.server import Server

from tests.backends.woodpecker import Json
from tests.live.fake_forge import ForgeRepo
from tests.live.woodpecker_server import ADMIN, USER, RealWoodpecker, patiently
from tests.live.woodpecker_site import pipeline, real, repo, repo_id, server, started
from tests.woodpecker.conftest import server_of
from tests.woodpecker.support import answered, failure, result

pytestmark = [
    pytest.mark.live("woodpecker"),
    pytest.mark.timeout(300),
]

__all__ = ["real", "repo", "repo_id", "server"]


def serving(real: RealWoodpecker, login: str) -> Server[object]:
    settings = {"WOODPECKER_URL": real.url, "WOODPECKER_TOKEN": real.tokens[login]}
    return server_of({**settings, "WOODPECKER_EXTRAS": "true"}, sleep=asyncio.sleep)


@pytest.fixture
def extra(real: RealWoodpecker) -> Server[object]:
    return serving(real, ADMIN)


def labelled(lines: str) -> dict[str, str]:
    """Files whose workflow asks for labels."""
    (name, content) = next(iter(pipeline("hello", "true").items()))
    return {name: f"labels:\n{lines}{content}"}


async def reason(extra: Server[object], repo_id: int, number: int) -> Json:
    return await result(extra, "why_not_running", repo_id=repo_id, number=number)


@pytest.fixture
def quiet(real: RealWoodpecker) -> Iterator[None]:
    """The queue goes on and the agent works after the test, whatever became of it."""
    yield
    real.request("POST", "/queue/resume")
    for agent in real.request("GET", "/agents").json():
        changed = {"name": agent["name"], "no_schedule": False}
        real.request("PATCH", f"/agents/{agent['id']}", json=changed)


async def test_a_paused_queue_and_a_drained_agent_are_the_reason(
    extra: Server[object], real: RealWoodpecker, repo_id: int, quiet: None
) -> None:
    await answered(extra, "pause_queue", {})
    number = await started(extra, repo_id, "main")
    assert (await reason(extra, repo_id, number))["reason"] == "queue_paused"
    (agent,) = real.request("GET", "/agents").json()
    await result(extra, "update_agent", agent_id=agent["id"], no_schedule=True)
    await result(extra, "resume_queue")
    found = await reason(extra, repo_id, number)
    assert (found["reason"], cast("Json", found["agents"])["draining"]) == ("agents_draining", 1)
    await result(extra, "update_agent", agent_id=agent["id"], no_schedule=False)
    real.wait(repo_id, number, "success")
    assert (await reason(extra, repo_id, number))["reason"] == "ended"


async def test_a_label_that_no_agent_has_is_the_reason(
    extra: Server[object], real: RealWoodpecker, repo: ForgeRepo, repo_id: int
) -> None:
    repo.push("main", labelled("  gpu: 'true'\n"))
    number = await started(extra, repo_id, "main")
    found = await reason(extra, repo_id, number)
    assert found["reason"] == "no_agent"
    assert found["missing_labels"] == {"gpu": "true"}
    assert cast("Json", found["agents"])["matching"] == 0
    # The agent's own name is a label that the API does not tell.
    await result(extra, "cancel_pipeline", repo_id=repo_id, number=number)
    repo.push("main", labelled("  hostname: somewhere-else\n"))
    number = await started(extra, repo_id, "main")
    found = await reason(extra, repo_id, number)
    assert (found["reason"], cast("Json", found["agents"])["matching"]) == ("unknown", 1)
    assert "host name" in str(found["explanation"])
    await result(extra, "cancel_pipeline", repo_id=repo_id, number=number)
    assert (await reason(extra, repo_id, number))["reason"] == "ended"


async def test_who_is_no_admin_sees_the_labels_as_written(
    extra: Server[object], real: RealWoodpecker
) -> None:
    own = real.forge.add_repo(USER, f"own-{len(real.forge.repos)}")
    own.push("main", labelled("  gpu: 'true'  # a card\n"))
    answer = real.request("POST", f"/repos?forge_remote_id={own.number}", USER)
    own_id = int(answer.json()["id"])
    number = await started(serving(real, USER), own_id, "main")
    found = await reason(serving(real, USER), own_id, number)
    assert found["reason"] == "queue_not_visible"
    assert found["labels_as_written"] == ["  gpu: 'true'  # a card"]
    assert (await reason(extra, own_id, number))["reason"] == "no_agent"
    await result(extra, "cancel_pipeline", repo_id=own_id, number=number)


async def test_an_admin_without_a_permission_row_waits_for_a_private_repository(
    extra: Server[object], real: RealWoodpecker
) -> None:
    own = real.forge.add_repo(USER, f"own-{len(real.forge.repos)}")
    own.push("main", pipeline("hello", "sleep 3", "true"))
    answer = real.request("POST", f"/repos?forge_remote_id={own.number}", USER)
    own_id = int(answer.json()["id"])
    listed = await result(extra, "list_repositories", name=own.full_name)
    assert listed["repositories"] == []
    found = await result(extra, "list_repositories", name=own.full_name, scope="instance")
    assert [row["id"] for row in cast("list[Json]", found["repositories"])] == [own_id]
    number = await started(serving(real, USER), own_id, "main")
    waited = await result(
        extra, "wait_for_pipeline", repo=own.full_name, number=number, timeout_s=40
    )
    assert (waited["done"], waited["status"]) == (True, "success")


async def test_held_code_does_not_run_by_a_trigger_or_a_cron_job(
    extra: Server[object], real: RealWoodpecker, repo: ForgeRepo, repo_id: int
) -> None:
    await result(extra, "update_repository", repo_id=repo_id, require_approval="all_events")
    repo.push("topic", pipeline("hello", "true"))
    job = {"name": "nightly", "schedule": "@daily", "branch": "topic"}
    await result(extra, "create_cron", repo_id=repo_id, **job)
    (cron,) = real.request("GET", f"/repos/{repo_id}/cron").json()
    held = cast("int", real.pull_request(repo, "topic", "t", fork=False)["number"])
    real.wait(repo_id, held, "blocked")
    doors: tuple[tuple[str, Json], ...] = (
        ("trigger_pipeline", {"branch": "topic"}),
        ("run_cron", {"cron_id": cron["id"]}),
    )
    for tool, arguments in doors:
        said = await failure(extra, tool, repo_id=repo_id, **arguments)
        assert said.startswith("code: held_code")
        assert f"pipeline {held}" in said
    await result(extra, "cancel_pipeline", repo_id=repo_id, number=held)
    for tool, arguments in doors:
        said = await failure(extra, tool, repo_id=repo_id, **arguments)
        assert said.startswith("code: held_code")
    assert len(real.request("GET", f"/repos/{repo_id}/pipelines").json()) == 1
    again = cast("int", real.pull_request(repo, "topic", "t", fork=False)["number"])
    await answered(extra, "approve_pipeline", {"repo_id": repo_id, "number": again})
    real.wait(repo_id, again, "success")
    for tool, arguments in doors:
        made = await result(extra, tool, repo_id=repo_id, **arguments)
        real.wait(repo_id, cast("int", cast("Json", made["pipeline"])["number"]), "success")


async def test_a_wait_goes_on_over_a_restart_of_the_server(
    extra: Server[object], real: RealWoodpecker, repo: ForgeRepo, repo_id: int
) -> None:
    repo.push("main", pipeline("hello", "sleep 12", "true"))
    number = await started(extra, repo_id, "main")
    real.wait(repo_id, number, "running")
    waiting = asyncio.create_task(
        result(extra, "wait_for_pipeline", repo_id=repo_id, number=number, timeout_s=50)
    )
    await asyncio.sleep(3)
    await asyncio.to_thread(real.restart)
    waited = await waiting
    assert waited["number"] == number
    if not waited["done"]:
        waited = await result(
            extra, "wait_for_pipeline", repo_id=repo_id, number=number, timeout_s=50
        )

    def ended() -> Json | None:
        found: Json = real.request("GET", f"/repos/{repo_id}/pipelines/{number}").json()
        return found if found["status"] not in {"running", "pending"} else None

    assert waited["status"] == patiently(ended, "the end")["status"]


async def test_a_diagnosis_right_after_a_wait_has_the_log(
    extra: Server[object], repo: ForgeRepo, repo_id: int
) -> None:
    repo.push("main", pipeline("hello", "echo the disk is full", "exit 1"))
    for _ in range(3):
        number = await started(extra, repo_id, "main")
        here = {"repo_id": repo_id, "number": number}
        assert (await result(extra, "wait_for_pipeline", **here))["status"] == "failure"
        (step,) = cast(
            "list[Json]", (await result(extra, "diagnose_pipeline", **here))["failed_steps"]
        )
        assert "the disk is full" in cast("list[str]", step["excerpt"])
