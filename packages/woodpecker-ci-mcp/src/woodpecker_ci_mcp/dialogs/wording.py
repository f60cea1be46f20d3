"""Pieces that several questions share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast, get_args

from mcp_approval.question import Detail, checked, joined
from mcp_approval.typing import JSONValue
from mcp_serverkit.http.json_fields import Document
from mcp_serverkit.text.describe import describe_value
from woodpecker_ci_mcp.argument_types import Event, RequireApproval, Status, Visibility
from woodpecker_ci_mcp.names import is_strict

EVENTS: frozenset[str] = frozenset(get_args(Event))
STATUSES: frozenset[str] = frozenset(get_args(Status))
VISIBILITIES: frozenset[str] = frozenset(get_args(Visibility))
APPROVALS: frozenset[str] = frozenset(get_args(RequireApproval))

_PLAIN = r"[A-Za-z0-9._/:@*+-]{0,200}"
_DESTINATIONS = frozenset({"url", "oauth_host"})
_SECRETS = frozenset({"value", "password", "oauth_client_secret", "email"})


def named(noun: str, name: str, pattern: str) -> tuple[str, tuple[Detail, ...]]:
    """Name an object: in the sentence if its name is strict, else on a line of its own."""
    if is_strict(name, pattern):
        return f'{noun} "{checked(name, pattern)}"', ()
    return f"the {noun} named below", (Detail(noun.capitalize(), name),)


def counted(count: str | None, noun: str, nouns: str) -> str:
    """Say how many, from a count that may be a lower bound or unknown."""
    if count is None:
        return f"an unknown number of {nouns}"
    return f"{checked(count, r'(?:at least )?[0-9]{1,9}')} {noun if count == '1' else nouns}"


def how_many(entries: Sequence[Document] | None, noun: str, nouns: str = "") -> str:
    """Say how many entries of a list there are; nothing is "unknown"."""
    count = None if entries is None else str(len(entries))
    return counted(count, noun, nouns or f"{noun}s")


def fields(body: Mapping[str, object]) -> tuple[Detail, ...]:
    """Show the fields of a call, one line each, but for credentials and free text."""
    return tuple(Detail(name, _described(name, value)) for name, value in body.items())


def bound(body: Document) -> JSONValue:
    """Take a request body as what an approval binds."""
    return cast("JSONValue", body)


def _described(name: str, value: object) -> str:
    if name in _SECRETS:
        return "a new one, not shown"
    if isinstance(value, dict):
        return joined([f"{key} {_described(key, item)}" for key, item in value.items()])
    if isinstance(value, list):
        return joined(list(map(str, value))) or "none"
    if isinstance(value, str) and (
        name in _DESTINATIONS or (name != "note" and re.fullmatch(_PLAIN, value))
    ):
        return value or "(empty)"
    return describe_value(value)
