"""How a person outside the client may behave when a guarded tool asks; each with a record."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp.server import Server

from mcp_approval.reach import loading
from tests.approval.outside import Scripted, settle
from tests.support.clients import Arguments, Era, call, connect
from tests.support.recorded import hold

PERSONAS = {"approves": 1, "declines": 0, "says nothing": 0, "taps late": 1}
"""Each, and how many writes may follow when the same call is made twice."""


def environ(path: Path) -> dict[str, str]:
    """What the operator set."""
    return {
        "APPROVAL_REACH": "window",
        "APPROVAL_WAIT_SECONDS": "0",
        "APPROVAL_RECORD": str(path),
    }


def channel(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """Stand in the window's place."""
    made = Scripted("window")
    monkeypatch.setattr("tests.approval.outside.opened", lambda _: made)
    monkeypatch.setattr(loading, "CHANNELS", {"window": "tests.approval.outside:opened"})
    return made


async def play(
    persona: str,
    window: Scripted,
    server: Server[object],
    era: Era,
    tool: str,
    arguments: Arguments,
    path: Path,
) -> None:
    """Make the same call twice, the second time with a token that proves nothing."""
    if persona in {"approves", "declines"}:
        window.reply = "approve" if persona == "approves" else "decline"
    async with connect(server, era) as client:
        first = await call(client, tool, arguments)
        assert bool(first.is_error) is (persona != "approves")
        window.reply = None
        if persona == "taps late":
            window.say("approve")
        again = await call(client, tool, {**arguments, "confirm_token": "0" * 32})
        # What was done may answer a repeat without doing it again.
        assert persona == "approves" or bool(again.is_error) is (persona != "taps late")
        await settle()
    hold(path, arguments)
