"""A real question as it comes to a phone, from a real server through a stand-in for ntfy."""

from __future__ import annotations

from collections.abc import Mapping

from demo.questions import Scene
from mcp_serverkit.config.settings import read_settings
from mcp_serverkit.server import build_server
from tests.approval.broker import broker
from tests.support.clients import call, connect


async def notified(scene: Scene) -> Mapping[str, object]:
    """Make the call of a client without dialogs, and return the notification."""
    known = scene.definition
    with broker() as at:
        async with scene.behind() as environ:
            reading = read_settings(known.variables, known.prefix, {**environ, **at.environ(0)})
            server = build_server(known, reading.values)
            async with connect(server, "2026-07-28") as client:
                await call(client, scene.tool, scene.arguments)
                return at.shown()[-1]
