"""Tools for the logs of steps."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Literal, NotRequired, cast

from typing_extensions import TypedDict

from mcp_approval.verdict import Ask
from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import number_of
from mcp_serverkit.tools.constraints import Length, Range
from mcp_serverkit.tools.registry import Call
from woodpecker_ci_mcp import logs, steps
from woodpecker_ci_mcp.api import removal
from woodpecker_ci_mcp.argument_types import Id, LatestBranch, Number, NumberOrLatest, Repo, RepoId
from woodpecker_ci_mcp.dialogs import pipelines as dialogs
from woodpecker_ci_mcp.facts import ended_pipeline, ended_step
from woodpecker_ci_mcp.log_search import find_matches, with_context
from woodpecker_ci_mcp.log_view import LogView, found_view, window_view
from woodpecker_ci_mcp.registry import TOOLS
from woodpecker_ci_mcp.result_size import without_effect

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker


CONTEXT = 3
"""Lines around a match, unless told otherwise."""

MAX_MATCHES = 20
"""Matches that are shown, unless told otherwise."""

MOST_BYTES = 180_000
"""What fits a result beside everything else."""


class StepLog(LogView):
    """A part of a step's log; `output` is the text."""

    repo_id: int
    pipeline: int
    step_id: int
    state: NotRequired[str]
    exit_meaning: NotRequired[str]


class Deleted(TypedDict):
    """Removed logs."""

    deleted_logs: str
    checked: NotRequired[int]
    verified: NotRequired[bool]
    note: NotRequired[str]


@TOOLS.read("Get a step's log", foreign=True)
async def get_step_logs(
    call: Call[Woodpecker],
    number: NumberOrLatest,
    repo_id: RepoId = None,
    repo: Repo = None,
    step_id: Annotated[Id | None, "Step id of get_pipeline"] = None,
    step: Annotated[str | None, "or its name", Length(1, 250, listed=False)] = None,
    workflow: Annotated[
        str | None, "with the name: its workflow", Length(1, 250, listed=False)
    ] = None,
    branch: LatestBranch = None,
    limit: Annotated[int | None, "Lines, 1-5000", Range(1, 5000, listed=False)] = None,
    from_: Annotated[Literal["head", "tail"], "Which end"] = "tail",
    offset: Annotated[int, "Skip lines there", Range(0, listed=False)] = 0,
    around_line: Annotated[int | None, "Lines around this one", Range(1, listed=False)] = None,
    search: Annotated[str | None, "Lines with this text", Length(1, 500, listed=False)] = None,
    context: Annotated[int, "Lines around each, 0-50", Range(0, 50, listed=False)] = CONTEXT,
    max_matches: Annotated[int, "1-500", Range(1, 500, listed=False)] = MAX_MATCHES,
    line_numbers: Annotated[bool, "Prefix number and seconds"] = False,
) -> StepLog:
    """Read a step's log: its end, its beginning, around a line, or what a search finds."""
    wp = call.app
    repository = await wp.repository(repo_id, repo, known=True)
    wanted = steps.Wanted(step_id, step, workflow)
    found = await steps.find(wp, repository, number, wanted, branch)
    log = await wp.api.log(repository, found.pipeline, found.step_id)
    budget = min(wp.settings.log_max_bytes, MOST_BYTES)
    most = limit or wp.settings.log_lines
    if search is not None:
        matches = await find_matches(log, search, max_matches)
        view = found_view(with_context(log, matches, context, budget), len(log))
    elif around_line is not None:
        view = window_view(logs.around(log, around_line, most, budget), line_numbers)
    else:
        show = logs.head if from_ == "head" else logs.tail
        view = window_view(show(log, most, offset, budget), line_numbers)
    notes = [found.note, "" if log else found.empty_log(time.time), view.get("note", "")]
    if said := "; ".join(filter(None, notes)):
        view["note"] = said
    here = {"repo_id": repository, "pipeline": found.pipeline, "step_id": found.step_id}
    result = cast("StepLog", {**here, **found.facts, **view})
    at_end = search is None and around_line is None
    return without_effect(
        result,
        branch=branch is not None and number != "latest",
        workflow=workflow is not None and step_id is not None,
        limit=limit is not None and search is not None,
        from_=from_ == "head" and not at_end,
        offset=offset > 0 and not at_end,
        around_line=around_line is not None and search is not None,
        context=context != CONTEXT and search is None,
        max_matches=max_matches != MAX_MATCHES and search is None,
        line_numbers=line_numbers and search is not None,
    )


@TOOLS.write("Delete a step's log", destructive=True, idempotent=True, asks="always")
async def delete_step_logs(
    call: Call[Woodpecker],
    number: Number,
    step_id: Annotated[Id, "Step id"],
    repo_id: RepoId = None,
    repo: Repo = None,
) -> Deleted:
    """Remove the log of one step, and look whether it is gone."""
    wp = call.app
    repository = await wp.repository(repo_id, repo)

    async def ask() -> Ask:
        await wp.rights.require_repository(repository, "push", "deleting a log")
        found = await ended_step(wp.api, repository, number, step_id)
        return dialogs.delete_step_logs(repository, number, step_id, number_of(found or {}, "id"))

    await call.confirm(ask)
    await wp.api.delete("repos", repository, "logs", number, step_id)
    left = await read_fact(wp.api.log(repository, number, step_id), hopeless=())
    if left:
        raise ToolFailure(
            f"Woodpecker said that the log was deleted, and {len(left)} lines of it can still be "
            "read: it stores logs in files and removed only a copy. delete_pipeline_logs removes "
            "the files."
        )
    result: Deleted = {"deleted_logs": f"step {step_id} of pipeline {number}"}
    if left is None:
        result["verified"] = False
        result["note"] = "Whether it is gone could not be checked."
    return result


@TOOLS.write("Delete a pipeline's logs", destructive=True, idempotent=True, asks="always")
async def delete_pipeline_logs(
    call: Call[Woodpecker], number: Number, repo_id: RepoId = None, repo: Repo = None
) -> Deleted:
    """Remove the logs of all steps of a pipeline, and look whether they are gone."""
    wp = call.app
    repository = await wp.repository(repo_id, repo)

    async def ask() -> Ask:
        await wp.rights.require_repository(repository, "push", "deleting logs")
        found = await ended_pipeline(wp.api, repository, number, "deleting its logs")
        return dialogs.delete_pipeline_logs(repository, number, number_of(found or {}, "id"))

    await call.confirm(ask)
    after = await removal.delete_logs(wp.api, repository, number)
    if after.left:
        raise ToolFailure(removal.still_there(after.left))
    return cast("Deleted", {"deleted_logs": f"all steps of pipeline {number}", **after.notes})
