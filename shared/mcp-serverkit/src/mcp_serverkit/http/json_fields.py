"""JSON documents of a service, whose shape nobody promised, and reading them by type."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Never, TypeAlias, TypeVar

Document: TypeAlias = dict[str, object]

Value = TypeVar("Value")

_NO_FIELDS: Mapping[str, Never] = MappingProxyType({})


def text_of(document: Document, key: str) -> str | None:
    """Read a text field."""
    value = document.get(key)
    return value if isinstance(value, str) else None


def text_or_empty(document: Document, key: str) -> str:
    """Read a text field; empty when it is absent or no text."""
    return text_of(document, key) or ""


def number_of(document: Document, key: str) -> int | None:
    """Read an integer field; a truth value is none."""
    value = document.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def flag_of(document: Document, key: str) -> bool:
    """Read a switch; anything but true is off."""
    return document.get(key) is True


def object_of(value: object, key: str) -> Document:
    """Read an object in a field; empty where there is none, or nothing to read from."""
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def objects(value: object) -> list[Document]:
    """Take the objects out of a list; anything else is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def objects_of(value: object, key: str) -> list[Document]:
    """Read a list of objects in a field; what is no object is left out."""
    return objects(value.get(key)) if isinstance(value, dict) else []


def texts_of(document: Document, key: str) -> list[str]:
    """Read a list of texts; null, as Go writes an empty one, is an empty list."""
    value = document.get(key)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def picked(document: Document, keys: tuple[str, ...]) -> Document:
    """Copy some fields, but for those that are absent, null or empty."""
    return {
        key: document[key]
        for key in keys
        if document.get(key) is not None and document[key] not in ("", [], {})
    }


def without_none(
    mapping: Mapping[str, Value | None] = _NO_FIELDS, /, **fields: Value | None
) -> dict[str, Value]:
    """Collect what is given; an empty text or list is given, None is not."""
    return {name: value for name, value in {**mapping, **fields}.items() if value is not None}
