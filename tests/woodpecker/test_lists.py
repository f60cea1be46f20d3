"""What follows on a list, what had no effect, warnings, and logs with their step."""

from __future__ import annotations

from typing import cast, get_args

import httpx
import pytest
from mcp.server import Server

from tests.backends.woodpecker import Json, WoodpeckerBackend, pipelines, webhooks
from tests.backends.woodpecker.state import first_step
from tests.support.clients import Arguments
from tests.woodpecker.calls import arrange
from tests.woodpecker.conftest import ADMIN_TOKEN
from tests.woodpecker.support import HERE, STEP, failure, json_answer, result, text_answer
from woodpecker_ci_mcp.argument_types import Event

LISTS: tuple[tuple[str, Arguments, str], ...] = (
    ("list_pipelines", {"repo_id": 5}, "/api/repos/5/pipelines"),
    ("list_repositories", {"scope": "instance"}, "/api/repos"),
    ("list_repository_branches", {"repo_id": 5}, "/api/repos/5/branches"),
    ("list_pull_requests", {"repo_id": 5}, "/api/repos/5/pull_requests"),
    ("list_secrets", {"repo_id": 5}, "/api/repos/5/secrets"),
    ("list_registries", {"repo_id": 5}, "/api/repos/5/registries"),
    ("list_crons", {"repo_id": 5}, "/api/repos/5/cron"),
    ("list_organizations", {}, "/api/orgs"),
    ("list_users", {}, "/api/users"),
    ("list_agents", {}, "/api/agents"),
    ("list_forges", {}, "/api/forges"),
)


@pytest.mark.requirement("W-11")
@pytest.mark.parametrize(("tool", "arguments", "route"), LISTS)
@pytest.mark.parametrize(
    ("asked", "received", "following"),
    [
        ({}, 50, 2),
        ({}, 49, None),
        ({"page": 3, "per_page": 10}, 10, 4),
        ({"per_page": 10}, 9, None),
    ],
)
async def test_a_full_page_says_that_more_may_follow(
    asked: Arguments,
    received: int,
    following: int | None,
    tool: str,
    arguments: Arguments,
    route: str,
    server: Server[object],
    backend: WoodpeckerBackend,
) -> None:
    rows: list[object] = ["b"] * received if "branches" in tool else [{"id": 1}] * received
    backend.script("GET", route, json_answer(rows))
    shown = await result(server, tool, **{**arguments, **asked})
    assert shown.get("next_page") == following
    assert shown.get("more") is (True if following else None)


