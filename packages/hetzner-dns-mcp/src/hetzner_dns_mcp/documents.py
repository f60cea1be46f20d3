"""The API's JSON documents, whose shape nobody promised, and reading them by type."""

from __future__ import annotations

from mcp_serverkit.http.json_fields import Document, number_of, text_of

__all__ = ["Document", "document_of", "documents_of", "flag_of", "number_of", "text_of"]


def document_of(value: object, key: str) -> Document:
    """Read a nested object; anything else is an empty one."""
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def documents_of(value: object, key: str) -> list[Document]:
    """Read a list of objects; what is no object is left out."""
    inner = value.get(key) if isinstance(value, dict) else None
    return [item for item in inner if isinstance(item, dict)] if isinstance(inner, list) else []


def flag_of(document: Document, key: str) -> bool:
    """Read a switch; anything but true is off."""
    return document.get(key) is True
