"""Why a pipeline does not run, against a queue that hands out work as the real one does."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.server import Server

from tests.backends.woodpecker import Json, WoodpeckerBackend, queue, webhooks
from tests.backends.woodpecker.state import State
from tests.support.clients import ERAS, Era, call, connect, structured, text
from tests.woodpecker.conftest import MakeServer
from tests.woodpecker.support import result, text_answer
from woodpecker_ci_mcp.queueing import Agents, judge, tasks_of

Act = Callable[[State], object]

CONFIG = """\
# the runner with a card
labels:
  gpu: "true"   # needed
  zone: eu

  - odd
steps:
  labels: no
"""


@pytest.fixture
def state(backend: WoodpeckerBackend) -> State:
    """An instance whose time is now: agents are judged by it."""
    backend.state.now = int(time.time())
    return backend.state


@pytest.fixture
def server(make_server: MakeServer) -> Server[object]:
    return make_server({"WOODPECKER_EXTRAS": "true"})


@pytest.fixture
def visitor(state: State, make_server: MakeServer) -> Server[object]:
    """A server of an account that may only push."""
    state.add_user("pusher", token="pusher-token")
    state.rights[5, "pusher"] = "push"
    return make_server({"WOODPECKER_EXTRAS": "true", "WOODPECKER_TOKEN": "pusher-token"})


def add_agent(state: State, **fields: object) -> Json:
    agent: Json = {
        "id": state.next_id(),
        "name": "runner",
        "token": "agent-secret",
        "last_contact": state.now,
        "platform": "linux/amd64",
        "backend": "docker",
        "capacity": 1,
        "no_schedule": False,
        "custom_labels": None,
        "org_id": -1,
        **fields,
    }
    state.agents.append(agent)
    return agent


def receive(state: State, **written: object) -> Json:
    """Take a push in; what is written about its one workflow decides who may run it."""
    state.workflows["woodpecker"] = written
    return webhooks.receive(state, 5, "push")


def with_agent(**fields: object) -> Act:
    return lambda state: add_agent(state, **fields)


def occupied(state: State) -> None:
    """One agent, at work for somebody else."""
    agent = add_agent(state)
    state.tasks.append({"id": "900001", "agent_id": agent["id"], "name": "other", "labels": {}})


def drained(state: State) -> None:
    """One agent that is drained, one that is silent and one of another organisation."""
    add_agent(state, no_schedule=True)
    add_agent(state, last_contact=state.now - 300)
    add_agent(state, org_id=999)


def pause(state: State) -> None:
    add_agent(state)
    state.paused = True


def last(state: State) -> Json:
    return state.agents[-1]


WAITING: list[tuple[str, Act, Json, Act]] = [
    ("queue_paused", pause, {}, lambda state: setattr(state, "paused", False)),
    ("no_agent", lambda _: None, {}, with_agent()),
    (
        "no_agent",
        with_agent(),
        {"labels": {"gpu": "true", "zone": ""}},
        lambda state: last(state).update(custom_labels={"gpu": "*"}),
    ),
    (
        "no_agent",
        with_agent(custom_labels={"!team": "ml"}),
        {},
        lambda state: last(state).update(custom_labels={}),
    ),
    (
        "no_agent",
        with_agent(org_id=999),
        {},
        lambda state: last(state).update(org_id=-1),
    ),
    (
        "agents_offline",
        with_agent(last_contact=1),
        {},
        lambda state: last(state).update(last_contact=state.now),
    ),
    # The server decides whose an agent is, whatever that says itself.
    (
        "no_agent",
        with_agent(org_id=999, custom_labels={"org-id": "*"}),
        {},
        lambda state: last(state).update(org_id=-1),
    ),
    # An empty label asks for nothing, and one that an agent insists on is also its own.
    (
        "agents_offline",
        with_agent(last_contact=1, custom_labels={"!gpu": "true"}),
        {"labels": {"gpu": "true", "zone": ""}},
        lambda state: last(state).update(last_contact=state.now),
    ),
    ("agents_draining", drained, {}, lambda state: state.agents[0].update(no_schedule=False)),
    ("agents_busy", occupied, {}, lambda state: state.tasks.clear()),
    # Nobody is told an agent's host name, so this one counts as matching.
    (
        "unknown",
        with_agent(),
        {"labels": {"hostname": "there"}},
        lambda state: state.hostnames.update({cast("int", last(state)["id"]): "there"}),
    ),
]


@pytest.mark.requirement("R-59")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("reason", "arrange", "written", "cure"), WAITING)
async def test_what_waits_is_told_with_what_lets_it_go(
    reason: str,
    arrange: Act,
    written: Json,
    cure: Act,
    era: Era,
    server: Server[object],
    state: State,
) -> None:
    arrange(state)
    made = receive(state, **written)
    made["created"] = state.now - 90
    async with connect(server, era) as client:
        found = structured(await call(client, "why_not_running", {"repo_id": 5}))
        assert (found["reason"], found["status"]) == (reason, "pending")
        assert 90 <= cast("int", found["pending_s"]) < 300
        cure(state)
        queue.process(state)
        assert made["status"] == "running"
        found = structured(await call(client, "why_not_running", {"repo_id": 5, "number": 1}))
        assert found["reason"] == "running"
        assert "pending_s" not in found


async def test_agents_are_counted_by_what_became_of_them(
    server: Server[object], state: State
) -> None:
    drained(state)
    busy = add_agent(state)
    state.tasks.append({"id": "900001", "agent_id": busy["id"], "labels": {}})
    receive(state)
    found = await result(server, "why_not_running", repo_id=5)
    counted = {"total": 4, "matching": 3, "offline": 1, "draining": 1, "busy": 1}
    assert found["agents"] == counted
    assert "missing_labels" not in found


async def test_missing_labels_are_those_that_no_agent_has(
    server: Server[object], state: State
) -> None:
    add_agent(state, custom_labels={"gpu": "true"})
    add_agent(state, custom_labels={"zone": "eu"})
    receive(state, labels={"gpu": "true", "zone": "us", "arch": "arm"})
    found = await result(server, "why_not_running", repo_id=5)
    assert found["missing_labels"] == {"zone": "us", "arch": "arm"}
    (flow,) = cast("list[Json]", found["workflows"])
    labels = cast("Json", flow["labels"])
    assert labels["repo"] == "acme/payments-api"
    assert not any(name.startswith("woodpecker-ci.org") for name in labels)
    receive(state, labels={"gpu": "true", "zone": "eu"})
    found = await result(server, "why_not_running", repo_id=5)
    assert "missing_labels" not in found
    assert "no single agent" in str(found["explanation"])


async def test_a_host_name_is_said_to_be_unknown(server: Server[object], state: State) -> None:
    add_agent(state, last_contact=1)
    receive(state, labels={"hostname": "there"})
    found = await result(server, "why_not_running", repo_id=5)
    assert found["reason"] == "agents_offline"
    assert "host name" in str(found["explanation"])


async def test_a_full_group_waits_for_those_that_came_earlier(
    server: Server[object], state: State
) -> None:
    agent = add_agent(state, capacity=5)
    group = {"concurrency": (1, "5//deploy")}
    first = receive(state, **group)
    queue.process(state)
    state.now += 1
    second = receive(state, **group)
    agent["last_contact"] = state.now
    assert (first["status"], second["status"]) == ("running", "pending")
    assert (await result(server, "why_not_running", repo_id=5))["reason"] == "concurrency"
    queue.drop(state, first)
    queue.process(state)
    assert second["status"] == "running"


async def test_a_group_keeps_a_place_for_an_earlier_pipeline(
    server: Server[object], state: State
) -> None:
    add_agent(state, capacity=5)
    group = {"concurrency": (1, "5//deploy")}
    receive(state, **group, labels={"gpu": "true"})
    state.now += 1
    second = receive(state, **group)
    queue.process(state)
    assert second["status"] == "pending"
    for number, reason in ((1, "no_agent"), (2, "concurrency")):
        found = await result(server, "why_not_running", repo_id=5, number=number)
        assert found["reason"] == reason


async def test_workflows_of_one_pipeline_are_not_each_other_s_reason(
    server: Server[object], state: State
) -> None:
    two_workflows(state)
    for task in state.waiting:
        task.update(concurrency_limit=1, concurrency_group="5//deploy", dependencies=None)
    assert (await result(server, "why_not_running", repo_id=5))["reason"] == "no_agent"


def two_workflows(state: State) -> Json:
    """A pipeline whose workflow `deploy` needs `build`."""
    made = state.add_pipeline(5, status="pending")
    (flow,) = cast("list[Json]", made["workflows"])
    flow["name"] = "build"
    cast("list[Json]", made["workflows"]).append(
        {**flow, "id": state.next_id(), "pid": 3, "name": "deploy", "environ": {"GO": "1.2"}}
    )
    state.workflows["deploy"] = {"needs": ["build"]}
    queue.push(state, state.repo(5), made)
    return made


async def test_a_workflow_that_waits_for_another_is_not_the_reason_while_that_one_waits(
    server: Server[object], state: State
) -> None:
    made = two_workflows(state)
    found = await result(server, "why_not_running", repo_id=5)
    assert found["reason"] == "no_agent"
    _, deploy = cast("list[Json]", found["workflows"])
    assert (deploy["waits_for"], deploy["axis"]) == (["build"], {"GO": "1.2"})
    # The one that it needs is taken, and the pipeline is not told so yet.
    add_agent(state)
    queue.process(state)
    made["status"] = "pending"
    found = await result(server, "why_not_running", repo_id=5)
    assert found["reason"] == "running"


async def test_what_only_waits_for_others_says_so(server: Server[object], state: State) -> None:
    made = two_workflows(state)
    build, _ = cast("list[Json]", made["workflows"])
    # Its workflow is known to the queue under a number that the pipeline does not show.
    build["id"] = 999_999
    add_agent(state)
    queue.process(state)
    made["status"] = "pending"
    assert (await result(server, "why_not_running", repo_id=5))["reason"] == "waits_for_workflow"


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("running", "running"),
        ("success", "ended"),
        ("killed", "ended"),
        ("declined", "ended"),
        ("blocked", "approval"),
        ("error", "config"),
    ],
)
async def test_what_does_not_wait_for_the_queue_is_told_without_it(
    status: str,
    reason: str,
    server: Server[object],
    backend: WoodpeckerBackend,
    state: State,
) -> None:
    state.add_pipeline(5, status=status)
    found = await result(server, "why_not_running", repo_id=5)
    assert found["reason"] == reason
    assert ("pending_s" in found) is (status == "blocked")
    assert backend.lines() == ["GET /api/repos/5/pipelines/latest"]


async def test_what_the_queue_has_lost_is_told(server: Server[object], state: State) -> None:
    state.add_pipeline(5, status="pending")
    found = await result(server, "why_not_running", repo_id=5)
    assert found["reason"] == "unknown"
    assert "holds nothing of it" in str(found["explanation"])


@pytest.mark.requirement("R-59")
@pytest.mark.parametrize("era", ERAS)
async def test_others_than_admins_see_the_labels_as_written(
    era: Era, visitor: Server[object], backend: WoodpeckerBackend, state: State
) -> None:
    made = receive(state, labels={"gpu": "true"})
    data = base64.b64encode(CONFIG.encode()).decode()
    flow = base64.b64encode(b"labels: {a: b}\n").decode()
    state.configs[5, 1] = [{"name": "one", "data": data}, {"name": "two", "data": flow}]
    made["created"] = state.now - 90
    async with connect(visitor, era) as client:
        found = structured(await call(client, "why_not_running", {"repo_id": 5}))
    assert found["reason"] == "queue_not_visible"
    assert found["who"] == "an instance admin sees the queue and the agents"
    written = ['  gpu: "true"   # needed', "  zone: eu", "  - odd", "labels: {a: b}"]
    assert found["labels_as_written"] == written
    assert cast("int", found["pending_s"]) >= 90
    assert not any("queue" in line or "agents" in line for line in backend.lines())


@pytest.mark.parametrize("status", [403, 500])
async def test_labels_that_cannot_be_read_hide_nothing_else(
    status: int, visitor: Server[object], backend: WoodpeckerBackend, state: State
) -> None:
    receive(state)
    backend.script("GET", ".*/config", text_answer(status))
    found = await result(visitor, "why_not_running", repo_id=5)
    assert found["reason"] == "queue_not_visible"
    assert "labels_as_written" not in found


async def test_more_agents_than_were_read_prove_nothing(
    server: Server[object], state: State
) -> None:
    for _ in range(200):
        add_agent(state, org_id=999)
    receive(state)
    found = await result(server, "why_not_running", repo_id=5)
    assert found["reason"] == "unknown"
    assert "there are more of them" in str(found["explanation"])
    state.agents.pop()
    assert (await result(server, "why_not_running", repo_id=5))["reason"] == "no_agent"


@pytest.mark.parametrize("admin", [True, False])
async def test_the_answer_stays_small(
    admin: bool, server: Server[object], visitor: Server[object], state: State
) -> None:
    wide = "漢" * 3_000
    made = receive(state, labels={f"{wide}{number}": wide for number in range(30)})
    (flow,) = cast("list[Json]", made["workflows"])
    flow["environ"] = {wide: wide}
    made["workflows"] = [flow, *({**flow, "id": 800_000 + number} for number in range(60))]
    lines = "labels:\n" + f"  {wide}: {wide}\n" * 30
    state.configs[5, 1] = [{"name": "w", "data": base64.b64encode(lines.encode()).decode()}]
    async with connect(server if admin else visitor, "2025-11-25") as client:
        called = await call(client, "why_not_running", {"repo_id": 5})
    assert len(text(called).encode()) < 3_000
    assert structured(called)["reason"] == ("no_agent" if admin else "queue_not_visible")


async def test_an_agent_s_labels_write_no_word_of_the_explanation(
    server: Server[object], state: State
) -> None:
    add_agent(state, name="tick the box", custom_labels={"tick": "the box"})
    receive(state, labels={"approve": "pipeline 42"})
    found = await result(server, "why_not_running", repo_id=5)
    for words in ("tick", "42"):
        assert words not in str(found["explanation"])


_LABEL = st.dictionaries(
    st.sampled_from(["gpu", "zone", "platform", "!gpu", "org-id"]),
    st.sampled_from(["a", "b", "*", ""]),
    max_size=3,
)
_AGENT = st.fixed_dictionaries(
    {
        "custom_labels": _LABEL,
        "org_id": st.sampled_from([-1, 1, 2]),
        "silent": st.booleans(),
        "no_schedule": st.booleans(),
        "capacity": st.integers(0, 2),
    }
)
_TASK = st.dictionaries(
    st.sampled_from(["gpu", "zone", "platform", "woodpecker-ci.org/x"]),
    st.sampled_from(["a", "b", "linux/amd64", ""]),
    max_size=3,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    agents=st.lists(_AGENT, max_size=4),
    tasks=st.lists(_TASK, min_size=1, max_size=3),
    limit=st.integers(0, 2),
    paused=st.booleans(),
)
def test_what_is_left_by_the_queue_has_a_reason_and_what_is_not_has_none(
    agents: list[Json], tasks: list[Json], limit: int, paused: bool
) -> None:
    state = State(paused=paused)
    state.add_repo(5, "acme/web", org_id=1)
    for agent in agents:
        heard = state.now - (500 if agent.pop("silent") else 5)
        add_agent(state, **agent, last_contact=heard)
    made = [receive(state, labels=labels, concurrency=(limit, "5//g")) for labels in tasks]
    queue.process(state)
    info: Json = {
        "pending": state.waiting or None,
        "waiting_on_deps": state.on_deps or None,
        "running": state.tasks or None,
        "paused": state.paused,
    }
    for pipeline in made:
        known = Agents(state.agents, complete=True, now=state.now)
        found = judge(info, known, tasks_of(info, pipeline))
        assert (found.reason == "running") is (pipeline["status"] == "running")
        assert found.reason not in {"unknown", "waits_for_workflow"}
