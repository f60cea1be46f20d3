"""The question about a zone file shows the difference: all of it, and nothing that stays."""

from __future__ import annotations

import mcp_types as types
import pytest

from tests.backends.hetzner import ASSIGNED, HetznerBackend
from tests.hetzner_dns.conftest import MakeServer
from tests.hetzner_dns.support import decline, dialog, message, outcome, refusal
from tests.support.clients import (
    ERAS,
    Arguments,
    Era,
    accept,
    call,
    connect,
    leg,
    question,
    structured,
    text,
)
from tests.support.person import Person

ZONE = "plan.example"
HEADING = "Values below are supplied by the caller, not by this server:"


@pytest.fixture
def zone(backend: HetznerBackend) -> HetznerBackend:
    """A zone of nine records in six sets, TTL 3600."""
    backend.add_zone(ZONE, zone_id=60)
    backend.add_rrset(ZONE, "www", "A", ["192.0.2.1"])
    backend.add_rrset(ZONE, "@", "MX", ["10 mail.plan.example."])
    backend.add_rrset(ZONE, "mail", "A", ["192.0.2.3"])
    backend.add_rrset(ZONE, "old", "TXT", ['"gone soon"'])
    return backend


def importing(zonefile: str, zone: str = ZONE) -> Arguments:
    return {"zone": zone, "zonefile": zonefile}


def values(said: str) -> list[str]:
    return said.partition(HEADING)[2].splitlines()[1:]


@pytest.mark.requirement("R-79", "H-1")
@pytest.mark.parametrize("era", ERAS)
async def test_one_changed_address_is_one_line(
    era: Era, zone: HetznerBackend, make_server: MakeServer, person: Person
) -> None:
    file = zone.zonefile(ZONE).replace("192.0.2.1", "203.0.113.66")
    async with connect(make_server(), era, person) as client:
        structured(await call(client, "import_zonefile", importing(file)))
    said = person.last
    assert values(said) == ["  www/A (new, 1 of 1 goes): 203.0.113.66"]
    assert "192.0.2.1" not in said
    assert "mail.plan.example" not in said
    assert (
        "The zone holds 8 records in 6 sets now. Afterwards 1 set is changed, 0 are new, 0 are "
        "gone and 5 are as they are."
    ) in said


