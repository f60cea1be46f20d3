"""Hints that fit: by the API's message, by what an argument means elsewhere, by the parent zone."""

from __future__ import annotations

import pytest

from hetzner_dns_mcp.api.error_hints import hint
from tests.backends.hetzner import HetznerBackend
from tests.hetzner_dns.conftest import MakeServer
from tests.hetzner_dns.support import record, refusal
from tests.support.clients import call, connect, structured


@pytest.mark.requirement("H-6")
@pytest.mark.parametrize(
    ("words", "begins"),
    [
        ("duplicate value '\"x\"'", "A duplicate value is in the set already."),
        ("a TXT string exceeds 255 characters", "A TXT string over 255 bytes"),
        ("a TXT value must be quoted", "A TXT value consists of strings"),
        ("SOA record is missing", "Hetzner keeps the SOA"),
        ("assigned nameservers are missing", "The name servers that Hetzner assigned"),
        ("CNAME cannot coexist with other records", "A CNAME stands alone"),
        ("must match the TTL of the RRSet", "Leave ttl out"),
        ("value does not exist", "get_rrset shows"),
        ("something else", ""),
    ],
)
def test_invalid_input_gets_a_hint_only_for_a_phrase_that_is_known(words: str, begins: str) -> None:
    said = hint("invalid_input", 422, words)
    assert said.startswith(begins)
    assert bool(said) is bool(begins)


@pytest.mark.requirement("R-82", "H-6")
@pytest.mark.parametrize(
    ("tool", "argument", "other"),
    [
        ("update_rrset", "records", "set_records"),
        ("update_rrset", "ttl", "change_rrset_ttl"),
        ("set_records", "ttl", "change_rrset_ttl"),
        ("update_zone", "ttl", "change_zone_ttl"),
    ],
)
async def test_an_argument_of_another_tool_names_that_tool(
    tool: str, argument: str, other: str, backend: HetznerBackend, make_server: MakeServer
) -> None:
    said = await refusal(make_server(), tool, {"zone": "example.com", argument: 300})
    assert f"{argument}: is no argument of this tool but of {other}; this one takes zone, " in said
    assert backend.requests == []


@pytest.mark.requirement("R-83", "H-6")
async def test_a_name_below_a_zone_names_the_zone(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    said = await refusal(make_server(), "get_zone", {"zone": "a.b.example.com"})
    assert "It lies in a zone of this project: zone example.com, name a.b." in said
    said = await refusal(make_server(), "create_rrset", record("A", "x", zone="w.example.com"))
    assert "zone example.com, name w." in said
    said = await refusal(make_server(), "get_zone", {"zone": "a.b.nowhere.example"})
    assert "A zone has a registrable name, such as example.com" in said
    async with connect(make_server(), "2026-07-28") as client:
        shown = structured(await call(client, "list_zones", {"name": "www.example.com"}))
    assert "zone example.com, name www." in str(shown["warnings"])


@pytest.mark.requirement("R-83")
async def test_a_parent_outside_the_allowlist_is_neither_looked_for_nor_named(
    backend: HetznerBackend, make_server: MakeServer
) -> None:
    server = make_server(HETZNER_ZONE_ALLOWLIST="a.other.example,example.com")
    said = await refusal(server, "get_zone", {"zone": "a.other.example"})
    assert "zone other.example" not in said
    assert [request.path for request in backend.requests] == ["/zones/a.other.example"]


@pytest.mark.requirement("R-83", "H-6")
async def test_a_single_label_is_no_zone(backend: HetznerBackend, make_server: MakeServer) -> None:
    said = await refusal(make_server(), "get_zone", {"zone": "dev"})
    assert '"dev" is neither a zone\'s id nor a registrable name' in said
    assert backend.requests == []


@pytest.mark.requirement("H-6")
async def test_every_argument_is_described(make_server: MakeServer) -> None:
    async with connect(make_server(HETZNER_EXTRAS="true"), "2026-07-28") as client:
        tools = (await client.list_tools()).tools
    bare = [
        f"{tool.name}.{name}"
        for tool in tools
        for name, schema in tool.input_schema["properties"].items()
        if not schema.get("description")
    ]
    assert bare == []
