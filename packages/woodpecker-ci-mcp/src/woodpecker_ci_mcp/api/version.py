"""What a server says of itself outside its API, to anybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_serverkit.errors import Unexpected
from mcp_serverkit.http.json_fields import text_or_empty
from mcp_serverkit.text.sanitize import clean_text

if TYPE_CHECKING:
    from woodpecker_ci_mcp.api.client import WoodpeckerAPI

# A sentence or two of what the server says is wrong.
REASON_CHARS = 300


async def read_version(api: WoodpeckerAPI) -> str:
    """Read the server's version.

    Raises:
        Unexpected: Something else than a Woodpecker server answered.
    """
    reply = await api.public("version")
    try:
        parsed = reply.json() if reply.ok else None
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        raise Unexpected(
            f"GET /version was answered with HTTP {reply.status} and no version: this is most "
            "likely no Woodpecker server.",
            hint="Check WOODPECKER_URL, and whether a proxy stands in between.",
        )
    return text_or_empty(parsed, "version") or "unknown"


async def read_health(api: WoodpeckerAPI) -> tuple[bool, str]:
    """Read whether the server is healthy, and what it says if it is not."""
    reply = await api.public("healthz")
    if reply.ok:
        return True, ""
    reason = "" if reply.body.lstrip()[:1] == b"<" else clean_text(reply.text)[:REASON_CHARS]
    return False, f"HTTP {reply.status}: {reason}".rstrip(": ")