@pytest.mark.requirement("H-1")
async def test_new_changed_and_gone_sets_are_all_told(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    zone.add_rrset(ZONE, "sip", "SRV", ["1 1 1 a.example.net.", "2 1 1 b.example.net."])
    zone.add_rrset(ZONE, "multi", "A", ["192.0.2.2", "192.0.2.9"], ttl=300)
    lines = [
        line
        for line in zone.zonefile(ZONE).splitlines()
        if not line.startswith(("old", "sip", "multi"))
    ]
    lines += [
        "multi 60 IN A 192.0.2.2",
        "multi 60 IN A 203.0.113.66",
        "ftp IN CNAME www",
        "api 900 IN A 192.0.2.7",
    ]
    said = await dialog(make_server(), "import_zonefile", importing("\n".join(lines) + "\n"))
    assert (
        "The zone holds 12 records in 8 sets now. Afterwards 1 set is changed, 2 are new, 2 are "
        "gone and 5 are as they are. Gone: old/TXT (1 record), sip/SRV (2 records)."
    ) in said
    assert values(said) == [
        "  api/A (new set): 192.0.2.7",
        "  api/A TTL: 900",
        "  ftp/CNAME (new set): www.plan.example.",
        "  multi/A (stays, 1 of 2 goes): 192.0.2.2",
        "  multi/A (new): 203.0.113.66",
        "  multi/A TTL (was 300): 60",
    ]
    assert "gone soon" not in said
    assert "192.0.2.9" not in said


@pytest.mark.requirement("H-1")
async def test_a_new_default_ttl_is_one_line_and_changes_no_set(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    file = zone.zonefile(ZONE).replace("$TTL\t3600", "$TTL 604800")
    said = await dialog(make_server(), "import_zonefile", importing(file))
    assert "0 sets are changed, 0 are new, 0 are gone and 6 are as they are" in said
    assert values(said) == ["  zone TTL (was 3600, 6 sets follow it): 604800"]


@pytest.mark.requirement("H-1")
@pytest.mark.parametrize("ttl", [600, 3600])
async def test_a_file_without_a_default_keeps_the_zones(
    ttl: int, zone: HetznerBackend, make_server: MakeServer
) -> None:
    zone.project.zone(ZONE).ttl = ttl
    file = zone.zonefile(ZONE).replace(f"$TTL\t{ttl}\n", "")
    said = await dialog(make_server(), "import_zonefile", importing(file))
    assert "Nothing would change: all 6 sets are as they are." in said
    assert values(said) == []


@pytest.mark.parametrize("exported", [True, False])
@pytest.mark.parametrize("ttl", [600, 3600])
async def test_the_zones_ttl_written_out_in_a_file_without_a_default_still_follows_the_zone(
    ttl: int, exported: bool, zone: HetznerBackend, make_server: MakeServer
) -> None:
    zone.project.zone(ZONE).ttl = ttl
    file = zone.zonefile(ZONE).replace(f"$TTL\t{ttl}\n", "").replace("\tIN\t", f"\t{ttl}\tIN\t")
    if exported:
        said = await dialog(make_server(), "import_zonefile", importing(file))
        assert "Nothing would change: all 6 sets are as they are." in said
        return
    zone.fail_next("unavailable", method="GET", path="*/zonefile", times=9)
    said = await dialog(make_server(), "import_zonefile", importing(file))
    assert "  www/A (present state unknown): 192.0.2.1" in said
    assert "TTL" not in said


async def test_a_ttl_that_ends_is_told_as_the_zones(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    zone.add_rrset(ZONE, "www", "A", ["192.0.2.1"], ttl=300)
    file = zone.zonefile(ZONE).replace("\t300\t", "\t")
    said = await dialog(make_server(), "import_zonefile", importing(file))
    assert values(said) == [
        "  www/A (stays): 192.0.2.1",
        "  www/A TTL (was 300): zone",
    ]


async def test_lost_comments_are_counted_and_new_ones_shown(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    zone.add_rrset(ZONE, "www", "A", ["192.0.2.1", "192.0.2.8"], comment="theirs")
    file = zone.zonefile(ZONE).replace("\t; theirs", "").replace("192.0.2.3", "192.0.2.3 ; mine")
    said = await dialog(make_server(), "import_zonefile", importing(file))
    assert "2 comments of records that stay are lost" in said
    assert values(said) == ["  mail/A (stays): 192.0.2.3", "  mail/A comment: mine"]
    assert "theirs" not in said


async def test_names_that_are_none_stand_on_lines_of_their_own(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    exported = zone.zonefile(ZONE)
    zone.respond_next(200, {"zonefile": exported + "od\\032d IN A 192.0.2.5\n"}, path="*/zonefile")
    file = exported + 'a\\032b IN TXT "x"\n'
    said = await dialog(make_server(), "import_zonefile", importing(file))
    assert "Gone: 1 A at an unusual name." in said
    assert values(said)[0].startswith("  unusual name 1: a")
    assert values(said)[1] == '  unusual name 1/TXT (new set): "x"'


async def test_a_long_value_is_shown_in_parts(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    strings = " ".join(f'"{digit * 250}"' for digit in "123456789")
    said = await dialog(
        make_server(), "import_zonefile", importing(zone.zonefile(ZONE) + f"x IN TXT {strings}\n")
    )
    lines = values(said)
    assert [line.partition(":")[0] for line in lines] == [
        f"  x/TXT (new set), part {number} of 3" for number in (1, 2, 3)
    ]
    assert "".join(line.partition(": ")[2] for line in lines).replace(" ", "") == strings.replace(
        " ", ""
    )


@pytest.mark.requirement("H-1")
async def test_too_many_changes_leave_the_values_that_decide_and_all_names(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    hosts = [f"h{number:04}" for number in range(500)]
    file = zone.zonefile(ZONE) + "".join(f"{host} IN A 192.0.2.7\n" for host in hosts)
    file += "*.dev IN A 192.0.2.66\nsub IN NS ns.example.net.\n"
    said = await dialog(make_server(), "import_zonefile", importing(file))
    assert "  *.dev/A (new set): 192.0.2.66" in said
    assert "  sub/NS (new set): ns.example.net." in said
    assert "  A, 500 sets, values not shown: h0000, h0001" in said
    assert "  A, 500 sets, values not shown (continued): " in said
    assert all(host in said for host in hosts)
    assert "192.0.2.7" not in said


@pytest.mark.requirement("H-5")
async def test_what_does_not_even_fit_by_name_is_refused_with_advice_that_loses_nothing(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    file = zone.zonefile(ZONE) + "".join(
        f"sub{number} IN NS ns{number}.example.net.\n" for number in range(130)
    )
    said = await refusal(make_server(), "import_zonefile", importing(file))
    assert "Change single sets with set_records and add_records" in said
    assert 'Importing parts with mode="replace" would remove the rest.' in said
    assert "split the call" not in said
    assert zone.writes == []


@pytest.mark.requirement("R-79", "H-1")
async def test_an_unreadable_file_is_shown_whole_or_refused(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    head = "\n" * 20 + "@ IN MX 0 mail.evil.example.\n"
    file = head + f'x IN TXT "{"y" * 256}"\n'
    said = await dialog(make_server(), "import_zonefile", importing(file))
    assert "  line 21: @ IN MX 0 mail.evil.example." in said
    assert f'  line 22: x IN TXT "{"y" * 256}"' in said
    assert "  line 1:" not in said
    assert "reading ended at line 22" in said
    assert "What would change is unknown: the file could not be read here." in said
    long = head + "".join(f"h{number} IN A 192.0.2.1\n" for number in range(130)) + "x IN A x\n"
    said = await refusal(make_server(), "import_zonefile", importing(long))
    assert "line 152" in said
    assert zone.writes == []


@pytest.mark.requirement("H-1")
async def test_an_unknown_present_state_shows_every_set_of_the_file(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    zone.fail_next("server_error", path="*/zonefile", times=3)
    said = await dialog(make_server(), "import_zonefile", importing(zone.zonefile(ZONE)))
    assert "the present zone could not be read" in said
    lines = values(said)
    assert "  www/A (present state unknown): 192.0.2.1" in lines
    assert "  @/NS (present state unknown): helium.ns.hetzner.de." in lines
    assert len(lines) == 8


@pytest.mark.requirement("H-1")
async def test_a_change_of_the_zone_meanwhile_asks_again(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    file = zone.zonefile(ZONE).replace("192.0.2.1", "203.0.113.66")
    arguments = importing(file)
    async with connect(make_server(), "2026-07-28", decline) as client:
        asked = await question(client, "import_zonefile", arguments)
        zone.add_rrset(ZONE, "www", "A", ["192.0.2.99"])
        again = await leg(
            client, "import_zonefile", arguments, answer=accept(), state=asked.request_state
        )
    assert isinstance(again, types.InputRequiredResult)
    assert "Afterwards 1 set is changed" in message(again)
    assert zone.writes == []


async def test_a_yes_imports_the_text_byte_for_byte(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    file = zone.zonefile(ZONE).replace("192.0.2.1", "203.0.113.66") + "\n; the end"
    result = await outcome(make_server(), "import_zonefile", importing(file))
    assert not result.is_error, text(result)
    assert zone.writes[-1].json() == {"zonefile": file}


@pytest.mark.requirement("H-5")
async def test_an_incomplete_copy_is_told_before_and_after(
    zone: HetznerBackend, make_server: MakeServer, tmp_path: object
) -> None:
    exported = zone.zonefile(ZONE) + "".join(f"h{n:06} IN A 192.0.2.1\n" for n in range(10_000))
    words = "No complete copy of the old zone will be kept: the result holds 150000 of"
    zone.respond_next(200, {"zonefile": exported}, path="*/zonefile", times=9)
    said = await dialog(make_server(), "delete_zone", {"zone": ZONE})
    assert f"{words} {len(exported)} characters." in said
    lines = exported.splitlines()
    file = "\n".join([*lines[:-1], "h009999 IN A 192.0.2.2"]) + "\n"
    said = await dialog(make_server(), "import_zonefile", importing(file))
    assert f"{words} {len(exported)} characters." in said
    assert values(said) == ["  h009999/A (new, 1 of 1 goes): 192.0.2.2"]
    said = await dialog(
        make_server(HETZNER_BACKUP_DIR=str(tmp_path)), "delete_zone", {"zone": ZONE}
    )
    assert "No complete copy" not in said
    result = await outcome(make_server(), "delete_zone", {"zone": ZONE})
    assert f"150000 of {len(exported)} characters" in text(result)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("$ORIGIN\tplan.example.", "$ORIGIN other.example."), "origin: $ORIGIN lies outside"),
        (("$ORIGIN\tplan.example.", "$ORIGIN plan.example"), "origin: $ORIGIN ends without a dot"),
        ((f"@\tIN\tNS\t{ASSIGNED[0]}\n", ""), 'mode="merge" keeps them'),
        (("www\tIN\tA", "www\t1\tIN\tA"), 'mode="merge" reads 1 as the zone\'s TTL'),
        (("www\tIN\tA", "www\tCH\tA"), "class: line"),
        (("www\tIN\tA\t192.0.2.1", "www IN LOC 1 N 1 E 1m"), "type: LOC at www"),
        (("@\tIN\tSOA", "x\tIN\tSOA"), "soa: the file has no SOA of the zone"),
        (("10 mail.plan.example.", "10 mail.plan.example"), "mail.plan.example.plan.example."),
        (("www\tIN\tA\t192.0.2.1", "mail IN CNAME x.example.net."), "cname-coexistence"),
        (("www\tIN\tA\t192.0.2.1", "@ IN MX 10 192.0.2.1"), "is an address"),
    ],
)
@pytest.mark.requirement("R-84", "H-4")
async def test_what_the_api_would_refuse_is_refused_before_anybody_is_asked(
    change: tuple[str, str], words: str, zone: HetznerBackend, make_server: MakeServer
) -> None:
    file = zone.zonefile(ZONE)
    assert change[0] in file
    said = await refusal(make_server(), "import_zonefile", importing(file.replace(*change)))
    assert words in said
    assert zone.writes == []


@pytest.mark.requirement("H-4")
async def test_all_errors_of_a_file_are_named_at_once(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    file = zone.zonefile(ZONE) + "".join(f"h{n} {n} IN A 192.0.2.1\n" for n in range(1, 14))
    said = await refusal(make_server(), "import_zonefile", importing(file))
    assert said.count("the API takes 60 to") == 10
    assert "and 3 more" in said


async def test_what_stands_in_the_zone_already_is_never_held_against_a_file(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    zone.add_rrset(ZONE, "@", "MX", ["10 192.0.2.1.", "0 ."], ttl=30)
    zone.add_rrset(ZONE, "www", "CNAME", ["www.plan.example."])
    zone.add_rrset(ZONE, "x.plan.example", "A", ["192.0.2.1"])
    zone.add_rrset(ZONE, "@", "NS", list(ASSIGNED[:2]))
    said = await dialog(make_server(), "import_zonefile", importing(zone.zonefile(ZONE)))
    assert "Nothing would change: all" in said
    assert "warning" not in said


async def test_a_secondary_zone_is_told_in_every_mode(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    server = make_server(HETZNER_VALIDATION="off")
    said = await refusal(server, "import_zonefile", importing("x", "secondary.example"))
    assert "secondary" in said
    assert zone.writes == []
