"""What was held back and never released does not run by another door."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.server import Server

from tests.backends.woodpecker import Json, WoodpeckerBackend, webhooks
from tests.backends.woodpecker.state import State
from tests.support.clients import ERAS, Era, text
from tests.support.person import Person
from tests.woodpecker.conftest import MakeServer
from tests.woodpecker.support import answered, failure, result, text_answer
from woodpecker_ci_mcp import release

FORK: dict[str, Any] = {"event": "pull_request", "from_fork": True, "refspec": "evil:main"}
USER = "token-of-a-pusher"


def fork(backend: WoodpeckerBackend, **fields: object) -> Json:
    """Take a fork's pull request in."""
    made = webhooks.receive(backend.state, 5, **{**FORK, **fields})
    assert made["from_fork"]
    return made


def ran(backend: WoodpeckerBackend) -> int:
    """How many pipelines the agents got."""
    return len(backend.state.ran)


@pytest.mark.requirement("R-57", "W-1")
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("login", ["root", "pusher"])
async def test_a_cancelled_block_is_not_restarted(
    login: str, strict: bool, make_server: MakeServer, backend: WoodpeckerBackend
) -> None:
    backend.state.add_user("pusher", token=USER)
    backend.state.rights[5, "pusher"] = "push"
    token = {"WOODPECKER_TOKEN": USER} if login == "pusher" else {}
    server = make_server({**token, "WOODPECKER_STRICT": "on" if strict else "off"})
    backend.state.add_secret("deploy_key", repo_id=5, events=["pull_request"])
    fork(backend)
    cancelled = await result(server, "cancel_pipeline", repo_id=5, number=1)
    assert "restart_pipeline refuses it" in str(cancelled["note"])
    restart = {"repo_id": 5, "number": 1, "variables": {"X": "1"}}
    called, asked = await answered(server, "restart_pipeline", restart)
    assert called.is_error
    assert text(called).startswith("code: never_released")
    assert "Nothing was sent" in text(called)
    assert asked == []
    assert [request.path for request in backend.writes] == ["/api/repos/5/pipelines/1/cancel"]
    assert ran(backend) == 0


