"""A server in this process, from settings to the SDK's object."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from mcp.server import Server

from mcp_serverkit.config.settings import Reading, Values, read_settings
from mcp_serverkit.definition import App, Definition
from mcp_serverkit.server import build_approver, build_server


def reading_of(definition: Definition, environ: Mapping[str, str]) -> Reading:
    """Read settings as the command does, problems and warnings included."""
    read = read_settings(definition.variables, definition.prefix, dict(environ))
    definition.cross_check(read.values, read)
    return read


def values_of(definition: Definition, environ: Mapping[str, str]) -> Values:
    """Read settings that must be free of problems."""
    read = reading_of(definition, environ)
    assert read.problems == []
    return read.values


def serve(
    definition: Definition,
    given: Values,
    *,
    app: App | None,
    clock: Callable[[], float] = time.monotonic,
    wait_seconds: float = 10.0,
    log: Callable[[str], None] | None = None,
) -> Server[object]:
    """Build a server.

    Args:
        definition: Which one.
        given: Its settings.
        app: What its tools work with.
        clock: Monotonic seconds of the approver.
        wait_seconds: How long a pushed question waits.
        log: Receives the lines about decisions.
    """
    approver = build_approver(definition, given)
    approver = replace(approver, clock=clock, wait_seconds=wait_seconds, log=log or approver.log)
    return build_server(definition, given, app=app, approver=approver)
