"""Tools for pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NotRequired, cast

from typing_extensions import TypedDict

from mcp_approval.verdict import Ask
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.facts import fresh_after_first, read_fact
from mcp_serverkit.http.json_fields import Document, number_of, objects_of, text_or_empty
from mcp_serverkit.tools.constraints import Length, Validator
from mcp_serverkit.tools.registry import Call
from woodpecker_ci_mcp import builds, release
from woodpecker_ci_mcp.api import removal
from woodpecker_ci_mcp.argument_types import (
    REAL,
    Branch,
    Date,
    Event,
    Number,
    NumberOrLatest,
    Page,
    PerPage,
    Repo,
    RepoId,
    Status,
    Variables,
)
from woodpecker_ci_mcp.dialogs import pipelines as dialogs
from woodpecker_ci_mcp.facts import blocked_origin, ended_pipeline, origin
from woodpecker_ci_mcp.registry import TOOLS
from woodpecker_ci_mcp.result_size import fit_list, fit_object
from woodpecker_ci_mcp.views import (
    ConfigFiles,
    config_files,
    full_view,
    pipeline_summary,
    steps_of,
    workflow_view,
)

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import Query
    from woodpecker_ci_mcp.app import Woodpecker

RESERVED = frozenset({"fork", "event", "deploy_to", "deploy_task"})
"""Names that a restart does not pass on as variables."""


class Pipelines(TypedDict):
    """Pipelines in short, newest first."""

    pipelines: list[dict[str, object]]


class Shown(TypedDict):
    """A pipeline with its workflows and their steps."""

    pipeline: dict[str, object]
    workflows: list[dict[str, object]]


class Changed(TypedDict):
    """A pipeline after a decision."""

    pipeline: dict[str, object]
    note: NotRequired[str]


class Metadata(TypedDict):
    """What steps see of their pipeline, in Woodpecker's own shape."""


class Queued(TypedDict):
    """Pipelines that wait or run, of the whole instance."""

    queued: list[dict[str, object]]


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


@TOOLS.read("List pipelines", foreign=True)
async def list_pipelines(
    call: Call[Woodpecker],
    repo_id: RepoId = None,
    repo: Repo = None,
    branch: Annotated[str | None, "Exact", Validator(Length(1, 250).check)] = None,
    event: Annotated[Event | None, "Event"] = None,
    status: Annotated[Status | None, "Status"] = None,
    ref: Annotated[str | None, "Part of the ref", Validator(Length(1, 250).check)] = None,
    before: Annotated[Date | None, "RFC 3339"] = None,
    after: Annotated[Date | None, "RFC 3339"] = None,
    page: Page = None,
    per_page: PerPage = None,
) -> Pipelines:
    """List a repository's pipelines, newest first, 50 at most."""
    wp = call.app
    repository = await wp.repository(repo_id, repo, known=True)
    query = {
        "branch": branch,
        "event": event,
        "status": status,
        "ref": ref,
        "before": before,
        "after": after,
        "page": page,
        "perPage": per_page,
    }
    found = await wp.api.entries("repos", repository, "pipelines", query=query)
    return fit_list(Pipelines(pipelines=[pipeline_summary(entry) for entry in found]), "pipelines")


@TOOLS.read("Get a pipeline", foreign=True)
async def get_pipeline(
    call: Call[Woodpecker],
    number: NumberOrLatest,
    repo_id: RepoId = None,
    repo: Repo = None,
) -> Shown:
    """Read a pipeline with its workflows and steps: states, errors, exit codes, step ids."""
    wp = call.app
    repository = await wp.repository(repo_id, repo, known=True)
    _, found = await wp.pipeline(repository, number)
    return fit_object(
        Shown(
            pipeline=pipeline_summary(found),
            workflows=[workflow_view(entry) for entry in objects_of(found, "workflows")],
        )
    )


