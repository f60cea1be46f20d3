"""Every way to write a TXT looks at policies, and none asks more of the API for it."""

from __future__ import annotations

import pytest

from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer
from tests.support.clients import ERAS, Era, call, connect, structured
from tests.support.person import Person

LOST = '"v=spf1 inlude:_spf.example.net -all"'
FILE = f"x IN TXT {LOST}\n"
DOORS: dict[str, tuple[str, dict[str, object]]] = {
    "create": (
        "create_rrset",
        {"zone": "example.com", "name": "x", "type": "TXT", "records": [{"value": LOST}]},
    ),
    "add": (
        "add_records",
        {"zone": "example.com", "name": "x", "type": "TXT", "records": [{"value": LOST}]},
    ),
    "set": (
        "set_records",
        {"zone": "example.com", "name": "old", "type": "TXT", "records": [{"value": LOST}]},
    ),
    "changes": (
        "apply_record_changes",
        {
            "zone": "example.com",
            "changes": [
                {"action": "create", "name": "x", "type": "TXT", "records": [{"value": LOST}]}
            ],
        },
    ),
    "merge": (
        "import_zonefile",
        {"zone": "example.com", "zonefile": FILE, "mode": "merge", "dry_run": True},
    ),
    "replace": ("import_zonefile", {"zone": "example.com", "zonefile": FILE, "dry_run": True}),
    "new zone": (
        "create_zone",
        {"name": "new.example", "mode": "primary", "zonefile": FILE},
    ),
}


@pytest.mark.requirement("H-7")
@pytest.mark.parametrize("mode", ["strict", "warn", "off"])
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("door", DOORS)
async def test_every_door_warns_in_every_mode_but_off(
    door: str,
    era: Era,
    mode: str,
    backend: HetznerBackend,
    make_server: MakeServer,
    person: Person,
) -> None:
    backend.add_rrset("example.com", "old", "TXT", ['"text"'])
    tool, arguments = DOORS[door]
    server = make_server(HETZNER_EXTRAS="true", HETZNER_VALIDATION=mode)
    async with connect(server, era, person) as client:
        result = structured(await call(client, tool, arguments))
    warned = "spf-syntax: " in str(result.get("warnings"))
    assert warned is (mode != "off")
    if person.messages:
        assert ("spf-syntax: " in person.last) is (mode != "off")


@pytest.mark.requirement("H-7")
@pytest.mark.parametrize("zone", ["example.com", "42"])
async def test_a_policy_that_includes_itself_is_told_without_another_request(
    zone: str, backend: HetznerBackend, make_server: MakeServer
) -> None:
    records = [{"value": "v=spf1 include:shop.example.com -all"}]
    arguments = {"zone": zone, "name": "shop", "type": "TXT", "records": records}
    async with connect(make_server(HETZNER_VALIDATION="warn"), "2026-07-28") as client:
        result = structured(await call(client, "create_rrset", arguments))
    told = "spf-includes-itself" in str(result.get("warnings"))
    assert told is (zone == "example.com")
    before = backend.requests[: backend.requests.index(backend.writes[0])]
    assert [request.path for request in before] == [f"/zones/{zone}/rrsets/shop/TXT"]
