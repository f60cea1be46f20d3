"""Tools that decide on a pipeline: let it run, stop it, remove it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, cast

from typing_extensions import TypedDict

from mcp_approval.verdict import Ask
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import number_of, text_or_empty
from mcp_serverkit.tools.registry import Call
from woodpecker_ci_mcp.api import removal
from woodpecker_ci_mcp.argument_types import Number, Repo, RepoId
from woodpecker_ci_mcp.dialogs import pipelines as dialogs
from woodpecker_ci_mcp.facts import blocked_origin, ended_pipeline
from woodpecker_ci_mcp.pipeline_views import pipeline_summary
from woodpecker_ci_mcp.registry import TOOLS
from woodpecker_ci_mcp.result_size import fit_object

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker


class Changed(TypedDict):
    """A pipeline after a decision."""

    pipeline: dict[str, object]
    note: NotRequired[str]


class Cancelled(TypedDict):
    """A cancelled pipeline."""

    pipeline: int
    cancelled: bool
    note: NotRequired[str]


class Deleted(TypedDict):
    """A removed pipeline."""

    deleted_pipeline: int
    checked: NotRequired[int]
    verified: NotRequired[bool]
    note: NotRequired[str]


@TOOLS.write("Cancel a pipeline", destructive=False, idempotent=True)
async def cancel_pipeline(
    call: Call[Woodpecker], number: Number, repo_id: RepoId = None, repo: Repo = None
) -> Cancelled:
    """Stop a pipeline that is pending, running or blocked."""
    wp = call.app
    repository = await wp.repository(repo_id, repo)
    present = await read_fact(wp.pipeline(repository, number))
    await wp.api.act("repos", repository, "pipelines", number, "cancel")
    result: Cancelled = {"pipeline": number, "cancelled": True}
    if present is not None and text_or_empty(present[1], "status") == "blocked":
        result["note"] = (
            "Nobody had approved it, so restart_pipeline refuses it from now on; a new push makes "
            "a pipeline that can be approved."
        )
    return result


@TOOLS.write("Approve a pipeline", destructive=True, idempotent=True, asks="always", foreign=True)
async def approve_pipeline(
    call: Call[Woodpecker], number: Number, repo_id: RepoId = None, repo: Repo = None
) -> Changed:
    """Let a blocked pipeline run, with the repository's secrets."""
    wp = call.app
    repository = await wp.repository(repo_id, repo)

    async def ask() -> Ask:
        await wp.rights.require_repository(repository, "push", "approving a pipeline")
        found = await blocked_origin(wp.api, repository, number)
        return dialogs.approve_pipeline(repository, number, found)

    await call.confirm(ask)
    approved = await wp.api.post("repos", repository, "pipelines", number, "approve")
    note = "It is queued; get_pipeline tells how far it is."
    return fit_object(Changed(pipeline=pipeline_summary(approved), note=note))


@TOOLS.write("Decline a pipeline", destructive=False, idempotent=True, foreign=True)
async def decline_pipeline(
    call: Call[Woodpecker], number: Number, repo_id: RepoId = None, repo: Repo = None
) -> Changed:
    """Refuse a blocked pipeline, so that it does not run."""
    wp = call.app
    repository = await wp.repository(repo_id, repo)
    declined = await wp.api.post("repos", repository, "pipelines", number, "decline")
    note = "It will not run."
    return fit_object(Changed(pipeline=pipeline_summary(declined), note=note))


@TOOLS.write("Delete a pipeline", destructive=True, idempotent=True, asks="always")
async def delete_pipeline(
    call: Call[Woodpecker], number: Number, repo_id: RepoId = None, repo: Repo = None
) -> Deleted:
    """Remove a finished pipeline with its logs. Needs repository admin."""
    wp = call.app
    repository = await wp.repository(repo_id, repo)

    async def ask() -> Ask:
        await wp.rights.require_repository(repository, "admin", "deleting a pipeline")
        found = await ended_pipeline(wp.api, repository, number, "deleting")
        return dialogs.delete_pipeline(repository, number, number_of(found or {}, "id"))

    await call.confirm(ask)
    after = await removal.delete_pipeline(wp.api, repository, number)
    return cast("Deleted", {"deleted_pipeline": number, **after.notes})
