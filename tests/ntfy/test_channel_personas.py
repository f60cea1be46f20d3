"""Every guarded tool against every behaviour of a person outside the client, in both eras."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.conftest import MakeServer
from tests.ntfy.test_personas import CALLS
from tests.support.channel_personas import PERSONAS, channel, environ, play
from tests.support.clients import ERAS, Era


@pytest.mark.requirement("A-21")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("persona", PERSONAS)
@pytest.mark.parametrize("tool", CALLS)
async def test_only_a_yes_reaches_the_backend_and_once(
    tool: str,
    persona: str,
    era: Era,
    backend: NtfyBackend,
    make_server: MakeServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    backend.add_user("eve", "eve-password")
    window, path = channel(monkeypatch), tmp_path / "record.jsonl"
    await play(persona, window, make_server(environ(path)), era, tool, CALLS[tool], path)
    writes = [request for request in backend.requests if request.method != "GET"]
    assert len(writes) == PERSONAS[persona]
