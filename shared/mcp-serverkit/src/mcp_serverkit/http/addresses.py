"""The address of a request: a raw path that is exactly the encoded segments.

httpx removes dot segments from a path even after percent-encoding; so they never get there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias
from urllib.parse import quote, urlencode, urlsplit

import httpx

from mcp_serverkit.errors import BadArgument, NotConfigured
from mcp_serverkit.http.connection import Connection

Query: TypeAlias = Mapping[str, str] | Sequence[tuple[str, str]]
"""Query parameters; pairs where a name comes more than once."""


def url_of(
    connection: Connection, segments: Sequence[str], query: Query | None = None, safe: str = ""
) -> httpx.URL:
    """Build the address of a request.

    Args:
        connection: Where the base is.
        segments: Path segments below it; without any, the base itself is meant.
        query: Query parameters.
        safe: Characters that stay raw in a segment.

    Raises:
        BadArgument: A segment that would climb out of its place.
        NotConfigured: The base is no address that can be used.
    """
    parts = urlsplit(connection.base_url)
    path = parts.path + "".join(f"/{encode_segment(segment, safe)}" for segment in segments)
    # Without segments the root is meant: behind a prefix it needs its slash, unless the whole
    # address was given.
    raw = path if segments or connection.whole else f"{path}/"
    raw += f"?{urlencode(query)}" if query else f"?{parts.query}" if parts.query else ""
    try:
        return httpx.URL(
            scheme=parts.scheme,
            host=parts.hostname or "",
            port=parts.port,
            raw_path=raw.encode("ascii"),
        )
    except httpx.InvalidURL:
        raise NotConfigured(f"{connection.variable} holds no address that can be used") from None


def encode_segment(segment: str, safe: str = "") -> str:
    """Percent-encode one path segment, but for the characters in `safe`.

    Raises:
        BadArgument: Empty, `.` or `..`: no encoding keeps those in their place.
    """
    if segment in {"", ".", ".."}:
        raise BadArgument("name", 'must not be empty, "." or ".."')
    try:
        return quote(segment, safe=safe)
    except UnicodeEncodeError:
        raise BadArgument("name", "holds half of a surrogate pair, which is no text") from None
