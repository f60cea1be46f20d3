"""Every guarded tool, for every reason it has, against every persona, in both eras."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import ERAS, Era, call, connect, structured
from tests.support.personas import PERSONAS, Persona, play
from tests.support.recorded import environ
from tests.woodpecker.calls import GUARDED, Guarded, arrange
from tests.woodpecker.conftest import MakeServer
from tests.woodpecker.harmless import HARMLESS, Harmless
from woodpecker_ci_mcp.order import EXTRAS
from woodpecker_ci_mcp.tools import TOOLS

NAMES = {
    "delete_repository",
    "delete_pipeline",
    "delete_step_logs",
    "delete_pipeline_logs",
    "delete_secret",
    "delete_registry",
    "delete_cron",
    "delete_organization",
    "delete_user",
    "delete_agent",
    "delete_forge",
    "move_repository",
    "chown_repository",
    "repair_repository",
    "update_forge",
    "pause_queue",
    "approve_pipeline",
    "update_user",
    "create_user",
    "update_repository",
    "update_secret",
    "update_registry",
    "set_log_level",
}


@pytest.mark.requirement("S-wood-1", "T-woodpecker-56")
def test_exactly_these_23_of_71_tools_may_ask() -> None:
    assert len([tool for tool in TOOLS if tool.name not in EXTRAS]) == 71
    assert {tool.name for tool in TOOLS.guarded} == NAMES
    assert len(NAMES) == 23


def test_there_is_a_call_for_each_guarded_tool() -> None:
    assert {guarded.tool for guarded in GUARDED} == NAMES
    always = {tool.name for tool in TOOLS.guarded if tool.asks == "always"}
    assert {harmless.tool for harmless in HARMLESS} == NAMES - always


@pytest.mark.requirement("S-all-4")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("persona", PERSONAS, ids=lambda persona: persona.name)
@pytest.mark.parametrize("guarded", GUARDED, ids=lambda guarded: guarded.name)
async def test_only_an_approval_reaches_the_backend_with_a_write(
    guarded: Guarded,
    persona: Persona,
    era: Era,
    backend: WoodpeckerBackend,
    make_server: MakeServer,
    tmp_path: Path,
) -> None:
    arrange(backend)
    path = tmp_path / "record.jsonl"
    patience = {"wait_seconds": 0.05} if persona.name == "never answers" else {}
    server = make_server(environ(path), **patience)
    await play(persona, server, era, guarded.tool, guarded.arguments, path)
    writes = [f"{request.method} {request.target}" for request in backend.writes]
    assert writes == (list(guarded.writes) if persona.approves else [])


@pytest.mark.requirement("S-wood-2", "S-wood-3", "S-wood-4", "S-wood-5", "S-wood-6", "S-wood-7")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("harmless", HARMLESS, ids=lambda harmless: harmless.name)
async def test_the_harmless_direction_asks_nobody(
    harmless: Harmless, era: Era, backend: WoodpeckerBackend, make_server: MakeServer
) -> None:
    arrange(backend)
    harmless.arrange(backend)

    async def unexpected(_context: object, params: object) -> object:
        raise AssertionError(f"asked: {params}")

    async with connect(make_server(), era, unexpected) as client:  # type: ignore[arg-type]
        structured(await call(client, harmless.tool, harmless.arguments))
    methods = [request.method for request in backend.requests]
    first_write = next(index for index, method in enumerate(methods) if method != "GET")
    assert first_write == harmless.reads
    assert len(backend.writes) == 1