@TOOLS.read("Get a pipeline's configuration", foreign=True)
async def get_pipeline_config(
    call: Call[Woodpecker],
    number: NumberOrLatest,
    repo_id: RepoId = None,
    repo: Repo = None,
) -> ConfigFiles:
    """Read the configuration files that a pipeline ran with."""
    wp = call.app
    repository = await wp.repository(repo_id, repo, known=True)
    found = await wp.pipeline_number(repository, number)
    files = await wp.api.entries("repos", repository, "pipelines", found, "config")
    return fit_object(config_files(files))


@TOOLS.read("Get a pipeline's metadata", foreign=True)
async def get_pipeline_metadata(
    call: Call[Woodpecker],
    number: NumberOrLatest,
    repo_id: RepoId = None,
    repo: Repo = None,
) -> Metadata:
    """Read what steps see of their pipeline. Needs push; not on 2.x."""
    wp = call.app
    repository = await wp.repository(repo_id, repo, known=True)
    found = await wp.pipeline_number(repository, number)
    metadata = await wp.api.get("repos", repository, "pipelines", found, "metadata")
    return fit_object(cast("Metadata", full_view(metadata)))


@TOOLS.read("List queued pipelines", foreign=True)
async def list_queued_pipelines(call: Call[Woodpecker]) -> Queued:
    """List pending and running pipelines of the whole instance. Needs admin."""
    found = await call.app.api.entries("pipelines")
    return fit_list(Queued(queued=[full_view(entry) for entry in found]), "queued")


@TOOLS.write("Trigger a pipeline", destructive=True, idempotent=False, foreign=True)
async def trigger_pipeline(
    call: Call[Woodpecker],
    branch: Annotated[Branch, "Branch"],
    repo_id: RepoId = None,
    repo: Repo = None,
    message: Annotated[str | None, "Shown with it", Validator(Length(1, 500).check), REAL] = None,
    variables: Annotated[Variables | None, "Variables for its steps"] = None,
) -> builds.Started:
    """Start a pipeline on a branch. A repeat starts another run."""
    wp = call.app
    repository = await wp.repository(repo_id, repo)
    body: dict[str, object] = {"branch": branch}
    if message is not None:
        body["message"] = message
    if variables is not None:
        body["variables"] = variables
    return fit_object(await builds.start(wp.api, repository, "pipelines", body=body))


@TOOLS.write("Restart a pipeline", destructive=True, idempotent=False, foreign=True)
async def restart_pipeline(
    call: Call[Woodpecker],
    number: Number,
    repo_id: RepoId = None,
    repo: Repo = None,
    event: Annotated[Literal["deployment"] | None, "To deploy it"] = None,
    deploy_to: Annotated[
        str | None, "Target, with event", Validator(Length(1, 250).check), REAL
    ] = None,
    variables: Annotated[Variables | None, "Variables for its steps"] = None,
) -> builds.Started:
    """Run a pipeline again under a new number. A repeat starts another run."""
    wp = call.app
    if deploy_to is not None and event is None:
        raise BadArgument("deploy_to", "has no effect without event deployment")
    if taken := RESERVED & set(variables or {}):
        raise BadArgument("variables", f"{min(taken)} is a parameter of the restart itself")
    repository = await wp.repository(repo_id, repo)
    query: Query = {**(variables or {}), "event": event, "deploy_to": deploy_to}

    async def read() -> Document:
        _, pipeline = await wp.pipeline(repository, number)
        await release.require_released(wp.api, repository, pipeline)
        if event is not None:
            release.require_own_code(pipeline)
        builds.refuse_known_variables(pipeline, variables or {})
        return pipeline

    pipeline = await read()
    await builds.require_configuration(wp.api, repository, pipeline)
    if call.tool.asks and release.unreviewed_fork(pipeline):
        now = fresh_after_first(pipeline, read)

        async def ask() -> Ask:
            return dialogs.restart_pipeline(repository, number, origin(await now()), query)

        await call.confirm(ask)
    return fit_object(await builds.restart(wp.api, repository, number, query))


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
    _, pipeline = await wp.pipeline(repository, number)
    steps = removal.ids_of(steps_of(pipeline))
    after = await removal.delete_pipeline(wp.api, repository, number, steps)
    return cast("Deleted", {"deleted_pipeline": number, **after.notes})
