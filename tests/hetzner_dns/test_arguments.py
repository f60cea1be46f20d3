"""Arguments: what is taken, in which form it goes on, and what is refused."""

from __future__ import annotations

import pytest

from hetzner_dns_mcp.tools import TOOLS
from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer, refuse_to_answer
from tests.hetzner_dns.support import record
from tests.support.clients import ERAS, Arguments, Era, call, connect, structured, text

RRSET: Arguments = {"zone": "example.com", "name": "www", "type": "A"}

HINTS = {
    "apply_record_changes": (True, False),
    "create_zone": (False, False),
    "update_zone": (True, True),
    "delete_zone": (True, True),
    "import_zonefile": (True, True),
    "change_zone_ttl": (True, True),
    "change_zone_protection": (False, True),
    "change_primary_nameservers": (True, True),
    "create_rrset": (False, False),
    "update_rrset": (True, True),
    "delete_rrset": (True, True),
    "set_records": (True, True),
    "add_records": (False, True),
    "remove_records": (True, True),
    "change_rrset_ttl": (True, True),
    "change_rrset_protection": (False, True),
}
"""Destructive and idempotent, of the tools that write."""


@pytest.mark.requirement("S-hetzner-4", "S-hetzner-14", "T-hetzner-22")
def test_annotations_say_what_a_call_does() -> None:
    for tool in TOOLS:
        hints = tool.annotations
        assert hints.open_world is (tool.name == "check_dns")
        assert hints.read_only is (tool.name not in HINTS)
        expected = HINTS.get(tool.name, (False, True))
        assert (hints.destructive, hints.idempotent) == expected, tool.name


@pytest.mark.requirement("S-hetzner-4", "S-hetzner-14")
def test_destructive_is_not_the_same_as_guarded() -> None:
    unguarded = {t.name for t in TOOLS if t.annotations.destructive and not t.asks}
    assert unguarded == {"update_zone", "update_rrset", "change_zone_ttl", "change_rrset_ttl"}


@pytest.mark.requirement("T-hetzner-9")
@pytest.mark.parametrize("name", ["@", "*.dev", "*"])
async def test_apex_and_wildcard_stand_raw_in_the_path(
    name: str, backend: HetznerBackend, make_server: MakeServer
) -> None:
    backend.add_rrset("example.com", name, "TXT", ['"x"'])
    arguments = {"zone": "example.com", "name": name, "type": "TXT"}
    async with connect(make_server(), "2026-07-28") as client:
        structured(await call(client, "get_rrset", arguments))
    assert backend.requests[-1].path == f"/zones/example.com/rrsets/{name}/TXT"


@pytest.mark.requirement("T-hetzner-10")
@pytest.mark.parametrize(
    "wrong",
    [
        {"zone": ".."},
        {"zone": "."},
        {"zone": ""},
        {"zone": "a/b"},
        {"zone": "a%2fb"},
        {"zone": "example.com\n"},
        {"name": "x%2e"},
        {"name": "a@b"},
        {"name": "a.*.b"},
        {"name": "*a"},
        {"name": "www."},
        {"name": "www.other.example."},
        {"name": ".."},
        {"name": "."},
        {"name": ""},
        {"name": "a..b"},
        {"name": "x" * 64},
        {"name": ".".join(["x" * 60] * 5)},
        {"type": "mx"},
        {"type": "SSHFP"},
    ],
    ids=str,
)
async def test_what_names_no_record_set_is_refused_without_a_request(
    wrong: Arguments, backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), "2026-07-28", refuse_to_answer) as client:
        for tool in ("get_rrset", "delete_rrset"):
            result = await call(client, tool, {**RRSET, **wrong})
            assert result.is_error
            assert text(result).startswith(f"{next(iter(wrong))}: ")
    assert backend.requests == []


@pytest.mark.requirement("S-hetzner-7", "T-hetzner-10", "T-hetzner-11")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", ["host", "HOST", "host.example.com", "host.example.com."])
async def test_a_plain_record_is_created_without_a_dialog_and_with_a_minimal_body(
    name: str, era: Era, backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), era, refuse_to_answer) as client:
        structured(await call(client, "create_rrset", record("A", name)))
    assert backend.writes[0].json() == {
        "name": "host",
        "type": "A",
        "records": [{"value": "198.51.100.7"}],
    }


