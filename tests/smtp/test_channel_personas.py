"""Every sending tool against every behaviour of a person outside the client, in both eras."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.smtp.support import SENDING, Desk
from tests.support.channel_personas import PERSONAS, channel, environ, play
from tests.support.clients import ERAS, Era


@pytest.mark.requirement("A-21")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("persona", PERSONAS)
@pytest.mark.parametrize("tool", SENDING)
async def test_only_a_yes_sends_a_mail_and_once(
    tool: str,
    persona: str,
    era: Era,
    desk: Desk,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    window, path = channel(monkeypatch), tmp_path / "record.jsonl"
    await play(persona, window, desk.server(**environ(path)), era, tool, SENDING[tool], path)
    assert len(desk.backend.messages) == PERSONAS[persona]