@pytest.mark.requirement("W-11")
async def test_the_feed_says_where_it_ends(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    for _ in range(50):
        backend.state.add_pipeline(5)
    shown = await result(server, "get_pipeline_feed", mode="recent")
    assert shown["more"] is True
    assert "no further" in str(shown["note"])


@pytest.mark.requirement("W-13")
@pytest.mark.parametrize(
    ("tool", "arguments", "ignored"),
    [
        ("get_pipeline", {"branch": "main"}, ["branch"]),
        (
            "get_step_logs",
            {"step_id": STEP, "workflow": "w", "context": 5},
            ["workflow", "context"],
        ),
        ("get_step_logs", {"step_id": STEP, "max_matches": 5}, ["max_matches"]),
        (
            "get_step_logs",
            {"step_id": STEP, "search": "x", "from": "head", "offset": 2, "line_numbers": True},
            ["from", "offset", "line_numbers"],
        ),
        ("get_step_logs", {"step_id": STEP, "around_line": 1, "from": "head"}, ["from"]),
        # Values equal to the defaults are what clients fill in.
        (
            "get_step_logs",
            {"step_id": STEP, "context": 3, "max_matches": 20, "from": "tail", "offset": 0},
            None,
        ),
    ],
)
async def test_what_has_no_effect_is_named(
    tool: str,
    arguments: Arguments,
    ignored: list[str] | None,
    server: Server[object],
    backend: WoodpeckerBackend,
    step: Json,
) -> None:
    shown = await result(server, tool, **{"repo_id": 5, "number": 1, **arguments})
    assert shown.get("ignored") == ignored


async def test_the_events_that_can_be_asked_for_are_those_that_woodpecker_knows(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    """Two lists on purpose: the stand-in's is Woodpecker's own, and refuses any other word."""
    for event in pipelines.EVENTS:
        backend.state.add_pipeline(5, event=event)
    for event in get_args(Event):
        shown = await result(server, "list_pipelines", repo_id=5, event=event)
        assert [row["event"] for row in cast("list[Json]", shown["pipelines"])] == [event]
    assert set(pipelines.EVENTS) == set(get_args(Event))


@pytest.mark.parametrize(("asked", "status"), [("push,tag", 200), ("push,pushed", 400)])
def test_the_stand_in_refuses_an_event_that_is_none(
    asked: str, status: int, backend: WoodpeckerBackend
) -> None:
    for event in pipelines.EVENTS:
        backend.state.add_pipeline(5, event=event)
    headers = {"authorization": f"Bearer {ADMIN_TOKEN}"}
    path = f"{backend.url}/api/repos/5/pipelines?event={asked}"
    answer = httpx.get(path, headers=headers, trust_env=False)
    assert answer.status_code == status
    assert status != 200 or len(answer.json()) == 2


@pytest.mark.requirement("W-13")
async def test_a_branch_without_pipelines_explains_itself(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    shown = await result(server, "list_pipelines", repo_id=5, branch="feature")
    assert "found by ref" in str(shown["note"])


@pytest.mark.requirement("W-14")
async def test_warnings_are_no_errors(server: Server[object], backend: WoodpeckerBackend) -> None:
    warnings = [
        {"type": "bad_habit", "message": "set a user", "is_warning": True, "data": {"field": field}}
        for field in ("a", "b", "a", "c", "d", "e", "f", "g", "h", "i", "j", "k")
    ]
    bad = {"type": "linter", "message": "no steps", "is_warning": False, "data": {"field": "steps"}}
    backend.state.add_pipeline(5, errors=warnings)
    backend.state.add_pipeline(5, errors=[*warnings, bad])
    rows = cast("list[Json]", (await result(server, "list_pipelines", repo_id=5))["pipelines"])
    assert [row["warnings"] for row in rows] == [12, 12]
    assert rows[0]["errors"] == [{"type": "linter", "message": "no steps", "field": "steps"}]
    assert "errors" not in rows[1]
    assert not {"parent", "rerun_count"} & set(rows[1])
    shown = cast("Json", (await result(server, "get_pipeline", repo_id=5, number=1))["pipeline"])
    assert shown["warnings"] == [
        {"message": "set a user", "count": 12, "fields": ["a", "b", "c", "d", "e"]}
    ]


@pytest.mark.requirement("W-17")
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"state": "running"}, "may still arrive"),
        ({"state": "success", "finished": 2**40}, "may still arrive"),
        ({"state": "failure", "error": "no such image"}, "see error"),
        ({"state": "skipped"}, "did not run"),
        ({"state": "success"}, "wrote nothing, or its log was deleted"),
    ],
)
async def test_an_empty_log_says_why(
    fields: Json, words: str, server: Server[object], backend: WoodpeckerBackend, step: Json
) -> None:
    step.update(fields)
    shown = await result(server, "get_step_logs", **HERE)
    assert words in str(shown["note"])
    assert shown["state"] == fields["state"]


def matrix(backend: WoodpeckerBackend) -> None:
    """Two workflows of one name, each with a step of one name."""
    pipeline = backend.state.add_pipeline(5, status="failure")
    (flow,) = cast("list[Json]", pipeline["workflows"])
    (step,) = cast("list[Json]", flow["children"])
    step.update(id=6, state="success")
    flow["environ"] = {"GO": "1.1"}
    other = {**flow, "environ": {"GO": "1.2"}, "children": [{**step, "id": 7, "state": "failure"}]}
    third = {**flow, "name": "lint", "environ": {}, "children": [{**step, "id": 8}]}
    pipeline["workflows"] = [flow, other, third]


