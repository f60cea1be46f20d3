"""Keeping credentials out of results, whatever the server sends."""

from __future__ import annotations

import re

from mcp_serverkit.text.sanitize import MAX_DEPTH

REDACTED = "(redacted)"
"""Stands where a credential was: a field left out would read as "there is none"."""

_ENDINGS = (
    "token",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "apikey",
    "privatekey",
)
_IN_URL = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]{0,20}://)[^\s/@:]{1,200}(?::[^\s/@]{0,500})?@")


def redacted(value: object, *, spare: frozenset[str] = frozenset()) -> object:
    """Replace the text of every field that is named like a credential.

    Args:
        value: A JSON document.
        spare: Names of top fields to leave alone.
    """
    return _redacted(value, MAX_DEPTH, spare)


def without_credentials(text: str) -> str:
    """Take user and password out of every URL in a text."""
    return _IN_URL.sub(r"\1", text) if "://" in text else text


def is_credential(key: str) -> bool:
    """Tell whether a field is named like a credential, in any spelling."""
    return re.sub(r"[-_\s]", "", key).lower().endswith(_ENDINGS)


def _redacted(value: object, depth: int, spare: frozenset[str]) -> object:
    if isinstance(value, str):
        return without_credentials(value)
    if depth == 0:
        return value if isinstance(value, int | float) or value is None else REDACTED
    if isinstance(value, dict):
        return {
            key: REDACTED
            if isinstance(item, str) and key not in spare and is_credential(str(key))
            else _redacted(item, depth - 1, frozenset())
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_redacted(item, depth - 1, frozenset()) for item in value]
    return value
