"""Why a pipeline does not run, in words and figures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import (
    Document,
    number_of,
    object_of,
    objects_of,
    text_or_empty,
    texts_of,
)
from mcp_serverkit.tools.results import size
from woodpecker_ci_mcp.api.limits import MOST_PAGES, PAGE
from woodpecker_ci_mcp.queueing import (
    HOSTNAME,
    Agents,
    Finding,
    Reason,
    Tasks,
    judge,
    labels_of,
    needed,
    tasks_of,
)
from woodpecker_ci_mcp.views import config_files

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker

WORKFLOWS = 20
LABEL_LINES = 10
TEXT_CHARS = 120
"""A name, a label or a line of a configuration is cut after this."""

RESULT_BYTES = 2_600
"""What an answer may take, so that with its frame it stays below 3,000 bytes."""

_WAITING = frozenset({"pending", "created"})
_KNOWN: dict[str, Reason] = {"running": "running", "blocked": "approval", "error": "config"}

_WORDS: dict[str, str] = {
    "running": "An agent works on it.",
    "ended": "It has ended, so it does not wait for anything.",
    "approval": "It is held back until a person approves it: approve_pipeline asks one.",
    "config": "Its configuration could not be used, so nothing of it runs: get_pipeline tells "
    "the errors.",
    "queue_paused": "The queue of the whole instance is paused; resume_queue lets it go on.",
    "waits_for_workflow": "It waits for other workflows of this pipeline, named in waits_for.",
    "concurrency": "Its concurrency group is full: as many as may run at once are running, or "
    "came earlier.",
    "agents_offline": "Each agent with its labels has been silent for over 120 s: it is down, or "
    "cut off from the server.",
    "agents_draining": "Each agent with its labels that is there takes no new work "
    "(no_schedule); update_agent changes that.",
    "agents_busy": "Each agent with its labels that takes work is at its capacity; the pipeline "
    "starts when one has finished.",
    "queue_not_visible": "It waits for an agent. Which one, and what for, only an instance admin "
    "can see.",
}
_NO_AGENT = "There is no agent at all."
_NO_LABEL = "No agent has the labels in missing_labels."
_NOT_TOGETHER = "Each of its labels is some agent's, but no single agent takes all of them."
_FREE = "An agent with its labels is free, so it should start in a moment: call again."
_NOT_QUEUED = "The queue holds nothing of it. If that is still so in a minute, start it again."
_MORE_AGENTS = "None of the agents that were read has its labels, and there are more of them."
_BY_HOSTNAME = (
    " It asks for a host name, which the API does not tell of agents: one that fails by it alone "
    "counts as matching."
)


async def explain(wp: Woodpecker, repo_id: int, pipeline: Document, now: float) -> Document:
    """Find out why a pipeline does not run.

    Args:
        wp: The app.
        repo_id: The repository.
        pipeline: The pipeline with its workflows.
        now: Unix seconds.
    """
    status = text_or_empty(pipeline, "status")
    result: Document = {
        "repo_id": repo_id,
        "number": number_of(pipeline, "number") or 0,
        "status": status,
    }
    if status in _WAITING or status == "blocked":
        created = number_of(pipeline, "created") or number_of(pipeline, "created_at")
        result["pending_s"] = max(0, int(now - created)) if created else 0
    if status not in _WAITING:
        found = Finding(_KNOWN.get(status, "ended"))
        return _fitted({**result, **_told(found), "workflows": _workflows(pipeline, None)})
    if await wp.rights.is_admin() is False:
        return _fitted({**result, **await _for_others(wp, repo_id, pipeline)})
    queue = await wp.api.get("queue", "info")
    tasks = tasks_of(queue, pipeline)
    found = judge(queue, await _agents(wp, now), tasks)
    shown = _workflows(pipeline, tasks)
    return _fitted({**result, **_told(found), "workflows": shown})


async def _agents(wp: Woodpecker, now: float) -> Agents:
    found: list[Document] = []
    entries = 0
    async for page in wp.api.pages("agents", most=MOST_PAGES):
        found += page
        entries = len(page)
    return Agents(found, complete=entries < PAGE, now=now)


async def _for_others(wp: Woodpecker, repo_id: int, pipeline: Document) -> Document:
    """Tell what an account can see that is no admin: the labels as they were written."""
    number = number_of(pipeline, "number") or 0
    path = ("repos", repo_id, "pipelines", number, "config")
    files = await read_fact(wp.api.entries(*path), hopeless=()) or []
    view: Document = {
        **_told(Finding("queue_not_visible")),
        "who": "an instance admin sees the queue and the agents",
        "workflows": _workflows(pipeline, None),
    }
    if lines := labels_as_written(files):
        view["labels_as_written"] = lines
    return view


def labels_as_written(files: list[Document]) -> list[str]:
    """Pick the lines below a top-level `labels:` out of a configuration, as they stand."""
    lines: list[str] = []
    for file in config_files(files)["configs"]:
        inside = False
        for line in text_or_empty(file, "content").splitlines():
            if line.startswith("labels:"):
                inside = True
                if re.sub(r"\s#.*", "", line).strip() != "labels:":
                    lines.append(line)
            elif inside and line[:1] in {" ", "\t", "-"}:
                lines.append(line)
            elif line.strip() and not line.startswith("#"):
                inside = False
    return [_cut(line) for line in lines[:LABEL_LINES]]


def _told(found: Finding) -> Document:
    """Show a finding; only our own words are in the explanation."""
    words = _WORDS.get(found.reason, "")
    if found.reason == "no_agent":
        agents = (found.counts or {}).get("total", 0)
        words = _NO_AGENT if not agents else _NO_LABEL if found.missing else _NOT_TOGETHER
    elif found.reason == "unknown":
        matching = (found.counts or {}).get("matching", 0)
        words = _NOT_QUEUED if found.task is None else _FREE if matching else _MORE_AGENTS
    view: Document = {"reason": found.reason, "explanation": words}
    if found.counts is not None and found.task is not None:
        view["agents"] = dict(found.counts)
        if HOSTNAME in needed(labels_of(found.task)):
            view["explanation"] = words + _BY_HOSTNAME
    if found.missing:
        view["missing_labels"] = {_cut(key): _cut(value) for key, value in found.missing.items()}
    return view


def _workflows(pipeline: Document, tasks: Tasks | None) -> list[Document]:
    """Show the workflows, those that wait with their labels and what they wait for."""
    flows = objects_of(pipeline, "workflows")
    names = {str(number_of(flow, "id")): text_or_empty(flow, "name") for flow in flows}
    shown: list[Document] = []
    for flow in flows[:WORKFLOWS]:
        view: Document = {"name": _cut(text_or_empty(flow, "name"))}
        if axis := object_of(flow, "environ"):
            view["axis"] = axis
        view["state"] = text_or_empty(flow, "state")
        task = None if tasks is None else tasks.of(flow)
        if task is not None:
            labels = needed(labels_of(task))
            view["labels"] = {_cut(key): _cut(value) for key, value in labels.items()}
            if task in (tasks.waiting if tasks else []):
                on = [names.get(one, "") for one in texts_of(task, "dependencies")]
                view["waits_for"] = [_cut(name) for name in on if name]
        shown.append(view)
    return shown


def _fitted(result: Document) -> Document:
    """Leave out what says least, from the end, until the result fits."""
    flows = objects_of(result, "workflows")
    for field in ("labels", "axis", "waits_for"):
        for flow in reversed(flows):
            if size(result) > RESULT_BYTES:
                flow.pop(field, None)
    names = ("workflows", "labels_as_written", "missing_labels")
    while size(result) > RESULT_BYTES:
        longest = max(names, key=lambda name: size(result.get(name, [])))
        part = result[longest]
        if isinstance(part, dict):
            part.popitem()
        elif isinstance(part, list):
            part.pop()
    return result


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_CHARS else f"{text[:TEXT_CHARS]}…(cut)"
