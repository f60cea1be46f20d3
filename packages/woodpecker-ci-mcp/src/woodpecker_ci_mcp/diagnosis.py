"""Why a pipeline failed: the cause, the failed steps with the lines that say so."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import (
    Document,
    number_of,
    objects_of,
    text_or_empty,
)
from mcp_serverkit.tools.results import size
from woodpecker_ci_mcp.api.limits import PAGE
from woodpecker_ci_mcp.api.parts import steps_of
from woodpecker_ci_mcp.log_search import first_match
from woodpecker_ci_mcp.logs import Log
from woodpecker_ci_mcp.pipeline_views import COMMIT_CHARS, pipeline_summary
from woodpecker_ci_mcp.steps import Step, ended_at
from woodpecker_ci_mcp.waiting import failed_steps

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker

SIGNS = re.compile(
    r"\b(?:error|fail|failed|failure|fatal|panic|exception|traceback|assert\w*)\b|^\s*-*\s*FAIL",
    re.IGNORECASE,
)
"""What a line that tells of a failure holds."""

LOGS = 3
"""Failed steps whose log is read."""

HANDED_IN_SECONDS = 3
"""An agent hands in a log one second after the end of its step, which is told in whole seconds."""

BEFORE, TAIL = 3, 5
"""Lines shown before the first one that tells, and of the end."""

LINE_CHARS = 300
RESULT_BYTES = 5_600
"""What a diagnosis may take, so that with its frame it stays below 6,000 bytes."""

_CAUSES = {
    "blocked": "approval",
    "declined": "declined",
    "killed": "cancelled",
    "canceled": "cancelled",
    "pending": "pending",
    "created": "pending",
    "running": "running",
}


async def diagnose(wp: Woodpecker, repo_id: int, pipeline: Document, lines: int) -> Document:
    """Find out why a pipeline is as it is.

    Args:
        wp: The app.
        repo_id: The repository.
        pipeline: The pipeline with its workflows.
        lines: Lines of each log.
    """
    summary = pipeline_summary(pipeline)
    status = text_or_empty(pipeline, "status")
    failed = [] if status == "success" else failed_steps(pipeline)
    await _add_logs(wp, repo_id, pipeline, failed[:LOGS], lines)
    kept = (
        "number",
        "status",
        "event",
        "branch",
        "head_branch",
        "commit",
        "errors",
        "warnings",
        "cancel_info",
    )
    result: Document = {
        "repo_id": repo_id,
        **{name: summary[name] for name in kept if name in summary},
        "cause": _cause(status, failed),
        "failed_steps": failed[:LOGS],
    }
    if len(failed) > LOGS:
        result["more_failed"] = len(failed) - LOGS
    if errors := objects_of(result, "errors"):
        result["errors"] = [_cut_texts(error) for error in errors[:10]]
    if said := _workflow_errors(pipeline):
        result["note"] = said
    if status in {"failure", "error"}:
        result |= await _neighbours(wp, repo_id, pipeline)
    return _fitted(result)


async def _add_logs(
    wp: Woodpecker, repo_id: int, pipeline: Document, failed: list[Document], lines: int
) -> None:
    """Put lines of its log to each failed step, or why there are none."""
    number = number_of(pipeline, "number") or 0
    raw = {number_of(step, "id"): step for step in steps_of(pipeline)}
    found = [(view, raw[number_of(view, "step_id")]) for view in failed]
    ended = max((ended_at(step) for _, step in found), default=0)
    pause = min(ended + HANDED_IN_SECONDS - time.time(), HANDED_IN_SECONDS)
    if pause > 0:
        await wp.sleep(pause)
    for view, step in found:
        step_id = number_of(step, "id") or 0
        log = await read_fact(wp.api.log(repo_id, number, step_id))
        if log is not None:
            view |= await _excerpt(log, lines)
            if not log:
                view["note"] = Step(number, step_id, step).empty_log(time.time)


def _cause(status: str, failed: list[Document]) -> str:
    if status == "error":
        return "config"
    return "step" if failed else _CAUSES.get(status, "none")


def _workflow_errors(pipeline: Document) -> str:
    said = [
        f"workflow {text_or_empty(flow, 'name')}: {error}"
        for flow in objects_of(pipeline, "workflows")
        if (error := text_or_empty(flow, "error"))
    ]
    return _cut("; ".join(said))


async def _excerpt(log: Log, lines: int) -> Document:
    """Show the lines around the first that tells of a failure, and the end."""
    total = len(log)
    hit = await first_match(log, SIGNS)
    start = max(0, total - lines) if hit is None else max(0, hit - BEFORE)
    end = min(total, start + lines)
    view: Document = {
        "log_lines": total,
        "first_line": start + 1,
        "excerpt": [_cut(log.line(index).text) for index in range(start, end)],
    }
    if end < total:
        rest = range(max(end, total - TAIL), total)
        view["tail"] = [_cut(log.line(index).text) for index in rest]
    return view


async def _neighbours(wp: Woodpecker, repo_id: int, pipeline: Document) -> Document:
    """Find the last success before a failed run, and the first failure after it."""
    number = number_of(pipeline, "number") or 0
    query = {
        "branch": text_or_empty(pipeline, "branch") or None,
        "event": text_or_empty(pipeline, "event") or None,
        "page": 1,
        "perPage": PAGE,
    }
    path = ("repos", repo_id, "pipelines")
    rows = await read_fact(wp.api.entries(*path, query=query), hopeless=()) or []
    older = [row for row in rows if (number_of(row, "number") or 0) <= number]
    good = next((row for row in older if text_or_empty(row, "status") == "success"), None)
    if good is None:
        return {}
    last = number_of(good, "number") or 0
    bad = [
        seen
        for row in older
        if text_or_empty(row, "status") in {"failure", "error"}
        and (seen := number_of(row, "number") or 0) > last
    ]
    commit = text_or_empty(good, "commit")[:COMMIT_CHARS]
    result: Document = {"last_good": {"number": last, "commit": commit}}
    if bad:
        result["first_bad"] = {"number": min(bad)}
    return result


def _fitted(result: Document) -> Document:
    """Shorten the excerpts from their ends until the result fits."""
    steps = objects_of(result, "failed_steps")
    for _ in range(200):
        if size(result) <= RESULT_BYTES:
            break
        longest = max(
            (
                part
                for step in steps
                for name in ("excerpt", "tail")
                if (part := _lines(step, name))
            ),
            key=size,
            default=None,
        )
        if longest is None:
            errors = result.get("errors")
            if not isinstance(errors, list) or not errors:
                break
            errors.pop()
        else:
            longest.pop()
    return result


def _lines(step: Document, name: str) -> list[object]:
    value = step.get(name)
    return value if isinstance(value, list) else []


def _cut_texts(document: Document) -> Document:
    return {
        key: _cut(value) if isinstance(value, str) else value for key, value in document.items()
    }


def _cut(text: str) -> str:
    return text if len(text) <= LINE_CHARS else f"{text[:LINE_CHARS]}…(cut)"
