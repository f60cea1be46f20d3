"""`/v1/users` and `/v1/users/access`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .accounts import (
    Permission,
    User,
    check_password,
    check_password_hash,
    listed_grants,
    valid_username,
)
from .errors import NtfyError
from .exchange import Reply
from .gojson import Fields, dump, read_fields

if TYPE_CHECKING:
    from .core import Core
    from .exchange import Exchange


def require_admin(core: Core, exchange: Exchange) -> None:
    """Raise 40401 without a user database, 40101 for anyone but an admin."""
    if not core.settings.users:
        raise NtfyError(40401)
    if exchange.user is None or exchange.user.role != "admin":
        raise NtfyError(40101)


def list_users(core: Core, exchange: Exchange) -> Reply:
    """All accounts with their grants."""
    require_admin(core, exchange)
    documents = []
    for user in core.accounts.listed():
        document: dict[str, object] = {"username": user.name, "role": user.role}
        if user.tier:
            document["tier"] = user.tier
        if user.grants:
            document["grants"] = listed_grants(user)
        documents.append(document)
    return Reply(dump(documents))


def add_user(core: Core, exchange: Exchange) -> Reply:
    """Create a regular account."""
    require_admin(core, exchange)
    name, password, hashed, tier = _account_fields(core, exchange)
    if not valid_username(name) or not (password or hashed):
        raise NtfyError(40000, "username not valid, or no password")
    if core.accounts.find(name) is not None:
        raise NtfyError(40901)
    _check_tier(core, tier)
    _create(core, name, password, hashed)
    core.accounts.users[name].tier = tier
    return _success()


def change_user(core: Core, exchange: Exchange) -> Reply:
    """Change password or tier of a regular account, or create it."""
    require_admin(core, exchange)
    name, password, hashed, tier = _account_fields(core, exchange)
    if not valid_username(name):
        raise NtfyError(40000, "username not valid")
    if not (password or hashed or tier):
        raise NtfyError(40000, "nothing to change")
    user = core.accounts.find(name)
    if user is None:
        _create(core, name, password, hashed)
    elif user.role == "admin":
        raise NtfyError(40301)
    elif password or hashed:
        _set_password(core, user, password, hashed)
    if tier:
        _check_tier(core, tier)
        core.accounts.users[name].tier = tier
    return _success()


def delete_user(core: Core, exchange: Exchange) -> Reply:
    """Remove a regular account with its grants and open streams."""
    require_admin(core, exchange)
    user = core.accounts.find(_fields(core, exchange).text("username"))
    if user is None:
        raise NtfyError(40031)
    if user.role != "user":
        raise NtfyError(40101, "the API removes regular users only")
    if user.provisioned:
        raise NtfyError(50001)
    del core.accounts.users[user.name]
    core.cut_subscriptions(user, "*")
    return _success()


def allow_access(core: Core, exchange: Exchange) -> Reply:
    """Set the rule of an account for a topic pattern."""
    require_admin(core, exchange)
    fields = _fields(core, exchange)
    name, pattern, words = fields.text("username"), fields.text("topic"), fields.text("permission")
    user = core.accounts.find(name)
    if user is None:
        raise NtfyError(40031)
    core.accounts.grant(user, pattern, Permission.parse(words))
    return _success()


def reset_access(core: Core, exchange: Exchange) -> Reply:
    """Remove the rule of an account for a topic pattern; all rules when it is empty."""
    require_admin(core, exchange)
    fields = _fields(core, exchange)
    name, pattern = fields.text("username"), fields.text("topic")
    user = core.accounts.find(name)
    if user is None:
        # ntfy does not foresee this case here, unlike when allowing.
        raise NtfyError(50001)
    core.accounts.reset(user, pattern)
    core.cut_subscriptions(user, pattern)
    return _success()


def json_limit(core: Core) -> int:
    """The size a JSON body outside of publishing must stay below."""
    return 131_072 if core.settings.at_least(2, 14) else 32_768


def _fields(core: Core, exchange: Exchange) -> Fields:
    return read_fields(exchange.request.body, limit=json_limit(core))


def _account_fields(core: Core, exchange: Exchange) -> tuple[str, str, str, str]:
    fields = _fields(core, exchange)
    return (
        fields.text("username"),
        fields.text("password"),
        fields.text("hash"),
        fields.text("tier"),
    )


def _check_tier(core: Core, code: str) -> None:
    if code and code not in core.accounts.tiers:
        raise NtfyError(40030)


def _create(core: Core, name: str, password: str, hashed: str) -> None:
    if hashed:
        _check_hash(core, hashed)
    core.accounts.add(name, None if hashed else password)


def _check_hash(core: Core, hashed: str) -> None:
    if core.settings.at_least(2, 14):
        check_password_hash(hashed)


def _set_password(core: Core, user: User, password: str, hashed: str) -> None:
    if user.provisioned:
        raise NtfyError(50001)
    if hashed:
        _check_hash(core, hashed)
        # Nothing here can check a bcrypt hash, so such an account cannot log in by password.
        user.password = None
    else:
        check_password(password)
        user.password = password


def _success() -> Reply:
    return Reply(dump({"success": True}))
