"""Tools for accounts; all need an instance admin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired, cast

from typing_extensions import TypedDict

from mcp_approval.verdict import Ask
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import number_of, without_none
from mcp_serverkit.tools.constraints import Length
from mcp_serverkit.tools.registry import Call
from woodpecker_ci_mcp.api import users
from woodpecker_ci_mcp.api.lookups import is_there, unless_it_exists
from woodpecker_ci_mcp.argument_types import Email, ExistingLogin, Id, Login, Page, PerPage
from woodpecker_ci_mcp.dialogs import instance as dialogs
from woodpecker_ci_mcp.facts import own_id, repositories_of, require_new_account
from woodpecker_ci_mcp.registry import TOOLS
from woodpecker_ci_mcp.result_size import fit_list, paged
from woodpecker_ci_mcp.views import full_view

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker

ForgeId = Annotated[Id, "Id of its forge"]


class Users(TypedDict):
    """Accounts."""

    users: list[dict[str, object]]


class User(TypedDict, total=False):
    """An account."""

    id: int
    login: str
    admin: bool


class Stored(TypedDict):
    """An account, as it is stored."""

    user: dict[str, object]
    verified: NotRequired[bool]
    note: NotRequired[str]


class Deleted(TypedDict):
    """A removed account."""

    deleted_user: str


@TOOLS.read("List accounts", foreign=True)
async def list_users(call: Call[Woodpecker], page: Page = None, per_page: PerPage = None) -> Users:
    """List accounts. Needs admin."""
    found = await call.app.api.entries("users", query={"page": page, "perPage": per_page})
    result = fit_list(Users(users=[full_view(user) for user in found]), "users")
    return paged(result, len(found), page, per_page)


@TOOLS.read("Get an account", foreign=True)
async def get_user(
    call: Call[Woodpecker],
    login: ExistingLogin,
    forge_id: ForgeId = 1,
    forge_remote_id: Annotated[
        str | None, "Find it by this instead", Length(1, 200, listed=False)
    ] = None,
) -> User:
    """Read an account. Needs admin."""
    query = {"forge_id": forge_id, "forge_remote_id": forge_remote_id}
    return cast("User", full_view(await call.app.api.get("users", login, query=query)))


@TOOLS.write(
    "Create an account",
    destructive=False,
    idempotent=True,
    asks="when admin is true",
    foreign=True,
)
async def create_user(
    call: Call[Woodpecker],
    login: Annotated[Login, "Login on the forge"],
    email: Annotated[Email | None, "E-mail"] = None,
    admin: Annotated[bool, "As an instance admin"] = False,
    forge_id: Annotated[Id | None, "Default: 1"] = None,
) -> Stored:
    """Create an account before its first login. Needs admin.

    Woodpecker keeps only one account per forge that has not logged in yet.
    """
    wp = call.app
    api = wp.api
    body = without_none(login=login, email=email, admin=admin or None, forge_id=forge_id)
    if admin:

        async def ask() -> Ask:
            await wp.rights.require_admin("creating an account")
            await require_new_account(api, login, forge_id or 1)
            return dialogs.create_user(login, body)

        await call.confirm(ask)
    made = await unless_it_exists(
        users.create(api, body),
        lambda: is_there(api, "users", login),
        "An account of that login",
        "update_user",
    )
    return cast("Stored", {"user": full_view(made.document), **made.notes})


@TOOLS.write(
    "Change an account",
    destructive=True,
    idempotent=True,
    asks="when admin is true",
    foreign=True,
)
async def update_user(
    call: Call[Woodpecker],
    login: ExistingLogin,
    forge_id: ForgeId = 1,
    email: Annotated[Email | None, "E-mail"] = None,
    admin: Annotated[bool | None, "Instance admin or not"] = None,
) -> Stored:
    """Change an account's e-mail, or whether it is an admin. Needs admin."""
    changes = without_none(email=email, admin=admin)
    if not changes:
        raise BadArgument("email", "nothing to update: give email or admin")
    wp = call.app
    if admin:

        async def ask() -> Ask:
            await wp.rights.require_admin("making an admin")
            await read_fact(users.read(wp.api, login, forge_id))
            return dialogs.update_user(login, forge_id, changes)

        await call.confirm(ask)
    stored = await users.update(wp.api, login, forge_id, changes)
    return cast("Stored", {"user": full_view(stored.document), **stored.notes})


@TOOLS.write("Delete an account", destructive=True, idempotent=True, asks="always")
async def delete_user(
    call: Call[Woodpecker], login: ExistingLogin, forge_id: ForgeId = 1
) -> Deleted:
    """Remove an account with the repositories in its personal namespace. Needs admin."""
    wp = call.app
    api = wp.api

    async def ask() -> Ask:
        await wp.rights.require_admin("deleting an account")
        present = await read_fact(users.read(api, login, forge_id)) or {}
        own = await own_id(api)
        count = await repositories_of(api, number_of(present, "org_id"))
        is_own = own is not None and own == number_of(present, "id")
        return dialogs.delete_user(login, forge_id, count, own=is_own)

    await call.confirm(ask)
    await api.delete("users", login, query={"forge_id": forge_id})
    return {"deleted_user": login}
