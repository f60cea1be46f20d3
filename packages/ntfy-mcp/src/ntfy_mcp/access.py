"""Grants: what a rule covers, and what follows for a topic.

Patterns are SQL LIKE patterns on the server: `*` stands anywhere. Releases before 2.24 compare
them without regard to case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_serverkit.http.json_fields import Document, text_of

EVERYONE = "*"
"""The pseudo account whose rules hold for everybody."""

PERMISSION_WORDS = ("read-write", "read-only", "write-only", "deny-all")
# Grants shown of one account: about 30 KB, what a model still reads.
GRANT_LIMIT = 500
# Longer than any name that ntfy takes.
NAME_CHARS = 200


@dataclass(frozen=True, slots=True)
class Grant:
    """One rule: a topic pattern and a permission."""

    topic: str
    permission: str


@dataclass(frozen=True, slots=True)
class User:
    """An account as the list of accounts shows it."""

    username: str
    role: str
    tier: str | None
    grants: tuple[Grant, ...]


def read_users(documents: Sequence[object]) -> list[User]:
    """Read the list of accounts; an entry without a name is skipped."""
    return [
        _read_user(document)
        for document in documents
        if isinstance(document, dict) and text_of(document, "username")
    ]


def covers(pattern: str, topic: str, *, any_case: bool) -> bool:
    """Tell whether a pattern matches a topic, in linear time."""
    first, *rest = (pattern.lower() if any_case else pattern).split("*")
    name = topic.lower() if any_case else topic
    if not rest:
        return name == first
    *middle, last = rest
    if not (name.startswith(first) and name.endswith(last)):
        return False
    position, end = len(first), len(name) - len(last)
    for part in middle:
        found = name.find(part, position, end)
        if found < 0:
            return False
        position = found + len(part)
    return position <= end


def effective(user: User, everyone: User | None, topic: str, *, any_case: bool) -> str:
    """Work out what an account may do on a topic.

    Own rules go before everybody's, the longer pattern before the shorter, and of equal
    ones the one that allows writing.
    """
    if user.role == "admin":
        return "read-write"
    for rules in (user.grants, everyone.grants if everyone else ()):
        fitting = [grant for grant in rules if covers(grant.topic, topic, any_case=any_case)]
        if fitting:
            return max(fitting, key=_precedence).permission
    return "server default"


def _precedence(grant: Grant) -> tuple[int, bool]:
    # ntfy compares patterns as stored, where an underscore is escaped and counts twice.
    return len(grant.topic) + grant.topic.count("_"), "write" in grant.permission


def rule_of(users: Sequence[User], username: str, topic: str) -> str:
    """Return the permission of an exact rule: one of ntfy's four words, unknown, or none."""
    for user in users:
        if user.username == username:
            for grant in user.grants:
                if grant.topic == topic:
                    known = grant.permission in PERMISSION_WORDS
                    return grant.permission if known else "unknown"
    return "none"


def _read_user(document: Document) -> User:
    grants = document.get("grants")
    rules = [
        Grant(topic[:NAME_CHARS], permission[:NAME_CHARS])
        for grant in (grants if isinstance(grants, list) else [])
        if isinstance(grant, dict)
        and (topic := text_of(grant, "topic")) is not None
        and (permission := text_of(grant, "permission")) is not None
    ]
    return User(
        username=str(document["username"])[:NAME_CHARS],
        role=(text_of(document, "role") or "unknown")[:NAME_CHARS],
        tier=text_of(document, "tier"),
        grants=tuple(rules),
    )
