"""Tools for the credentials of container registries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired, cast

from typing_extensions import TypedDict

from mcp_approval.verdict import Ask
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import Document, without_none
from mcp_serverkit.tools.constraints import Length
from mcp_serverkit.tools.registry import Call
from woodpecker_ci_mcp.api.lookups import is_there, unless_it_exists
from woodpecker_ci_mcp.api.written import read_back
from woodpecker_ci_mcp.argument_types import (
    REAL,
    Existing,
    NewAddress,
    OrgId,
    Page,
    PerPage,
    Repo,
    RepoId,
    ScopeName,
    SecretValue,
)
from woodpecker_ci_mcp.dialogs import credentials as dialogs
from woodpecker_ci_mcp.registry import TOOLS
from woodpecker_ci_mcp.result_size import fit_list, paged
from woodpecker_ci_mcp.views import registry_view

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker

Username = Annotated[str, Length(1, 2000, listed=False), REAL]


class Registries(TypedDict):
    """Registries of one level, without passwords."""

    registries: list[dict[str, object]]
    scope: str


class Registry(TypedDict, total=False):
    """A registry without its password."""

    id: int
    address: str
    username: str
    readonly: bool


class Stored(TypedDict):
    """A registry as it is stored, without its password."""

    registry: dict[str, object]
    verified: NotRequired[bool]
    note: NotRequired[str]


class Deleted(TypedDict):
    """Removed credentials."""

    deleted_registry: str
    scope: str


@TOOLS.read("List registries", foreign=True)
async def list_registries(
    call: Call[Woodpecker],
    scope: Annotated[ScopeName, "Where it lives"] = "repository",
    repo_id: RepoId = None,
    repo: Repo = None,
    org_id: OrgId = None,
    page: Page = None,
    per_page: PerPage = None,
) -> Registries:
    """List the container registries of one level."""
    wp = call.app
    place = await wp.place(scope, repo_id, repo, org_id, known=True)
    query = {"page": page, "perPage": per_page}
    found = await wp.api.entries(*place.path, "registries", query=query)
    shown = [registry_view(registry) for registry in found]
    result = fit_list(Registries(registries=shown, scope=scope), "registries")
    return paged(result, len(found), page, per_page)


@TOOLS.read("Get a registry", foreign=True)
async def get_registry(
    call: Call[Woodpecker],
    address: Annotated[Existing, "Address, as listed"],
    scope: Annotated[ScopeName, "Where it lives"] = "repository",
    repo_id: RepoId = None,
    repo: Repo = None,
    org_id: OrgId = None,
) -> Registry:
    """Read a container registry's entry."""
    wp = call.app
    place = await wp.place(scope, repo_id, repo, org_id, known=True)
    found = await wp.api.get(*place.path, "registries", address)
    return cast("Registry", registry_view(found))


@TOOLS.write("Create a registry", destructive=False, idempotent=False, foreign=True)
async def create_registry(
    call: Call[Woodpecker],
    address: Annotated[NewAddress, "host, host:port or host/path"],
    username: Annotated[Username, "Login"],
    password: Annotated[SecretValue, "Password"],
    scope: Annotated[ScopeName, "Where it lives"] = "repository",
    repo_id: RepoId = None,
    repo: Repo = None,
    org_id: OrgId = None,
) -> Stored:
    """Store credentials for a container registry."""
    wp = call.app
    place = await wp.place(scope, repo_id, repo, org_id)
    body: Document = without_none(address=address, username=username, password=password)
    made = await unless_it_exists(
        wp.api.post(*place.path, "registries", body=body),
        lambda: is_there(wp.api, *place.path, "registries", address),
        "An entry for that address",
        "update_registry",
    )
    # The answer only echoes the request, and says nothing of the id.
    stored = await read_back(wp.api.get(*place.path, "registries", address), made)
    told: dict[str, object] = {"note": "Its password cannot be read back.", **stored.notes}
    return cast("Stored", {"registry": registry_view(stored.document), **told})


@TOOLS.write(
    "Change a registry",
    destructive=True,
    idempotent=True,
    asks="when it brings a new password",
    foreign=True,
)
async def update_registry(
    call: Call[Woodpecker],
    address: Annotated[Existing, "Address, as listed"],
    scope: Annotated[ScopeName, "Where it lives"] = "repository",
    repo_id: RepoId = None,
    repo: Repo = None,
    org_id: OrgId = None,
    username: Annotated[Username | None, "Login"] = None,
    password: Annotated[SecretValue | None, "Password"] = None,
) -> Stored:
    """Change the credentials for a container registry; what is not given stays."""
    wp = call.app
    place = await wp.place(scope, repo_id, repo, org_id)
    changes: Document = without_none(username=username, password=password)
    if not changes:
        raise BadArgument("username", "nothing to update: give username or password")
    body = {"address": address, **changes}
    if password is not None:

        async def ask() -> Ask:
            await wp.require_scope(place, "changing a registry")
            await read_fact(wp.api.get(*place.path, "registries", address))
            return dialogs.update_registry(place, address, body)

        await call.confirm(ask)
    echo = await wp.api.patch(*place.path, "registries", address, body=body)
    # The answer only echoes the request, so what is stored is read.
    stored = await read_back(wp.api.get(*place.path, "registries", address), echo)
    return cast("Stored", {"registry": registry_view(stored.document), **stored.notes})


@TOOLS.write("Delete a registry", destructive=True, idempotent=True, asks="always")
async def delete_registry(
    call: Call[Woodpecker],
    address: Annotated[Existing, "Address, as listed"],
    scope: Annotated[ScopeName, "Where it lives"] = "repository",
    repo_id: RepoId = None,
    repo: Repo = None,
    org_id: OrgId = None,
) -> Deleted:
    """Remove the credentials for a container registry."""
    wp = call.app
    place = await wp.place(scope, repo_id, repo, org_id)

    async def ask() -> Ask:
        await wp.require_scope(place, "deleting a registry")
        await read_fact(wp.api.get(*place.path, "registries", address))
        return dialogs.delete_registry(place, address)

    await call.confirm(ask)
    await wp.api.delete(*place.path, "registries", address)
    return {"deleted_registry": address, "scope": scope}