@pytest.mark.requirement("W-17")
async def test_steps_of_one_name_are_told_apart(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    matrix(backend)
    here = {"repo_id": 5, "number": 1, "step": "test"}
    shown = await result(server, "get_step_logs", **here)
    assert (shown["step_id"], shown["axis"]) == (7, {"GO": "1.2"})
    assert (await result(server, "get_step_logs", **here, workflow="lint"))["step_id"] == 8
    first_step(backend.state.pipelines[5][0])["state"] = "failure"
    said = await failure(server, "get_step_logs", **here, workflow="woodpecker")
    assert "6 (woodpecker GO=1.1, failure), 7 (woodpecker GO=1.2, failure)" in said


@pytest.mark.requirement("W-17")
async def test_a_log_without_its_pipeline_says_so(
    server: Server[object], backend: WoodpeckerBackend, step: Json
) -> None:
    backend.state.add_log(STEP, ["one"])
    backend.script("GET", "/api/repos/5/pipelines/1", text_answer(500))
    shown = await result(server, "get_step_logs", **HERE)
    assert shown["output"] == "one"
    assert "could not be read" in str(shown["note"])


@pytest.mark.requirement("W-18")
async def test_latest_takes_a_branch_and_falls_back_to_any_event(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5, branch="dev")
    backend.state.add_pipeline(5)
    webhooks.receive(backend.state, 5, "tag", branch="release")
    for branch, number in (("dev", 1), ("main", 2), ("release", 3)):
        shown = await result(server, "get_pipeline", repo_id=5, number="latest", branch=branch)
        assert cast("Json", shown["pipeline"])["number"] == number
        assert ("any event" in str(shown.get("note"))) is (number == 3)
    said = await failure(server, "get_pipeline", repo_id=5, number="latest", branch="none")
    assert "no pipeline of that branch" in said


@pytest.mark.requirement("R-63", "W-19")
@pytest.mark.parametrize(
    ("branch", "words"),
    [("v1.0", "no tags or commits"), ("main", "the forge could not be read")],
)
async def test_a_trigger_that_failed_is_looked_into(
    branch: str, words: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("POST", "/api/repos/5/pipelines", text_answer(500))
    said = await failure(server, "trigger_pipeline", repo_id=5, branch=branch)
    assert words in said
    assert said.startswith("code: outcome_unknown") is (branch == "main")


@pytest.mark.requirement("W-19")
async def test_a_switched_off_repository_starts_nothing(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    backend.state.repo(5)["active"] = False
    for tool, arguments in (
        ("trigger_pipeline", {"branch": "main"}),
        ("run_cron", {"cron_id": 71}),
    ):
        said = await failure(server, tool, repo_id=5, **cast("Json", arguments))
        assert "activate_repository" in said
    assert backend.writes == []


@pytest.mark.requirement("R-62", "W-19")
async def test_a_filtered_run_names_the_conditions(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.filtered_branches.add("main")
    started = await result(server, "trigger_pipeline", repo_id=5, branch="main")
    for word in ("event", "branch", "ref", "path", "evaluate", "manual"):
        assert word in str(started["note"])


@pytest.mark.requirement("W-19")
@pytest.mark.parametrize("exists", [True, False])
async def test_an_entry_that_exists_already_is_named(
    exists: bool, server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    name = "deploy_key" if exists else "other"
    backend.script("POST", "/api/repos/5/secrets", text_answer(500))
    said = await failure(server, "create_secret", repo_id=5, name=name, value="v", events=["push"])
    assert ("exists already, or was just stored by this call" in said) is exists
    job = {"name": "nightly" if exists else "other", "schedule": "@daily"}
    backend.script("POST", "/api/repos/5/cron", text_answer(409))
    said = await failure(server, "create_cron", repo_id=5, **job)
    assert ("A cron job of that name exists already: update_cron" in said) is exists


@pytest.mark.requirement("W-19")
async def test_a_404_tells_an_admin_nothing_of_rights(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    said = await failure(server, "get_pipeline", repo_id=5, number=9)
    assert "It does not exist" in said
    assert "right" not in said


@pytest.mark.requirement("W-19")
@pytest.mark.parametrize("tool", ["create_agent", "get_organization_permissions"])
async def test_an_unknown_organisation_has_its_own_sentence(
    tool: str, server: Server[object]
) -> None:
    arguments: Arguments = {"name": "a"} if tool == "create_agent" else {}
    said = await failure(server, tool, org_id=9999, **arguments)
    assert "there is no organisation 9999" in said
    assert "secret" not in said
