"""Why a pipeline does not run, judged from queue and agents as the scheduler judges it.

The rules are those of Woodpecker's server/scheduler/filter.go and server/queue/fifo.go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

from mcp_serverkit.http.json_fields import Document, number_of, object_of, objects_of, text_or_empty

Reason: TypeAlias = Literal[
    "running",
    "ended",
    "approval",
    "config",
    "queue_paused",
    "waits_for_workflow",
    "concurrency",
    "no_agent",
    "agents_offline",
    "agents_draining",
    "agents_busy",
    "unknown",
    "queue_not_visible",
]
"""Why a pipeline does not run; the first one that is true is told."""

SILENT_SECONDS = 120
"""An agent that was not heard of for longer is taken to be down: a living one reports every
ten seconds."""

HOSTNAME = "hostname"
"""The one label of an agent that the API does not tell."""

_INTERNAL = "woodpecker-ci.org"
"""Labels of a task that begin like this choose no agent."""

_ORDER: Sequence[str] = get_args(Reason)

Labels = Mapping[str, str]


class Agents(NamedTuple):
    """The agents of an instance.

    Attributes:
        all: Themselves, or as many as were read.
        complete: Whether there are no more.
        now: The time by which their last sign of life counts, Unix seconds.
    """

    all: Sequence[Document]
    complete: bool
    now: float


class Finding(NamedTuple):
    """Why one workflow, or the whole pipeline, does not run.

    Attributes:
        reason: Why.
        task: The task that was judged.
        counts: Agents in all, and what became of those that have the labels.
        missing: Labels that no agent has.
    """

    reason: Reason
    task: Document | None = None
    counts: Mapping[str, int] | None = None
    missing: Labels | None = None


class Tasks(NamedTuple):
    """What the queue holds of a pipeline."""

    pending: list[Document]
    waiting: list[Document]
    running: list[Document]

    def of(self, workflow: Document) -> Document | None:
        """Find the task of a workflow, which bears its id."""
        wanted = str(number_of(workflow, "id"))
        return next((task for part in self for task in part if task.get("id") == wanted), None)


def tasks_of(queue: Document, pipeline: Document) -> Tasks:
    """Pick the tasks of a pipeline out of a queue."""
    ids = {str(number_of(flow, "id")) for flow in objects_of(pipeline, "workflows")}
    pending, waiting, running = (
        [task for task in objects_of(queue, part) if task.get("id") in ids]
        for part in ("pending", "waiting_on_deps", "running")
    )
    return Tasks(pending, waiting, running)


def judge(queue: Document, agents: Agents, tasks: Tasks) -> Finding:
    """Find the first reason for which a pipeline that waits does not run.

    A workflow that waits for another one of its pipeline is judged only when no other one
    is left: what holds that other one up holds up both.
    """
    if tasks.running:
        return Finding("running")
    if queue.get("paused") is True:
        return Finding("queue_paused")
    if not tasks.pending:
        return Finding("waits_for_workflow" if tasks.waiting else "unknown")
    found = [_judge(task, queue, agents) for task in tasks.pending]
    return min(found, key=lambda finding: _ORDER.index(finding.reason))


def needed(labels: Labels) -> Labels:
    """Take from a task's labels those that an agent must have."""
    return {k: v for k, v in labels.items() if v and not k.startswith(_INTERNAL)}


def labels_of(task: Document) -> Labels:
    """Read the labels of a task."""
    return _texts(object_of(task, "labels"))


def agent_labels(agent: Document) -> Labels:
    """Put together what an agent offers when it asks for work, but for its host name."""
    org_id = number_of(agent, "org_id")
    return {
        "platform": text_or_empty(agent, "platform"),
        "backend": text_or_empty(agent, "backend"),
        "repo": "*",
        **_texts(object_of(agent, "custom_labels")),
        # The server sets this one last, whatever the agent says.
        "org-id": "*" if org_id in {None, -1} else str(org_id),
    }


def accepts(agent: Labels, task: Labels) -> bool:
    """Tell whether an agent takes a task."""
    required = {key[1:]: value for key, value in agent.items() if key.startswith("!")}
    if any(task.get(key) != value for key, value in required.items()):
        return False
    return all(_offers(agent, key, value) for key, value in needed(task).items())


def _judge(task: Document, queue: Document, agents: Agents) -> Finding:
    if _group_is_full(task, queue):
        return Finding("concurrency", task)
    labels = labels_of(task)
    offered = [agent_labels(agent) for agent in agents.all]
    matching = [
        agent for agent, its in zip(agents.all, offered, strict=True) if accepts(its, labels)
    ]
    online = [agent for agent in matching if _is_heard(agent, agents.now)]
    working = [agent for agent in online if agent.get("no_schedule") is not True]
    load = Counter(number_of(entry, "agent_id") for entry in objects_of(queue, "running"))
    free = [
        agent
        for agent in working
        if load[number_of(agent, "id")] < (number_of(agent, "capacity") or 0)
    ]
    counts = {
        "total": len(agents.all),
        "matching": len(matching),
        "offline": len(matching) - len(online),
        "draining": len(online) - len(working),
        "busy": len(working) - len(free),
    }
    if matching:
        stages: tuple[tuple[Reason, list[Document]], ...] = (
            ("agents_offline", online),
            ("agents_draining", working),
            ("agents_busy", free),
        )
        reason: Reason = next((reason for reason, left in stages if not left), "unknown")
        return Finding(reason, task, counts)
    if not agents.complete:
        return Finding("unknown", task, counts)
    missing = {
        key: value
        for key, value in needed(labels).items()
        if not any(_offers(its, key, value) for its in offered)
    }
    return Finding("no_agent", task, counts, missing)


def _offers(agent: Labels, key: str, value: str) -> bool:
    given = agent.get(key, agent.get(f"!{key}"))
    if given is None:
        return key == HOSTNAME
    return given in {"*", value}


def _is_heard(agent: Document, now: float) -> bool:
    return now - (number_of(agent, "last_contact") or 0) <= SILENT_SECONDS


def _group_is_full(task: Document, queue: Document) -> bool:
    """Tell whether a task's group may run no further one: earlier pipelines go first."""
    limit, group = number_of(task, "concurrency_limit") or 0, task.get("concurrency_group")
    if limit <= 0 or not group:
        return False

    def others(*parts: str) -> list[Document]:
        return [
            other
            for part in parts
            for other in objects_of(queue, part)
            if other.get("concurrency_group") == group and other.get("id") != task.get("id")
        ]

    ahead = [
        other
        for other in others("pending", "waiting_on_deps")
        if other.get("pipeline_id") != task.get("pipeline_id") and _turn(other) < _turn(task)
    ]
    return len(others("running")) + len(ahead) >= limit


def _turn(task: Document) -> tuple[int, str]:
    return number_of(task, "created") or 0, text_or_empty(task, "name")


def _texts(document: Document) -> Labels:
    return {key: value for key, value in document.items() if isinstance(value, str)}
