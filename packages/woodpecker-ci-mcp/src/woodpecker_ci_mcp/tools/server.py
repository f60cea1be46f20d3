"""Tools for the server itself and its queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NotRequired, cast

from typing_extensions import TypedDict

from mcp_approval.verdict import Ask
from mcp_serverkit.errors import NotConfigured
from mcp_serverkit.http.json_fields import objects_of, text_or_empty
from mcp_serverkit.tools.registry import Call
from woodpecker_ci_mcp.api.version import read_health, read_version
from woodpecker_ci_mcp.dialogs import instance as dialogs
from woodpecker_ci_mcp.facts import log_level, queue_paused
from woodpecker_ci_mcp.guards import SILENT_LEVELS
from woodpecker_ci_mcp.registry import TOOLS
from woodpecker_ci_mcp.result_size import fit_object
from woodpecker_ci_mcp.views import full_view, task_view

if TYPE_CHECKING:
    from woodpecker_ci_mcp.app import Woodpecker

Level = Literal["trace", "debug", "info", "warn", "error", "fatal", "panic", "disabled"]


class Info(TypedDict):
    """What the server says of itself."""

    server: str
    version: str
    healthy: bool
    note: NotRequired[str]


class Queue(TypedDict, total=False):
    """Tasks of the instance, and whether the queue is paused."""

    pending: list[dict[str, object]]
    waiting_on_deps: list[dict[str, object]]
    running: list[dict[str, object]]
    stats: dict[str, int]
    paused: bool


LogLevel = TypedDict("LogLevel", {"log-level": str, "changed": NotRequired[bool]})
"""The server's own log level, under Woodpecker's name for it."""


class Paused(TypedDict):
    """Whether the queue is paused."""

    queue_paused: bool
    changed: NotRequired[bool]
    note: str


@TOOLS.read("Get server information", foreign=True, offline=True)
async def get_server_info(call: Call[Woodpecker]) -> Info:
    """Show the server's address, version and health; needs no token."""
    wp = call.app
    if not wp.settings.url:
        raise NotConfigured("WOODPECKER_URL is not set, so there is no server to ask")
    version = await read_version(wp.api)
    healthy, trouble = await read_health(wp.api)
    result: Info = {"server": wp.settings.url, "version": version, "healthy": healthy}
    if trouble:
        result["note"] = trouble
    return result


@TOOLS.read("Get the queue", foreign=True)
async def get_queue_info(call: Call[Woodpecker]) -> Queue:
    """Show pending, waiting and running tasks of the instance. Needs admin."""
    found = full_view(await call.app.api.get("queue", "info"))
    # Go writes an empty list as null, which the result does not allow.
    names = ("pending", "waiting_on_deps", "running")
    lists = {name: list(map(task_view, objects_of(found, name))) for name in names}
    return fit_object(cast("Queue", {**found, **lists}))


@TOOLS.read("Get the log level")
async def get_log_level(call: Call[Woodpecker]) -> LogLevel:
    """Read the server's own log level. Needs admin."""
    return {"log-level": text_or_empty(await call.app.api.get("log-level"), "log-level")}


@TOOLS.write("Pause the queue", destructive=False, idempotent=True, asks="always")
async def pause_queue(call: Call[Woodpecker]) -> Paused:
    """Stop the whole instance from starting pipelines. Needs admin."""
    wp = call.app

    async def ask() -> Ask:
        await wp.rights.require_admin("pausing the queue")
        return dialogs.pause_queue(await queue_paused(wp.api))

    approved = (await call.confirm(ask)).ask
    if approved.target.facts["paused"] is True:
        return {"queue_paused": True, "changed": False, "note": "It was paused already."}
    await wp.api.act("queue", "pause")
    return {"queue_paused": True, "note": "Nothing new starts until resume_queue."}


@TOOLS.write("Resume the queue", destructive=False, idempotent=True)
async def resume_queue(call: Call[Woodpecker]) -> Paused:
    """Let the instance start pipelines again. Needs admin."""
    await call.app.api.act("queue", "resume")
    return {"queue_paused": False, "note": "Waiting pipelines start again."}


@TOOLS.write(
    "Set the log level",
    destructive=False,
    idempotent=True,
    asks="when it is fatal, panic or disabled",
)
async def set_log_level(
    call: Call[Woodpecker], level: Annotated[Level, "Least severe line that is logged"]
) -> LogLevel:
    """Set the server's own log level until its restart. Needs admin."""
    wp = call.app
    if level in SILENT_LEVELS:

        async def ask() -> Ask:
            await wp.rights.require_admin("setting the log level")
            return dialogs.set_log_level(level, await log_level(wp.api))

        approved = (await call.confirm(ask)).ask
        if approved.target.facts["level"] == level:
            return {"log-level": level, "changed": False}
    answer = await wp.api.post("log-level", body={"log-level": level})
    return {"log-level": text_or_empty(answer, "log-level") or level}
