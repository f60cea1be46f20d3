"""A server as a process of its own, with tools that ask, wait for ever, and block the loop.

KIT_NAME names a file that appears once a tool is under way.
"""

from __future__ import annotations

import asyncio
import logging
import time
from pathlib import Path
from typing import cast

from mcp_approval import Ask, Question, Target
from mcp_serverkit.config.settings import Values
from mcp_serverkit.runtime.cli import run
from mcp_serverkit.tools.registry import Call, Registry
from tests.serverkit.kit import KIT, App, Told

TOOLS = Registry(source="kit")
FOR_EVER = 600
"""Seconds; longer than any test waits."""


class Marking(App):
    """An app that marks that a tool is under way."""

    def __init__(self, values: Values) -> None:
        super().__init__()
        self.mark = Path(cast("str", values["name"]))


def build(values: Values, _offered: object) -> Marking:
    """Build the app."""
    return Marking(values)


@TOOLS.read("Block the loop", offline=True)
async def block(call: Call[Marking]) -> Told:
    """Block the event loop."""
    call.app.mark.touch()
    time.sleep(FOR_EVER)  # noqa: ASYNC251 (that is what it is for)
    return {"told": "done"}


@TOOLS.read("Answer at once", offline=True)
async def at_once(call: Call[Marking]) -> Told:
    """Answer at once."""
    return {"told": "done"}


@TOOLS.write("Write for ever", destructive=True, idempotent=True, asks="always")
async def write_for_ever(call: Call[Marking]) -> Told:
    """Ask, then write without an end."""
    await call.confirm(Ask(Question("do it", "It is done."), Target.ordered("write_for_ever")))
    call.app.mark.touch()
    try:
        await asyncio.sleep(FOR_EVER)
    finally:
        logging.getLogger(__name__).warning("a write was cut short: its outcome is unknown")
    return {"told": "done"}


ENDING = KIT._replace(
    registry=lambda: TOOLS, load_app="tests.serverkit.ending_server:build", presets={}
)

if __name__ == "__main__":
    run(ENDING)
