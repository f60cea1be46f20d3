"""Tools that look at the instance and at what the login may do."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Annotated, NotRequired

from typing_extensions import TypedDict

from mcp_serverkit.errors import Refused, ToolFailure, Unreachable
from mcp_serverkit.http.json_fields import Document, text_of
from mcp_serverkit.tools.constraints import Length
from mcp_serverkit.tools.registry import Call
from mcp_serverkit.tools.results import size
from ntfy_mcp.api.error_hints import is_reserved
from ntfy_mcp.api.release import release_of
from ntfy_mcp.argument_types import Topic
from ntfy_mcp.registry import TOOLS

if TYPE_CHECKING:
    from ntfy_mcp.app import Ntfy


SECTION_BYTES = 40_000
ACCESS_SECONDS = 30.0
"""How long check_topic_access may take in all."""


RESERVED = "reserved on this instance"

_NOTES = {
    401: "the login was refused; publishing was not tried",
    403: "no right to read; publishing may be allowed all the same",
    429: "too many requests",
}


class TopicAccess(TypedDict):
    """What one topic answered."""

    topic: str
    read_access: NotRequired[bool]
    status: NotRequired[int]
    note: NotRequired[str]
    not_checked: NotRequired[bool]


class Access(TypedDict):
    """What each topic answered."""

    results: list[TopicAccess]


class ServerInfo(TypedDict):
    """What the instance says of itself; a part may be {unavailable: reason}."""

    health: dict[str, object]
    config: dict[str, object]
    stats: dict[str, object]
    version: dict[str, object]
    features: NotRequired[dict[str, bool]]
    authenticated_as: str
    admin_tools_available: bool | str
    topics_restricted_to: list[str] | None
    requests_remaining_estimate: int
    note: NotRequired[str]


@TOOLS.read("Check read access to topics")
async def check_topic_access(
    call: Call[Ntfy],
    topics: Annotated[list[Topic] | None, "Else the default topic", Length(1, 10)] = None,
) -> Access:
    """Tell whether this login may read topics. Whether it may publish cannot be asked."""
    ntfy = call.app
    wanted = ntfy.allowlist.resolve_all(topics)
    ends = ntfy.clock() + ACCESS_SECONDS
    results: list[TopicAccess] = []
    stopped = False
    for topic in wanted:
        left = ends - ntfy.clock()
        if stopped or left <= 0:
            results.append({"topic": topic, "not_checked": True})
            continue
        entry, stopped = await _access(ntfy, topic, left)
        results.append(entry)
    return {"results": results}


@TOOLS.read("Get server information")
async def get_server_info(call: Call[Ntfy]) -> ServerInfo:
    """Show the instance's health, configuration, statistics, version and this login's role."""
    from asyncio import gather  # here, so that listing tools does not load it

    ntfy = call.app
    client = ntfy.client
    health, config, stats = await gather(
        *(_section(client.public(name)) for name in ("health", "config", "stats"))
    )
    account = await _section(client.account())
    known = "unavailable" not in account
    version: Document = {"unavailable": "not asked: the own account could not be read"}
    if known:
        version = await _section(client.version())
    role = text_of(account, "role") if known else None
    result: ServerInfo = {
        "health": health,
        "config": config,
        "stats": stats,
        "version": version,
        "authenticated_as": role or "unknown",
        "admin_tools_available": "unknown" if role is None else role == "admin",
        "topics_restricted_to": list(ntfy.allowlist.topics) or None,
        "requests_remaining_estimate": client.bucket.remaining,
    }
    if (number := release_of(version)) is not None:
        result["features"] = {"updates": number >= (2, 16), "copy_action": number >= (2, 17)}
    if role == "anonymous" and (ntfy.settings.token or ntfy.settings.username):
        result["note"] = (
            "A login is set and the instance treats it as anonymous: it has no user database, so "
            "everything on it is open."
        )
    return result


async def _access(ntfy: Ntfy, topic: str, left: float) -> tuple[TopicAccess, bool]:
    """Ask about one topic; also tell whether asking on would do harm."""
    seconds = min(left, float(ntfy.settings.timeout))
    try:
        await ntfy.client.may_read(topic, seconds)
    except Refused as refusal:
        reserved = is_reserved(refusal.status, refusal.error_code)
        note = RESERVED if reserved else _NOTES.get(refusal.status, "unexpected answer")
        entry: TopicAccess = {
            "topic": topic,
            "read_access": False,
            "status": refusal.status,
            "note": note,
        }
        return entry, refusal.status in {401, 429}
    except Unreachable:
        if seconds < left:
            raise
        return {"topic": topic, "not_checked": True}, True
    return {"topic": topic, "read_access": True, "status": 200}, False


async def _section(reading: Awaitable[Document]) -> Document:
    """Read one part; a part that fails says why and the others go on."""
    try:
        document = await reading
    except Refused as refusal:
        reason = {
            401: "HTTP 401: the login has no role admin, or was refused",
            404: "HTTP 404: this version of ntfy, or this instance, does not have it",
        }.get(refusal.status, f"HTTP {refusal.status}")
        return {"unavailable": reason}
    except ToolFailure as failure:
        return {"unavailable": failure.text}
    return document if size(document) <= SECTION_BYTES else {"unavailable": "too large"}
