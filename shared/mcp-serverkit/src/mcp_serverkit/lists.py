"""Lists: one page each, good for a while, and empty where a server never has anything."""

from __future__ import annotations

import mcp_types as types
from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.server.caching import CacheableMethod, CacheHint

Context = ServerRequestContext[object, object]

LIST_MS = 300_000
"""Lists cannot change within a process; this bounds the life of one with other settings."""

LISTS: tuple[CacheableMethod, ...] = (
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
)

CACHE_HINTS = {method: CacheHint(LIST_MS) for method in LISTS}


def require_first_page(params: types.PaginatedRequestParams | None) -> None:
    """Refuse a cursor: none is ours. Null and the empty text mean the first page."""
    if params is not None and params.cursor:
        raise MCPError(types.INVALID_PARAMS, "This list has one page: no cursor leads on.")


async def no_resources(
    _context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    """Answer that there are no resources."""
    require_first_page(params)
    return types.ListResourcesResult(resources=[])


async def no_resource_templates(
    _context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    """Answer that there are no templates of resources."""
    require_first_page(params)
    return types.ListResourceTemplatesResult(resource_templates=[])
