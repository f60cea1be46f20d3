"""The zones that the operator listed, and nothing beside them."""

from __future__ import annotations

import pytest

from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer, refuse_to_answer
from tests.hetzner_dns.support import GUARDED, UNGUARDED, outcome
from tests.support.clients import Arguments, call, connect, structured, text

ALLOWLIST = "HETZNER_ZONE_ALLOWLIST"

READS: dict[str, tuple[str, Arguments]] = {
    "get_zone": ("get_zone", {"zone": "example.com"}),
    "export_zonefile": ("export_zonefile", {"zone": "example.com"}),
    "list_rrsets": ("list_rrsets", {"zone": "example.com"}),
    "list_rrsets by name": ("list_rrsets", {"zone": "example.com", "name": "a.b"}),
    "get_rrset": ("get_rrset", {"zone": "example.com", "name": "a", "type": "A"}),
    "list_zone_actions": ("list_zone_actions", {"zone": "example.com"}),
}
ALL = {f"guarded {n}": c for n, c in GUARDED.items()} | UNGUARDED | READS


@pytest.mark.requirement("T-hetzner-41")
@pytest.mark.parametrize("name", ALL)
async def test_a_zone_outside_is_refused_without_a_request(
    name: str, backend: HetznerBackend, make_server: MakeServer
) -> None:
    tool, arguments = ALL[name]
    server = make_server(**{ALLOWLIST: "other.example", "HETZNER_EXTRAS": "true"})
    async with connect(server, "2026-07-28", refuse_to_answer) as client:
        result = await call(client, tool, arguments)
    assert result.is_error
    assert f"is not among the zones of {ALLOWLIST}" in text(result)
    assert backend.requests == []


@pytest.mark.requirement("T-hetzner-41")
async def test_an_id_is_looked_up_once_against_a_list_of_names(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(**{ALLOWLIST: "example.com"}), "2026-07-28") as client:
        structured(await call(client, "get_zone", {"zone": "42"}))
        structured(await call(client, "list_rrsets", {"zone": "42"}))
        assert [r.path for r in backend.requests] == ["/zones/42", "/zones/42", "/zones/42/rrsets"]
        outside = await call(client, "list_rrsets", {"zone": "43"})
        nowhere = await call(client, "list_rrsets", {"zone": "4711"})
    assert ALLOWLIST in text(outside)
    assert ALLOWLIST in text(nowhere)
    assert not any(r.path.endswith("/rrsets") for r in backend.requests[3:])


async def test_a_name_is_looked_up_against_a_list_of_ids(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(**{ALLOWLIST: "42"}), "2026-07-28") as client:
        structured(await call(client, "list_rrsets", {"zone": "example.com"}))
        assert ALLOWLIST in text(await call(client, "list_rrsets", {"zone": "other.example"}))
        backend.fail_next("server_error", method="GET")
        failed = await call(client, "list_rrsets", {"zone": "secondary.example"})
    assert text(failed).startswith("code: server_error")


@pytest.mark.requirement("T-hetzner-41")
async def test_the_list_of_zones_hides_the_others_and_says_so(make_server: MakeServer) -> None:
    async with connect(make_server(**{ALLOWLIST: "example.com,44"}), "2026-07-28") as client:
        shown = structured(await call(client, "list_zones"))
    zones = shown["zones"]
    assert isinstance(zones, list)
    assert [zone["name"] for zone in zones] == ["example.com", "secondary.example"]
    assert ALLOWLIST in str(shown["warnings"])


async def test_actions_of_other_zones_are_hidden(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    for zone in ("example.com", "other.example", "secondary.example"):
        backend.project.start("change_ttl", backend.project.zone(zone))
    server = make_server(**{ALLOWLIST: "example.com,44,none.example"})
    async with connect(server, "2026-07-28") as client:
        shown = structured(await call(client, "list_zone_actions"))
        actions = shown["actions"]
        assert isinstance(actions, list)
        assert [action["resources"][0]["id"] for action in actions] == [42, 44]
        structured(await call(client, "get_zone_action", {"action_id": 7001}))
        hidden = await call(client, "get_zone_action", {"action_id": 7002})
    assert text(hidden).startswith("action_id: ")


async def test_a_deleted_zone_is_looked_up_anew(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    server = make_server(**{ALLOWLIST: "42"})
    structured(await outcome(server, "delete_zone", {"zone": "example.com"}))
    backend.add_zone("example.com", zone_id=50)
    async with connect(make_server(**{ALLOWLIST: "42"}), "2026-07-28") as client:
        result = await call(client, "get_zone", {"zone": "example.com"})
    assert ALLOWLIST in text(result)
