"""Every sending tool against every persona, in both eras."""

from __future__ import annotations

from pathlib import Path

import pytest

from smtp_mcp.tools import TOOLS
from tests.smtp.support import SENDING, Desk
from tests.support.clients import ERAS, Era
from tests.support.personas import PERSONAS, Persona, play
from tests.support.recorded import environ


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
