"""A whole zone is looked over: what stands in it wrongly is named, and nothing else."""

from __future__ import annotations

from typing import cast

import pytest

from tests.backends.hetzner import ASSIGNED, HetznerBackend
from tests.hetzner_dns.conftest import MakeServer, refuse_to_answer
from tests.hetzner_dns.support import GOOD_FILE
from tests.support.clients import ERAS, Era, call, connect, structured, text

ZONE: dict[str, object] = {"zone": "example.com"}
Finding = dict[str, object]


async def checked(
    make_server: MakeServer, era: Era = "2026-07-28", zone: str = "example.com", **environ: str
) -> dict[str, object]:
    server = make_server(HETZNER_EXTRAS="true", **environ)
    async with connect(server, era, refuse_to_answer) as client:
        return structured(await call(client, "check_zone", {"zone": zone}))


def findings(result: dict[str, object]) -> list[Finding]:
    return cast("list[Finding]", result["findings"])


def brief(result: dict[str, object]) -> set[tuple[object, ...]]:
    return {(f["id"], f["level"], f.get("name"), f.get("type")) for f in findings(result)}


@pytest.mark.parametrize("zone", ["example.com", "42"])
@pytest.mark.parametrize("era", ERAS)
async def test_a_good_zone_has_no_findings_and_two_requests_do(
    era: Era, zone: str, backend: HetznerBackend, make_server: MakeServer
) -> None:
    backend.add_rrset("example.com", "@", "MX", ["10 mail.example.com."])
    backend.add_rrset("example.com", "mail", "A", ["88.198.0.25"])
    backend.add_rrset("example.com", "@", "TXT", ['"v=spf1 mx -all"'])
    backend.add_rrset("example.com", "www", "A", ["88.198.0.80"])
    result = await checked(make_server, era, zone)
    assert result["findings"] == []
    assert (result["sets"], result["records"]) == (6, 8)
    assert "unreadable" not in result
    assert result["untrusted"] is True
    paths = [(request.method, request.path) for request in backend.requests]
    assert paths == [("GET", f"/zones/{zone}"), ("GET", f"/zones/{zone}/zonefile")]


@pytest.mark.parametrize("era", ERAS)
async def test_what_is_wrong_in_a_zone_is_named_with_its_place(
    era: Era, backend: HetznerBackend, make_server: MakeServer
) -> None:
    backend.add_rrset("example.com", "@", "TXT", ['"v=spf1 -all"', '"v=spf1 inlude:a.b -all"'])
    backend.add_rrset(
        "example.com",
        "@",
        "MX",
        ["10 mail.example.com.", "20 mail.example.net", "30 b.example.com."],
    )
    backend.add_rrset("example.com", "www", "CNAME", ["www.example.com."])
    backend.add_rrset("example.com", "loop", "CNAME", ["pool.example.com."])
    backend.add_rrset("example.com", "pool", "CNAME", ["loop.example.com."])
    backend.add_rrset("example.com", "sub", "NS", ["ns1.example.net."])
    backend.add_rrset("example.com", "host.sub", "A", ["88.198.0.4"])
    backend.add_rrset("example.com", "a", "A", ["10.0.0.1"], ttl=60)
    backend.add_rrset("example.com", "_dmarc", "TXT", ['"v=DMARC1; p=rejct"'])
    backend.add_rrset("example.com", "@", "NS", [*ASSIGNED[:2], "ns1.example.net."])
    result = await checked(make_server, era)
    assert len(findings(result)) == len(brief(result))
    assert brief(result) == {
        ("apex-ns-incomplete", "error", "@", "NS"),
        ("mx-no-address", "warning", "@", "MX"),
        ("relative-target", "warning", "@", "MX"),
        ("spf-multiple", "warning", "@", "TXT"),
        ("spf-syntax", "warning", "@", "TXT"),
        ("private-address", "warning", "www", "A"),
        ("cname-coexistence", "error", "www", "CNAME"),
        ("cname-to-itself", "error", "www", "CNAME"),
        ("cname-loop", "warning", "loop", "CNAME"),
        ("cname-loop", "warning", "pool", "CNAME"),
        ("below-delegation", "warning", "sub", "NS"),
        ("private-address", "warning", "a", "A"),
        ("ttl-very-low", "warning", "a", "A"),
        ("dmarc-bad-tag", "warning", "_dmarc", "TXT"),
    }


async def test_the_apex_and_deciding_types_come_first_and_the_rest_is_counted(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    for number in range(230):
        backend.add_rrset("example.com", f"a{number:03}", "A", ["10.0.0.1"])
    backend.add_rrset("example.com", "zz", "MX", ["10 nowhere.example.com."])
    backend.add_rrset("example.com", "@", "TXT", ['"v=spf1 mx"'])
    backend.add_rrset("example.com", "zy", "CNAME", ["zy.example.com."])
    result = await checked(make_server)
    found = findings(result)
    assert [f["id"] for f in found[:3]] == ["cname-to-itself", "spf-no-all", "mx-no-address"]
    assert (len(found), result["dropped"]) == (200, 34)
    assert found[3]["name"] == "a000"


async def test_a_zone_of_long_names_still_fits_a_result(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    name = ".".join(["\\200" * 55] * 4)
    lines = "".join(f"n{number:03}.{name} 600 IN A 10.0.0.1\n" for number in range(211))
    backend.respond_next(200, {"zonefile": GOOD_FILE + lines}, path="*/zonefile")
    async with connect(make_server(HETZNER_EXTRAS="true"), "2026-07-28") as client:
        result = await call(client, "check_zone", ZONE)
    shown = structured(result)
    assert len(findings(shown)) + int(str(shown["dropped"])) == 212
    assert len(text(result).encode()) <= 200_000


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"zonefile": "www IN A 1.2.3.4\nb IN NONSENSE x\n"}, "line 2"),
        ({"zonefile": 'x TXT "open\n'}, "line 1"),
        ({}, "no zone file"),
        ([], "no zone file"),
    ],
)
async def test_an_export_that_cannot_be_read_is_told_with_the_reason(
    body: object, words: str, era: Era, backend: HetznerBackend, make_server: MakeServer
) -> None:
    backend.respond_next(200, body, path="*/zonefile")  # type: ignore[arg-type]
    result = await checked(make_server, era)
    assert result["findings"] == []
    assert words in str(result["unreadable"])


@pytest.mark.parametrize("era", ERAS)
async def test_a_zone_that_has_no_export_is_an_error(
    era: Era, backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(HETZNER_EXTRAS="true"), era) as client:
        result = await call(client, "check_zone", {"zone": "secondary.example"})
    assert result.is_error
    assert "incorrect_zone_mode" in text(result)


async def test_it_is_offered_as_an_extra_also_to_those_who_only_read(
    make_server: MakeServer,
) -> None:
    async def offered(**environ: str) -> set[str]:
        async with connect(make_server(**environ), "2026-07-28") as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert "check_zone" not in await offered()
    assert "check_zone" in await offered(HETZNER_EXTRAS="true", HETZNER_READ_ONLY="true")
    few = await offered(HETZNER_EXTRAS="true", HETZNER_ALLOW_TOOLS="essential")
    assert "check_zone" in few
    assert len(few) == 9
