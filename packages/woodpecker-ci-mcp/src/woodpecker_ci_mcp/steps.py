"""Finding the step that a call names, and its exit code.

The code is taken from the pipeline: agents write none into the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mcp_serverkit.errors import BadArgument, ToolFailure
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import Document, number_of, text_or_empty
from woodpecker_ci_mcp.views import steps_of

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker


class Step(NamedTuple):
    """A step of a pipeline.

    Attributes:
        pipeline: Number of its pipeline.
        step_id: Its id.
        exit_code: Its exit code, once it has ended; nothing when it is unknown.
    """

    pipeline: int
    step_id: int
    exit_code: int | None


async def find(
    wp: Woodpecker, repo_id: int, number: int | str, step_id: int | None, name: str | None
) -> Step:
    """Find a step by id or by name.

    Raises:
        BadArgument: Not exactly one of both is given.
        ToolFailure: No step, or several, have the name.
    """
    if (step_id is None) == (name is None):
        raise BadArgument("step_id", "give exactly one of step_id and step")
    if step_id is not None and isinstance(number, int):
        # The log can be read without the pipeline, so failing to read that is no reason to stop.
        read = await read_fact(wp.pipeline(repo_id, number), hopeless=())
        return Step(number, step_id, _exit_code(read[1] if read else {}, step_id))
    found, pipeline = await wp.pipeline(repo_id, number)
    wanted = step_id if step_id is not None else _by_name(pipeline, found, name or "")
    return Step(found, wanted, _exit_code(pipeline, wanted))


def _by_name(pipeline: Document, number: int, name: str) -> int:
    steps = steps_of(pipeline)
    ids = [number_of(step, "id") for step in steps if text_or_empty(step, "name") == name]
    known = [found for found in ids if found is not None]
    if len(known) == 1:
        return known[0]
    if known:
        listed = ", ".join(map(str, known))
        raise ToolFailure(f"step: {len(known)} steps have that name; give step_id: {listed}")
    raise ToolFailure(
        f"step: no step of pipeline {number} has that name; get_pipeline lists its "
        f"{len(steps)} steps"
    )


def _exit_code(pipeline: Document, step_id: int) -> int | None:
    for step in steps_of(pipeline):
        if number_of(step, "id") == step_id:
            ended = number_of(step, "finished") or number_of(step, "finished_at")
            code = number_of(step, "exit_code")
            return code if code or ended else None
    return None
