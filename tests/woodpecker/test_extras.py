"""Waiting and diagnosing, and the story that they are for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

import pytest
from mcp.server import Server

from tests.backends.woodpecker import Answer, Json, RecordedRequest, WoodpeckerBackend, webhooks
from tests.backends.woodpecker.state import first_step
from tests.support.clients import ERAS, Era, call, connect, structured, text
from tests.support.servers import reading_of
from tests.support.time import FakeClock
from tests.woodpecker.conftest import ADMIN_TOKEN, MakeServer, server_of
from tests.woodpecker.support import failure, outcome, result, text_answer
from woodpecker_ci_mcp.definition import WOODPECKER
from woodpecker_ci_mcp.exit_codes import exit_meaning, exit_view
from woodpecker_ci_mcp.order import EXTRAS, ORDER

Step = Callable[[WoodpeckerBackend], None]


class Patience:
    """Time that passes while a wait sleeps, and what happens meanwhile, by second."""

    def __init__(self, backend: WoodpeckerBackend, **events: Step) -> None:
        self.clock = FakeClock()
        self._backend = backend
        self._start = self.clock()
        self._events = {int(name.lstrip("at_")): step for name, step in events.items()}

    async def __call__(self, seconds: float) -> None:
        self.clock.advance(seconds)
        for second in [at for at in self._events if self._start + at <= self.clock()]:
            self._events.pop(second)(self._backend)

    def server(self, **environ: str) -> Server[object]:
        """A server with the extras, to which this time passes."""
        login = {"WOODPECKER_URL": self._backend.url, "WOODPECKER_TOKEN": ADMIN_TOKEN}
        settings = {**login, "WOODPECKER_EXTRAS": "true", **environ}
        return server_of(settings, sleep=self, app_clock=self.clock)


def becomes(status: str) -> Step:
    """Let the newest pipeline of repository 5 have a status, its parts too."""

    def change(backend: WoodpeckerBackend) -> None:
        pipeline = backend.state.pipelines[5][-1]
        pipeline["status"] = status
        for part in webhooks.parts(cast("list[Json]", pipeline["workflows"])):
            part.update(state=status, started=5)

    return change


def polls(backend: WoodpeckerBackend) -> int:
    return backend.lines("GET").count("GET /api/repos/5/pipelines/1")


def test_extras_are_unknown_unless_switched_on() -> None:
    chosen = {"WOODPECKER_ALLOW_TOOLS": "diagnose_pipeline"}
    (problem,) = WOODPECKER.select(reading_of(WOODPECKER, chosen).values).problems
    assert "WOODPECKER_EXTRAS=true offers it" in problem
    switched_on = reading_of(WOODPECKER, {**chosen, "WOODPECKER_EXTRAS": "true"}).values
    assert WOODPECKER.select(switched_on).names == ("diagnose_pipeline",)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("value", "on"), [("true", True), ("false", False), ("1", False), ("", False)]
)
async def test_extras_are_offered_for_exactly_true(
    value: str, on: bool, era: Era, make_server: MakeServer
) -> None:
    async with connect(make_server({"WOODPECKER_EXTRAS": value}), era) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
    assert names == [name for name in ORDER if on or name not in EXTRAS]


@pytest.mark.requirement("R-67")
async def test_a_wait_ends_when_the_pipeline_has(backend: WoodpeckerBackend) -> None:
    backend.state.add_pipeline(5, status="running")
    patience = Patience(backend, at_12=becomes("success"))
    waited = await result(patience.server(), "wait_for_pipeline", repo_id=5, number=1)
    assert (waited["done"], waited["status"], waited["failed"]) == (True, "success", [])
    assert waited["elapsed_s"] == 15
    assert "note" not in waited
    # Every 2 s for 10 s, then every 5 s.
    assert polls(backend) == 7


@pytest.mark.requirement("R-67")
async def test_a_wait_ends_within_its_time_and_can_be_repeated(backend: WoodpeckerBackend) -> None:
    backend.state.add_pipeline(5, status="pending")
    server = Patience(backend).server()
    for _ in range(2):
        waited = await result(server, "wait_for_pipeline", repo_id=5, number=1)
        assert (waited["done"], waited["waiting_for"]) == (False, "agent")
        assert waited["note"] == "not finished: call again with number 1"
        assert waited["elapsed_s"] == 45
    assert polls(backend) <= 28


@pytest.mark.parametrize("status", ["blocked", "success", "error", "declined"])
async def test_what_does_not_move_is_told_at_once(status: str, backend: WoodpeckerBackend) -> None:
    backend.state.add_pipeline(5, status=status)
    waited = await result(Patience(backend).server(), "wait_for_pipeline", repo_id=5, number=1)
    assert waited["done"] is (status != "blocked")
    assert ("only a person moves it" in str(waited)) is (status == "blocked")
    assert polls(backend) == 1


async def test_a_cancelled_run_is_done_when_its_workflows_are(backend: WoodpeckerBackend) -> None:
    pipeline = backend.state.add_pipeline(5, status="running")
    patience = Patience(backend, at_2=lambda b: webhooks.cancel(b.state, pipeline))
    waited = await result(patience.server(), "wait_for_pipeline", repo_id=5, number=1)
    assert (waited["done"], waited["status"], waited["elapsed_s"]) == (True, "killed", 4)
    flows = cast("list[Json]", waited["workflows"])
    assert [flow["state"] for flow in flows] == ["killed"]


async def test_a_workflow_that_never_ends_is_waited_for_ten_seconds(
    backend: WoodpeckerBackend,
) -> None:
    pipeline = backend.state.add_pipeline(5, status="killed")
    cast("list[Json]", pipeline["workflows"])[0]["state"] = "running"
    waited = await result(Patience(backend).server(), "wait_for_pipeline", repo_id=5, number=1)
    assert (waited["done"], waited["elapsed_s"]) == (True, 10)


@pytest.mark.parametrize(("status", "ends"), [(500, False), (429, False), (404, True), (403, True)])
async def test_a_poll_that_fails_for_a_moment_is_no_end(
    status: int, ends: bool, backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5, status="running")
    patience = Patience(backend, at_8=becomes("success"))

    def failing(_request: RecordedRequest) -> Answer | None:
        return text_answer(status) if 3 < patience.clock() - 1_000 < 7 else None

    backend.script("GET", "/api/repos/5/pipelines/1", failing)
    called = await outcome(patience.server(), "wait_for_pipeline", {"repo_id": 5, "number": 1})
    assert called.is_error is ends
    if not ends:
        assert structured(called)["status"] == "success"


async def test_an_answer_about_three_workflows_is_short(backend: WoodpeckerBackend) -> None:
    pipeline = backend.state.add_pipeline(5, status="running")
    (flow,) = cast("list[Json]", pipeline["workflows"])
    pipeline["workflows"] = [flow, {**flow, "name": "lint"}, {**flow, "name": "docs"}]
    called = await outcome(
        Patience(backend).server(), "wait_for_pipeline", {"repo_id": 5, "number": 1}
    )
    assert len(text(called)) < 600


async def test_progress_holds_numbers_and_words_of_closed_lists(
    backend: WoodpeckerBackend,
) -> None:
    backend.state.add_pipeline(5, status="running", title="tick_the_box")
    patience = Patience(backend, at_4=becomes("success"))
    said: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        said.append((progress, message))

    async with connect(patience.server(), "2025-11-25") as client:
        arguments: dict[str, Any] = {"repo_id": 5, "number": 1}
        await client.call_tool("wait_for_pipeline", arguments, progress_callback=hear)
    assert said == [
        (0, "0 of 1 workflows ended, running"),
        (4, "1 of 1 workflows ended, success"),
    ]


def failing_run(backend: WoodpeckerBackend, lines: list[str], **fields: object) -> Json:
    """A pipeline of repository 5 whose step failed with a log."""
    pipeline = backend.state.add_pipeline(5, status="failure", **fields)
    step = first_step(pipeline)
    step.update(exit_code=1, state="failure")
    backend.state.add_log(cast("int", step["id"]), lines)
    return pipeline


LONG = [
    *(f"compiling {number}" for number in range(600)),
    "+ go test ./... error",
    "--- FAIL: TestTotals (0.00s)",
    "    totals_test.go:12: got 3, want 4",
    *(f"cleaning {number}" for number in range(1_597)),
]
CAUSE = "totals_test.go:12: got 3, want 4"


async def test_a_diagnosis_shows_the_lines_that_say_why(backend: WoodpeckerBackend) -> None:
    backend.state.add_pipeline(5, commit="a" * 40)
    failing_run(backend, ["fatal: x"])
    backend.state.add_pipeline(5, status="killed")
    failing_run(backend, LONG)
    found = await result(Patience(backend).server(), "diagnose_pipeline", repo_id=5, number=4)
    (step,) = cast("list[Json]", found["failed_steps"])
    assert (found["cause"], step["exit_code"], step["log_lines"]) == ("step", 1, 2_200)
    assert step["first_line"] == 599
    excerpt = cast("list[str]", step["excerpt"])
    assert len(excerpt) == 15
    assert excerpt[4].endswith(CAUSE)
    assert cast("list[str]", step["tail"])[-1] == "cleaning 1596"
    assert found["last_good"] == {"number": 1, "commit": "a" * 12}
    assert found["first_bad"] == {"number": 2}


@pytest.mark.parametrize(
    ("fields", "cause"),
    [
        ({"status": "error", "errors": [{"type": "linter", "message": "bad"}]}, "config"),
        ({"status": "blocked"}, "approval"),
        ({"status": "declined"}, "declined"),
        ({"status": "killed", "cancel_info": {"canceled_by_user": "eve"}}, "cancelled"),
        ({"status": "canceled"}, "cancelled"),
        ({"status": "pending"}, "pending"),
        ({"status": "running"}, "running"),
        ({"status": "success"}, "none"),
    ],
)
async def test_each_cause_has_its_word(
    fields: Json, cause: str, backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5, **fields)
    found = await result(Patience(backend).server(), "diagnose_pipeline", repo_id=5, number=1)
    assert found["cause"] == cause
    assert found["failed_steps"] == []
    assert ("cancel_info" in found) is (fields["status"] == "killed")


async def test_a_step_that_may_fail_is_no_cause(backend: WoodpeckerBackend) -> None:
    failing_run(backend, ["error"])["status"] = "success"
    found = await result(Patience(backend).server(), "diagnose_pipeline", repo_id=5, number=1)
    assert (found["cause"], found["failed_steps"]) == ("none", [])


async def test_a_diagnosis_stays_small_and_reads_little(backend: WoodpeckerBackend) -> None:
    pipeline = failing_run(backend, ["error " + "x" * 5_000] * 50)
    (flow,) = cast("list[Json]", pipeline["workflows"])
    (step,) = cast("list[Json]", flow["children"])
    flow["children"] = [{**step, "pid": number, "name": f"s{number}"} for number in range(5)]
    called = await outcome(
        Patience(backend).server(), "diagnose_pipeline", {"repo_id": 5, "number": 1, "lines": 40}
    )
    found = structured(called)
    assert len(text(called)) < 6_000
    assert found["more_failed"] == 2
    assert len(cast("list[Json]", found["failed_steps"])) == 3
    assert len(backend.requests) == 5


async def test_a_log_that_cannot_be_read_hides_no_diagnosis(backend: WoodpeckerBackend) -> None:
    failing_run(backend, ["x"])
    backend.script("GET", "/api/repos/5/logs/.*", text_answer(500))
    found = await result(Patience(backend).server(), "diagnose_pipeline", repo_id=5, number=1)
    (step,) = cast("list[Json]", found["failed_steps"])
    assert "excerpt" not in step


async def test_extras_refuse_what_get_pipeline_refuses(backend: WoodpeckerBackend) -> None:
    server = Patience(backend).server()
    for tool in EXTRAS:
        assert "404" in await failure(server, tool, repo_id=5, number=9)
        assert "no pipeline" in await failure(server, tool, repo_id=5)
        assert "repo_id" in await failure(server, tool)


@pytest.mark.parametrize("era", ERAS)
async def test_why_did_it_fail_fix_it_run_it_again_tell_me_when_it_is_green(
    era: Era, backend: WoodpeckerBackend
) -> None:
    """At most four calls and 4,000 characters, arguments and text together."""
    failing_run(backend, LONG)
    patience = Patience(backend, at_6=becomes("running"), at_60=becomes("success"))
    server = patience.server(WOODPECKER_ALLOW_TOOLS="essential")
    repo = {"repo": "acme/payments-api"}
    told: list[str] = []

    async with connect(server, era) as client:

        async def say(tool: str, **arguments: object) -> Json:
            called = await call(client, tool, {**repo, **arguments})
            told.append(json.dumps({**repo, **arguments}) + text(called))
            return structured(called)

        await say("diagnose_pipeline")
        assert CAUSE in told[0]
        # The fix is pushed here.
        started = await say("trigger_pipeline", branch="main")
        number = cast("Json", started["pipeline"])["number"]
        last = await say("wait_for_pipeline", number=number)
        if not last["done"]:
            last = await say("wait_for_pipeline", number=number)
    assert last["status"] == "success"
    assert len(told) <= 4
    assert sum(map(len, told)) <= 4_000


@pytest.mark.requirement("R-61", "W-16")
@pytest.mark.parametrize(
    ("state", "code", "words"),
    [
        ("failure", -1, "killed or could not be started"),
        ("failure", 124, "timeout"),
        ("failure", 125, "could not be started"),
        ("failure", 126, "not executable"),
        ("failure", 127, "command not found"),
        ("failure", 137, "signal 9 (SIGKILL), often out of memory"),
        ("failure", 143, "signal 15 (SIGTERM)"),
    ],
)
def test_codes_that_need_words_have_them(state: str, code: int, words: str) -> None:
    view = exit_view({"state": state, "exit_code": code})
    assert view["exit_code"] == code
    assert words in str(view["exit_meaning"])


@pytest.mark.requirement("W-16")
def test_an_exit_code_is_shown_only_where_it_is_one() -> None:
    assert exit_view({"state": "success", "exit_code": 0}) == {"exit_code": 0}
    assert exit_view({"state": "failure", "exit_code": 3}) == {"exit_code": 3}
    for state in ("killed", "canceled", "skipped", "error", "pending", "running", "failure"):
        assert exit_view({"state": state, "exit_code": 0}) == {}
    assert exit_view({"state": "killed", "exit_code": 137}) == {}
    assert exit_meaning(255) == ""
