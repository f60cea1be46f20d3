"""The queue: it hands workflows to agents as Woodpecker's own does.

Told from server/queue/fifo.go and server/scheduler/filter.go, with their loops, so that
it can contradict what is tested.
"""

from __future__ import annotations

from typing import cast

from .exchange import Json
from .state import State

SILENT_SECONDS = 120


def push(state: State, repo: Json, pipeline: Json) -> None:
    """Queue the workflows of a pipeline."""
    flows = cast("list[Json]", pipeline["workflows"])
    ids = {flow["name"]: str(flow["id"]) for flow in flows}
    for flow in flows:
        written = state.workflows.get(str(flow["name"]), {})
        limit, group = cast("tuple[int, str]", written.get("concurrency", (0, "")))
        task: Json = {
            "id": str(flow["id"]),
            "pid": flow["pid"],
            "name": flow["name"],
            "labels": {
                "woodpecker-ci.org/repo-id": str(repo["id"]),
                "woodpecker-ci.org/branch": pipeline["branch"],
                **cast("Json", written.get("labels", {})),
                "repo": repo["full_name"],
                "org-id": str(repo["org_id"]),
            },
            "dependencies": [ids[name] for name in cast("list[str]", written.get("needs", []))]
            or None,
            "run_on": None,
            "dep_status": {},
            "agent_id": 0,
            "pipeline_id": pipeline["id"],
            "repo_id": repo["id"],
            "concurrency_limit": limit,
            "concurrency_group": group,
            "created": pipeline["created"],
            "pipeline_number": pipeline["number"],
            "agent_name": "",
        }
        state.waiting.append(task)


def drop(state: State, pipeline: Json) -> None:
    """Take the tasks of a pipeline out."""
    for tasks in (state.waiting, state.on_deps, state.tasks):
        tasks[:] = [task for task in tasks if task.get("pipeline_id") != pipeline["id"]]


def process(state: State) -> None:
    """Do what the real queue does ten times a second."""
    if state.paused:
        return
    state.waiting += state.on_deps
    state.on_deps = [task for task in state.waiting if _has_open_needs(state, task)]
    state.waiting = [task for task in state.waiting if task not in state.on_deps]
    while _hand_out_one(state):
        pass


def _has_open_needs(state: State, task: Json) -> bool:
    open_ids = {other["id"] for other in [*state.waiting, *state.tasks]}
    return bool(open_ids & set(cast("list[str]", task.get("dependencies") or [])))


def _hand_out_one(state: State) -> bool:
    for task in state.waiting:
        if "pipeline_id" not in task or not _may_run_beside_others(state, task):
            continue
        for agent in state.agents:
            if _polls(state, agent) and _takes(state, agent, cast("Json", task["labels"])):
                state.waiting.remove(task)
                task.update(agent_id=agent["id"], agent_name=agent["name"])
                state.tasks.append(task)
                _begin(state, task)
                return True
    return False


def _polls(state: State, agent: Json) -> bool:
    """An agent asks for work while it lives, is not drained, and has room."""
    load = sum(task["agent_id"] == agent["id"] for task in state.tasks)
    heard = state.now - cast("int", agent.get("last_contact", 0)) <= SILENT_SECONDS
    return heard and not agent["no_schedule"] and load < cast("int", agent.get("capacity", 0))


def _takes(state: State, agent: Json, labels: Json) -> bool:
    own: Json = {
        "hostname": state.hostnames.get(cast("int", agent["id"]), "somewhere"),
        "platform": agent.get("platform", ""),
        "backend": agent.get("backend", ""),
        "repo": "*",
    }
    own.update(cast("Json", agent.get("custom_labels") or {}))
    own["org-id"] = "*" if agent["org_id"] == -1 else str(agent["org_id"])
    for label, value in own.items():
        if label[:1] == "!" and (label[1:] not in labels or labels[label[1:]] != value):
            return False
    for label, value in labels.items():
        if label.startswith("woodpecker-ci.org") or value == "":
            continue
        if label in own:
            given = own[label]
        elif "!" + label in own:
            given = own["!" + label]
        else:
            return False
        if given not in ("*", value):
            return False
    return True


def _may_run_beside_others(state: State, task: Json) -> bool:
    limit, group = cast("int", task["concurrency_limit"]), task["concurrency_group"]
    if limit <= 0 or group == "":
        return True
    running = sum(other.get("concurrency_group") == group for other in state.tasks)
    ahead = 0
    for other in [*state.waiting, *state.on_deps]:
        if other.get("concurrency_group") != group or other["id"] == task["id"]:
            continue
        if other["pipeline_id"] != task["pipeline_id"] and _order(other) < _order(task):
            ahead += 1
    return running + ahead < limit


def _order(task: Json) -> tuple[int, str]:
    return cast("int", task["created"]), str(task["name"])


def _begin(state: State, task: Json) -> None:
    for pipeline in state.pipelines[cast("int", task["repo_id"])]:
        if pipeline["id"] == task["pipeline_id"]:
            pipeline.update(status="running", started=state.now)
            for flow in cast("list[Json]", pipeline["workflows"]):
                if str(flow["id"]) == task["id"]:
                    flow.update(state="running", started=state.now, agent_id=task["agent_id"])
