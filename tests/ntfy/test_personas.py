"""Every guarded tool against every persona, in both eras."""

from __future__ import annotations

from pathlib import Path

import pytest

from ntfy_mcp.tools import TOOLS
from tests.backends.ntfy import NtfyBackend
from tests.ntfy.conftest import MakeServer
from tests.support.clients import ERAS, Arguments, Era
from tests.support.personas import PERSONAS, Persona, play
from tests.support.recorded import environ

CALLS: dict[str, Arguments] = {
    "update_message": {"topic": "alerts", "sequence_id": "nightly", "message": "v2"},
    "delete_messages": {"topic": "alerts", "sequence_ids": ["nightly"]},
    "create_user": {"username": "newcomer", "password": "a-long-password"},
    "delete_user": {"username": "eve"},
    "manage_user_access": {"username": "eve", "topic": "alerts", "action": "read_only"},
}


def test_there_is_a_call_for_each_guarded_tool() -> None:
    assert set(CALLS) == {tool.name for tool in TOOLS.guarded}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("persona", PERSONAS, ids=lambda persona: persona.name)
@pytest.mark.parametrize("tool", CALLS)
async def test_only_an_approval_reaches_the_backend_with_a_write(
    tool: str,
    persona: Persona,
    era: Era,
    backend: NtfyBackend,
    make_server: MakeServer,
    tmp_path: Path,
) -> None:
    backend.add_user("eve", "eve-password")
    path = tmp_path / "record.jsonl"
    patience = {"wait_seconds": 0.05} if persona.name == "never answers" else {}
    server = make_server(environ(path), **patience)
    await play(persona, server, era, tool, CALLS[tool], path)
    writes = [request for request in backend.requests if request.method != "GET"]
    assert len(writes) == (1 if persona.approves else 0)
