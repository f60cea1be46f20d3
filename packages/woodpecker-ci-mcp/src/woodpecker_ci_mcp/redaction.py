"""Keeping credentials out of results, whatever the server sends."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mcp_serverkit.errors import BadArgument
from mcp_serverkit.http.json_fields import Document, object_of, text_of
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


def redacted_object(document: Document) -> Document:
    """Replace credentials in an object."""
    shown = redacted(document)
    assert isinstance(shown, dict)  # noqa: S101 (an object stays one)
    return shown


def keep_hidden(given: Mapping[str, str], present: Document) -> dict[str, str]:
    """Put the stored value in place of the marker, which stands for a value not shown.

    Args:
        given: What a caller sent, as it was shown to it.
        present: The object that holds `variables` as they are stored.

    Raises:
        BadArgument: There is nothing stored of that name.
    """
    stored = object_of(present, "variables")
    kept: dict[str, str] = {}
    for key, value in given.items():
        known = text_of(stored, key) if value == REDACTED else value
        if known is None:
            raise BadArgument(
                "variables", f"no value of {key[:100]} is stored, so there is none to keep"
            )
        kept[key] = known
    return kept


def hidden_keys(document: Mapping[str, object]) -> list[str]:
    """Name the fields of an object whose text is not shown."""
    return sorted(
        key for key, value in document.items() if isinstance(value, str) and is_credential(key)
    )


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
