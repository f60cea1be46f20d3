"""Whether a pipeline was ever released to run: by its event, or by a person who approved it.

Woodpecker holds a pipeline back once, when a webhook makes it, and never holds back a
restart. A held one leaves the status `blocked` in several ways, so the status alone does
not tell what a person has allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.http.json_fields import (
    Document,
    number_of,
    objects_of,
    text_or_empty,
    texts_of,
)
from woodpecker_ci_mcp.api.limits import PAGE

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import WoodpeckerAPI

HELD = frozenset({"blocked", "declined"})
"""States of what waits for a person, or was refused by one."""

_RAN = frozenset({"pending", "running", "success", "failure"})
"""Statuses that only a released pipeline reaches."""

_OWN_EVENTS = frozenset({"cron", "manual"})
"""Events that Woodpecker makes itself and never holds."""

_PULL_REQUEST = "pull_request"


def was_released(pipeline: Document) -> bool | None:
    """Tell from a pipeline alone whether it was released.

    The first line that fits decides. A restart copies the reviewer, so a child of an
    approved pipeline counts as reviewed. The pipeline's own start proves nothing: one that
    broke before it could be held has a start as well.

    Returns:
        Yes, no, or nothing where the settings of its repository must decide.
    """
    if text_or_empty(pipeline, "status") in HELD:
        return False
    if text_or_empty(pipeline, "reviewed_by"):
        return True
    if text_or_empty(pipeline, "status") in _RAN:
        return True
    parts = _parts(pipeline)
    if any(_began(part) for part in parts):
        return True
    if any(text_or_empty(part, "state") in HELD for part in parts):
        return False
    return True if parts else None


def would_hold(pipeline: Document, repository: Document, *, old: bool) -> bool:
    """Tell whether a repository holds back pipelines like this one.

    Args:
        pipeline: The pipeline.
        repository: Its repository as it is now.
        old: Whether the server is 2.x, which knows one switch.
    """
    event = text_or_empty(pipeline, "event")
    if event in _OWN_EVENTS:
        return False
    author = text_or_empty(pipeline, "author")
    if author and author in texts_of(repository, "approval_allowed_users"):
        return False
    pulled = event.startswith(_PULL_REQUEST)
    setting = _setting(repository, old=old)
    if setting == "none":
        return False
    if setting == "forks":
        return pulled and pipeline.get("from_fork") is True
    return pulled if setting == "pull_requests" else True


async def require_released(api: WoodpeckerAPI, repo_id: int, pipeline: Document) -> None:
    """Refuse to run again what nobody released.

    Raises:
        ToolFailure: Nobody did, or what decides could not be read.
    """
    released = was_released(pipeline)
    if released is None:
        repository = await api.get("repos", repo_id)
        old = api.is_before(3, 0) is True
        released = not would_hold(pipeline, repository, old=old)
    if not released:
        raise ToolFailure(_refusal(pipeline), code="never_released")


async def require_released_code(
    api: WoodpeckerAPI, repo_id: int, repository: Document, branch: str
) -> None:
    """Refuse to start a run on a branch whose newest code is still held back.

    Runs that Woodpecker starts itself are never held, so they would run that code all the
    same. Where only forks are held, no branch of the repository itself is.

    Raises:
        ToolFailure: It is held, or what decides could not be read.
    """
    old = api.is_before(3, 0) is True
    if _setting(repository, old=old) in {"none", "forks"}:
        return
    rows = await api.entries("repos", repo_id, "pipelines", query={"page": 1, "perPage": PAGE})
    newest = next((row for row in rows if _holds_code_of(row, branch)), None)
    if newest is None:
        return
    number = number_of(newest, "number") or 0
    released = was_released(newest)
    if released is None:
        # A row of the list has no workflows, so its own document decides.
        newest = await api.get("repos", repo_id, "pipelines", number)
        released = was_released(newest)
    if released is None:
        released = not would_hold(newest, repository, old=old)
    if not released:
        raise ToolFailure(_held(number, text_or_empty(newest, "status")), code="held_code")


def require_own_code(pipeline: Document) -> None:
    """Refuse to deploy a fork's code.

    Raises:
        ToolFailure: The pipeline comes from a fork.
    """
    if pipeline.get("from_fork") is True:
        raise ToolFailure(
            f"Pipeline {number_of(pipeline, 'number')} comes from a fork and cannot be deployed: "
            "whoever approved it was shown the secrets of another event, and a deployment gets "
            "others. Nothing was sent. Merge the change, then deploy a pipeline of the repository "
            "itself.",
            code="fork_deployment",
        )


def unreviewed_fork(pipeline: Document) -> bool:
    """Tell whether a pipeline comes from a fork and nobody reviewed it."""
    return pipeline.get("from_fork") is True and not text_or_empty(pipeline, "reviewed_by")


def _setting(repository: Document, *, old: bool) -> str:
    if old:
        return "all_events" if repository.get("gated") is True else "forks"
    return text_or_empty(repository, "require_approval")


def _holds_code_of(pipeline: Document, branch: str) -> bool:
    """Tell whether a pipeline ran, or would run, the code of a branch of the repository."""
    event = text_or_empty(pipeline, "event")
    if event == "push":
        return text_or_empty(pipeline, "branch") == branch
    if not event.startswith(_PULL_REQUEST) or pipeline.get("from_fork") is True:
        return False
    return text_or_empty(pipeline, "refspec").partition(":")[0] == branch


def _held(number: int, status: str) -> str:
    way = "approve_pipeline lets a person decide on it, or " if status == "blocked" else ""
    return (
        f"The newest code of that branch came with pipeline {number}, which nobody approved. A run "
        "started here is not held back, so it would run that code with the repository's secrets. "
        f"Nothing was sent. {way or 'Only '}a newer push opens the way."
    )


def _refusal(pipeline: Document) -> str:
    number, status = number_of(pipeline, "number"), text_or_empty(pipeline, "status")
    way = (
        "approve_pipeline lets a person decide on it."
        if status == "blocked"
        else "A new push to the pull request makes a pipeline that can be approved; or a person "
        "restarts this one in Woodpecker itself."
    )
    declined = " A person declined it." if status == "declined" else ""
    return (
        f"Nobody approved pipeline {number}.{declined} A restart is not held back for approval, so "
        f"it would run with the repository's secrets at once. Nothing was sent. {way}"
    )


def _parts(pipeline: Document) -> list[Document]:
    """List the workflows, each followed by its steps."""
    parts: list[Document] = []
    for workflow in objects_of(pipeline, "workflows"):
        parts += [workflow, *objects_of(workflow, "children")]
    return parts


def _began(part: Document) -> bool:
    started = number_of(part, "started") or number_of(part, "started_at")
    return started is not None and started > 0
