"""An approval runs exactly what was shown, once, while what it quotes still holds."""

from __future__ import annotations

import mcp_types as types
import pytest

from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer
from tests.hetzner_dns.support import GOOD_FILE, GUARDED, approve_other, decline, record
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
    token_in,
)
from tests.support.person import Person

ONE = {"value": "198.51.100.7"}
TWO = {"value": "198.51.100.8"}
PRESENT = ["198.51.100.1", "198.51.100.7", "198.51.100.8"]
WWW: Arguments = {"zone": "example.com", "name": "www", "type": "A"}
SET: Arguments = {"zone": "example.com", "name": "www", "type": "A", "records": [ONE]}
MX: Arguments = {**record("MX", "@"), "ttl": 300}
SERVER = {"address": "198.51.100.2", "tsig_key": "YQ==", "tsig_algorithm": "hmac-sha256"}
PRIMARIES: Arguments = {"zone": "secondary.example", "primary_nameservers": [SERVER]}
IMPORT: Arguments = {"zone": "example.com", "zonefile": GOOD_FILE}

OTHERS: dict[str, tuple[str, Arguments, Arguments]] = {
    "another value": ("set_records", SET, {**SET, "records": [{"value": "198.51.100.66"}]}),
    "a record more": ("set_records", SET, {**SET, "records": [ONE, TWO]}),
    "another order": (
        "set_records",
        {**SET, "records": [ONE, TWO]},
        {**SET, "records": [TWO, ONE]},
    ),
    "another zone": ("set_records", SET, {**SET, "zone": "other.example"}),
    "another comment": ("set_records", SET, {**SET, "records": [{**ONE, "comment": "x"}]}),
    "fewer to remove": (
        "remove_records",
        {**SET, "records": [ONE, TWO]},
        {**SET, "records": [ONE]},
    ),
    "another ttl": ("create_rrset", MX, {**MX, "ttl": 86_400}),
    "labels": ("create_rrset", MX, {**MX, "labels": {"a": "b"}}),
    "another ttl of an addition": ("add_records", MX, {**MX, "ttl": 86_400}),
    "another type": ("delete_rrset", WWW, {**WWW, "type": "TXT"}),
    "a key": (
        "change_primary_nameservers",
        PRIMARIES,
        {**PRIMARIES, "primary_nameservers": [{**SERVER, "tsig_key": "Yg=="}]},
    ),
    "a blank line": ("import_zonefile", IMPORT, {**IMPORT, "zonefile": GOOD_FILE + "\n"}),
    "a trailing blank": ("import_zonefile", IMPORT, {**IMPORT, "zonefile": GOOD_FILE + " "}),
}


@pytest.fixture(autouse=True)
def second_zone(backend: HetznerBackend) -> None:
    for zone in ("example.com", "other.example"):
        backend.add_rrset(zone, "www", "A", PRESENT, ttl=300)
        backend.add_rrset(zone, "www", "TXT", ['"x"'], ttl=300)


@pytest.mark.requirement(
    "S-hetzner-2", "T-hetzner-14", "T-hetzner-15", "T-hetzner-19", "T-hetzner-23"
)
@pytest.mark.parametrize("difference", OTHERS)
async def test_an_approval_does_not_run_another_call(
    difference: str, backend: HetznerBackend, make_server: MakeServer
) -> None:
    tool, approved, other = OTHERS[difference]
    async with connect(make_server(), "2026-07-28", decline) as client:
        result = await approve_other(client, tool, approved, other)
    assert isinstance(result, types.InputRequiredResult), "a fresh question is due"
    assert backend.writes == []


@pytest.mark.requirement("S-hetzner-2", "T-hetzner-14", "T-hetzner-15")
@pytest.mark.parametrize("difference", OTHERS)
async def test_a_token_does_not_run_another_call(
    difference: str, backend: HetznerBackend, make_server: MakeServer
) -> None:
    tool, approved, other = OTHERS[difference]
    async with connect(make_server(), "2025-11-25") as client:
        token = token_in(await call(client, tool, approved))
        refused = await call(client, tool, {**other, "confirm_token": token})
        assert refused.is_error
        assert "confirm_token refused" in text(refused)
        assert 'confirm_token="' not in text(refused)
        assert backend.writes == []
        structured(await call(client, tool, {**approved, "confirm_token": token}))
    assert len(backend.writes) == 1


@pytest.mark.requirement("T-hetzner-14")
@pytest.mark.parametrize("era", ERAS)
async def test_an_approved_replacement_is_one_request_with_exactly_that_list(
    era: Era, backend: HetznerBackend, make_server: MakeServer, person: Person
) -> None:
    async with connect(make_server(), era, person) as client:
        structured(await call(client, "set_records", SET))
    [request] = backend.writes
    assert request.path == "/zones/example.com/rrsets/www/A/actions/set_records"
    assert request.json() == {"records": [ONE]}


