"""Finding the step that a call names, and what is known of it beside its log."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from mcp_serverkit.errors import BadArgument, ToolFailure
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import (
    Document,
    number_of,
    object_of,
    objects_of,
    text_or_empty,
)
from woodpecker_ci_mcp.api.parts import steps_of
from woodpecker_ci_mcp.exit_codes import exit_view

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker

ARRIVING_SECONDS = 10
"""How long after the end of a step its log may still arrive."""

_LISTED = 20
"""How many steps of one name an error lists."""


class Step(NamedTuple):
    """A step of a pipeline.

    Attributes:
        pipeline: Number of its pipeline.
        step_id: Its id.
        step: The step; nothing when its pipeline could not be read.
        workflow: The workflow that it belongs to.
        note: What is to be told of how it was found.
    """

    pipeline: int
    step_id: int
    step: Document | None = None
    workflow: Document | None = None
    note: str = ""

    @property
    def facts(self) -> Document:
        """What a log is told with: state, error, names, matrix values, exit code."""
        if self.step is None or self.workflow is None:
            return {}
        facts: Document = {
            "state": text_or_empty(self.step, "state"),
            "step": text_or_empty(self.step, "name"),
            "workflow": text_or_empty(self.workflow, "name"),
            "axis": object_of(self.workflow, "environ"),
            "error": text_or_empty(self.step, "error"),
            "workflow_error": text_or_empty(self.workflow, "error"),
        }
        return {**{key: value for key, value in facts.items() if value}, **exit_view(self.step)}

    def empty_log(self, now: Callable[[], float]) -> str:
        """Say why there is no log."""
        if self.step is None:
            return "the log is empty"
        state = text_or_empty(self.step, "state")
        ended = ended_at(self.step)
        if text_or_empty(self.step, "error"):
            return "the log is empty: see error"
        if state == "skipped":
            return "the log is empty: it did not run"
        if state in {"running", "pending"} or (ended and now() - ended < ARRIVING_SECONDS):
            return "the log is empty; it may still arrive"
        return "the log is empty: it wrote nothing, or its log was deleted"


def ended_at(step: Document) -> int:
    """When a step ended, in seconds of Unix time; 0 while it has not."""
    return number_of(step, "finished") or number_of(step, "finished_at") or 0


class Wanted(NamedTuple):
    """What a call says about a step: its id, or its name and perhaps its workflow's."""

    step_id: int | None
    name: str | None
    workflow: str | None


async def find(
    wp: Woodpecker, repo_id: int, number: int | str, wanted: Wanted, branch: str | None
) -> Step:
    """Find a step by id or by name.

    Raises:
        BadArgument: Not exactly one of both is given.
        ToolFailure: No step, or several, have the name.
    """
    if (wanted.step_id is None) == (wanted.name is None):
        raise BadArgument("step_id", "give exactly one of step_id and step")
    if wanted.step_id is not None and isinstance(number, int):
        # The log can be read without the pipeline, so failing to read that is no reason to stop.
        read = await read_fact(wp.pipeline(repo_id, number), hopeless=())
        if read is None:
            note = "its pipeline could not be read, so nothing else is told of the step"
            return Step(number, wanted.step_id, note=note)
        return _by_id(read[1], number, wanted.step_id)
    latest = await wp.named_pipeline(repo_id, number, branch)
    if wanted.step_id is not None:
        return _by_id(latest.document, latest.number, wanted.step_id)._replace(note=latest.note)
    return _by_name(latest.document, latest.number, wanted)._replace(note=latest.note)


def _by_id(pipeline: Document, number: int, step_id: int) -> Step:
    for workflow, step in _pairs(pipeline):
        if number_of(step, "id") == step_id:
            return Step(number, step_id, step, workflow)
    return Step(number, step_id)


def _by_name(pipeline: Document, number: int, wanted: Wanted) -> Step:
    found = [
        (workflow, step)
        for workflow, step in _pairs(pipeline)
        if text_or_empty(step, "name") == wanted.name
        and wanted.workflow in {None, text_or_empty(workflow, "name")}
    ]
    failed = [pair for pair in found if text_or_empty(pair[1], "state") == "failure"]
    chosen = found if len(found) == 1 else failed
    if len(chosen) == 1:
        workflow, step = chosen[0]
        return Step(number, number_of(step, "id") or 0, step, workflow)
    if not found:
        raise ToolFailure(
            f"step: no step of pipeline {number} has that name; get_pipeline lists its "
            f"{len(steps_of(pipeline))} steps"
        )
    listed = ", ".join(_told(workflow, step) for workflow, step in found[:_LISTED])
    raise ToolFailure(f"step: {len(found)} steps have that name; give step_id: {listed}")


def _pairs(pipeline: Document) -> list[tuple[Document, Document]]:
    return [
        (workflow, step)
        for workflow in objects_of(pipeline, "workflows")
        for step in objects_of(workflow, "children")
    ]


def _told(workflow: Document, step: Document) -> str:
    axis = " ".join(f"{key}={value}" for key, value in object_of(workflow, "environ").items())
    where = " ".join(filter(None, [text_or_empty(workflow, "name"), axis]))
    return f"{number_of(step, 'id')} ({where}, {text_or_empty(step, 'state')})"
