"""Tools for repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, cast

from typing_extensions import TypedDict

from mcp_serverkit.http.json_fields import objects, picked
from mcp_serverkit.tools.constraints import Length, Validator
from mcp_serverkit.tools.registry import Call
from woodpecker_ci_mcp.api import repositories
from woodpecker_ci_mcp.api.lookups import if_visible
from woodpecker_ci_mcp.argument_types import Page, PerPage, RemoteId, Repo, RepoId
from woodpecker_ci_mcp.names import check_full_name
from woodpecker_ci_mcp.registry import TOOLS
from woodpecker_ci_mcp.repository_lists import Wanted, of_account, of_instance
from woodpecker_ci_mcp.result_size import fit_list, fit_object, paged
from woodpecker_ci_mcp.views import full_view, pull_request_view, repository_summary

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker


class Repositories(TypedDict):
    """Repositories in short."""

    repositories: list[dict[str, object]]


class Repository(TypedDict, total=False):
    """A repository with its settings."""

    id: int
    full_name: str
    note: str


class Permissions(TypedDict):
    """What the account may do in a repository."""

    pull: bool
    push: bool
    admin: bool


class Branches(TypedDict):
    """Names of branches."""

    branches: list[str]


class PullRequests(TypedDict):
    """Open pull requests."""

    pull_requests: list[dict[str, object]]


@TOOLS.read("List repositories", foreign=True)
async def list_repositories(
    call: Call[Woodpecker],
    scope: Annotated[
        Literal["account", "instance"], "account: those of this account; instance: all (admin)"
    ] = "account",
    include_inactive: Annotated[bool, "Also those not activated"] = False,
    name: Annotated[str | None, "Part of owner/name", Length(1, 200, listed=False)] = None,
    page: Page = None,
    per_page: PerPage = None,
) -> Repositories:
    """List repositories with their ids and last pipeline."""
    read = of_account if scope == "account" else of_instance
    found = await read(call.app.api, Wanted(name, include_inactive, page, per_page))
    shown = [repository_summary(repository) for repository in found.rows]
    result = fit_list(Repositories(repositories=shown), "repositories")
    return cast("Repositories", {**result, **found.beside})


@TOOLS.read("Get a repository", foreign=True)
async def get_repository(
    call: Call[Woodpecker], repo_id: RepoId = None, repo: Repo = None
) -> Repository:
    """Read a repository with its settings."""
    wp = call.app
    repository = await wp.repository(repo_id, repo, known=True)
    found = await wp.api.get("repos", repository)
    return fit_object(cast("Repository", full_view(found)))


@TOOLS.read("Look up a repository", foreign=True)
async def lookup_repository(
    call: Call[Woodpecker],
    full_name: Annotated[str, Validator(check_full_name), "owner/name, or group/subgroup/name"],
) -> Repository:
    """Find a repository by name, in any case; former names are found too."""
    found = await call.app.api.get("repos", "lookup", *full_name.split("/"))
    return fit_object(cast("Repository", full_view(found)))


@TOOLS.read("Get this account's permissions in a repository", foreign=True)
async def get_repository_permissions(
    call: Call[Woodpecker], repo_id: RepoId = None, repo: Repo = None
) -> Permissions:
    """Tell what this account may do in a repository: pull, push, admin."""
    wp = call.app
    repository = await wp.repository(repo_id, repo, known=True)
    found = await wp.api.get("repos", repository, "permissions")
    return {
        "pull": found.get("pull") is True,
        "push": found.get("push") is True,
        "admin": found.get("admin") is True,
        **picked(found, ("synced", "created", "updated")),  # type: ignore[typeddict-item]
    }


@TOOLS.read("List branches", foreign=True)
async def list_repository_branches(
    call: Call[Woodpecker],
    repo_id: RepoId = None,
    repo: Repo = None,
    page: Page = None,
    per_page: PerPage = None,
) -> Branches:
    """List the branches of a repository on the forge."""
    wp = call.app
    repository = await wp.repository(repo_id, repo, known=True)
    query = {"page": page, "perPage": per_page}
    found = await wp.api.values("repos", repository, "branches", query=query)
    names = [branch for branch in found if isinstance(branch, str)]
    result = fit_list(Branches(branches=names), "branches")
    return paged(result, len(found), page, per_page)


@TOOLS.read("List pull requests", foreign=True)
async def list_pull_requests(
    call: Call[Woodpecker],
    repo_id: RepoId = None,
    repo: Repo = None,
    page: Page = None,
    per_page: PerPage = None,
) -> PullRequests:
    """List the open pull requests of a repository on the forge."""
    wp = call.app
    repository = await wp.repository(repo_id, repo, known=True)
    query = {"page": page, "perPage": per_page}
    found = await wp.api.values("repos", repository, "pull_requests", query=query)
    shown = [pull_request_view(entry) for entry in objects(found)]
    result = fit_list(PullRequests(pull_requests=shown), "pull_requests")
    return paged(result, len(found), page, per_page)


@TOOLS.write("Activate a repository", destructive=False, idempotent=True, foreign=True)
async def activate_repository(
    call: Call[Woodpecker],
    forge_remote_id: Annotated[RemoteId, "Its id on the forge; see list_repositories"],
) -> Repository:
    """Switch a repository of the forge on, so that its events start pipelines."""
    api = call.app.api
    activating = repositories.activate(api, forge_remote_id)
    made = await if_visible(api, forge_remote_id, activating)
    if made is None:
        known = cast("Repository", await repositories.known_as(api, forge_remote_id))
        return {**known, "note": "It is already active; nothing was changed."}
    return fit_object(cast("Repository", full_view(made)))
