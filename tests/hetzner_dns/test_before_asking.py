"""What is found out before anybody is asked, and what ends a call there."""

from __future__ import annotations

import pytest

from tests.backends.hetzner import ASSIGNED, HetznerBackend
from tests.hetzner_dns.conftest import MakeServer
from tests.hetzner_dns.support import GOOD_FILE, dialog, record, refusal


@pytest.mark.requirement("T-hetzner-26")
async def test_a_look_that_fails_for_a_passing_reason_asks_with_unknown_numbers(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    backend.fail_next("server_error", method="GET", times=9)
    arguments = {"zone": "example.com", "name": "www", "type": "A"}
    said = await dialog(make_server(), "delete_rrset", arguments)
    assert "It currently holds an unknown number of records, and deleting" in said
    said = await dialog(make_server(), "delete_zone", {"zone": "42"})
    assert said.startswith('This will delete zone "42".')
    assert "an unknown number of records." in said
    rrset = {"zone": "42", "name": "www", "type": "A"}
    assert 'RRSet "www/A" of zone "42".' in await dialog(make_server(), "delete_rrset", rrset)


@pytest.mark.requirement("T-hetzner-26")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("delete_rrset", {"zone": "example.com", "name": "none", "type": "A"}),
        ("set_records", record("A", "none")),
        ("remove_records", record("A", "none")),
        (
            "change_rrset_protection",
            {"zone": "example.com", "name": "none", "type": "A", "change": False},
        ),
        ("delete_zone", {"zone": "none.example"}),
        ("change_zone_protection", {"zone": "none.example", "delete": False}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_is_not_there_ends_the_call_before_anybody_is_asked(
    tool: str, arguments: dict[str, object], backend: HetznerBackend, make_server: MakeServer
) -> None:
    said = await refusal(make_server(), tool, arguments)
    assert said.startswith("code: not_found\n")
    assert backend.writes == []


@pytest.mark.requirement("T-hetzner-26")
async def test_protection_is_told_before_anybody_is_asked(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    backend.add_rrset("example.com", "safe", "A", ["198.51.100.3"], protected=True)
    backend.project.zone("example.com").protected = True
    for tool in ("delete_rrset", "set_records", "remove_records"):
        arguments: dict[str, object] = {"zone": "example.com", "name": "safe", "type": "A"}
        if tool != "delete_rrset":
            arguments["records"] = [{"value": "198.51.100.3"}]
        assert "change_rrset_protection" in await refusal(make_server(), tool, arguments)
    assert "change_zone_protection" in await refusal(
        make_server(), "delete_zone", {"zone": "example.com"}
    )
    assert backend.writes == []


@pytest.mark.requirement("T-hetzner-34")
@pytest.mark.parametrize(
    ("tool", "servers"),
    [("set_records", ASSIGNED[:2]), ("remove_records", ASSIGNED[2:])],
    ids=["set", "remove"],
)
async def test_an_assigned_name_server_cannot_be_taken_out(
    tool: str, servers: tuple[str, ...], backend: HetznerBackend, make_server: MakeServer
) -> None:
    arguments = {
        "zone": "example.com",
        "name": "@",
        "type": "NS",
        "records": [{"value": value} for value in servers],
    }
    assert "apex-ns-incomplete" in await refusal(make_server(), tool, arguments)
    assert backend.writes == []


async def test_a_foreign_name_server_may_stand_beside_the_assigned_ones(
    make_server: MakeServer,
) -> None:
    values = [*ASSIGNED, "ns1.example.net."]
    arguments = {
        "zone": "example.com",
        "name": "@",
        "type": "NS",
        "records": [{"value": value} for value in values],
    }
    assert "ns1.example.net." in await dialog(make_server(), "set_records", arguments)


@pytest.mark.parametrize("value", ["10 mail.example.com", "0 ."])
async def test_what_is_wrong_can_be_removed(
    value: str, backend: HetznerBackend, make_server: MakeServer
) -> None:
    backend.add_rrset("example.com", "@", "MX", ["10 mail.example.com", "0 ."])
    said = await dialog(make_server(), "remove_records", record("MX", "@", value))
    assert f"  record 1 (goes): {value}" in said


async def test_a_server_that_nobody_reaches_is_pointed_out(make_server: MakeServer) -> None:
    servers = [{"address": "10.0.0.53"}, {"address": "9.9.9.9"}]
    arguments = {"zone": "secondary.example", "primary_nameservers": servers}
    said = await dialog(make_server(), "change_primary_nameservers", arguments)
    assert "  server 1: 10.0.0.53, tsig: no, not reachable from the internet\n" in said
    assert said.endswith("  server 2: 9.9.9.9, tsig: no")


async def test_an_import_without_an_assigned_name_server_is_refused(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    file = GOOD_FILE.replace(f"@ IN NS {ASSIGNED[0]}\n", "@ IN NS ns1.example.net.\n")
    arguments = {"zone": "example.com", "zonefile": file}
    said = await refusal(make_server(), "import_zonefile", arguments)
    assert "apex-ns-incomplete: NS at @: 1 of the name servers that Hetzner assigned" in said
    said = await dialog(make_server(HETZNER_VALIDATION="warn"), "import_zonefile", arguments)
    assert "  warning: apex-ns-incomplete: NS at @: 1 of the name servers" in said
    said = await dialog(make_server(HETZNER_VALIDATION="off"), "import_zonefile", arguments)
    assert "warning" not in said
    assert "  @/NS (new, 1 of 3 goes): ns1.example.net." in said
    assert backend.writes == []


async def test_a_present_zone_that_cannot_be_read_leaves_the_difference_unknown(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    arguments = {"zone": "example.com", "zonefile": GOOD_FILE}
    answers: list[bytes] = [b'{"zonefile": "www IN A nonsense"}', b'{"zonefile": 3}', b"[]"]
    for answer in answers:
        backend.respond_next(200, answer, path="*/zonefile")
        said = await dialog(make_server(), "import_zonefile", arguments)
        assert "What would change is unknown: the present zone could not be read." in said
        assert "  www/A (present state unknown): 198.51.100.9" in said
    backend.fail_next("server_error", path="*/zonefile")
    said = await dialog(make_server(), "delete_zone", {"zone": "example.com"})
    assert "It currently holds 5 records. All of them go" in said


async def test_a_file_for_a_zone_without_a_name_is_shown_whole(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    backend.fail_next("server_error", path="/zones/42")
    arguments = {"zone": "42", "zonefile": GOOD_FILE}
    said = await dialog(make_server(), "import_zonefile", arguments)
    assert "reason: the name of the zone is unknown" in said
    assert "  line 8: www IN A 198.51.100.9" in said
