"""Accounts, tiers, access tokens and grants of the stand-in."""

from __future__ import annotations

import base64
import binascii
import re
import secrets
import string
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from .errors import NtfyError

if TYPE_CHECKING:
    from .settings import JsonObject

Role = Literal["admin", "user", "anonymous"]
Right = Literal["read", "write"]

EVERYONE = "*"
PASSWORD_BYTES_LIMIT = 72
"""bcrypt hashes no more bytes than this, and ntfy fails on longer passwords."""

_USERNAME = re.compile(r"[-_.+@a-zA-Z0-9]+", re.ASCII)
_PATTERN = re.compile(r"[-_*A-Za-z0-9]{1,64}", re.ASCII)
_PASSWORD_HASH = re.compile(r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}", re.ASCII)
_PERMISSIONS = {
    (True, True): "read-write",
    (True, False): "read-only",
    (False, True): "write-only",
    (False, False): "deny-all",
}
_SPELLINGS = {
    "read-write": (True, True),
    "rw": (True, True),
    "read-only": (True, False),
    "read": (True, False),
    "ro": (True, False),
    "write-only": (False, True),
    "write": (False, True),
    "wo": (False, True),
    "deny-all": (False, False),
    "deny": (False, False),
    "none": (False, False),
}


@dataclass(frozen=True, slots=True)
class Permission:
    """What a grant allows on the topics it matches."""

    read: bool
    write: bool

    @classmethod
    def parse(cls, text: str) -> Permission:
        """Read one of the spellings ntfy takes; raises 40025 for any other."""
        found = _SPELLINGS.get(text.lower())
        if found is None:
            raise NtfyError(40025)
        return cls(*found)

    def __str__(self) -> str:
        return _PERMISSIONS[self.read, self.write]

    def allows(self, right: Right) -> bool:
        """Whether this permission includes the right."""
        return self.read if right == "read" else self.write


@dataclass(frozen=True, slots=True)
class Tier:
    """A plan that gives its accounts limits of their own."""

    code: str
    name: str
    messages_per_day: int = 5000
    message_expiry_seconds: int = 12 * 3600


@dataclass(slots=True)
class Token:
    """An access token of an account; `expires` 0 means never."""

    value: str
    label: str
    last_access: int
    expires: int


@dataclass(slots=True)
class User:
    """One account."""

    name: str
    role: Role
    password: str | None = None
    tier: str = ""
    provisioned: bool = False
    sync_topic: str = ""
    tokens: dict[str, Token] = field(default_factory=dict)
    grants: dict[str, Permission] = field(default_factory=dict)
    extras: JsonObject = field(default_factory=dict)


