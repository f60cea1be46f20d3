"""Tools that change what a repository may do, and whose it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NotRequired, cast

from typing_extensions import TypedDict

from mcp_approval.verdict import Ask
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.facts import fresh_after_first, read_fact
from mcp_serverkit.tools.constraints import Length, Range, Validator
from mcp_serverkit.tools.registry import Call
from woodpecker_ci_mcp import guards
from woodpecker_ci_mcp.api import removal, repositories
from woodpecker_ci_mcp.api.removal import list_all
from woodpecker_ci_mcp.api.repository_settings import repository_patch
from woodpecker_ci_mcp.argument_types import REAL, Event, Repo, RepoId
from woodpecker_ci_mcp.dialogs import repositories as dialogs
from woodpecker_ci_mcp.facts import WHOLE_PAGES, entries_of, own_id, require_other_name
from woodpecker_ci_mcp.names import check_full_name
from woodpecker_ci_mcp.registry import TOOLS
from woodpecker_ci_mcp.result_size import fit_object
from woodpecker_ci_mcp.tools.repositories import Repository
from woodpecker_ci_mcp.views import full_view

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker


class Repaired(TypedDict):
    """What became of a repair."""

    repaired: str
    failed_repositories: NotRequired[list[int]]


class Moved(TypedDict):
    """Where a repository points now."""

    moved: int
    full_name: str
    verified: NotRequired[bool]
    note: NotRequired[str]


class Deleted(TypedDict):
    """A removed repository."""

    deleted_repository: int
    note: str


@TOOLS.write(
    "Change repository settings",
    destructive=True,
    idempotent=True,
    asks="when it grants trust, lowers require_approval, or makes it public",
    foreign=True,
)
async def update_repository(
    call: Call[Woodpecker],
    repo_id: RepoId = None,
    repo: Repo = None,
    config_file: Annotated[
        str | None, "Empty: the default", Length(0, 500, listed=False), REAL
    ] = None,
    timeout: Annotated[  # noqa: ASYNC109 (Woodpecker's name)
        int | None, "Minutes", Range(1, 10_080, listed=False)
    ] = None,
    visibility: Annotated[Literal["public", "private", "internal"] | None, "Who may read"] = None,
    allow_pr: Annotated[bool | None, "Run pull requests"] = None,
    allow_deploy: Annotated[bool | None, "Allow deployments"] = None,
    require_approval: Annotated[
        Literal["none", "forks", "pull_requests", "all_events"] | None, "What waits for a person"
    ] = None,
    cancel_previous_pipeline_events: Annotated[
        list[Event] | None, "Events whose newer run ends the older", Length(0, 9, listed=False)
    ] = None,
    trusted_network: Annotated[bool | None, "Join host networks"] = None,
    trusted_volumes: Annotated[bool | None, "Mount host paths"] = None,
    trusted_security: Annotated[bool | None, "Run privileged"] = None,
) -> Repository:
    """Change settings of a repository; what is not given stays."""
    wp = call.app
    repository = await wp.repository(repo_id, repo)
    patch = repository_patch(
        {
            "config_file": config_file,
            "timeout": timeout,
            "visibility": visibility,
            "allow_pr": allow_pr,
            "allow_deploy": allow_deploy,
            "require_approval": require_approval,
            "cancel_previous_pipeline_events": cancel_previous_pipeline_events,
        },
        {"network": trusted_network, "volumes": trusted_volumes, "security": trusted_security},
    )

    async def widening() -> guards.Widening:
        return guards.of_repository(patch.body, await patch.present(wp.api, repository))

    found = await widening()
    body = patch.on_the_wire(wp.api)
    if found.reasons:
        now = fresh_after_first(found, widening)

        async def ask() -> Ask:
            await wp.rights.require_repository(repository, "admin", "widening its reach")
            if guards.grants_trust(found):
                await wp.rights.require_admin("granting trust")
            return dialogs.update_repository(repository, patch.body, await now())

        await call.confirm(ask)
    changed = await wp.api.patch("repos", repository, body=body)
    return fit_object(cast("Repository", full_view(changed)))


@TOOLS.write(
    "Repair a repository",
    destructive=False,
    idempotent=True,
    asks="when scope is instance",
)
async def repair_repository(
    call: Call[Woodpecker],
    repo_id: RepoId = None,
    repo: Repo = None,
    scope: Annotated[Literal["repository", "instance"], "instance: all of them (admin)"] = (
        "repository"
    ),
) -> Repaired:
    """Install the webhook of a repository anew and read its data from the forge."""
    from woodpecker_ci_mcp.long_acts import reported

    wp = call.app
    if scope == "repository":
        repository = await wp.repository(repo_id, repo)
        await wp.api.act("repos", repository, "repair")
        return {"repaired": f"repository {repository}"}
    if repo_id is not None or repo is not None:
        raise BadArgument("scope", "instance repairs all repositories; leave out which one")

    async def ask() -> Ask:
        await wp.rights.require_admin("repairing all repositories")
        return dialogs.repair_all()

    await call.confirm(ask)
    failed = await reported(repositories.repair_all(wp.api), call.report)
    if failed:
        return {"repaired": "all other active repositories", "failed_repositories": failed}
    return {"repaired": "all active repositories"}


@TOOLS.write("Move a repository", destructive=True, idempotent=True, asks="always", foreign=True)
async def move_repository(
    call: Call[Woodpecker],
    to: Annotated[str, Validator(check_full_name), "Its new owner/name, which exists on the forge"],
    repo_id: RepoId = None,
    repo: Repo = None,
) -> Moved:
    """Point a repository at another one of the forge, after it was moved or renamed there.

    Woodpecker up to 3.12 moves it and then answers HTTP 500. This tool looks and tells which
    happened; do not move again on an error before get_repository shows the old name.
    """
    wp = call.app
    repository = await wp.repository(repo_id, repo)

    async def ask() -> Ask:
        await wp.rights.require_repository(repository, "admin", "moving it")
        await require_other_name(wp.api, repository, to)
        return dialogs.move_repository(repository, to)

    await call.confirm(ask)
    full_name, complained = await repositories.move(wp.api, repository, to)
    result: Moved = {"moved": repository, "full_name": full_name or to}
    if full_name is None:
        result["verified"] = False
        result["note"] = "Its name could not be read back; get_repository shows it."
    if complained:
        result["note"] = (
            "It was moved, though Woodpecker answered HTTP 500, as versions up to 3.12 do. Do not "
            "repeat it."
        )
    return result


@TOOLS.write(
    "Take over a repository", destructive=True, idempotent=True, asks="always", foreign=True
)
async def chown_repository(
    call: Call[Woodpecker], repo_id: RepoId = None, repo: Repo = None
) -> Repository:
    """Make this account the owner: all later pipelines then use its forge login."""
    wp = call.app
    repository = await wp.repository(repo_id, repo)

    async def ask() -> Ask:
        await wp.rights.require_repository(repository, "admin", "taking it over")
        await read_fact(wp.api.get("repos", repository))
        return dialogs.chown_repository(repository, await own_id(wp.api))

    await call.confirm(ask)
    owned = await wp.api.post("repos", repository, "chown")
    return fit_object(cast("Repository", full_view(owned)))


@TOOLS.write("Delete a repository", destructive=True, idempotent=True, asks="always")
async def delete_repository(
    call: Call[Woodpecker],
    repo_id: RepoId = None,
    repo: Repo = None,
    keep_data: Annotated[bool, "Only switch it off"] = False,
) -> Deleted:
    """Remove a repository from Woodpecker with all its data; the forge keeps it."""
    wp = call.app
    repository = await wp.repository(repo_id, repo)

    async def ask() -> Ask:
        await wp.rights.require_repository(repository, "admin", "deleting it")
        await read_fact(wp.api.get("repos", repository))
        crons = None if keep_data else await entries_of(wp.api, "repos", repository, "cron")
        return dialogs.delete_repository(repository, keep_data, crons)

    await call.confirm(ask)
    if keep_data:
        await wp.api.delete("repos", repository)
        kept = "It is switched off and without an owner; its data is kept."
        return {"deleted_repository": repository, "note": kept}
    crons = removal.ids_of(await list_all(wp.api, "repos", repository, "cron", most=WHOLE_PAGES))
    await removal.delete_repository(wp.api, repository, crons)
    return {
        "deleted_repository": repository,
        "note": "It is gone with its pipelines, secrets, registries, cron jobs and permissions. "
        "A server that keeps logs in files keeps those files.",
    }
