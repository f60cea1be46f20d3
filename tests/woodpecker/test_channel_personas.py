"""Each reason to ask against every behaviour of a person outside the client, in both eras."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.channel_personas import PERSONAS, channel, environ, play
from tests.support.clients import ERAS, Era
from tests.woodpecker.calls import GUARDED, Guarded, arrange
from tests.woodpecker.conftest import MakeServer
from woodpecker_ci_mcp.tools import TOOLS

HARMLESS_AGAIN = {
    "update_repository, require_approval",
    "update_repository, visibility",
    "update_secret, events",
    "update_secret, images",
}
"""Once made, the same call gives nothing away any more, so it asks nobody."""


def test_each_guarded_tool_is_asked_about() -> None:
    assert {guarded.tool for guarded in GUARDED} == {tool.name for tool in TOOLS.guarded}


@pytest.mark.requirement("A-21")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("persona", PERSONAS)
@pytest.mark.parametrize("guarded", GUARDED, ids=lambda guarded: guarded.name)
async def test_only_a_yes_reaches_the_backend_and_once(
    guarded: Guarded,
    persona: str,
    era: Era,
    backend: WoodpeckerBackend,
    make_server: MakeServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    arrange(backend)
    window, path = channel(monkeypatch), tmp_path / "record.jsonl"
    server = make_server(environ(path))
    await play(persona, window, server, era, guarded.tool, guarded.arguments, path)
    writes = [f"{request.method} {request.target}" for request in backend.writes]
    unasked = persona == "approves" and guarded.name in HARMLESS_AGAIN
    assert writes == list(guarded.writes) * (2 if unasked else PERSONAS[persona])
    assert len(window.shown) == 1 or (persona == "approves" and not unasked)
