"""Faults that others reported, ruled out here."""

from __future__ import annotations

import asyncio

import mcp_types as types
import pytest

from tests.backends.hetzner import ASSIGNED, HetznerBackend
from tests.hetzner_dns.conftest import MakeServer, refuse_to_answer
from tests.hetzner_dns.support import approve_other, decline, dialog, outcome, record, refusal
from tests.support.clients import ERAS, Era, call, connect, structured, text
from tests.support.person import Person

DKIM = '"v=DKIM1; k=rsa; p=' + "A" * 392 + '"'


@pytest.mark.requirement("R-10")
async def test_a_long_dkim_key_is_split_before_anybody_is_asked(
    backend: HetznerBackend, make_server: MakeServer, person: Person
) -> None:
    backend.add_rrset("example.com", "mail._domainkey", "TXT", ['"old"'])
    arguments = record("TXT", "mail._domainkey", DKIM)
    async with connect(make_server(), "2026-07-28", person) as client:
        structured(await call(client, "set_records", arguments))
    [request] = backend.writes
    body = request.json()
    assert isinstance(body, dict)
    sent = body["records"][0]["value"]
    assert sent == f'"{DKIM[1:256]}" "{DKIM[256:-1]}"'
    assert f"  record 1 (new): {sent}\n" in person.last
    assert f"as you gave it: {DKIM}" in person.last


@pytest.mark.requirement("R-10")
async def test_a_text_that_is_too_long_by_a_byte_is_split_between_characters(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    arguments = record("TXT", "note", '"' + "x" * 254 + 'ü"')
    async with connect(make_server(), "2026-07-28", refuse_to_answer) as client:
        structured(await call(client, "create_rrset", arguments))
    assert backend.values("example.com", "note", "TXT") == [f'"{"x" * 254}" "ü"']


@pytest.mark.requirement("R-10")
async def test_unchecked_the_apis_refusal_names_code_field_and_the_way_out(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    server = make_server(HETZNER_VALIDATION="off")
    result = await outcome(server, "create_rrset", record("TXT", "mail._domainkey", DKIM))
    said = text(result)
    assert said.startswith("code: invalid_input\n")
    assert "records[0].value: a TXT string exceeds 255 characters" in said
    assert "must be split" in said
    assert len(backend.writes) == 1


@pytest.mark.requirement("R-11")
@pytest.mark.parametrize("name", ["example.com", "example.com.", "EXAMPLE.com", "@"])
@pytest.mark.parametrize("zone", ["example.com", "42"])
async def test_every_spelling_of_the_apex_asks(
    zone: str, name: str, backend: HetznerBackend, make_server: MakeServer
) -> None:
    said = await dialog(make_server(), "create_rrset", record("A", name, zone=zone))
    assert 'create RRSet "@/A"' in said
    assert backend.writes == []


@pytest.mark.requirement("R-11")
@pytest.mark.parametrize("zone", ["example.com", "42"])
async def test_a_full_name_is_sent_relative_and_a_wildcard_in_full_asks(
    zone: str, backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), "2026-07-28", refuse_to_answer) as client:
        for name in ("host.example.com", "host2"):
            structured(await call(client, "create_rrset", record("A", name, zone=zone)))
        wanted = {"zone": zone, "name": "host.example.com", "type": "A"}
        structured(await call(client, "get_rrset", wanted))
    assert backend.requests[-1].path == f"/zones/{zone}/rrsets/host/A"
    bodies = [request.json() for request in backend.writes]
    assert [body["name"] for body in bodies if isinstance(body, dict)] == ["host", "host2"]
    said = await dialog(make_server(), "create_rrset", record("A", "*.dev.example.com", zone=zone))
    assert '"*.dev/A"' in said


@pytest.mark.requirement("R-11")
async def test_a_zone_whose_name_cannot_be_read_lets_no_full_name_pass(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    backend.fail_next("server_error", path="/zones/42")
    said = await refusal(make_server(), "create_rrset", record("A", "example.com", zone="42"))
    assert said.startswith("code: server_error")
    backend.respond_next(200, {"zone": {"id": 42, "name": "not a name"}}, path="/zones/42")
    said = await refusal(make_server(), "create_rrset", record("A", "example.com", zone="42"))
    assert "its name could not be read" in said
    assert backend.writes == []


@pytest.mark.requirement("R-11")
@pytest.mark.parametrize(
    ("arguments", "read_as"),
    [
        (record("CNAME", "shop", "target.example.net"), "target.example.net.example.com."),
        (record("MX", "@", "10 mail.example.net"), "mail.example.net.example.com."),
    ],
    ids=["CNAME", "MX"],
)
async def test_a_target_without_its_dot_is_refused_with_what_it_would_be(
    arguments: dict[str, object], read_as: str, backend: HetznerBackend, make_server: MakeServer
) -> None:
    assert read_as in await refusal(make_server(), "add_records", arguments)
    server = make_server(HETZNER_VALIDATION="warn")
    assert f"  record 1 is read as: {read_as}" in await dialog(server, "add_records", arguments)
    assert backend.writes == []


@pytest.mark.requirement("S-hetzner-8", "R-12")
@pytest.mark.parametrize("era", ERAS)
async def test_challenges_are_added_side_by_side_without_a_dialog(
    era: Era, backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), era, refuse_to_answer) as client:
        added = await asyncio.gather(
            *(
                call(client, "add_records", record("TXT", "_acme-challenge", f'"tok-{which}"'))
                for which in "AB"
            )
        )
        again = await call(client, "add_records", record("TXT", "_acme-challenge", '"tok-A"'))
    assert not any(result.is_error for result in added)
    assert structured(again)["changed"] is False
    assert "already-present" in str(structured(again)["warnings"])
    paths = {request.path for request in backend.writes}
    assert paths == {"/zones/example.com/rrsets/_acme-challenge/TXT/actions/add_records"}
    assert len(backend.writes) == 3
    assert backend.values("example.com", "_acme-challenge", "TXT") == ['"tok-A"', '"tok-B"']


@pytest.mark.requirement("S-hetzner-8", "T-hetzner-13", "R-12")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("add_records", record("CNAME", "_acme-challenge")),
        ("add_records", record("NS", "_ACME-challenge")),
        ("create_rrset", record("TXT", "*._acme-challenge")),
        ("set_records", record("TXT", "_acme-challenge")),
        ("remove_records", record("TXT", "_acme-challenge")),
    ],
    ids=["CNAME", "NS", "wildcard", "set", "remove"],
)
async def test_the_exception_for_challenges_covers_adding_text_only(
    tool: str, arguments: dict[str, object], backend: HetznerBackend, make_server: MakeServer
) -> None:
    if arguments["type"] == "TXT":
        backend.add_rrset("example.com", "_acme-challenge", "TXT", ['"x"'])
    assert await dialog(make_server(), tool, arguments)


