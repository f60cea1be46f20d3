"""Tools for forges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, cast

from typing_extensions import TypedDict

from mcp_approval.verdict import Ask
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import Document, without_none
from mcp_serverkit.tools.constraints import Length
from mcp_serverkit.tools.registry import Call
from woodpecker_ci_mcp.api import forges
from woodpecker_ci_mcp.argument_types import REAL, ForgeURL, Id, Page, PerPage
from woodpecker_ci_mcp.dialogs import instance as dialogs
from woodpecker_ci_mcp.registry import TOOLS
from woodpecker_ci_mcp.result_size import fit_list, fit_object, paged
from woodpecker_ci_mcp.views import full_view

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker

ForgeId = Annotated[Id, "Forge id"]
Kind = Literal["github", "gitlab", "gitea", "forgejo", "bitbucket", "bitbucket-dc", "addon"]
Client = Annotated[str, Length(1, 500, listed=False), REAL]
ClientSecret = Annotated[str, Length(1, 1000, listed=False), REAL]


class Forges(TypedDict):
    """Forges; who is no admin sees only id, type and url."""

    forges: list[dict[str, object]]


class Forge(TypedDict, total=False):
    """A forge; who is no admin sees only id, type and url."""

    id: int
    type: str
    url: str


class Stored(TypedDict):
    """A forge, as it is stored."""

    forge: dict[str, object]


class Deleted(TypedDict):
    """A removed forge."""

    deleted_forge: int


@TOOLS.read("List forges", foreign=True)
async def list_forges(
    call: Call[Woodpecker], page: Page = None, per_page: PerPage = None
) -> Forges:
    """List forges; without admin only id, type and url."""
    found = await call.app.api.entries("forges", query={"page": page, "perPage": per_page})
    result = fit_list(Forges(forges=[full_view(forge) for forge in found]), "forges")
    return paged(result, len(found), page, per_page)


@TOOLS.read("Get a forge", foreign=True)
async def get_forge(call: Call[Woodpecker], forge_id: ForgeId) -> Forge:
    """Read a forge; without admin only id, type and url."""
    found = await call.app.api.get("forges", forge_id)
    return fit_object(cast("Forge", full_view(found)))


@TOOLS.write("Create a forge", destructive=False, idempotent=False, foreign=True)
async def create_forge(
    call: Call[Woodpecker],
    type: Annotated[Kind, "Kind of forge"],  # noqa: A002 (Woodpecker's name)
    url: Annotated[ForgeURL, "Address"],
    client: Annotated[Client, "OAuth client id"],
    oauth_client_secret: Annotated[ClientSecret, "OAuth client secret"],
    oauth_host: Annotated[ForgeURL | None, "Public address for sign-in"] = None,
    skip_verify: Annotated[bool | None, "Do not check its certificate"] = None,
) -> Stored:
    """Add a forge through which people can sign in. Needs admin."""
    body = without_none(
        type=type, url=url, client=client, oauth_host=oauth_host, skip_verify=skip_verify
    )
    body |= _both_names(oauth_client_secret)
    if call.tool.asks:
        await call.confirm(dialogs.create_forge(body))
    return fit_object(Stored(forge=full_view(await forges.create_forge(call.app.api, body))))


@TOOLS.write("Change a forge", destructive=True, idempotent=True, asks="always", foreign=True)
async def update_forge(
    call: Call[Woodpecker],
    forge_id: ForgeId,
    type: Annotated[Kind | None, "Kind of forge"] = None,  # noqa: A002
    url: Annotated[ForgeURL | None, "Address"] = None,
    client: Annotated[Client | None, "OAuth client id"] = None,
    oauth_client_secret: Annotated[ClientSecret | None, "OAuth client secret"] = None,
    oauth_host: Annotated[ForgeURL | None, "Public address for sign-in"] = None,
    skip_verify: Annotated[bool | None, "Do not check its certificate"] = None,
) -> Stored:
    """Change a forge; what is not given stays. Needs admin."""
    wp = call.app
    api = wp.api
    changes = without_none(
        type=type,
        url=url,
        client=client,
        oauth_client_secret=oauth_client_secret,
        oauth_host=oauth_host,
        skip_verify=skip_verify,
    )
    if not changes:
        raise BadArgument("forge_id", "nothing to update: give at least one field")
    sent = changes | (_both_names(oauth_client_secret) if oauth_client_secret else {})

    async def ask() -> Ask:
        await wp.rights.require_admin("changing a forge")
        body = await forges.forge_body(api, forge_id, sent)
        return dialogs.update_forge(forge_id, changes, body)

    approved = (await call.confirm(ask)).ask
    body = cast("Document", approved.target.body)
    return fit_object(Stored(forge=full_view(await api.patch("forges", forge_id, body=body))))


@TOOLS.write("Delete a forge", destructive=True, idempotent=True, asks="always")
async def delete_forge(call: Call[Woodpecker], forge_id: ForgeId) -> Deleted:
    """Remove a forge. Needs admin."""
    wp = call.app

    async def ask() -> Ask:
        await wp.rights.require_admin("deleting a forge")
        await read_fact(wp.api.get("forges", forge_id))
        return dialogs.delete_forge(forge_id)

    await call.confirm(ask)
    await wp.api.delete("forges", forge_id)
    return {"deleted_forge": forge_id}


def _both_names(secret: str) -> Document:
    """Send the secret under the name of 3.12 and newer, and under the older one."""
    return {"oauth_client_secret": secret, "client_secret": secret}
