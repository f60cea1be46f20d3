"""Tools that are off by default: waiting for a pipeline, and explaining it in one call."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, NotRequired, cast

from typing_extensions import TypedDict

from mcp_serverkit.tools.constraints import Range
from mcp_serverkit.tools.registry import Call
from woodpecker_ci_mcp.argument_types import LatestBranch, NumberOrLatest, Repo, RepoId
from woodpecker_ci_mcp.registry import TOOLS
from woodpecker_ci_mcp.result_size import without_effect

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker

WAIT_SECONDS = 45
"""Clients give up a call after 60 s."""

# The last lines of a failed step name the failure nearly always.
DIAGNOSIS_LINES = 15


class Waited(TypedDict):
    """How far a pipeline is."""

    repo_id: int
    number: int
    done: bool
    status: str
    workflows: list[dict[str, object]]
    failed: list[dict[str, object]]
    waiting_for: NotRequired[str]
    elapsed_s: int
    note: NotRequired[str]


class Diagnosis(TypedDict):
    """Why a pipeline is as it is."""

    repo_id: int
    number: int
    status: str
    cause: str
    failed_steps: list[dict[str, object]]
    note: NotRequired[str]


class NotRunning(TypedDict):
    """Why a pipeline does not run."""

    repo_id: int
    number: int
    status: str
    reason: str
    explanation: str
    workflows: list[dict[str, object]]
    note: NotRequired[str]


@TOOLS.read("Wait for a pipeline", foreign=True)
async def wait_for_pipeline(
    call: Call[Woodpecker],
    number: NumberOrLatest = "latest",
    repo_id: RepoId = None,
    repo: Repo = None,
    branch: LatestBranch = None,
    timeout_s: Annotated[int, "Seconds, 1-50", Range(1, 50, listed=False)] = WAIT_SECONDS,
) -> Waited:
    """Wait until a pipeline has ended, and tell how; call again while done is false."""
    from woodpecker_ci_mcp.waiting import Wait, waited_view

    wp = call.app
    repository = await wp.repository(repo_id, repo, known=True)
    wait = Wait(wp, repository, timeout_s, call.report)
    note = ""
    pipeline = None
    if isinstance(number, int):
        wanted = number
    else:
        wanted, pipeline, note = await wp.named_pipeline(repository, number, branch)
    pipeline, done = await wait.run(wanted, pipeline)
    view = waited_view(pipeline, done)
    if view.get("waiting_for") == "approval":
        note = "blocked: only a person moves it"
    elif not done:
        note = f"not finished: call again with number {wanted}"
    result = {"repo_id": repository, "number": wanted, **view, "elapsed_s": wait.elapsed}
    shown = cast("Waited", {**result, "note": note} if note else result)
    return without_effect(shown, branch=branch is not None and number != "latest")


@TOOLS.read("Diagnose a pipeline", foreign=True)
async def diagnose_pipeline(
    call: Call[Woodpecker],
    number: NumberOrLatest = "latest",
    repo_id: RepoId = None,
    repo: Repo = None,
    branch: LatestBranch = None,
    lines: Annotated[int, "Log lines a step, 5-40", Range(5, 40, listed=False)] = (DIAGNOSIS_LINES),
) -> Diagnosis:
    """Explain a pipeline: cause, failed steps with their telling log lines, last good run."""
    from woodpecker_ci_mcp.diagnosis import diagnose

    wp = call.app
    repository = await wp.repository(repo_id, repo, known=True)
    found = await wp.named_pipeline(repository, number, branch)
    result = cast("Diagnosis", await diagnose(wp, repository, found.document, lines))
    if found.note:
        result["note"] = "; ".join(filter(None, [found.note, result.get("note", "")]))
    return without_effect(result, branch=branch is not None and number != "latest")


@TOOLS.read("Tell why a pipeline does not run", foreign=True)
async def why_not_running(
    call: Call[Woodpecker],
    number: NumberOrLatest = "latest",
    repo_id: RepoId = None,
    repo: Repo = None,
    branch: LatestBranch = None,
) -> NotRunning:
    """Tell why a pipeline does not run: approval, queue, labels, agents. Admins learn most."""
    from woodpecker_ci_mcp.why_not_running import explain

    wp = call.app
    repository = await wp.repository(repo_id, repo, known=True)
    found = await wp.named_pipeline(repository, number, branch)
    result = cast("NotRunning", await explain(wp, repository, found.document, time.time()))
    if found.note:
        result["note"] = found.note
    return without_effect(result, branch=branch is not None and number != "latest")