@pytest.mark.requirement("S-hetzner-9")
async def test_a_caa_asks_wherever_it_stands(make_server: MakeServer) -> None:
    for name in ("@", "www", "_acme-challenge"):
        assert "  record 1: 0 issue" in await dialog(
            make_server(), "create_rrset", record("CAA", name)
        )


@pytest.mark.requirement("R-13")
async def test_names_with_umlauts_are_sent_shown_and_bound_as_a_labels(
    backend: HetznerBackend, make_server: MakeServer, person: Person
) -> None:
    backend.add_zone("xn--exmple-cua.example")
    arguments = record("CNAME", "bücher", "ziel.exämple.example.", zone="exämple.example")
    async with connect(make_server(), "2026-07-28", person) as client:
        structured(await call(client, "get_zone", {"zone": "exämple.example"}))
        assert backend.requests[-1].path == "/zones/xn--exmple-cua.example"
        structured(await call(client, "create_rrset", arguments))
    assert '"xn--bcher-kva/CNAME" of zone "xn--exmple-cua.example"' in person.last
    assert "record 1: ziel.xn--exmple-cua.example." in person.last
    assert backend.writes[0].json() == {
        "name": "xn--bcher-kva",
        "type": "CNAME",
        "records": [{"value": "ziel.xn--exmple-cua.example."}],
    }
    async with connect(make_server(), "2026-07-28", decline) as client:
        ascii_form = {**arguments, "zone": "xn--exmple-cua.example", "name": "XN--bcher-kva"}
        result = await approve_other(client, "set_records", arguments, ascii_form)
    assert isinstance(result, types.CallToolResult)


@pytest.mark.requirement("T-hetzner-40", "R-13")
@pytest.mark.parametrize(
    ("zone", "path"),
    [
        ("MÜNCHEN.de", "/zones/xn--mnchen-3ya.de"),
        ("\u0430pple.example", "/zones/xn--pple-43d.example"),
        ("straße.de", "/zones/xn--strae-oqa.de"),
        ("✉️.example", "/zones/xn--4bi.example"),
    ],
)
async def test_a_zone_in_any_script_has_one_path(
    zone: str, path: str, backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), "2026-07-28") as client:
        await call(client, "get_zone", {"zone": zone})
    assert [request.path for request in backend.requests] == [path]


@pytest.mark.requirement("R-13")
@pytest.mark.parametrize("name", ["*.bücher", "\uff0a.b", "\uff20"])
async def test_a_wildcard_or_apex_in_disguise_asks(name: str, make_server: MakeServer) -> None:
    assert await dialog(make_server(), "create_rrset", record("A", name))


@pytest.mark.requirement("R-14")
async def test_an_odd_zone_file_reaches_the_api_unchanged(
    odd_zone: str, backend: HetznerBackend, make_server: MakeServer, person: Person
) -> None:
    foreign = {"zone": "example.com", "zonefile": odd_zone}
    assert "3 of the name servers that Hetzner assigned" in await refusal(
        make_server(), "import_zonefile", foreign
    )
    assert backend.writes == []
    odd_zone += "".join(f"\n@ NS {server}" for server in ASSIGNED)
    arguments = {"zone": "example.com", "zonefile": odd_zone}
    async with connect(make_server(), "2026-07-28", person) as client:
        structured(await call(client, "import_zonefile", arguments))
    said = person.last
    assert "The zone holds 5 records in 3 sets now. Afterwards 3 sets are changed" in said
    assert f"  size: {len(odd_zone.encode())} bytes" in said
    assert "  SHA-256 begins with: " in said
    assert "answer yes" not in said
    assert backend.writes[0].json() == {"zonefile": odd_zone}
    async with connect(make_server(), "2026-07-28", decline) as client:
        other = {**arguments, "zonefile": odd_zone + " "}
        again = await approve_other(client, "import_zonefile", arguments, other)
    assert isinstance(again, types.InputRequiredResult)


@pytest.mark.requirement("R-14")
@pytest.mark.parametrize("file", ["", " \n", "x" * 1_000_001])
async def test_an_empty_or_endless_zone_file_asks_nobody(
    file: str, backend: HetznerBackend, make_server: MakeServer
) -> None:
    said = await refusal(
        make_server(), "import_zonefile", {"zone": "example.com", "zonefile": file}
    )
    assert said.startswith("zonefile: ")
    assert backend.requests == []
