"""Waiting until a pipeline has ended, within the time that clients give a call.

Polled: a stream's topics are fixed when it opens, and an admin without a permission row
hears nothing of private repositories on it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from mcp_serverkit.errors import Refused, UpstreamFailure
from mcp_serverkit.facts import HOPELESS
from mcp_serverkit.http.json_fields import (
    Document,
    number_of,
    object_of,
    objects_of,
    text_or_empty,
)
from woodpecker_ci_mcp.dialogs.wording import STATUSES
from woodpecker_ci_mcp.exit_codes import exit_view

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker

UNENDED = frozenset({"pending", "running", "created", "blocked"})
"""Statuses from which a pipeline can still go on."""

SETTLE_SECONDS = 10
"""A cancelled run has its last status a moment before its workflows end."""

SOON_SECONDS, SOON_STEP, LATER_STEP = 10, 2, 5
"""In the first seconds of a wait a short run ends; later every few seconds are enough."""

WORKFLOWS, FAILED, ERROR_CHARS = 20, 10, 200
"""How much of a pipeline one answer shows."""

_NO_ANSWER = "Woodpecker gave no answer in time."

Progress = Callable[[int, str], Awaitable[None]]


class Wait:
    """One wait for one pipeline.

    Args:
        wp: The app, with its clock and its way to sleep.
        repo_id: The repository.
        seconds: How long to wait at most.
        progress: Tells the client of changes, in numbers and words of closed lists.
    """

    def __init__(self, wp: Woodpecker, repo_id: int, seconds: int, progress: Progress) -> None:
        self._wp = wp
        self._repo_id = repo_id
        self._seconds = seconds
        self._progress = progress
        self._began = wp.clock()
        self._ended_at: float | None = None
        self._told = ""

    async def run(self, number: int, pipeline: Document | None) -> tuple[Document, bool]:
        """Poll until it has ended, is blocked, or the time is up.

        Args:
            number: Number of the pipeline.
            pipeline: The pipeline, if it was read just now.

        Returns:
            The pipeline as it was seen last, and whether it has ended.
        """
        trouble: UpstreamFailure | None = None
        if pipeline is None:
            pipeline, trouble = await self._look(number)
        while True:
            if pipeline is not None:
                await self._tell(pipeline)
                done = self._is_done(pipeline)
                if done or text_or_empty(pipeline, "status") == "blocked":
                    return pipeline, done
            if self._left() <= 0:
                if pipeline is None:
                    raise trouble or UpstreamFailure(_NO_ANSWER)
                return pipeline, False
            await self._wp.sleep(min(self._pause(), self._left()))
            seen, trouble = await self._look(number)
            pipeline = seen or pipeline

    @property
    def elapsed(self) -> int:
        """Seconds since it began."""
        return int(self._wp.clock() - self._began)

    async def _look(self, number: int) -> tuple[Document | None, UpstreamFailure | None]:
        """Read the pipeline; what fails for a moment is no end of the wait."""
        try:
            async with asyncio.timeout(max(self._left(), 1)):
                return (await self._wp.pipeline(self._repo_id, number))[1], None
        except TimeoutError:
            return None, None
        except Refused as refusal:
            if refusal.status in HOPELESS:
                raise
            return None, refusal
        except UpstreamFailure as failure:
            return None, failure

    def _left(self) -> float:
        return self._began + self._seconds - self._wp.clock()

    def _pause(self) -> int:
        return SOON_STEP if self._wp.clock() - self._began < SOON_SECONDS else LATER_STEP

    def _is_done(self, pipeline: Document) -> bool:
        if text_or_empty(pipeline, "status") in UNENDED:
            return False
        if self._ended_at is None:
            self._ended_at = self._wp.clock()
        states = [text_or_empty(flow, "state") for flow in objects_of(pipeline, "workflows")]
        settled = self._wp.clock() - self._ended_at >= SETTLE_SECONDS
        return settled or not {"pending", "running"} & set(states)

    async def _tell(self, pipeline: Document) -> None:
        states = [text_or_empty(flow, "state") for flow in objects_of(pipeline, "workflows")]
        ended = sum(state not in UNENDED for state in states)
        status = text_or_empty(pipeline, "status")
        word = status if status in STATUSES else "unknown"
        message = f"{ended} of {len(states)} workflows ended, {word}"
        if message != self._told:
            self._told = message
            await self._progress(self.elapsed, message)


def waited_view(pipeline: Document, done: bool) -> Document:
    """Show how far a pipeline is: unfinished and failed workflows first."""
    status = text_or_empty(pipeline, "status")
    flows = sorted(objects_of(pipeline, "workflows"), key=_order)
    view: Document = {
        "done": done,
        "status": status,
        "workflows": [_workflow(flow) for flow in flows[:WORKFLOWS]],
        "failed": [] if status == "success" else failed_steps(pipeline)[:FAILED],
    }
    if len(flows) > WORKFLOWS:
        view["more_workflows"] = len(flows) - WORKFLOWS
    if not done and status in _WAITS:
        view["waiting_for"] = _WAITS[status]
    return view


def failed_steps(pipeline: Document) -> list[Document]:
    """Show the steps that failed, in the order in which they stand in the pipeline."""
    return [
        _failed(flow, step)
        for flow in sorted(objects_of(pipeline, "workflows"), key=_pid)
        for step in sorted(objects_of(flow, "children"), key=_pid)
        if text_or_empty(step, "state") in {"failure", "error"}
    ]


_WAITS = {"blocked": "approval", "pending": "agent", "created": "agent"}


def _failed(flow: Document, step: Document) -> Document:
    view: Document = {
        "step_id": number_of(step, "id"),
        "workflow": text_or_empty(flow, "name"),
        "axis": object_of(flow, "environ"),
        "step": text_or_empty(step, "name"),
        "state": text_or_empty(step, "state"),
        **exit_view(step),
        "error": text_or_empty(step, "error")[:ERROR_CHARS],
    }
    return {key: value for key, value in view.items() if value not in (None, "", {})}


def _workflow(flow: Document) -> Document:
    view: Document = {"name": text_or_empty(flow, "name")}
    if axis := object_of(flow, "environ"):
        view["axis"] = axis
    return {**view, "state": text_or_empty(flow, "state")}


def _order(flow: Document) -> tuple[int, int]:
    state = text_or_empty(flow, "state")
    first = 0 if state in UNENDED else 1 if state in {"failure", "error"} else 2
    return first, _pid(flow)


def _pid(part: Document) -> int:
    return number_of(part, "pid") or 0
