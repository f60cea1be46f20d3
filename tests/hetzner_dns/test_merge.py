"""Merging a zone file, and planning an import without doing it."""

from __future__ import annotations

import pytest

from hetzner_dns_mcp.zonefile.parser import parse_zonefile
from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer, refuse_to_answer
from tests.hetzner_dns.support import dialog, outcome, refusal
from tests.hetzner_dns.test_import_dialog import ZONE, importing, values, zone
from tests.hetzner_dns.test_zonefiles import judged_good, needs_bind
from tests.support.clients import ERAS, Arguments, Era, call, connect, structured, text
from tests.support.person import Person

__all__ = ["zone"]

FOREIGN = """$TTL 1
@ IN SOA ns1.example.net. h.example.net. 1 2 3 4 5
@ IN NS ns1.example.net.
@ IN NS ns2.example.net.
www IN A 203.0.113.9 ; second host
new 30 IN A 203.0.113.10
auto IN TXT "follows"
key IN SSHFP 1 1 aabbccddeeaabbccddeeaabbccddeeaabbccddee
"""


def merging(file: str, **more: object) -> Arguments:
    return {**importing(file), "mode": "merge", **more}


@pytest.mark.parametrize("era", ERAS)
async def test_a_merge_adds_and_takes_nothing_away(
    era: Era, zone: HetznerBackend, make_server: MakeServer, person: Person
) -> None:
    zone.add_rrset(ZONE, "www", "A", ["192.0.2.1"], ttl=300, comment="first host")
    before = zone.zonefile(ZONE)
    async with connect(make_server(), era, person) as client:
        structured(await call(client, "import_zonefile", merging(FOREIGN)))
    said = person.last
    assert said.startswith('This will merge a zone file into zone "plan.example".')
    assert "Afterwards 1 set is changed, 2 are new, 0 are gone and 5 are as they are." in said
    assert "  left out: 1 SOA, 2 NS, 1 SSHFP" in said
    assert values(said) == [
        '  auto/TXT (new set): "follows"',
        "  new/A (new set): 203.0.113.10",
        "  new/A TTL: 60",
        "  www/A (stays): 192.0.2.1",
        "  www/A (new): 203.0.113.9",
        "  www/A comment: second host",
    ]
    [write] = zone.writes
    assert write.json() == {
        "zonefile": before
        + "www.plan.example.\t300\tIN\tA\t203.0.113.9\t; second host\n"
        + "new.plan.example.\t60\tIN\tA\t203.0.113.10\n"
        + 'auto.plan.example.\tIN\tTXT\t"follows"\n'
    }
    after = zone.zonefile(ZONE)
    assert "192.0.2.1\t; first host" in after
    assert "203.0.113.9\t; second host" in after
    assert zone.values(ZONE, "old", "TXT") == ['"gone soon"']


@needs_bind
async def test_bind_takes_what_a_merge_sends(
    zone: HetznerBackend, make_server: MakeServer, tmp_path: object
) -> None:
    from pathlib import Path

    structured(await outcome(make_server(), "import_zonefile", merging(FOREIGN)))
    body = zone.writes[0].json()
    assert isinstance(body, dict)
    sent = str(body["zonefile"])
    assert parse_zonefile(sent, ZONE).records == 11
    assert judged_good(sent.replace(ZONE, "example.com"), Path(str(tmp_path)))


async def test_a_conflict_refuses_a_merge_and_names_the_sets(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    for mode in ("strict", "off"):
        server = make_server(HETZNER_VALIDATION=mode)
        said = await refusal(server, "import_zonefile", merging("www CNAME x.example.net.\n"))
        assert "cname-coexistence: CNAME at www" in said
    assert zone.writes == []


async def test_without_a_readable_export_nothing_can_be_merged(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    zone.fail_next("server_error", path="*/zonefile")
    said = await refusal(make_server(), "import_zonefile", merging(FOREIGN))
    assert "the present zone could not be read, so nothing can be merged into it" in said
    assert "line 2" in await refusal(make_server(), "import_zonefile", merging("\nx IN A y\n"))


async def test_a_merge_of_what_is_there_asks_and_sends_nothing(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    arguments = merging(zone.zonefile(ZONE))
    said = await dialog(make_server(), "import_zonefile", arguments)
    assert "Nothing would change: all 6 sets are as they are." in said
    result = structured(await outcome(make_server(), "import_zonefile", arguments))
    assert result["changed"] is False
    assert zone.writes == []


async def test_the_mode_is_bound(zone: HetznerBackend, make_server: MakeServer) -> None:
    from tests.hetzner_dns.support import approve_other, decline

    file = zone.zonefile(ZONE) + "x IN A 203.0.113.1\n"
    async with connect(make_server(), "2026-07-28", decline) as client:
        again = await approve_other(client, "import_zonefile", merging(file), importing(file))
    assert "confirm" in str(again)
    assert zone.writes == []


@pytest.mark.requirement("R-79")
async def test_a_plan_asks_nobody_and_sends_no_write(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    zone.requests.clear()
    file = zone.zonefile(ZONE).replace("192.0.2.1", "203.0.113.66").replace("old\t", "fresh\t")
    async with connect(make_server(), "2026-07-28", refuse_to_answer) as client:
        arguments = {**importing(file), "dry_run": True}
        result = structured(await call(client, "import_zonefile", arguments))
    assert [(request.method, request.path) for request in zone.requests] == [
        ("GET", f"/zones/{ZONE}"),
        ("GET", f"/zones/{ZONE}/zonefile"),
    ]
    assert result["dry_run"] is True
    assert result["untrusted"] is True
    assert result["counts"] == {"new": 1, "changed": 1, "removed": 1, "same": 4}
    assert result["zone_ttl"] == [3600, 3600]
    assert result["sets"] == [
        {
            "name": "fresh",
            "type": "TXT",
            "state": "new",
            "ttl": [None, None],
            "add": ['"gone soon"'],
            "remove": [],
            "stays": 0,
        },
        {
            "name": "old",
            "type": "TXT",
            "state": "removed",
            "ttl": [None, None],
            "add": [],
            "remove": ['"gone soon"'],
            "stays": 0,
        },
        {
            "name": "www",
            "type": "A",
            "state": "changed",
            "ttl": [None, None],
            "add": ["203.0.113.66"],
            "remove": ["192.0.2.1"],
            "stays": 0,
        },
    ]
    assert result["blocked"] == []
    assert result["complete_copy"] is True


async def test_a_blocked_plan_is_a_success_in_the_words_of_the_refusal(
    zone: HetznerBackend, make_server: MakeServer
) -> None:
    file = zone.zonefile(ZONE).replace("www\tIN", "www\t1\tIN")
    arguments = importing(file)
    result = structured(
        await outcome(make_server(), "import_zonefile", {**arguments, "dry_run": True})
    )
    [blocked] = list(result["blocked"])  # type: ignore[call-overload]
    assert blocked in await refusal(make_server(), "import_zonefile", arguments)
    plan = {**importing("x", "secondary.example"), "dry_run": True}
    assert "secondary" in text(await outcome(make_server(), "import_zonefile", plan))
    left = structured(
        await outcome(make_server(), "import_zonefile", merging(FOREIGN, dry_run=True))
    )
    assert [entry["type"] for entry in left["left_out"]] == ["SOA", "NS", "SSHFP"]  # type: ignore[attr-defined]
    assert zone.writes == []