def random_text(length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """Random characters as ntfy uses for its ids."""
    return "".join(secrets.choice(alphabet) for _ in range(length))


class Accounts:
    """The user database."""

    def __init__(self, default_access: str, *, case_sensitive: bool) -> None:
        self._default = Permission.parse(default_access)
        self._flags = re.ASCII if case_sensitive else re.ASCII | re.IGNORECASE
        self.users: dict[str, User] = {EVERYONE: User(EVERYONE, "anonymous")}
        self.tiers: dict[str, Tier] = {}

    def listed(self) -> list[User]:
        """All accounts in the order of `/v1/users`."""
        rank = {"admin": 1, "user": 2, "anonymous": 3}
        return sorted(self.users.values(), key=lambda user: (rank[user.role], user.name))

    def find(self, name: str) -> User | None:
        """An account by name, the pseudo account `*` included."""
        return self.users.get(name)

    def add(self, name: str, password: str | None, role: Role = "user", tier: str = "") -> User:
        """Create an account."""
        if not valid_username(name):
            raise NtfyError(50001)
        check_password(password)
        user = User(name, role, password, tier, sync_topic="st_" + random_text(13))
        self.users[name] = user
        return user

    def add_token(self, user: User, label: str, expires: int, now: int) -> Token:
        """Create an access token."""
        value = "tk_" + random_text(29, string.ascii_lowercase + string.digits)
        user.tokens[value] = Token(value, label, now, expires)
        return user.tokens[value]

    def grant(self, user: User, pattern: str, permission: Permission) -> None:
        """Set the rule of an account for a topic pattern; a bad pattern is an internal error."""
        if not _PATTERN.fullmatch(pattern):
            raise NtfyError(50001)
        user.grants[pattern] = permission

    def reset(self, user: User, pattern: str) -> None:
        """Remove one rule, or all of them for an empty pattern."""
        if not pattern:
            user.grants.clear()
        elif not _PATTERN.fullmatch(pattern):
            raise NtfyError(50001)
        else:
            user.grants.pop(pattern, None)

    def may(self, user: User | None, topic: str, right: Right, *, own_sync_topic: bool) -> bool:
        """Whether an account, or everyone without one, has a right on a topic."""
        if user is not None:
            if user.role == "admin" or (own_sync_topic and topic == user.sync_topic):
                return True
            own = self._best(user, topic)
            if own is not None:
                return own.allows(right)
        found = self._best(self.users[EVERYONE], topic)
        return (self._default if found is None else found).allows(right)

    def login(self, header: str, now: float) -> User | None:
        """The account behind an Authorization value, None for no login at all, or 40101."""
        scheme = header.lower()
        if not scheme.startswith(("basic ", "bearer ")):
            return None
        if header.startswith("Bearer"):
            return self._by_token(header.removeprefix("Bearer").strip(), now)
        username, password = _basic(header)
        if not username:
            return self._by_token(password, now)
        user = self.users.get(username)
        if user is None or user.role == "anonymous" or user.password != password:
            raise NtfyError(40101)
        return user

    def _by_token(self, value: str, now: float) -> User:
        for user in self.users.values():
            token = user.tokens.get(value)
            if token is not None and (token.expires == 0 or token.expires >= now):
                token.last_access = int(now)
                return user
        raise NtfyError(40101)

    def _best(self, user: User, topic: str) -> Permission | None:
        matching = [
            (_stored_length(pattern), permission.write, permission)
            for pattern, permission in user.grants.items()
            if re.fullmatch(_as_regex(pattern), topic, self._flags)
        ]
        return max(matching, key=lambda rule: rule[:2])[2] if matching else None


def valid_username(name: str) -> bool:
    """Whether ntfy would take the name for an account."""
    return bool(_USERNAME.fullmatch(name))


def check_password(password: str | None) -> None:
    """Raise what ntfy answers for a password that bcrypt cannot hash."""
    if password is not None and len(password.encode()) > PASSWORD_BYTES_LIMIT:
        raise NtfyError(50001)


def check_password_hash(value: str) -> None:
    """Raise what ntfy answers for a text that is not a bcrypt hash."""
    if not _PASSWORD_HASH.fullmatch(value):
        raise NtfyError(50001)


def listed_grants(user: User) -> list[dict[str, object]]:
    """The grants of an account in the order of `/v1/users`."""
    rules = sorted(
        user.grants.items(),
        key=lambda rule: (-_stored_length(rule[0]), not rule[1].write, not rule[1].read, rule[0]),
    )
    return [{"topic": pattern, "permission": str(permission)} for pattern, permission in rules]


def _stored_length(pattern: str) -> int:
    # ntfy stores `_` escaped for SQL LIKE and compares the length of that form.
    return len(pattern) + pattern.count("_")


def _as_regex(pattern: str) -> str:
    return ".*".join(re.escape(part) for part in pattern.split("*"))


def _basic(header: str) -> tuple[str, str]:
    try:
        decoded = base64.b64decode(header[len("basic ") :], validate=True).decode()
    except (binascii.Error, ValueError):
        raise NtfyError(40101) from None
    username, colon, password = decoded.partition(":")
    if not colon:
        raise NtfyError(40101)
    return username, password
