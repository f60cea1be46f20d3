"""Several changes of records in one question: judged in order, made in order."""

from __future__ import annotations

import pytest

from hetzner_dns_mcp.order import EXTRAS, ORDER
from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer
from tests.hetzner_dns.support import approve_other, decline, dialog, outcome, refusal
from tests.hetzner_dns.test_state import values
from tests.support.clients import ERAS, Arguments, Era, call, connect, structured, text
from tests.support.person import Person

TOOL = "apply_record_changes"
ON = {"HETZNER_EXTRAS": "true"}


def change(action: str, name: str, kind: str, *values: str, **more: object) -> dict[str, object]:
    made: dict[str, object] = {"action": action, "name": name, "type": kind, **more}
    if values:
        made["records"] = [{"value": value} for value in values]
    return made


def changes(*made: dict[str, object]) -> Arguments:
    return {"zone": "example.com", "changes": list(made)}


MOVE = changes(
    change("delete", "www", "A"),
    change("create", "www", "CNAME", "shop.example.net.", ttl=600),
    change("add", "@", "TXT", "site=1"),
)


async def test_it_is_off_unless_the_operator_switches_it_on(make_server: MakeServer) -> None:
    for environ in ({}, ON):
        async with connect(make_server(**environ), "2026-07-28") as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
        assert tools == [name for name in ORDER if environ or name not in EXTRAS]
        assert (TOOL in tools) is bool(environ)


@pytest.mark.parametrize("era", ERAS)
async def test_an_address_becomes_an_alias_in_one_question(
    era: Era, backend: HetznerBackend, make_server: MakeServer, person: Person
) -> None:
    async with connect(make_server(**ON), era, person) as client:
        result = structured(await call(client, TOOL, MOVE))
    [said] = person.messages[:1]
    assert said.startswith('This will make 3 changes in zone "example.com", in this order.')
    assert values(said) == [
        "  1 delete www/A, 1 of 1 goes: -",
        "  2 create www/CNAME: + shop.example.net.",
        "  2 TTL: 600",
        '  3 add @/TXT: + "site=1"',
    ]
    assert "198.51.100.1" not in said
    assert result["complete"] is True
    assert [(w.method, w.path.rpartition("example.com")[2]) for w in backend.writes] == [
        ("DELETE", "/rrsets/www/A"),
        ("POST", "/rrsets"),
        ("POST", "/rrsets/@/TXT/actions/add_records"),
    ]
    results = result["results"]
    assert isinstance(results, list)
    assert [entry["status"] for entry in results] == ["done", "done", "done"]
    assert results[0]["previous"]["records"][0]["value"] == "198.51.100.1"


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (changes(change("create", "www", "CNAME", "x.example.net.")), "changes[0]: cname-coexist"),
        (changes(change("create", "www", "A", "198.51.100.2")), "changes[0]: the record set exi"),
        (changes(change("set", "no", "A", "198.51.100.2")), "changes[0]: there is no such"),
        (
            changes(change("delete", "www", "A"), change("delete", "www", "A")),
            "changes[1]: there is no such",
        ),
        (changes(change("delete", "@", "NS")), "apex-ns-incomplete"),
        (changes(change("add", "x", "MX", "10 a.example.net")), "changes[0].records[0].value"),
        (changes(change("add", "x", "A")), "changes[0].records: are needed"),
        (changes(change("delete", "www", "A", "198.51.100.1")), "changes[0].records: are none"),
        (changes(change("set", "www", "A", "198.51.100.1", ttl=300)), "changes[0].ttl"),
        (changes(change("delete", "www", "A", labels={})), "changes[0]"),
    ],
)
async def test_the_first_error_refuses_all_and_names_the_change(
    made: Arguments, words: str, backend: HetznerBackend, make_server: MakeServer
) -> None:
    assert words in await refusal(make_server(**ON), TOOL, made)
    assert backend.writes == []


async def test_an_action_needs_its_tool(backend: HetznerBackend, make_server: MakeServer) -> None:
    server = make_server(**ON, HETZNER_DENY_TOOLS="delete_rrset")
    assert "delete_rrset is not offered" in await refusal(server, TOOL, MOVE)


async def test_marks_stand_before_the_values(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    backend.add_rrset("example.com", "www", "A", ["198.51.100.1", "192.0.2.2"])
    made = changes(
        change("set", "www", "A", "203.0.113.7", "192.0.2.2"),
        change("remove", "www", "A", "192.0.2.2", "192.0.2.9"),
    )
    assert values(await dialog(make_server(**ON), TOOL, made)) == [
        "  1 set www/A, 1 of 2 goes: + 203.0.113.7",
        "  1 set www/A: = 192.0.2.2",
        "  2 remove www/A: - 192.0.2.2",
        "  2 remove www/A (not there): = 192.0.2.9",
    ]


async def test_another_order_is_another_approval(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    one, two = change("add", "a", "A", "198.51.100.2"), change("add", "b", "A", "198.51.100.3")
    async with connect(make_server(**ON), "2026-07-28", decline) as client:
        again = await approve_other(client, TOOL, changes(one, two), changes(two, one))
    assert "confirm" in str(again)
    assert backend.writes == []


async def test_what_changes_nothing_is_asked_about_and_not_sent(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    made = changes(change("set", "www", "A", "198.51.100.1"))
    assert "Nothing would change:" in await dialog(make_server(**ON), TOOL, made)
    result = structured(await outcome(make_server(**ON), TOOL, made))
    assert (result["complete"], result["changed"]) == (True, False)
    assert backend.writes == []


@pytest.mark.parametrize(("code", "unknown"), [("invalid_input", False), ("timeout", True)])
async def test_it_stops_at_the_first_failure_and_tells_what_became_of_each(
    code: str, unknown: bool, backend: HetznerBackend, make_server: MakeServer
) -> None:
    backend.fail_next(code, method="POST", path="/zones/example.com/rrsets")
    result = structured(await outcome(make_server(**ON), TOOL, MOVE))
    assert result["complete"] is False
    results = result["results"]
    assert isinstance(results, list)
    assert [entry["status"] for entry in results] == ["done", "failed", "not_attempted"]
    words = str(result["words"])
    assert words.startswith("1 of 3 changes were made; change 2 failed: ")
    assert words.endswith("nothing was rolled back")
    assert ("Whether it happened is unknown" in words) is unknown
    assert len(backend.writes) == 2


async def test_it_is_an_error_only_if_no_change_was_made(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    backend.fail_next("invalid_input", method="DELETE")
    result = await outcome(make_server(**ON), TOOL, MOVE)
    assert result.is_error
    assert "Nothing was changed." in text(result)


async def test_it_stops_at_an_action_that_still_runs(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    backend.slow_actions(60.0)
    result = structured(await outcome(make_server(**ON), TOOL, MOVE))
    results = result["results"]
    assert isinstance(results, list)
    assert [entry["status"] for entry in results] == ["running", "not_attempted", "not_attempted"]
    assert len(backend.writes) == 1


async def test_what_does_not_fit_is_refused_with_advice(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    made = changes(
        *(change("add", f"h{n}", "A", *(f"10.0.{n}.{m}" for m in range(40))) for n in range(4))
    )
    said = await refusal(make_server(**ON), TOOL, made)
    assert "Make two calls with a part of the changes each, in the same order." in said
