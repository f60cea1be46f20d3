"""The present state is read and used: marks, counts, and one judgement of what results."""

from __future__ import annotations

import pytest

from tests.backends.hetzner import ASSIGNED, HetznerBackend
from tests.hetzner_dns.conftest import MakeServer, refuse_to_answer
from tests.hetzner_dns.support import dialog, outcome, record, refusal
from tests.support.clients import ERAS, Arguments, Era, call, connect, structured
from tests.support.person import Person

HEADING = "Values below are supplied by the caller, not by this server:"


@pytest.fixture
def zone(backend: HetznerBackend) -> HetznerBackend:
    backend.add_rrset("example.com", "@", "MX", ["10 mail.example.com."])
    backend.add_rrset("example.com", "mail", "A", ["198.51.100.3"])
    return backend


MAIL = {"zone": "example.com", "name": "mail", "type": "A"}


def several(kind: str, name: str, *values: str) -> Arguments:
    records = [{"value": value} for value in values]
    return {"zone": "example.com", "name": name, "type": kind, "records": records}


def values(said: str) -> list[str]:
    return said.partition(HEADING)[2].splitlines()[1:]


@pytest.mark.requirement("R-85", "H-2")
async def test_marks_and_counts_tell_what_a_replacement_does(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    zone.add_rrset("example.com", "@", "TXT", ['"v=spf1 mx -all"', '"site=1"'], ttl=300)
    arguments = several("TXT", "@", "site=1", "site=2")
    said = await dialog(make_server(), "set_records", arguments)
    assert (
        "It currently holds 2 record(s), TTL 300, replaced by the 2 below: 1 stays, 1 is new, "
        "1 goes."
    ) in said
    assert values(said) == ['  record 1 (stays): "site=1"', '  record 2 (new): "site=2"']
    assert "mx -all" not in said


@pytest.mark.requirement("H-2")
@pytest.mark.parametrize("era", ERAS)
async def test_a_replacement_by_the_same_asks_and_sends_nothing(
    era: Era, zone: HetznerBackend, make_server: MakeServer, person: Person
) -> None:
    zone.add_rrset("example.com", "v6", "AAAA", ["2001:db8::1"], comment="theirs")
    async with connect(make_server(), era, person) as client:
        arguments = several("AAAA", "v6", "2001:DB8::1")
        result = structured(await call(client, "set_records", arguments))
    assert "\n\nNothing would change: the records are there already." in person.last
    assert "theirs" not in person.last
    assert zone.writes == []
    assert result["changed"] is False
    assert "nothing-changes: it is so already, so nothing was sent" in str(result["warnings"])
    assert result["full_name"] == "v6.example.com."


@pytest.mark.requirement("H-2")
async def test_a_comment_of_a_record_that_stays_is_kept_unless_one_is_given(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    zone.add_rrset("example.com", "www", "A", ["198.51.100.1", "198.51.100.2"], comment="kept")
    arguments = several("A", "www", "198.51.100.1", "198.51.100.2", "198.51.100.4")
    records = arguments["records"]
    assert isinstance(records, list)
    records[1]["comment"] = ""  # given, so it clears
    assert "kept" not in await dialog(make_server(), "set_records", arguments)
    structured(await outcome(make_server(), "set_records", arguments))
    assert zone.writes[-1].json() == {
        "records": [
            {"value": "198.51.100.1", "comment": "kept"},
            {"value": "198.51.100.2", "comment": ""},
            {"value": "198.51.100.4"},
        ]
    }


@pytest.mark.requirement("R-81", "H-2")
async def test_a_faulty_record_is_removed_as_it_is_stored(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    zone.add_rrset("example.com", "bad", "TXT", ["unquoted text", '"other"'])
    arguments = several("TXT", "bad", "unquoted text", "not here")
    said = await dialog(make_server(), "remove_records", arguments)
    assert (
        "It currently holds 2 record(s), the zone's TTL; this removes 1 of them, 1 stays." in said
    )
    assert values(said) == [
        "  record 1 (goes): unquoted text",
        "  record 2 (not there): not here",
    ]
    result = structured(await outcome(make_server(), "remove_records", arguments))
    assert zone.writes[-1].json() == {"records": [{"value": "unquoted text"}]}
    assert "not-there: records[1]" in str(result["warnings"])


async def test_a_value_in_another_spelling_is_removed_as_it_is_stored(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    zone.add_rrset("example.com", "x", "TXT", ['"one" "two"', '"y"'])
    structured(await outcome(make_server(), "remove_records", several("TXT", "x", "onetwo")))
    assert zone.writes[-1].json() == {"records": [{"value": '"one" "two"'}]}


async def test_a_very_long_value_that_goes_is_shown_by_its_beginning_and_digest(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    stored = " ".join(['"' + "k" * 250 + '"'] * 8)
    zone.add_rrset("example.com", "long", "TXT", [stored, '"y"'])
    said = await dialog(make_server(), "remove_records", several("TXT", "long", stored))
    assert f"  record 1 (goes), first 500 of {len(stored)} characters: " in said
    assert "  record 1 SHA-256: " in said


@pytest.mark.requirement("H-2")
async def test_removing_what_is_not_there_asks_and_sends_nothing(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    arguments = several("A", "www", "198.51.100.77")
    said = await dialog(make_server(), "remove_records", arguments)
    assert "Nothing would change: none of these is there." in said
    result = structured(await outcome(make_server(), "remove_records", arguments))
    assert result["changed"] is False
    assert zone.writes == []


@pytest.mark.requirement("H-2")
async def test_only_what_is_not_there_is_added(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    arguments = several("MX", "@", "10 MAIL.example.com.", "20 www.example.com.")
    said = await dialog(make_server(), "add_records", arguments)
    assert "It currently holds 1 record(s), the zone's TTL; those stay." in said
    assert "1 is new, 1 is there already." in said
    assert values(said)[0] == "  record 1 (is there): 10 MAIL.example.com."
    structured(await outcome(make_server(), "add_records", arguments))
    assert zone.writes[-1].json() == {"records": [{"value": "20 www.example.com."}]}


async def test_an_unknown_set_is_not_marked(zone: HetznerBackend, make_server: MakeServer) -> None:
    zone.fail_next("server_error", path="/zones/example.com/rrsets/www/A", times=3)
    said = await dialog(make_server(), "set_records", record("A", "www"))
    assert values(said) == ["  record 1: 198.51.100.7"]


async def test_an_answer_about_another_set_proves_nothing(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    other: dict[str, object] = {"rrset": {"name": "other", "type": "A", "ttl": 60, "records": []}}
    zone.respond_next(200, other, path="/zones/example.com/rrsets/www/A")
    said = await dialog(make_server(), "set_records", record("A", "www"))
    assert "an unknown number of records" in said


# One judgement


@pytest.mark.requirement("R-80", "H-3")
@pytest.mark.parametrize("name", ["@", "sub"])
async def test_a_second_policy_beside_the_first_is_told_at_every_door(
    name: str, zone: HetznerBackend, make_server: MakeServer
) -> None:
    zone.add_rrset("example.com", name, "TXT", ['"v=spf1 mx -all"'])
    arguments = several("TXT", name, "v=spf1 include:_spf.example.net ~all")
    if name == "@":
        said = await dialog(make_server(), "add_records", arguments)
        assert "  warning: spf-multiple: more than one SPF policy at a name" in said
    result = structured(await outcome(make_server(), "add_records", arguments))
    assert "spf-multiple" in str(result["warnings"])


async def test_a_challenge_reads_nothing(zone: HetznerBackend, make_server: MakeServer) -> None:
    async with connect(make_server(), "2026-07-28", refuse_to_answer) as client:
        for value in ("token", "v=spf1 -all"):
            structured(await call(client, "add_records", record("TXT", "_acme-challenge", value)))
    assert [request.method for request in zone.requests if "actions/" not in request.path] == []


@pytest.mark.requirement("H-3")
@pytest.mark.parametrize("tool", ["delete_rrset", "remove_records", "set_records"])
async def test_the_apex_name_servers_are_kept_at_every_door(
    tool: str, zone: HetznerBackend, make_server: MakeServer
) -> None:
    arguments = several("NS", "@", *ASSIGNED[:2])
    if tool == "delete_rrset":
        arguments = {key: value for key, value in arguments.items() if key != "records"}
    assert "apex-ns-incomplete" in await refusal(make_server(), tool, arguments)
    assert zone.writes == []


@pytest.mark.requirement("H-4")
@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("create_rrset", several("CNAME", "mail", "x.example.net."), "cname-coexistence"),
        ("create_rrset", several("MX", "alias", "5 x.example.net."), "cname-coexistence"),
        ("create_rrset", several("CNAME", "self", "self"), "cname-to-itself"),
        ("add_records", several("CNAME", "alias", "b.example.net."), "set-rule"),
        ("add_records", several("MX", "@", "0 ."), "set-rule"),
        ("create_rrset", several("MX", "@", "5 x.example.net."), "uniqueness_error"),
        ("add_records", {**several("MX", "@", "5 x.example.net."), "ttl": 300}, "ttl-mismatch"),
    ],
)
async def test_what_is_bound_to_fail_is_refused_before_anybody_is_asked(
    tool: str, arguments: Arguments, words: str, zone: HetznerBackend, make_server: MakeServer
) -> None:
    zone.add_rrset("example.com", "alias", "CNAME", ["a.example.net."])
    assert words in await refusal(make_server(), tool, arguments)
    assert zone.writes == []


@pytest.mark.requirement("H-3")
@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("create_rrset", several("NS", "www", "ns.example.net."), "name-goes-dark: 1 set "),
        (
            "delete_rrset",
            {"zone": "example.com", "name": "mail", "type": "A"},
            "target-in-use: 1 MX",
        ),
        ("create_rrset", several("MX", "x.cut", "5 m.example.net."), "below-delegation: 1 set"),
        ("create_rrset", several("CNAME", "b", "a.example.com."), "cname-loop"),
    ],
)
async def test_what_is_most_likely_a_mistake_is_told_in_the_question(
    tool: str, arguments: Arguments, words: str, zone: HetznerBackend, make_server: MakeServer
) -> None:
    zone.add_rrset("example.com", "cut", "NS", ["ns.example.net."])
    zone.add_rrset("example.com", "a", "CNAME", ["b.example.com."])
    assert f"  warning: {words}" in await dialog(make_server(), tool, arguments)


@pytest.mark.requirement("H-3")
async def test_what_stands_there_already_is_never_held_against_a_call(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    zone.add_rrset("example.com", "mail", "CNAME", ["x.example.net."])
    zone.add_rrset("example.com", "@", "TXT", ['"v=spf1 -all"', '"v=spf1 mx -all"'])
    said = await dialog(make_server(), "add_records", several("TXT", "@", "site=3"))
    assert "warning" not in said


async def test_outside_strict_mode_errors_are_warnings_and_off_is_silent(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    arguments = several("CNAME", "mail", "x.example.net.")
    said = await dialog(make_server(HETZNER_VALIDATION="warn"), "create_rrset", arguments)
    assert "  warning: cname-coexistence:" in said
    said = await dialog(make_server(HETZNER_VALIDATION="off"), "create_rrset", arguments)
    assert "warning" not in said


async def test_a_zone_file_that_is_too_large_is_not_read_for_one_set(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    large = zone.zonefile("example.com") + "; " + "x" * 1_000_000
    zone.respond_next(200, {"zonefile": large}, path="*/zonefile", times=3)
    arguments = {"zone": "example.com", "name": "mail", "type": "A"}
    assert "warning" not in await dialog(make_server(), "delete_rrset", arguments)


@pytest.mark.requirement("H-3")
async def test_a_new_zone_refuses_what_the_api_would_and_returns_the_warnings(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    arguments: dict[str, object] = {"name": "y.example", "mode": "primary"}
    file = "@ MX 10 mail.y.example"
    said = await refusal(make_server(), "create_zone", {**arguments, "zonefile": file})
    assert "doubled-target" in said
    assert "mail.y.example.y.example." in said
    file = "@ NS ns1.example.net.\n@ 1 A 198.51.100.1\n"
    said = await refusal(make_server(), "create_zone", {**arguments, "zonefile": file})
    assert 'then use import_zonefile with mode="merge"' in said
    assert zone.writes == []
    file = "$TTL 300\n@ MX 10 nowhere\n"
    result = structured(
        await outcome(make_server(), "create_zone", {**arguments, "zonefile": file})
    )
    assert "mx-no-address" in str(result["warnings"])


@pytest.mark.requirement("H-6")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (record("MX", "@"), "Mail goes to the server with the lowest number."),
        (record("NS"), "Everything at and below the name is answered elsewhere"),
        (record("CNAME"), "Everything asked of the name is answered by the target."),
        (record("CAA"), "Only the authorities named may issue certificates."),
        (record("CAA", value='0 issue ";"'), "No authority may issue certificates"),
        (record("DS"), "unreachable for those who check"),
        (record("TLSA"), "unreachable for those who check"),
        (record("SRV"), "Clients connect where it says."),
        (record("A", "*"), "It answers for every name that does not exist."),
        (record("A", "@"), "It stands at the zone itself."),
    ],
)
async def test_the_consequence_says_what_a_record_of_its_type_does(
    arguments: Arguments, words: str, zone: HetznerBackend, make_server: MakeServer
) -> None:
    tool = "add_records" if arguments["type"] == "MX" else "create_rrset"
    said = await dialog(make_server(), tool, arguments)
    assert words in said
    assert "Nothing need be removed for it to take effect." in said
    assert "decides who answers" not in said


@pytest.mark.requirement("H-5")
@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ("set_records", "Give set_records the first part of the records, then add_records the"),
        ("create_rrset", "Give create_rrset the first part, then add_records the rest."),
        ("add_records", "Make two calls with a part of the records each."),
        ("remove_records", "Make two calls with a part of the records each."),
    ],
)
async def test_advice_for_what_does_not_fit_loses_nothing(
    tool: str, words: str, zone: HetznerBackend, make_server: MakeServer
) -> None:
    if tool != "create_rrset":
        zone.add_rrset("example.com", "@", "TXT", ['"x"'])
    long = [f"{number}" + "z" * 900 for number in range(40)]
    if tool == "remove_records":
        long = [str(number) + "z" * 998 for number in range(40)]
    said = await refusal(make_server(), tool, several("TXT", "@", *long))
    assert words in said
    one = several("TXT", "@", "z" * 40_000)
    if tool in {"set_records", "create_rrset", "add_records"}:
        said = await refusal(make_server(), tool, one)
        assert "No dialog can show it, so it cannot be written where a person is asked." in said
    assert zone.writes == []
