"""Each reason to ask against every behaviour of a person outside the client, in both eras."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer
from tests.hetzner_dns.support import GUARDED
from tests.hetzner_dns.test_personas import NARROWED
from tests.support.channel_personas import PERSONAS, channel, environ, play
from tests.support.clients import ERAS, Era


@pytest.mark.requirement("A-21")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("persona", PERSONAS)
@pytest.mark.parametrize("reason", NARROWED)
async def test_only_a_yes_reaches_the_api_and_once(
    reason: str,
    persona: str,
    era: Era,
    backend: HetznerBackend,
    make_server: MakeServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    tool, arguments = GUARDED[reason]
    window, path = channel(monkeypatch), tmp_path / "record.jsonl"
    server = make_server(HETZNER_EXTRAS="true", **environ(path))
    await play(persona, window, server, era, tool, arguments, path)
    assert len(backend.writes) == PERSONAS[persona]
