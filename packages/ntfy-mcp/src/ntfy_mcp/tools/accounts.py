"""Tools for accounts and grants; all but get_account need role admin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from mcp_approval.verdict import Ask
from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.http.json_fields import Document, number_of
from mcp_serverkit.text.sanitize import clean, clean_text
from mcp_serverkit.tools.constraints import Bytes, Length, Range
from mcp_serverkit.tools.registry import Call
from mcp_serverkit.tools.results import fit, size
from ntfy_mcp import dialogs
from ntfy_mcp.access import (
    EVERYONE,
    GRANT_LIMIT,
    NAME_CHARS,
    User,
    covers,
    effective,
    read_users,
    rule_of,
)
from ntfy_mcp.api.error_hints import ONLY_REGULAR
from ntfy_mcp.api.release import CASE_SENSITIVE
from ntfy_mcp.argument_types import PERMISSIONS, AccessAction, Tier, Topic, TopicPattern, Username
from ntfy_mcp.registry import TOOLS

# Room for one field of an account beside the others in one result.
FIELD_BYTES = 60_000
# More than ntfy lets an account have.
TOKEN_LIMIT = 200

_ANY_CASE = (
    "the release of ntfy could not be read: patterns were compared with regard to case, which "
    "releases before 2.24 ignore"
)

_ACCOUNT_FIELDS = dict.fromkeys(("username", "role", "language"), str) | dict.fromkeys(
    ("tier", "limits", "stats"), dict
)
_TOKEN_FIELDS = ("label", "last_access", "expires")

if TYPE_CHECKING:
    from ntfy_mcp.app import Ntfy


class Account(TypedDict):
    """The own account; anonymous is a normal answer."""

    username: NotRequired[str]
    role: NotRequired[str]
    tier: NotRequired[dict[str, object]]
    limits: NotRequired[dict[str, object]]
    stats: NotRequired[dict[str, object]]
    language: NotRequired[str]
    tokens: NotRequired[list[dict[str, object]]]
    messages_remaining: NotRequired[int]
    requests_remaining_estimate: int


class Users(TypedDict):
    """Accounts with their grants; `*` stands for everybody."""

    count: int
    total: int
    users: list[dict[str, object]]
    dropped: NotRequired[int]
    note: NotRequired[str]


class Created(TypedDict):
    """A new account."""

    created: str
    role: str
    note: str


class Deleted(TypedDict):
    """A removed account."""

    deleted: str


class Changed(TypedDict):
    """A written or removed rule."""

    username: str
    topic: str
    action: str
    permission: NotRequired[str]


@TOOLS.read("Get this login's account", foreign=True)
async def get_account(call: Call[Ntfy]) -> Account:
    """Show the account of this login: role, tier, limits, use and its tokens' labels."""
    document = await call.app.client.account()
    result: Account = {"requests_remaining_estimate": call.app.client.bucket.remaining}
    shown: Document = {
        name: document[name]
        for name, kind in _ACCOUNT_FIELDS.items()
        if isinstance(document.get(name), kind)
    }
    tokens = document.get("tokens")
    if isinstance(tokens, list):
        shown["tokens"] = [
            {"token": "(redacted)", **{key: token[key] for key in _TOKEN_FIELDS if key in token}}
            for token in tokens[:TOKEN_LIMIT]
            if isinstance(token, dict)
        ]
    for name, value in shown.items():
        result[name] = _bounded(value)  # type: ignore[literal-required]
    stats = document.get("stats")
    remaining = number_of(stats, "messages_remaining") if isinstance(stats, dict) else None
    if remaining is not None:
        result["messages_remaining"] = remaining
    return result


@TOOLS.read("List accounts", foreign=True)
async def list_users(
    call: Call[Ntfy],
    username: Annotated[Username | Literal["*"] | None, "Only this account"] = None,
    topic: Annotated[Topic | None, "Also what each may do on this topic"] = None,
    limit: Annotated[int, "Most accounts", Range(1, 500)] = 100,
) -> Users:
    """List accounts and their topic grants; `*` stands for everybody. Needs role admin."""
    ntfy = call.app
    wanted = None if topic is None else ntfy.allowlist.require_allowed(topic)
    users = read_users(await ntfy.client.users())
    everyone = next((user for user in users if user.username == EVERYONE), None)
    chosen = [user for user in users if username is None or user.username == username]
    release = await _release(ntfy) if wanted or ntfy.allowlist.topics else CASE_SENSITIVE
    any_case = release is not None and release < CASE_SENSITIVE
    result: Users = {
        "count": len(chosen[:limit]),
        "total": len(users),
        "users": [
            _user_view(user, everyone, ntfy.allowlist.topics, wanted, any_case=any_case)
            for user in chosen[:limit]
        ],
    }
    notes = [] if release else [_ANY_CASE]
    if len(chosen) > limit:
        notes.append(f"{len(chosen) - limit} more accounts; raise limit to see them")
    if notes:
        result["note"] = "; ".join(notes)
    fit(result, "users", drop="last")
    result["count"] = len(result["users"])
    return result


