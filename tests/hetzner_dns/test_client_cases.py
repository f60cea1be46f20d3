"""Faults of clients, hosts and desktops that others reported, ruled out here."""

from __future__ import annotations

import mcp_types as types
import pytest

from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer, refuse_to_answer
from tests.hetzner_dns.support import approve_other, decline, dialog, record
from tests.support.clients import ERAS, Era, accept, call, connect, leg, structured, text


@pytest.mark.requirement("R-26")
@pytest.mark.parametrize("era", ERAS)
async def test_text_that_looks_like_json_stays_text(
    era: Era, backend: HetznerBackend, make_server: MakeServer
) -> None:
    records = [{"value": "198.51.100.7", "comment": "null"}]
    arguments = {"zone": "example.com", "name": "host", "type": "A", "records": records}
    async with connect(make_server(), era, refuse_to_answer) as client:
        structured(await call(client, "add_records", arguments))
    assert backend.writes[0].json() == {"records": records}
    said = await dialog(make_server(), "import_zonefile", {"zone": "example.com", "zonefile": "{}"})
    assert "  size: 2 bytes" in said


@pytest.mark.requirement("R-22")
async def test_records_as_json_text_are_the_same_call(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    plain = record("A", "www")
    wrapped = {**plain, "records": '[{"value": "198.51.100.7", "comment": null}]'}
    async with connect(make_server(), "2026-07-28", decline) as client:
        result = await approve_other(client, "set_records", wrapped, plain)
        assert isinstance(result, types.CallToolResult)
        structured(result)
        listed = {"zone": "example.com", "name": None, "type": None, "per_page": "10"}
        structured(await call(client, "list_rrsets", listed))
    assert backend.writes[0].json() == {"records": [{"value": "198.51.100.7"}]}
    assert backend.requests[-1].target.endswith("/rrsets?per_page=10")


@pytest.mark.requirement("R-19")
async def test_a_host_that_declines_by_itself_gets_no_way_around(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), "2025-11-25", decline) as client:
        for _ in range(3):
            result = await call(client, "delete_zone", {"zone": "example.com"})
            assert "If no dialog was visible" in text(result)
            assert "confirm_token" not in text(result)
    assert backend.writes == []


@pytest.mark.requirement("R-20")
async def test_half_a_surrogate_pair_from_the_api_does_not_end_the_server(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    backend.respond_next(200, b'{"zone": {"id": 42, "labels": {"a": "b\\ud83d"}}}')
    async with connect(make_server(), "2026-07-28") as client:
        shown = structured(await call(client, "get_zone", {"zone": "example.com"}))
        assert "b\ufffd" in str(shown["zone"])
        assert len((await client.list_tools()).tools) == 22


@pytest.mark.requirement("R-24")
async def test_answers_without_their_state_lead_to_a_fresh_question(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    arguments = {"zone": "example.com"}
    async with connect(make_server(), "2026-07-28", decline) as client:
        for state in (None, "", "x" * 1_000_000):
            result = await leg(client, "delete_zone", arguments, answer=accept(), state=state)
            assert isinstance(result, types.InputRequiredResult)
    assert backend.writes == []


@pytest.mark.requirement("R-25")
@pytest.mark.parametrize("zone", ["..", ".", ""])
async def test_dots_never_climb_out_of_a_path(
    zone: str, backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), "2026-07-28", refuse_to_answer) as client:
        for tool in ("get_zone", "delete_zone", "export_zonefile", "list_rrsets"):
            assert text(await call(client, tool, {"zone": zone})).startswith("zone: ")
    assert backend.requests == []


@pytest.mark.requirement("R-23")
@pytest.mark.parametrize(
    "variable",
    [("ALL_PROXY", "socks://127.0.0.1:10808"), ("HTTPS_PROXY", "127.0.0.1:7890")],
    ids=lambda pair: pair[0],
)
async def test_a_proxy_of_the_desktop_does_not_stand_before_this_machine(
    variable: tuple[str, str], make_server: MakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(*variable)
    async with connect(make_server(), "2026-07-28") as client:
        structured(await call(client, "get_zone", {"zone": "example.com"}))
