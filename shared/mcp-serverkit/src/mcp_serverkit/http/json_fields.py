"""JSON documents of a service, whose shape nobody promised, and reading them by type."""

from __future__ import annotations

from typing import TypeAlias

Document: TypeAlias = dict[str, object]


def text_of(document: Document, key: str) -> str | None:
    """Read a text field."""
    value = document.get(key)
    return value if isinstance(value, str) else None


def number_of(document: Document, key: str) -> int | None:
    """Read an integer field; a truth value is none."""
    value = document.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
