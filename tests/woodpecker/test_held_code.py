"""Code that is held back does not run by a trigger or a cron job either."""

from __future__ import annotations

from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.server import Server

from mcp_serverkit.errors import ToolFailure
from tests.backends.woodpecker import Json, WoodpeckerBackend, webhooks
from tests.backends.woodpecker.state import State
from tests.support.clients import ERAS, Arguments, Era, call, connect, text
from tests.woodpecker.calls import arrange
from tests.woodpecker.conftest import ADMIN_TOKEN, server_of
from tests.woodpecker.support import answered, failure, outcome, result, text_answer
from woodpecker_ci_mcp import release

STARTING: tuple[tuple[str, Arguments], ...] = (
    ("trigger_pipeline", {"branch": "main"}),
    ("run_cron", {"cron_id": 71}),
)
OWN = {"event": "pull_request", "refspec": "main:release"}


@pytest.mark.requirement("W-2")
@pytest.mark.parametrize(("tool", "arguments"), STARTING)
@pytest.mark.parametrize(
    ("setting", "fields", "held"),
    [
        ("all_events", {"event": "push"}, True),
        ("all_events", OWN, True),
        ("pull_requests", OWN, True),
        ("pull_requests", {"event": "push"}, False),
        ("something new", OWN, True),
        ("forks", {**OWN, "from_fork": True}, False),
        ("none", OWN, False),
        # Of another branch, and of a fork whose branch has the same name.
        ("all_events", {"event": "push", "branch": "dev"}, False),
        ("all_events", {**OWN, "from_fork": True}, False),
    ],
)
async def test_a_branch_whose_newest_code_is_held_is_not_started(
    setting: str,
    fields: Json,
    held: bool,
    tool: str,
    arguments: Arguments,
    server: Server[object],
    backend: WoodpeckerBackend,
) -> None:
    arrange(backend)
    backend.state.pipelines[5].clear()
    repo = backend.state.repo(5)
    repo["require_approval"] = setting if setting in webhooks.SETTINGS else "all_events"
    webhooks.receive(backend.state, 5, **fields)  # type: ignore[arg-type]
    repo["require_approval"] = setting
    if held:
        said = await failure(server, tool, repo_id=5, **arguments)
        assert said.startswith("code: held_code")
        assert "pipeline 1" in said
        assert "approve_pipeline" in said
        assert backend.writes == []
        return
    before = len(backend.state.ran)
    assert (await result(server, tool, repo_id=5, **arguments))["started"] is True
    assert len(backend.state.ran) == before + 1
    if setting in {"forks", "none"}:
        assert not any("pipelines?" in line for line in backend.lines("GET"))


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("tool", "arguments"), STARTING)
@pytest.mark.parametrize("gated", [True, False])
async def test_an_old_server_has_one_switch(
    gated: bool, tool: str, arguments: Arguments, era: Era, old_backend: WoodpeckerBackend
) -> None:
    arrange(old_backend)
    old_backend.state.pipelines[5].clear()
    old_backend.state.repo(5)["require_approval"] = "all_events" if gated else "forks"
    webhooks.receive(old_backend.state, 5, "push")
    server = server_of({"WOODPECKER_URL": old_backend.url, "WOODPECKER_TOKEN": ADMIN_TOKEN})
    async with connect(server, era) as client:
        called = await call(client, tool, {"repo_id": 5, **arguments})
    assert called.is_error is gated
    assert text(called).startswith("code: held_code") is gated
    assert len(old_backend.writes) == (0 if gated else 1)
    listed = [line for line in old_backend.lines() if "pipelines?" in line]
    assert len(listed) == (1 if gated else 0)