@pytest.mark.requirement("R-57", "W-1")
async def test_however_it_left_the_block_it_is_not_restarted(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    state = backend.state
    state.repo(5)["cancel_previous_pipeline_events"] = ["pull_request"]
    fork(backend)  # superseded by the one of the repository itself, which starts at once
    declined = fork(backend, refspec="other:main")
    fork(backend, refspec="fourth:main")
    webhooks.cancel(state, fork(backend, refspec="third:main"), canceled_by_user="somebody")
    webhooks.receive(state, 5, "pull_request", refspec="evil:main")
    await result(server, "decline_pipeline", repo_id=5, number=declined["number"])
    statuses = [pipeline["status"] for pipeline in state.pipelines[5]]
    assert statuses == ["killed", "declined", "blocked", "killed", "pending"]
    for number in (1, 2, 3, 4):
        said = await failure(server, "restart_pipeline", repo_id=5, number=number)
        assert said.startswith("code: never_released")
        assert ("approve_pipeline" in said) is (number == 3)
        assert ("declined it" in said) is (number == 2)
    assert ran(backend) == 1
    assert all("decline" in request.path for request in backend.writes)


@pytest.mark.requirement("W-1")
async def test_what_waited_for_an_agent_only_is_restarted(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.paused = True
    await result(server, "trigger_pipeline", repo_id=5, branch="main")
    await result(server, "cancel_pipeline", repo_id=5, number=1)
    assert backend.state.pipelines[5][0]["status"] == "canceled"
    assert (await result(server, "restart_pipeline", repo_id=5, number=1))["started"] is True


@pytest.mark.requirement("R-57", "W-1")
async def test_what_was_approved_stays_restartable(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    fork(backend)
    called, _ = await answered(server, "approve_pipeline", {"repo_id": 5, "number": 1})
    assert not called.is_error
    cancelled = await result(server, "cancel_pipeline", repo_id=5, number=1)
    assert "note" not in cancelled
    for number in (1, 2):
        again = await result(server, "restart_pipeline", repo_id=5, number=number)
        assert again["started"] is True
    assert ran(backend) == 3


@pytest.mark.requirement("R-58", "W-1")
async def test_a_missing_secret_is_added_and_a_push_runs_but_no_fork(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    webhooks.receive(backend.state, 5, "push", needs="npm")
    fork(backend, needs="npm")
    assert [entry["status"] for entry in backend.state.pipelines[5]] == ["error", "error"]
    secret = {"name": "npm", "value": "v", "events": ["push", "pull_request"]}
    await result(server, "create_secret", repo_id=5, **secret)
    again = await result(server, "restart_pipeline", repo_id=5, number=1)
    assert again["started"] is True
    said = await failure(server, "restart_pipeline", repo_id=5, number=2)
    assert said.startswith("code: never_released")
    assert backend.state.ran[0][1] == ["npm"]
    assert ran(backend) == 1


@pytest.mark.requirement("R-60", "W-19")
async def test_without_a_stored_configuration_no_restart_is_tried(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    webhooks.receive(backend.state, 5, "push", stored=False)
    said = await failure(server, "restart_pipeline", repo_id=5, number=1)
    assert "No configuration was stored" in said
    assert "trigger_pipeline" in said
    assert backend.writes == []


@pytest.mark.requirement("W-1")
async def test_a_fork_is_not_deployed(server: Server[object], backend: WoodpeckerBackend) -> None:
    backend.state.repo(5)["allow_deploy"] = True
    backend.state.add_pipeline(5, **FORK, reviewed_by="root")
    said = await failure(
        server, "restart_pipeline", repo_id=5, number=1, event="deployment", deploy_to="prod"
    )
    assert said.startswith("code: fork_deployment")
    assert backend.writes == []


@pytest.mark.requirement("W-1")
@pytest.mark.parametrize("route", ["/api/repos/5/pipelines/1", "/api/repos/5"])
@pytest.mark.parametrize("status", [403, 500])
async def test_a_reading_that_decides_ends_the_call_when_it_fails(
    status: int, route: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    webhooks.receive(backend.state, 5, "push", breaks=True)
    backend.script("GET", route, text_answer(status))
    assert str(status) in await failure(server, "restart_pipeline", repo_id=5, number=1)
    assert backend.writes == []


@pytest.mark.requirement("W-13")
async def test_a_variable_that_a_restart_would_pass_over_is_refused(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5, variables={"MYVAR": "one"})
    here = {"repo_id": 5, "number": 1}
    said = await failure(server, "restart_pipeline", **here, variables={"A": "1", "MYVAR": "new"})
    assert said.startswith("variables: MYVAR")
    assert "trigger_pipeline" in said
    assert backend.writes == []
    await result(server, "restart_pipeline", **here, variables={"A": "1", "MYVAR": "one"})
    assert backend.state.pipelines[5][-1]["variables"] == {"A": "1", "MYVAR": "one"}


@pytest.mark.requirement("W-1")
@pytest.mark.parametrize(
    ("pipeline", "released"),
    [
        ({"status": "blocked", "reviewed_by": "x"}, False),
        ({"status": "declined", "reviewed_by": "x"}, False),
        ({"status": "killed", "reviewed_by": "x"}, True),
        *(({"status": status}, True) for status in ("pending", "running", "success", "failure")),
        ({"status": "killed", "workflows": [{"state": "killed", "started": 5}]}, True),
        ({"status": "killed", "workflows": [{"state": "killed", "started_at": 5}]}, True),
        (
            {"status": "killed", "workflows": [{"children": [{"started": 5, "state": "blocked"}]}]},
            True,
        ),
        ({"status": "killed", "workflows": [{"state": "blocked", "started": 0}]}, False),
        ({"status": "killed", "workflows": [{"children": [{"state": "declined"}]}]}, False),
        ({"status": "canceled", "workflows": [{"state": "skipped"}]}, True),
        ({"status": "error", "started": 5, "finished": 5}, None),
        ({}, None),
    ],
)
def test_the_first_line_that_fits_decides(pipeline: Json, released: bool | None) -> None:
    assert release.was_released(pipeline) is released


@pytest.mark.requirement("W-1")
@pytest.mark.parametrize(
    ("pipeline", "repository", "held"),
    [
        ({"event": "manual"}, {"require_approval": "all_events"}, False),
        ({"event": "cron"}, {}, False),
        ({"event": "push", "author": "a"}, {"approval_allowed_users": ["a"]}, False),
        ({"event": "push"}, {"require_approval": "forks"}, False),
        ({"event": "pull_request"}, {"require_approval": "forks"}, False),
        ({"event": "pull_request_closed", "from_fork": True}, {"require_approval": "forks"}, True),
        ({"event": "push", "from_fork": True}, {"require_approval": "forks"}, False),
        ({"event": "push"}, {"require_approval": "pull_requests"}, False),
        ({"event": "pull_request_metadata"}, {"require_approval": "pull_requests"}, True),
        ({"event": "push"}, {"require_approval": "all_events"}, True),
        ({"event": "push"}, {"require_approval": "something new"}, True),
        ({"event": "push"}, {}, True),
        ({"event": "pull_request", "from_fork": True}, {"require_approval": "none"}, False),
    ],
)
def test_what_a_repository_holds_back(pipeline: Json, repository: Json, held: bool) -> None:
    assert release.would_hold(pipeline, repository, old=False) is held


def test_an_old_server_knows_one_switch() -> None:
    push: Json = {"event": "push"}
    pull: Json = {"event": "pull_request", "from_fork": True}
    assert release.would_hold(push, {"gated": True}, old=True)
    assert not release.would_hold(push, {"gated": False}, old=True)
    assert release.would_hold(pull, {}, old=True)


_SETTINGS = ("none", "forks", "pull_requests", "all_events")
_EVENTS = ("push", "pull_request", "pull_request_closed", "tag", "manual", "cron")
_STEPS = ("approve", "decline", "cancel", "run", "fail", "supersede")


@pytest.mark.requirement("W-1")
@given(
    setting=st.sampled_from(_SETTINGS),
    event=st.sampled_from(_EVENTS),
    from_fork=st.booleans(),
    author=st.sampled_from(["mallory", "trusted"]),
    breaks=st.booleans(),
    steps=st.lists(st.sampled_from(_STEPS), max_size=4),
)
def test_whatever_was_held_and_never_approved_is_never_released(
    setting: str, event: str, from_fork: bool, author: str, breaks: bool, steps: list[str]
) -> None:
    """Drives pipelines through the stand-in and remembers apart from it who released what."""
    state = State()
    repo = state.add_repo(5, "acme/web", require_approval=setting)
    repo["approval_allowed_users"] = ["trusted"]
    draft: dict[str, Any] = {"author": author, "from_fork": from_fork}
    pipeline = webhooks.receive(state, 5, event, breaks=breaks, **draft)
    held = webhooks.holds(repo, {**draft, "event": event})
    allowed, declined = not held, False
    for step in steps:
        status = pipeline["status"]
        if step == "approve" and status == "blocked":
            pipeline.update(status="pending", reviewed_by="root")
            _all(pipeline, "pending")
            allowed = True
        elif step == "decline" and status == "blocked":
            pipeline.update(status="declined", reviewed_by="root")
            _all(pipeline, "declined")
            declined = True
        elif step in {"cancel", "supersede"} and status in {"blocked", "pending", "running"}:
            webhooks.cancel(state, pipeline)
        elif step == "run" and status == "pending":
            pipeline["status"] = "running"
            _all(pipeline, "running", started=7)
        elif step == "fail" and status == "running":
            pipeline["status"] = "failure"
            _all(pipeline, "failure", finished=9)
    released = release.was_released(pipeline)
    if released is None:
        released = not release.would_hold(pipeline, repo, old=False)
    assert released is (allowed and not declined)


def _all(pipeline: Json, state: str, **fields: object) -> None:
    for part in webhooks.parts(cast("list[Json]", pipeline["workflows"])):
        part.update(state=state, **fields)


@pytest.mark.parametrize("era", ERAS)
async def test_strict_asks_about_a_fork_that_ran_without_a_review(
    era: Era, make_server: MakeServer, backend: WoodpeckerBackend
) -> None:
    strict = make_server({"WOODPECKER_STRICT": "on"})
    backend.state.add_pipeline(5, **FORK)

    class Meanwhile(Person):
        async def __call__(self, context: object, params: object) -> object:  # type: ignore[override]
            backend.state.pipelines[5].clear()
            webhooks.receive(backend.state, 5, **FORK)
            return await super().__call__(context, params)

    person = Meanwhile()
    arguments = {"repo_id": 5, "number": 1}
    called, asked = await answered(strict, "restart_pipeline", arguments, era=era, person=person)
    assert len(asked) == 1
    assert text(called).startswith("code: never_released")
    assert backend.writes == []
