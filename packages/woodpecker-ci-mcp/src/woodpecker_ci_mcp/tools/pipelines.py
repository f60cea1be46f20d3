"""Tools for pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NotRequired, TypeVar, cast

from typing_extensions import TypedDict

from mcp_approval.verdict import Ask
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.facts import fresh_after_first
from mcp_serverkit.http.json_fields import Document, objects_of, without_none
from mcp_serverkit.tools.constraints import Length
from mcp_serverkit.tools.registry import Call
from woodpecker_ci_mcp import builds, release
from woodpecker_ci_mcp.api.lookups import if_branch_is_there
from woodpecker_ci_mcp.argument_types import (
    REAL,
    Branch,
    Date,
    Event,
    LatestBranch,
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
from woodpecker_ci_mcp.facts import name_agents, origin
from woodpecker_ci_mcp.pipeline_views import (
    pipeline_summary,
    pipeline_view,
    unsuccessful,
    workflow_view,
)
from woodpecker_ci_mcp.registry import TOOLS
from woodpecker_ci_mcp.result_size import fit_list, fit_object, paged, without_effect
from woodpecker_ci_mcp.views import (
    ConfigFiles,
    config_files,
    full_view,
)

ResultT = TypeVar("ResultT")

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import Query
    from woodpecker_ci_mcp.app import Woodpecker

RESERVED = frozenset({"fork", "event", "deploy_to", "deploy_task"})
"""Names that a restart does not pass on as variables."""


class Pipelines(TypedDict):
    """Pipelines in short, newest first."""

    pipelines: list[dict[str, object]]
    note: NotRequired[str]


class Shown(TypedDict):
    """A pipeline with its workflows and their steps."""

    pipeline: dict[str, object]
    workflows: list[dict[str, object]]
    left_out: NotRequired[dict[str, int]]


class Metadata(TypedDict):
    """What steps see of their pipeline, in Woodpecker's own shape."""


class Queued(TypedDict):
    """Pipelines that wait or run, of the whole instance."""

    queued: list[dict[str, object]]


@TOOLS.read("List pipelines", foreign=True)
async def list_pipelines(
    call: Call[Woodpecker],
    repo_id: RepoId = None,
    repo: Repo = None,
    branch: Annotated[str | None, "Exact branch name", Length(1, 250, listed=False)] = None,
    event: Annotated[Event | None, "Event"] = None,
    status: Annotated[Status | None, "Status"] = None,
    ref: Annotated[str | None, "Part of the ref", Length(1, 250, listed=False)] = None,
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
    shown = [pipeline_summary(entry) for entry in found]
    result = fit_list(Pipelines(pipelines=shown), "pipelines")
    if branch is not None and not found and not page:
        result["note"] = (
            "branch is the one that was pushed to or is targeted; pull requests of a branch are "
            "found by ref."
        )
    return paged(result, len(found), page, per_page)


@TOOLS.read("Get a pipeline", foreign=True)
async def get_pipeline(
    call: Call[Woodpecker],
    number: NumberOrLatest,
    repo_id: RepoId = None,
    repo: Repo = None,
    branch: LatestBranch = None,
    failed_only: Annotated[bool, "Only what is not success"] = False,
) -> Shown:
    """Read a pipeline with its workflows and steps: states, errors, exit codes, step ids."""
    wp = call.app
    repository = await wp.repository(repo_id, repo, known=True)
    found = await wp.named_pipeline(repository, number, branch)
    workflows = [workflow_view(entry) for entry in objects_of(found.document, "workflows")]
    await name_agents(wp.api, wp.rights, workflows)
    result = Shown(pipeline=pipeline_view(found.document), workflows=workflows)
    if failed_only:
        result["workflows"], result["left_out"] = unsuccessful(workflows)
    return fit_object(_told(result, found.note, number, branch))


@TOOLS.read("Get a pipeline's configuration", foreign=True)
async def get_pipeline_config(
    call: Call[Woodpecker],
    number: NumberOrLatest,
    repo_id: RepoId = None,
    repo: Repo = None,
    branch: LatestBranch = None,
) -> ConfigFiles:
    """Read the configuration files that a pipeline ran with."""
    wp = call.app
    repository = await wp.repository(repo_id, repo, known=True)
    wanted, note = await wp.pipeline_number(repository, number, branch)
    files = await wp.api.entries("repos", repository, "pipelines", wanted, "config")
    return fit_object(_told(config_files(files), note, number, branch))


@TOOLS.read("Get a pipeline's metadata", foreign=True)
async def get_pipeline_metadata(
    call: Call[Woodpecker],
    number: NumberOrLatest,
    repo_id: RepoId = None,
    repo: Repo = None,
    branch: LatestBranch = None,
) -> Metadata:
    """Read what steps see of their pipeline. Needs push; not on 2.x."""
    wp = call.app
    repository = await wp.repository(repo_id, repo, known=True)
    wanted, note = await wp.pipeline_number(repository, number, branch)
    metadata = await wp.api.get("repos", repository, "pipelines", wanted, "metadata")
    return fit_object(_told(cast("Metadata", full_view(metadata)), note, number, branch))


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
    message: Annotated[str | None, "Shown with it", Length(1, 500, listed=False), REAL] = None,
    variables: Annotated[Variables | None, "Variables for its steps"] = None,
) -> builds.Started:
    """Start a pipeline on a branch. A repeat starts another run."""
    wp = call.app
    repository = await wp.repository(repo_id, repo)
    body: Document = without_none(branch=branch, message=message, variables=variables)
    active = await builds.active_repository(wp.api, repository)
    await release.require_released_code(wp.api, repository, active, branch)
    starting = builds.start(wp.api, repository, "pipelines", body=body)
    return fit_object(await if_branch_is_there(wp.api, repository, branch, starting))


@TOOLS.write("Restart a pipeline", destructive=True, idempotent=False, foreign=True)
async def restart_pipeline(
    call: Call[Woodpecker],
    number: Number,
    repo_id: RepoId = None,
    repo: Repo = None,
    event: Annotated[Literal["deployment"] | None, "deployment, to deploy it"] = None,
    deploy_to: Annotated[
        str | None, "Target, with event", Length(1, 250, listed=False), REAL
    ] = None,
    variables: Annotated[Variables | None, "Variables for its steps"] = None,
) -> builds.Started:
    """Run a pipeline again under a new number. A repeat starts another run.

    It keeps all variables of the pipeline: those given here are added and change none.
    """
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


def _told(result: ResultT, note: str, number: int | str, branch: str | None) -> ResultT:
    """Add how a latest pipeline was found, and an argument that had no effect."""
    if note:
        cast("dict[str, object]", result)["note"] = note
    return without_effect(result, branch=branch is not None and number != "latest")
