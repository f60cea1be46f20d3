"""Every sending tool against every persona, in both eras."""

from __future__ import annotations

from pathlib import Path

import pytest

from smtp_mcp.tools import TOOLS
from tests.backends.smtp.faults import DROP, Fault
from tests.smtp.support import SENDING, Desk
from tests.support.clients import ERAS, Era
from tests.support.personas import PERSONAS, Persona, play
from tests.support.recorded import environ, hold


def test_there_is_a_call_for_each_guarded_tool() -> None:
    assert set(SENDING) == {tool.name for tool in TOOLS.guarded}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("persona", PERSONAS, ids=lambda persona: persona.name)
@pytest.mark.parametrize("tool", SENDING)
async def test_only_an_approval_sends_a_mail(
    tool: str, persona: Persona, era: Era, desk: Desk, tmp_path: Path
) -> None:
    path = tmp_path / "record.jsonl"
    server = desk.server(persona.wait_seconds, **environ(path))
    await play(persona, server, era, tool, SENDING[tool], path)
    assert len(desk.backend.messages) == (1 if persona.approves else 0)
    assert desk.backend.connections == (1 if persona.approves else 0)


@pytest.mark.requirement("D-5")
@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (None, "done"),
        (Fault("DATA", "554 5.7.1 no"), "failed"),
        (Fault("RCPT", "550 5.1.1 no"), "failed"),
        (Fault("DOT", DROP), "unknown"),
    ],
    ids=["taken", "refused", "no recipient", "cut after the dot"],
)
@pytest.mark.parametrize("tool", SENDING)
async def test_each_yes_has_the_outcome_that_the_mail_server_gave_it(
    tool: str, fault: Fault | None, outcome: str, desk: Desk, tmp_path: Path
) -> None:
    path = tmp_path / "record.jsonl"
    desk.backend.faults = [fault] if fault is not None else []
    await desk.ask_at(desk.server(**environ(path)), tool, SENDING[tool])
    events = [event.event for event in hold(path, SENDING[tool])]
    assert events == ["started", "asked", "approved", outcome]