@pytest.mark.parametrize(("tool", "arguments"), STARTING)
async def test_a_cancelled_one_opens_no_door_by_a_row_that_cannot_tell(
    tool: str, arguments: Arguments, server: Server[object], backend: WoodpeckerBackend
) -> None:
    """A list shows no workflows, so its own document tells that it never ran."""
    arrange(backend)
    backend.state.pipelines[5].clear()
    backend.state.repo(5)["require_approval"] = "all_events"
    for ended in (True, False):
        made = webhooks.receive(backend.state, 5, "push")
        if ended:
            # Approved in Woodpecker, and cancelled before an agent took it.
            made["status"] = "pending"
            for part in webhooks.parts(cast("list[Json]", made["workflows"])):
                part["state"] = "pending"
        webhooks.cancel(backend.state, made)
        called = await outcome(server, tool, {"repo_id": 5, **arguments})
        assert called.is_error is not ended
        assert f"GET /api/repos/5/pipelines/{made['number']}" in backend.lines()
        backend.state.pipelines[5][:] = [made]


@pytest.mark.requirement("W-2")
@pytest.mark.parametrize(("tool", "arguments"), STARTING)
async def test_cancelling_it_opens_no_door_and_approving_does(
    tool: str, arguments: Arguments, server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    backend.state.pipelines[5].clear()
    backend.state.repo(5)["require_approval"] = "all_events"
    webhooks.receive(backend.state, 5, "push")
    await result(server, "cancel_pipeline", repo_id=5, number=1)
    said = await failure(server, tool, repo_id=5, **arguments)
    assert said.startswith("code: held_code")
    assert "a newer push" in said
    webhooks.receive(backend.state, 5, "push")
    await answered(server, "approve_pipeline", {"repo_id": 5, "number": 2})
    assert (await result(server, tool, repo_id=5, **arguments))["started"] is True


@pytest.mark.requirement("W-2")
@pytest.mark.parametrize("route", ["/api/repos/5", "/api/repos/5/pipelines"])
async def test_what_decides_must_be_readable(
    route: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.repo(5)["require_approval"] = "all_events"
    backend.script("GET", route, text_answer(500))
    assert "500" in await failure(server, "trigger_pipeline", repo_id=5, branch="main")
    assert backend.writes == []


class _Served:
    """The part of an API client that the rule needs, over a state."""

    def __init__(self, state: State) -> None:
        self._state = state

    def is_before(self, _major: int, _minor: int) -> bool:
        return False

    async def entries(self, *_path: object, query: object) -> list[Json]:
        assert query
        rows = self._state.pipelines[5][::-1]
        return [{k: v for k, v in row.items() if k != "workflows"} for row in rows]

    async def get(self, *path: object) -> Json:
        return next(row for row in self._state.pipelines[5] if row["number"] == path[-1])


@pytest.mark.requirement("W-2")
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    setting=st.sampled_from(["pull_requests", "all_events"]),
    events=st.lists(st.sampled_from(["push", "pull_request", "tag"]), min_size=1, max_size=4),
    steps=st.lists(st.sampled_from(["approve", "cancel", "decline"]), max_size=4),
    breaks=st.booleans(),
)
async def test_only_released_code_is_started(
    setting: str, events: list[str], steps: list[str], breaks: bool
) -> None:
    state = State()
    repo = state.add_repo(5, "acme/web", require_approval=setting)
    made = [
        webhooks.receive(state, 5, event, breaks=breaks, refspec="main:release") for event in events
    ]
    allowed = {row["number"]: not webhooks.holds(repo, row) for row in made}
    for row, step in zip(made, steps, strict=False):
        if row["status"] == "blocked":
            if step == "approve":
                row.update(status="pending", reviewed_by="root")
                allowed[row["number"]] = True
            elif step == "decline":
                row.update(status="declined", reviewed_by="root")
            else:
                webhooks.cancel(state, row)
    code = [row for row in made if row["event"] in {"push", "pull_request"}]
    try:
        await release.require_released_code(_Served(state), 5, repo, "main")  # type: ignore[arg-type]
        refused = False
    except ToolFailure:
        refused = True
    assert refused is bool(code and not allowed[code[-1]["number"]])
