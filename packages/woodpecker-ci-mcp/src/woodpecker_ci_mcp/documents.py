"""Woodpecker's JSON documents, whose shape differs by version, and reading them by type."""

from __future__ import annotations

from typing import TypeAlias

Document: TypeAlias = dict[str, object]


def text_of(document: Document, key: str) -> str:
    """Read a text field; empty when it is absent or no text."""
    value = document.get(key)
    return value if isinstance(value, str) else ""


def number_of(document: Document, key: str) -> int | None:
    """Read an integer field; a truth value is none."""
    value = document.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def object_of(document: Document, key: str) -> Document:
    """Read an object field; empty when it is absent or no object."""
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def texts_of(document: Document, key: str) -> list[str]:
    """Read a list of texts; Go writes an empty one as null."""
    value = document.get(key)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def objects(value: object) -> list[Document]:
    """Take the objects out of a list; anything else is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def objects_of(document: Document, key: str) -> list[Document]:
    """Read a list of objects."""
    return objects(document.get(key))


def picked(document: Document, keys: tuple[str, ...]) -> Document:
    """Copy some fields, but for those that are absent, null or empty."""
    return {
        key: document[key]
        for key in keys
        if document.get(key) is not None and document[key] not in ("", [], {})
    }