@pytest.mark.requirement("T-hetzner-27")
async def test_a_used_approval_asks_again_and_writes_nothing_more(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), "2026-07-28", decline) as client:
        asked = await question(client, "set_records", SET)
        first = await leg(client, "set_records", SET, answer=accept(), state=asked.request_state)
        assert isinstance(first, types.CallToolResult)
        structured(first)
        again = await leg(client, "set_records", SET, answer=accept(), state=asked.request_state)
    assert isinstance(again, types.InputRequiredResult)
    assert len(backend.writes) == 1


@pytest.mark.requirement("T-hetzner-27")
@pytest.mark.parametrize("era", ERAS)
async def test_a_no_names_itself_and_that_nothing_was_changed(
    era: Era, backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), era, decline) as client:
        result = await call(client, "delete_zone", {"zone": "example.com"})
    assert result.is_error
    assert 'Not approved: the client answered "decline". Nothing was changed.' in text(result)
    assert backend.writes == []


@pytest.mark.parametrize(
    "arguments",
    [{**SET, "zone": "EXAMPLE.com."}, {**SET, "name": "WWW"}, {**SET, "name": "www.example.com"}],
    ids=["zone", "case", "full name"],
)
async def test_spelling_the_same_target_differently_is_the_same_call(
    arguments: Arguments, backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), "2026-07-28", decline) as client:
        result = await approve_other(client, "set_records", SET, arguments)
    assert isinstance(result, types.CallToolResult), "the names are normalised before the binding"
    assert len(backend.writes) == 1


async def test_a_count_that_changed_while_the_person_read_is_asked_about_again(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    arguments = {"zone": "example.com", "name": "www", "type": "A"}
    async with connect(make_server(), "2026-07-28", decline) as client:
        asked = await question(client, "delete_rrset", arguments)
        backend.add_rrset("example.com", "www", "A", ["198.51.100.1", "198.51.100.2"], ttl=300)
        state = asked.request_state
        again = await leg(client, "delete_rrset", arguments, answer=accept(), state=state)
    assert isinstance(again, types.InputRequiredResult)
    assert backend.writes == []


async def test_on_the_pushed_era_changed_facts_are_asked_about_again_too(
    backend: HetznerBackend, make_server: MakeServer, person: Person
) -> None:
    arguments = {"zone": "example.com", "name": "www", "type": "A"}

    async def yes(context: object, params: object) -> types.ElicitResult:
        if not person.messages:
            backend.add_rrset("example.com", "www", "A", ["198.51.100.1", "198.51.100.2"], ttl=300)
        return await person(context, params)

    async with connect(make_server(), "2025-11-25", yes) as client:
        structured(await call(client, "delete_rrset", arguments))
    assert ["3 record(s)" in said for said in person.messages] == [True, False]
    assert "2 record(s)" in person.last


@pytest.mark.requirement("T-hetzner-28")
async def test_without_dialogs_a_token_works_once_and_says_what_it_proves(
    backend: HetznerBackend, make_server: MakeServer, person: Person
) -> None:
    arguments = {"zone": "example.com"}
    async with connect(make_server(ELICITATION="false"), "2025-11-25", person) as client:
        prompt = await call(client, "delete_zone", arguments)
        assert "hetzner-dns-mcp was started with ELICITATION=false" in text(prompt)
        assert "made twice with the same arguments, and nothing more" in text(prompt)
        wrong = await call(client, "delete_zone", {**arguments, "confirm_token": "0" * 32})
        assert "confirm_token refused" in text(wrong)
        assert backend.writes == []
        confirmed = {**arguments, "confirm_token": token_in(prompt)}
        structured(await call(client, "delete_zone", confirmed))
        assert [request.method for request in backend.writes] == ["DELETE"]
        backend.add_zone("example.com", zone_id=42)
        backend.add_rrset("example.com", "www", "A", PRESENT, ttl=300)
        backend.add_rrset("example.com", "www", "TXT", ['"x"'], ttl=300)
        assert "confirm_token refused" in text(await call(client, "delete_zone", confirmed))
    assert len(backend.writes) == 1
    assert person.messages == []


async def test_no_argument_stands_in_for_an_approval(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), "2026-07-28", decline) as client:
        for name, value in (("confirm", True), ("confirmToken", "x"), ("approved", True)):
            result = await call(client, "delete_zone", {"zone": "example.com", name: value})
            assert result.is_error
            assert "is no argument of this tool" in text(result)
    assert backend.requests == []


async def test_every_guarded_call_leaves_one_line_without_values(
    make_server: MakeServer, person: Person
) -> None:
    lines: list[str] = []
    tool, arguments = GUARDED["set_records"]
    async with connect(make_server(log=lines.append), "2026-07-28", person) as client:
        structured(await call(client, tool, arguments))
    assert [line.split()[2] for line in lines] == ["decision=asked", "decision=approved"]
    assert all("tool=set_records" in line and "198.51" not in line for line in lines)
