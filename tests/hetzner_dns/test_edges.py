"""Values and names at their edges, as other tools for DNS once lost them."""

from __future__ import annotations

import pytest

from hetzner_dns_mcp.records.txt import parse_txt
from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer
from tests.support.clients import call, connect, structured
from tests.support.person import Person


def stored(backend: HetznerBackend, zone: str, name: str, record_type: str) -> list[str]:
    """The values of a set, as the stand-in keeps them."""
    found = next(one for one in backend.project.zones.values() if one.name == zone)
    return list(found.find(name, record_type).records)


@pytest.mark.requirement("R-87")
@pytest.mark.parametrize(
    "value",
    ['""', "a" * 254, "a" * 255, "a" * 256, '{"v": 1, "to": ["a@example.com"], "t": "a \\" b"}'],
    ids=["empty", "254 bytes", "255 bytes", "256 bytes", "JSON"],
)
async def test_a_text_arrives_byte_for_byte(
    value: str, backend: HetznerBackend, make_server: MakeServer, person: Person
) -> None:
    given = {"zone": "example.com", "name": "note", "type": "TXT", "records": [{"value": value}]}
    async with connect(make_server(), "2026-07-28", person) as client:
        structured(await call(client, "create_rrset", given))
    (kept,) = stored(backend, "example.com", "note", "TXT")
    assert parse_txt(kept) == (b"" if value == '""' else value.encode())


@pytest.mark.requirement("R-87")
async def test_a_caa_with_blanks_keeps_them(
    backend: HetznerBackend, make_server: MakeServer, person: Person
) -> None:
    value = (
        '0 issue "ca.example.net; validationmethods=dns-01; accounturi=https://ca.example.net/1"'
    )
    given = {"zone": "example.com", "name": "@", "type": "CAA", "records": [{"value": value}]}
    async with connect(make_server(), "2026-07-28", person) as client:
        structured(await call(client, "create_rrset", given))
    assert stored(backend, "example.com", "@", "CAA") == [value]


@pytest.mark.requirement("R-88")
@pytest.mark.parametrize("name", ["*.dev.example.co.uk.", "*.DEV.example.co.uk.", "*.dev"])
async def test_a_wildcard_may_be_written_in_full_below_a_zone_of_two_labels(
    name: str, backend: HetznerBackend, make_server: MakeServer, person: Person
) -> None:
    backend.add_zone("example.co.uk")
    given = {
        "zone": "example.co.uk",
        "name": name,
        "type": "A",
        "records": [{"value": "192.0.2.1"}],
    }
    async with connect(make_server(), "2026-07-28", person) as client:
        structured(await call(client, "create_rrset", given))
    assert stored(backend, "example.co.uk", "*.dev", "A") == ["192.0.2.1"]


@pytest.mark.requirement("R-88")
async def test_a_zone_file_may_begin_at_serial_zero(
    make_server: MakeServer, person: Person
) -> None:
    zonefile = (
        "$ORIGIN example.com.\n$TTL 3600\n"
        "@ IN SOA hydrogen.ns.hetzner.com. dns.hetzner.com. 0 86400 10800 3600000 3600\n"
        "www IN A 192.0.2.1\n"
    )
    given = {"zone": "example.com", "zonefile": zonefile, "mode": "merge", "dry_run": True}
    async with connect(make_server(), "2026-07-28", person) as client:
        shown = structured(await call(client, "import_zonefile", given))
    assert "www" in str(shown)
