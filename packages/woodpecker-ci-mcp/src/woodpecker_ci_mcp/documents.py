"""Woodpecker's JSON documents, whose shape differs by version, and reading them by type."""

from __future__ import annotations

from mcp_serverkit.http.json_fields import Document, number_of

__all__ = [
    "Document",
    "number_of",
    "object_of",
    "objects",
    "objects_of",
    "picked",
    "text_or_empty",
    "texts_of",
]


def text_or_empty(document: Document, key: str) -> str:
    """Read a text field; empty when it is absent or no text."""
    value = document.get(key)
    return value if isinstance(value, str) else ""


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
