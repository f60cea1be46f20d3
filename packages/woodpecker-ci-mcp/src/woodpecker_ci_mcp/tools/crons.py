"""Tools for cron jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired, cast

from typing_extensions import TypedDict

from mcp_approval.verdict import Ask
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import text_or_empty, without_none
from mcp_serverkit.tools.constraints import Length
from mcp_serverkit.tools.registry import Call
from woodpecker_ci_mcp import builds, release
from woodpecker_ci_mcp.api.lookups import has_cron, unless_it_exists
from woodpecker_ci_mcp.argument_types import (
    REAL,
    Branch,
    Id,
    KeptVariables,
    Name,
    Page,
    PerPage,
    Repo,
    RepoId,
    Timezone,
    Variables,
)
from woodpecker_ci_mcp.dialogs import pipelines as dialogs
from woodpecker_ci_mcp.redaction import REDACTED, keep_hidden
from woodpecker_ci_mcp.registry import TOOLS
from woodpecker_ci_mcp.result_size import fit_list, fit_object, paged
from woodpecker_ci_mcp.views import cron_view

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker

CronId = Annotated[Id, "Cron job id"]
Schedule = Annotated[str, Length(1, 200, listed=False), REAL]

PAUSED = "Woodpecker stored it switched off, so it never runs: use update_cron with enabled=true."


class Crons(TypedDict):
    """Cron jobs of a repository."""

    crons: list[dict[str, object]]


class Cron(TypedDict, total=False):
    """A cron job."""

    id: int
    name: str
    enabled: bool


class Stored(TypedDict):
    """A cron job as it is stored."""

    cron: dict[str, object]
    note: NotRequired[str]


class Deleted(TypedDict):
    """A removed cron job."""

    deleted_cron: int


@TOOLS.read("List cron jobs", foreign=True)
async def list_crons(
    call: Call[Woodpecker],
    repo_id: RepoId = None,
    repo: Repo = None,
    page: Page = None,
    per_page: PerPage = None,
) -> Crons:
    """List a repository's cron jobs, paused ones included."""
    wp = call.app
    repository = await wp.repository(repo_id, repo, known=True)
    query = {"page": page, "perPage": per_page}
    found = await wp.api.entries("repos", repository, "cron", query=query)
    result = fit_list(Crons(crons=[cron_view(cron) for cron in found]), "crons")
    return paged(result, len(found), page, per_page)


@TOOLS.read("Get a cron job", foreign=True)
async def get_cron(
    call: Call[Woodpecker], cron_id: CronId, repo_id: RepoId = None, repo: Repo = None
) -> Cron:
    """Read a cron job."""
    wp = call.app
    repository = await wp.repository(repo_id, repo, known=True)
    found = await wp.api.get("repos", repository, "cron", cron_id)
    return cast("Cron", cron_view(found))


@TOOLS.write("Create a cron job", destructive=False, idempotent=False, foreign=True)
async def create_cron(
    call: Call[Woodpecker],
    name: Annotated[Name, "Name"],
    schedule: Annotated[Schedule, "Five fields, @daily or @every 30m"],
    repo_id: RepoId = None,
    repo: Repo = None,
    branch: Annotated[Branch | None, "Default: the repository's"] = None,
    timezone: Annotated[Timezone | None, "Default: UTC"] = None,
    enabled: Annotated[bool, "Whether it runs"] = True,
    variables: Annotated[Variables | None, "Variables for its steps"] = None,
) -> Stored:
    """Start pipelines of a repository on a schedule."""
    wp = call.app
    repository = await wp.repository(repo_id, repo)
    body = without_none(
        name=name,
        schedule=schedule,
        branch=branch,
        timezone=timezone,
        enabled=enabled,
        variables=variables,
    )
    made = await unless_it_exists(
        wp.api.post("repos", repository, "cron", body=body),
        lambda: has_cron(wp.api, repository, name),
        "A cron job of that name",
        "update_cron",
    )
    result: Stored = {"cron": cron_view(made)}
    if enabled and made.get("enabled") is False:
        result["note"] = PAUSED
    return result


@TOOLS.write("Change a cron job", destructive=True, idempotent=True, foreign=True)
async def update_cron(
    call: Call[Woodpecker],
    cron_id: CronId,
    repo_id: RepoId = None,
    repo: Repo = None,
    name: Annotated[Name | None, "Name"] = None,
    schedule: Annotated[Schedule | None, "Five fields, @daily or @every 30m"] = None,
    branch: Annotated[Branch | None, "Branch"] = None,
    timezone: Annotated[Timezone | None, "Such as Europe/Berlin"] = None,
    enabled: Annotated[bool | None, "false pauses it"] = None,
    variables: Annotated[
        KeptVariables | None, "Replace the present ones; (redacted) keeps a value"
    ] = None,
) -> Stored:
    """Change a cron job; what is not given stays."""
    wp = call.app
    repository = await wp.repository(repo_id, repo)
    body = without_none(
        name=name,
        schedule=schedule,
        branch=branch,
        timezone=timezone,
        enabled=enabled,
        variables=variables,
    )
    if not body:
        raise BadArgument("cron_id", "nothing to update: give at least one setting")
    if variables is not None and REDACTED in variables.values():
        present = await wp.api.get("repos", repository, "cron", cron_id)
        body["variables"] = keep_hidden(variables, present)
    changed = await unless_it_exists(
        wp.api.patch("repos", repository, "cron", cron_id, body=body),
        lambda: has_cron(wp.api, repository, name or "", cron_id),
        "Another cron job of that name",
        "update_cron",
    )
    return {"cron": cron_view(changed), "note": "This account is now the job's creator."}


@TOOLS.write("Run a cron job", destructive=True, idempotent=False, foreign=True)
async def run_cron(
    call: Call[Woodpecker], cron_id: CronId, repo_id: RepoId = None, repo: Repo = None
) -> builds.Started:
    """Start a cron job's pipeline now. A repeat starts another run."""
    wp = call.app
    repository = await wp.repository(repo_id, repo)
    active = await builds.active_repository(wp.api, repository)
    cron = await wp.api.get("repos", repository, "cron", cron_id)
    branch = text_or_empty(cron, "branch") or text_or_empty(active, "default_branch")
    await release.require_released_code(wp.api, repository, active, branch)
    return fit_object(await builds.start(wp.api, repository, "cron", cron_id))


@TOOLS.write("Delete a cron job", destructive=True, idempotent=True, asks="always")
async def delete_cron(
    call: Call[Woodpecker], cron_id: CronId, repo_id: RepoId = None, repo: Repo = None
) -> Deleted:
    """Remove a cron job."""
    wp = call.app
    repository = await wp.repository(repo_id, repo)

    async def ask() -> Ask:
        await wp.rights.require_repository(repository, "push", "deleting a cron job")
        await read_fact(wp.api.get("repos", repository, "cron", cron_id))
        return dialogs.delete_cron(repository, cron_id)

    await call.confirm(ask)
    await wp.api.delete("repos", repository, "cron", cron_id)
    return {"deleted_cron": cron_id}
