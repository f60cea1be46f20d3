"""Creating and changing accounts, so that what is asked for is what is stored.

`POST /users` ignores the admin flag, and `PATCH /users` replaces every field of whichever
row has the remote id that was sent; with an id that no row has, it answers 200 and changes
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_serverkit.errors import ToolFailure, UpstreamFailure
from mcp_serverkit.http.json_fields import Document, number_of, text_or_empty
from woodpecker_ci_mcp.api.written import Written, read_back

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import WoodpeckerAPI

_REPLACED = ("login", "email", "avatar_url", "admin", "forge_id", "forge_remote_id")


async def create(api: WoodpeckerAPI, body: Document) -> Written:
    """Create an account, as an admin if the body says so.

    Raises:
        ToolFailure: It was created and is no admin.
    """
    made = await api.post("users", body=body)
    if body.get("admin") is not True or made.get("admin") is True:
        return Written(made)
    login = text_or_empty(body, "login")
    full = _full(made, body, {"admin": True})
    try:
        answer = await api.patch("users", login, body=full)
    except UpstreamFailure as failure:
        if failure.outcome == "done":
            raise
        raise ToolFailure(
            f"The account {login} was created. Making it an admin failed: {failure.text} Whether "
            "it is one now: get_user tells, update_user tries again."
        ) from failure
    sent = {**made, "admin": True}
    forge_id = number_of(body, "forge_id") or number_of(made, "forge_id")
    stored = await read_back(read(api, login, forge_id), sent)
    if _is_empty(answer) or stored.document.get("admin") is not True:
        raise ToolFailure(
            f"The account {login} was created, but it is no admin: Woodpecker did not store that. "
            "Use update_user, or WOODPECKER_ADMIN on the server."
        )
    return stored


async def update(api: WoodpeckerAPI, login: str, forge_id: int, changes: Document) -> Written:
    """Change an account and keep its other fields.

    Raises:
        ToolFailure: It was not changed as asked for, or would lose the rights that every
            later call needs.
    """
    present = await read(api, login, forge_id)
    if changes.get("admin") is False:
        await _refuse_own(api, present)
    body = _full(present, {"login": login, "forge_id": forge_id}, changes)
    answer = await api.patch("users", login, body=body)
    if _is_empty(answer):
        raise ToolFailure(
            "Nothing was changed: Woodpecker found no account with the remote id that it reports "
            f"for {login}, which version 3.12 does not report at all."
        )
    stored = await read_back(read(api, login, forge_id), {**present, **changes})
    ignored = [name for name, value in changes.items() if stored.document.get(name, False) != value]
    if ignored:
        raise ToolFailure(f"Woodpecker did not store {' and '.join(ignored)} as asked for.")
    return stored


async def _refuse_own(api: WoodpeckerAPI, present: Document) -> None:
    """Refuse to take the admin right from the account behind the token."""
    own = await api.get("user")
    if number_of(own, "id") == number_of(present, "id"):
        raise ToolFailure(
            "This is the account of this server's token: without the admin right no tool of this "
            "server could give it back. Nothing was sent. Another admin can take it away."
        )


async def read(api: WoodpeckerAPI, login: str, forge_id: int | None) -> Document:
    """Read an account by its login."""
    return await api.get("users", login, query={"forge_id": forge_id})


def _full(present: Document, known: Document, changes: Document) -> Document:
    """Compose what PATCH takes: every field it would blank, as it is now."""
    kept = {name: present[name] for name in _REPLACED if name in present}
    return {"email": "", "avatar_url": "", "admin": False, **known, **kept, **changes}


def _is_empty(answer: Document) -> bool:
    return number_of(answer, "id") == 0
