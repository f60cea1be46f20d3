"""The server against Hetzner's own API, when a token and a throw-away zone are given.

HETZNER_LIVE_TOKEN names a token of a project made for this; HETZNER_LIVE_ZONE a primary
zone in it whose records may be changed. Everything is done under one name that the run
makes up and takes away again.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator

import mcp_types as types
import pytest
from mcp import Client

from hetzner_dns_mcp.definition import HETZNER_DNS
from mcp_serverkit.config.settings import read_settings
from mcp_serverkit.server import build_server
from tests.support.clients import accept, call, connect, structured

TOKEN = os.environ.get("HETZNER_LIVE_TOKEN", "")
ZONE = os.environ.get("HETZNER_LIVE_ZONE", "")

pytestmark = [
    pytest.mark.live("hetzner"),
    pytest.mark.timeout(300),
]


async def yes(context: object, params: object) -> types.ElicitResult:
    return accept()


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    reading = read_settings(
        HETZNER_DNS.variables,
        HETZNER_DNS.prefix,
        {"HETZNER_API_TOKEN": TOKEN, "HETZNER_ZONE_ALLOWLIST": ZONE},
    )
    async with connect(build_server(HETZNER_DNS, reading.values), "2026-07-28", yes) as made:
        yield made


@pytest.fixture
def name() -> str:
    return f"mcp-test-{secrets.token_hex(4)}"


def values(result: dict[str, object]) -> list[str]:
    rrset = result["rrset"]
    assert isinstance(rrset, dict)
    return sorted(record["value"] for record in rrset["records"])


async def test_the_life_of_a_record_set(client: Client, name: str) -> None:
    rrset = {"zone": ZONE, "name": name, "type": "TXT"}
    first = {"value": 'say "hi" \\ bye'}
    created = structured(
        await call(client, "create_rrset", {**rrset, "records": [first], "ttl": 60})
    )
    try:
        assert "unexpected_response" not in created
        shown = structured(await call(client, "get_rrset", rrset))
        assert values(shown) == ['"say \\"hi\\" \\\\ bye"']
        again = structured(await call(client, "add_records", {**rrset, "records": [first]}))
        assert again["changed"] is False
        long = {"value": "x" * 300, "comment": "split in two"}
        expected = {"expected_fingerprint": shown["fingerprint"]}
        arguments = {**rrset, "records": [long], **expected}
        replaced = structured(await call(client, "set_records", arguments))
        assert "previous" in replaced
        shown = structured(await call(client, "get_rrset", rrset))
        assert values(shown) == [f'"{"x" * 255}" "{"x" * 45}"']
        structured(await call(client, "change_rrset_ttl", {**rrset, "ttl": None}))
        structured(await call(client, "update_rrset", {**rrset, "labels": {"made-by": "test"}}))
    finally:
        structured(await call(client, "delete_rrset", rrset))
    assert (await call(client, "get_rrset", rrset)).is_error


async def test_protection_stands_before_a_deletion(client: Client, name: str) -> None:
    rrset = {"zone": ZONE, "name": name, "type": "A"}
    records = [{"value": "198.51.100.1"}]
    structured(await call(client, "create_rrset", {**rrset, "records": records}))
    try:
        structured(await call(client, "change_rrset_protection", {**rrset, "change": True}))
        assert (await call(client, "delete_rrset", rrset)).is_error
    finally:
        structured(await call(client, "change_rrset_protection", {**rrset, "change": False}))
        structured(await call(client, "delete_rrset", rrset))


async def test_a_zone_is_listed_exported_and_its_actions_followed(client: Client) -> None:
    listed = structured(await call(client, "list_zones"))
    zones = listed["zones"]
    assert isinstance(zones, list)
    assert [zone["name"] for zone in zones] in ([], [ZONE])
    exported = structured(await call(client, "export_zonefile", {"zone": ZONE}))
    assert "SOA" in str(exported["zonefile"])
    structured(await call(client, "list_rrsets", {"zone": ZONE, "name": "@", "type": ["NS"]}))
    actions = structured(await call(client, "list_zone_actions", {"zone": ZONE, "per_page": 5}))
    assert "unexpected_response" not in actions
