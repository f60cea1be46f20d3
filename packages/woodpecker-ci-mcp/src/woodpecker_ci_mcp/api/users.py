"""Creating and changing accounts, so that what is asked for is what is stored.

`POST /users` ignores the admin flag, and `PATCH /users` replaces every field of whichever
row has the remote id that was sent; with an id that no row has, it answers 200 and changes
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.http.json_fields import Document, number_of, text_or_empty

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import WoodpeckerAPI

_REPLACED = ("login", "email", "avatar_url", "admin", "forge_id", "forge_remote_id")


async def create(api: WoodpeckerAPI, body: Document) -> Document:
    """Create an account, as an admin if the body says so.

    Returns:
        The account as it is stored.

    Raises:
        ToolFailure: It was created and is no admin.
    """
    made = await api.post("users", body=body)
    if body.get("admin") is not True or made.get("admin") is True:
        return made
    login = text_or_empty(body, "login")
    answer = await api.patch("users", login, body=_full(made, body, {"admin": True}))
    stored = await read(api, login, number_of(body, "forge_id") or number_of(made, "forge_id"))
    if _is_empty(answer) or stored.get("admin") is not True:
        raise ToolFailure(
            f"The account {login} was created, but it is no admin: Woodpecker did not store that. "
            "Use update_user, or WOODPECKER_ADMIN on the server."
        )
    return stored


async def update(api: WoodpeckerAPI, login: str, forge_id: int, changes: Document) -> Document:
    """Change an account and keep its other fields.

    Returns:
        The account as it is stored.

    Raises:
        ToolFailure: It was not changed as asked for.
    """
    present = await read(api, login, forge_id)
    body = _full(present, {"login": login, "forge_id": forge_id}, changes)
    answer = await api.patch("users", login, body=body)
    if _is_empty(answer):
        raise ToolFailure(
            "Nothing was changed: Woodpecker found no account with the remote id that it reports "
            f"for {login}, which version 3.12 does not report at all."
        )
    stored = await read(api, login, forge_id)
    ignored = [name for name, value in changes.items() if stored.get(name, False) != value]
    if ignored:
        raise ToolFailure(
            f"Woodpecker did not store {' and '.join(ignored)} as asked for. An admin named in "
            "WOODPECKER_ADMIN stays one."
        )
    return stored


async def read(api: WoodpeckerAPI, login: str, forge_id: int | None) -> Document:
    """Read an account by its login."""
    return await api.get("users", login, query={"forge_id": forge_id})


def _full(present: Document, known: Document, changes: Document) -> Document:
    """Compose what PATCH takes: every field it would blank, as it is now."""
    kept = {name: present[name] for name in _REPLACED if name in present}
    return {"email": "", "avatar_url": "", "admin": False, **known, **kept, **changes}


def _is_empty(answer: Document) -> bool:
    return number_of(answer, "id") == 0
