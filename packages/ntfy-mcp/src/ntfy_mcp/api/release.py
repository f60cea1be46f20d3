"""Which release an instance runs, as far as it tells."""

from __future__ import annotations

from mcp_serverkit.http.json_fields import Document, text_of

CASE_SENSITIVE = (2, 24)
"""From this release on, the patterns of access rules are compared with regard to case."""


def release_of(version: Document) -> tuple[int, int] | None:
    """Read the release out of the answer of `GET /v1/version`."""
    parts = (text_of(version, "version") or "").lstrip("v").split(".")
    if len(parts) < 2 or not all(part.isascii() and part.isdigit() for part in parts[:2]):
        return None
    return int(parts[0]), int(parts[1])