@pytest.mark.requirement("T-hetzner-11")
async def test_undeclared_fields_are_refused_at_every_depth(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    servers = [{"address": "198.51.100.2", "x": 1}]
    async with connect(make_server(), "2026-07-28", refuse_to_answer) as client:
        for tool, arguments in (
            ("create_rrset", {**record("A"), "admin": True}),
            ("create_rrset", {**record("A"), "records": [{"value": "198.51.100.7", "x": "y"}]}),
            (
                "change_primary_nameservers",
                {"zone": "secondary.example", "primary_nameservers": servers},
            ),
        ):
            result = await call(client, tool, arguments)
            assert result.is_error, text(result)
    assert backend.requests == []


@pytest.mark.requirement("T-hetzner-20")
@pytest.mark.parametrize(
    "server",
    [
        {"address": "ns1.example.net"},
        {"address": "198.51.100.1 (ok)"},
        {"address": "fe80::1%eth0"},
        {"address": "198.51.100.1", "port": 0},
        {"address": "198.51.100.1", "tsig_key": "YQ=="},
        {"address": "198.51.100.1", "tsig_key": "not base64!", "tsig_algorithm": "hmac-md5"},
        {"address": "198.51.100.1", "tsig_algorithm": "hmac-sha256"},
    ],
    ids=str,
)
async def test_a_primary_is_an_address_with_a_whole_key_or_none(
    server: dict[str, object], backend: HetznerBackend, make_server: MakeServer
) -> None:
    arguments = {"zone": "secondary.example", "primary_nameservers": [server]}
    async with connect(make_server(), "2026-07-28", refuse_to_answer) as client:
        result = await call(client, "change_primary_nameservers", arguments)
    assert result.is_error
    assert text(result).startswith("primary_nameservers[0]")
    assert "not base64!" not in text(result)
    assert backend.requests == []


@pytest.mark.requirement("T-hetzner-22")
@pytest.mark.parametrize("ttl", [59, 604_801, True, 60.5])
@pytest.mark.parametrize("tool", ["change_zone_ttl", "change_rrset_ttl"])
async def test_a_ttl_out_of_its_bounds_is_refused(
    tool: str, ttl: object, backend: HetznerBackend, make_server: MakeServer
) -> None:
    arguments = {"zone": "example.com"} if tool == "change_zone_ttl" else RRSET
    async with connect(make_server(), "2026-07-28") as client:
        assert (await call(client, tool, {**arguments, "ttl": ttl})).is_error
    assert backend.requests == []


@pytest.mark.requirement("T-hetzner-22")
async def test_a_ttl_as_text_is_a_number_and_null_returns_to_the_zone(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), "2026-07-28", refuse_to_answer) as client:
        structured(await call(client, "change_rrset_ttl", {**RRSET, "ttl": "600"}))
        structured(await call(client, "change_rrset_ttl", {**RRSET, "ttl": None}))
        assert (await call(client, "change_rrset_ttl", RRSET)).is_error
    assert [request.json() for request in backend.writes] == [{"ttl": 600}, {"ttl": None}]


@pytest.mark.requirement("T-hetzner-21")
@pytest.mark.parametrize("era", ERAS)
async def test_protecting_is_one_request_and_no_dialog(
    era: Era, backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), era, refuse_to_answer) as client:
        zone = {"zone": "example.com", "delete": True}
        structured(await call(client, "change_zone_protection", zone))
        structured(await call(client, "change_rrset_protection", {**RRSET, "change": True}))
    assert [request.json() for request in backend.writes] == [{"delete": True}, {"change": True}]


@pytest.mark.requirement("T-hetzner-35")
async def test_a_page_size_is_brought_below_the_ceiling_and_that_is_told(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), "2026-07-28") as client:
        for tool in ("list_zones", "list_zone_actions"):
            result = structured(await call(client, tool, {"per_page": 100}))
            assert backend.requests[-1].query["per_page"] == ["50"]
            assert any("50" in str(warning) for warning in result["warnings"])  # type: ignore[attr-defined]
            assert "warnings" not in structured(await call(client, tool, {"per_page": 50}))
        result = structured(
            await call(client, "list_rrsets", {"zone": "example.com", "per_page": 100})
        )
        assert backend.requests[-1].query["per_page"] == ["100"]
        assert "warnings" not in result
        over = await call(client, "list_rrsets", {"zone": "example.com", "per_page": 101})
    assert over.is_error


@pytest.mark.requirement("T-hetzner-36")
async def test_lists_in_a_query_repeat_their_key(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    async with connect(make_server(), "2026-07-28") as client:
        arguments = {
            "zone": "example.com",
            "type": ["A", "NS"],
            "sort": ["name:desc"],
            "label_selector": "env=prod,!old",
        }
        structured(await call(client, "list_rrsets", arguments))
        assert backend.requests[-1].target.endswith(
            "?type=A&type=NS&label_selector=env%3Dprod%2C%21old&sort=name%3Adesc"
        )
        structured(await call(client, "list_zone_actions", {"status": ["running"]}))
        assert backend.requests[-1].target.endswith("/zones/actions?status=running")


async def test_a_new_zone_is_sent_with_exactly_what_was_given(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    plain = {"name": "NEW.example.", "mode": "primary"}
    full = {"name": "full.example", "mode": "primary", "ttl": 600, "labels": {"env": "x"}}
    server = {"address": "198.51.100.2", "port": 5353}
    secondary = {"name": "s.example", "mode": "secondary", "primary_nameservers": [server]}
    async with connect(make_server(), "2026-07-28", refuse_to_answer) as client:
        for arguments in (plain, full, secondary):
            structured(await call(client, "create_zone", arguments))
    sent = [request.json() for request in backend.writes]
    assert sent == [{"name": "new.example", "mode": "primary"}, full, secondary]
