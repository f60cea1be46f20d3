"""Every reason to ask against every persona, in both eras; and what asks nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetzner_dns_mcp.definition import HETZNER_DNS
from hetzner_dns_mcp.tools import TOOLS
from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer, refuse_to_answer
from tests.hetzner_dns.support import GUARDED, UNGUARDED
from tests.support.clients import ERAS, Era, call, connect, structured
from tests.support.person import Person
from tests.support.personas import PERSONAS, Persona, play
from tests.support.recorded import environ

NARROWED = {
    name: made
    for name, made in GUARDED.items()
    if not name.startswith(("create_rrset ", "add_records "))
    or name.split(" ", 1)[1] in {"MX", "apex", "wildcard", "deep wildcard"}
}
"""One call for each kind of reason; the single types ask in the next test."""


@pytest.mark.requirement("S-hetzner-1")
def test_ten_of_22_tools_ask_and_six_of_them_always() -> None:
    usual = [tool for tool in TOOLS if tool.name not in HETZNER_DNS.extras]
    assert len(usual) == 22
    assert sum(bool(tool.asks) for tool in usual) == 10
    assert {tool.name for tool in usual if tool.asks == "always"} == {
        "delete_zone",
        "delete_rrset",
        "import_zonefile",
        "set_records",
        "remove_records",
        "change_primary_nameservers",
    }


def test_the_calls_cover_the_guarded_tools() -> None:
    assert {tool for tool, _ in NARROWED.values()} == {tool.name for tool in TOOLS.guarded}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("persona", PERSONAS, ids=lambda persona: persona.name)
@pytest.mark.parametrize("reason", NARROWED)
async def test_only_an_approval_reaches_the_api_with_a_write(
    reason: str,
    persona: Persona,
    era: Era,
    backend: HetznerBackend,
    make_server: MakeServer,
    tmp_path: Path,
) -> None:
    tool, arguments = GUARDED[reason]
    path = tmp_path / "record.jsonl"
    server = make_server(wait=persona.wait_seconds, HETZNER_EXTRAS="true", **environ(path))
    await play(persona, server, era, tool, arguments, path)
    assert len(backend.writes) == (1 if persona.approves else 0)


@pytest.mark.requirement("S-hetzner-5", "S-hetzner-6", "T-hetzner-12", "T-hetzner-13")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("reason", GUARDED)
async def test_each_reason_to_ask_asks_once_and_then_writes_once(
    reason: str, era: Era, backend: HetznerBackend, make_server: MakeServer, person: Person
) -> None:
    tool, arguments = GUARDED[reason]
    async with connect(make_server(HETZNER_EXTRAS="true"), era, person) as client:
        structured(await call(client, tool, arguments))
    assert len(person.messages) == 1
    assert len(backend.writes) == 1


@pytest.mark.requirement(
    "S-hetzner-3", "S-hetzner-7", "S-hetzner-8", "T-hetzner-12", "T-hetzner-13", "T-hetzner-22"
)
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("harmless", UNGUARDED)
async def test_the_unguarded_direction_asks_nobody(
    harmless: str, era: Era, backend: HetznerBackend, make_server: MakeServer
) -> None:
    tool, arguments = UNGUARDED[harmless]
    async with connect(make_server(), era, refuse_to_answer) as client:
        structured(await call(client, tool, arguments))
    assert len(backend.writes) == 1
