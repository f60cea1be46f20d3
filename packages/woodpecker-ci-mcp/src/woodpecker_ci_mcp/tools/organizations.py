"""Tools for organisations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NotRequired, cast

from typing_extensions import TypedDict

from mcp_approval.verdict import Ask
from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.http.json_fields import Document, number_of
from mcp_serverkit.tools.constraints import Validator
from mcp_serverkit.tools.registry import Call
from woodpecker_ci_mcp.api import removal
from woodpecker_ci_mcp.api.removal import list_all
from woodpecker_ci_mcp.argument_types import Id, Page, PerPage
from woodpecker_ci_mcp.dialogs import instance as dialogs
from woodpecker_ci_mcp.facts import WHOLE_PAGES, entries_of, repositories_of
from woodpecker_ci_mcp.names import check_org_name
from woodpecker_ci_mcp.registry import TOOLS
from woodpecker_ci_mcp.result_size import fit_list, paged
from woodpecker_ci_mcp.views import full_view

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker

OrganizationId = Annotated[Id, "Organisation id"]


class Organizations(TypedDict):
    """Organisations; `is_user` would mark a personal namespace."""

    organizations: list[dict[str, object]]


class Organization(TypedDict, total=False):
    """An organisation, or a personal namespace."""

    id: int
    name: str
    is_user: bool


class Permissions(TypedDict):
    """What the account is in an organisation."""

    member: bool
    admin: bool


class Deleted(TypedDict):
    """A removed organisation."""

    deleted_organization: int
    left_agents: NotRequired[list[int]]
    note: str


@TOOLS.read("List organisations", foreign=True)
async def list_organizations(
    call: Call[Woodpecker], page: Page = None, per_page: PerPage = None
) -> Organizations:
    """List organisations, but no personal namespaces. Needs admin."""
    found = await call.app.api.entries("orgs", query={"page": page, "perPage": per_page})
    result = fit_list(
        Organizations(organizations=[full_view(org) for org in found]), "organizations"
    )
    return paged(result, len(found), page, per_page)


@TOOLS.read("Get an organisation", foreign=True)
async def get_organization(call: Call[Woodpecker], org_id: OrganizationId) -> Organization:
    """Read an organisation. Needs membership."""
    found = await call.app.api.get("orgs", org_id)
    if number_of(found, "id") != org_id:
        raise ToolFailure(f"org_id: there is no organisation {org_id}.")
    return cast("Organization", full_view(found))


@TOOLS.read("Look up an organisation", foreign=True)
async def lookup_organization(
    call: Call[Woodpecker], name: Annotated[str, Validator(check_org_name), "Name on the forge"]
) -> Organization:
    """Find an organisation by name."""
    found = await call.app.api.get("orgs", "lookup", *name.split("/"))
    return cast("Organization", full_view(found))


@TOOLS.read("Get this account's permissions in an organisation")
async def get_organization_permissions(
    call: Call[Woodpecker], org_id: OrganizationId
) -> Permissions:
    """Tell whether this account is member or admin of an organisation."""
    wp = call.app
    await wp.require_organization(org_id)
    found = await wp.api.get("orgs", org_id, "permissions")
    return {"member": found.get("member") is True, "admin": found.get("admin") is True}


@TOOLS.write("Delete an organisation", destructive=True, idempotent=True, asks="always")
async def delete_organization(call: Call[Woodpecker], org_id: OrganizationId) -> Deleted:
    """Remove an organisation with every repository in it. Needs admin."""
    wp = call.app

    async def ask() -> Ask:
        await wp.rights.require_admin("deleting an organisation")
        await wp.require_organization(org_id)
        return dialogs.delete_organization(
            org_id,
            await repositories_of(wp.api, org_id),
            await entries_of(wp.api, "orgs", org_id, "registries"),
            await entries_of(wp.api, "orgs", org_id, "agents"),
        )

    await call.confirm(ask)
    registries = await list_all(wp.api, "orgs", org_id, "registries", most=WHOLE_PAGES)
    agents = await entries_of(wp.api, "orgs", org_id, "agents")
    await removal.delete_organization(wp.api, org_id, removal.addresses_of(registries))
    return _deleted(org_id, agents)


def _deleted(org_id: int, agents: Sequence[Document] | None) -> Deleted:
    """Say what stays behind."""
    stays = "Cron entries and log files of its repositories stay where the server keeps them."
    if agents is None:
        return {
            "deleted_organization": org_id,
            "note": f"Whether agents of it are left is unknown: see list_agents. {stays}",
        }
    left = removal.ids_of(agents)
    tokens = " Its agents stay with their tokens; delete_agent removes them." if left else ""
    return {"deleted_organization": org_id, "left_agents": left, "note": f"{stays}{tokens}"}