@TOOLS.write("Create an account", destructive=False, idempotent=True, asks="always")
async def create_user(
    call: Call[Ntfy],
    username: Annotated[Username, "Name of the new account"],
    password: Annotated[str, "8 to 128 characters, at most 72 bytes", Length(8, 128), Bytes(72)],
    tier: Annotated[Tier | None, "Code of its tier"] = None,
) -> Created:
    """Create a regular account without any access; grant topics with manage_user_access.

    It destroys nothing and is guarded all the same, since it changes who may reach the instance.
    Needs role admin.
    """
    ntfy = call.app

    async def ask() -> Ask:
        user = _find(await ntfy.accounts_before_asking(), username)
        if user is not None:
            raise ToolFailure(f'username: the account "{username}" exists already (ntfy: 40901)')
        return dialogs.create_user(username, tier)

    await call.confirm(ask)
    await ntfy.client.create_user(username, password, tier)
    return {
        "created": username,
        "role": "user",
        "note": "It has no access beyond the instance's default; see manage_user_access.",
    }


@TOOLS.write("Delete an account", destructive=True, idempotent=True, asks="always")
async def delete_user(
    call: Call[Ntfy], username: Annotated[Username, "Account to remove"]
) -> Deleted:
    """Remove a regular account and all its grants. Needs role admin."""
    ntfy = call.app

    async def ask() -> Ask:
        users = await ntfy.accounts_before_asking()
        _require_known(users, username)
        user = _find(users, username)
        if user is not None and user.role == "admin":
            raise ToolFailure(f'"{username}" is an admin. {ONLY_REGULAR}')
        return dialogs.delete_user(username, seen=user is not None)

    seen = (await call.confirm(ask)).ask.target.facts["account"] == "seen"
    await ntfy.delete_user(username, seen=seen)
    return {"deleted": username}


@TOOLS.write("Change topic access", destructive=True, idempotent=True, asks="always")
async def manage_user_access(
    call: Call[Ntfy],
    username: Annotated[Username | Literal["*"], "Account, or * for everybody"],
    topic: Annotated[TopicPattern, "Topic, or a pattern with * where NTFY_TOPICS is not set"],
    action: Annotated[AccessAction, "deny writes a rule against access; revoke removes the rule"],
) -> Changed:
    """Grant, deny or revoke an account's access to a topic. Needs role admin.

    After revoke, a wider rule or the instance's default applies.
    """
    ntfy = call.app
    pattern = ntfy.allowlist.require_allowed_pattern(topic)

    async def ask() -> Ask:
        users = await ntfy.accounts_before_asking()
        _require_known(users, username)
        current = None if users is None else rule_of(users, username, pattern)
        _require_effect(_find(users, username), pattern, action, current)
        return dialogs.manage_user_access(username, pattern, action, current)

    await call.confirm(ask)
    if action == "revoke":
        await ntfy.client.reset_access(username, pattern)
        return {"username": username, "topic": pattern, "action": action}
    permission = PERMISSIONS[action]
    await ntfy.client.allow(username, pattern, permission)
    return {"username": username, "topic": pattern, "action": action, "permission": permission}


async def _release(ntfy: Ntfy) -> tuple[int, int] | None:
    try:
        return await ntfy.client.release()
    except ToolFailure:
        return None


def _bounded(value: object) -> object:
    if isinstance(value, str):
        return clean_text(value)[:NAME_CHARS]
    return clean(value) if size(value) <= FIELD_BYTES else {"left_out": "too large"}


def _find(users: Sequence[User] | None, username: str) -> User | None:
    return next((user for user in users or () if user.username == username), None)


def _require_known(users: Sequence[User] | None, username: str) -> None:
    if users is not None and _find(users, username) is None:
        raise ToolFailure(f'username: there is no account "{username}"')


def _require_effect(user: User | None, topic: str, action: str, current: str | None) -> None:
    """Refuse what ntfy's own command refuses too, or what would do nothing."""
    if action == "revoke":
        if user is not None and current == "none":
            raise ToolFailure(
                f'There is no rule for "{user.username}" on topic "{topic}", so there is nothing '
                "to remove."
            )
    elif user is not None and user.role == "admin":
        raise ToolFailure(
            f'username: "{user.username}" is an admin: rules have no effect on admins'
        )


def _user_view(
    user: User,
    everyone: User | None,
    allowlist: Sequence[str],
    topic: str | None,
    *,
    any_case: bool,
) -> Document:
    """Show one account; behind an allowlist, only what its grants mean for allowed topics."""
    if allowlist:
        grants = [
            {"topic": allowed, "permission": grant.permission}
            for grant in user.grants
            for allowed in allowlist
            if covers(grant.topic, allowed, any_case=any_case)
        ]
    else:
        grants = [{"topic": grant.topic, "permission": grant.permission} for grant in user.grants]
    view: Document = {
        "username": user.username,
        "role": user.role,
        "grants": grants[:GRANT_LIMIT],
    }
    if user.tier:
        view["tier"] = user.tier
    if topic is not None:
        view["effective"] = effective(user, everyone, topic, any_case=any_case)
    return view
