"""What the tests of this server share: calls for each reason to ask, and short ways to ask."""

from __future__ import annotations

import mcp_types as types
from mcp import Client
from mcp.server import Server

from tests.support.clients import Arguments, Result, accept, connect, leg, question, text

APPROVED = "example.com"
GOOD_FILE = """$ORIGIN example.com.
$TTL 3600
@ IN SOA hydrogen.ns.hetzner.com. dns.hetzner.com. 1 86400 10800 3600000 3600
@ IN NS hydrogen.ns.hetzner.com.
@ IN NS oxygen.ns.hetzner.com.
@ IN NS helium.ns.hetzner.de.
@ IN MX 10 mx.example.net.
www IN A 198.51.100.9
"""

SHA256 = "ab" * 32

VALID: dict[str, str] = {
    "A": "198.51.100.7",
    "AAAA": "2001:db8::7",
    "CAA": '0 issue "ca.example.net"',
    "CNAME": "target.example.net.",
    "DS": f"12345 13 2 {SHA256}",
    "HINFO": '"PC" "Linux"',
    "HTTPS": '1 . alpn="h2,h3"',
    "MX": "10 mx.example.net.",
    "NS": "ns1.example.net.",
    "PTR": "host.example.net.",
    "RP": "admin.example.net. txt.example.net.",
    "SRV": "10 60 5060 sip.example.net.",
    "SVCB": "1 svc.example.net. alpn=h2",
    "TLSA": f"3 1 1 {SHA256}",
    "TXT": '"text"',
}
"""A good value of each type that can be added."""

DECIDING = ("CAA", "CNAME", "DS", "HTTPS", "MX", "NS", "SRV", "SVCB", "TLSA")
PLAIN = ("A", "AAAA", "HINFO", "PTR", "RP", "TXT")


def record(
    record_type: str, name: str = "sub", value: str | None = None, zone: str = "example.com"
) -> Arguments:
    """Arguments that write one record."""
    values = [{"value": VALID[record_type] if value is None else value}]
    return {"zone": zone, "name": name, "type": record_type, "records": values}


GUARDED: dict[str, tuple[str, Arguments]] = {
    "delete_zone": ("delete_zone", {"zone": "example.com"}),
    "delete_rrset": ("delete_rrset", {"zone": "example.com", "name": "www", "type": "A"}),
    "import_zonefile": ("import_zonefile", {"zone": "example.com", "zonefile": GOOD_FILE}),
    "set_records": ("set_records", record("A", "www")),
    "remove_records": ("remove_records", record("A", "www", "198.51.100.1")),
    "change_primary_nameservers": (
        "change_primary_nameservers",
        {"zone": "secondary.example", "primary_nameservers": [{"address": "198.51.100.2"}]},
    ),
    "apply_record_changes": (
        "apply_record_changes",
        {
            "zone": "example.com",
            "changes": [
                {
                    "action": "set",
                    "name": "www",
                    "type": "A",
                    "records": [{"value": "198.51.100.7"}],
                }
            ],
        },
    ),
    "change_zone_protection off": (
        "change_zone_protection",
        {"zone": "example.com", "delete": False},
    ),
    "change_rrset_protection off": (
        "change_rrset_protection",
        {"zone": "example.com", "name": "www", "type": "A", "change": False},
    ),
    **{f"create_rrset {t}": ("create_rrset", record(t)) for t in DECIDING},
    **{f"add_records {t}": ("add_records", record(t)) for t in DECIDING},
    "create_rrset apex": ("create_rrset", record("A", "@")),
    "add_records apex": ("add_records", record("TXT", "@")),
    "create_rrset apex in full": ("create_rrset", record("A", "EXAMPLE.com.")),
    "create_rrset wildcard": ("create_rrset", record("A", "*")),
    "add_records deep wildcard": ("add_records", record("TXT", "*.dev.example.com")),
}
"""Every reason for which a tool asks."""

UNGUARDED: dict[str, tuple[str, Arguments]] = {
    "change_zone_protection on": (
        "change_zone_protection",
        {"zone": "example.com", "delete": True},
    ),
    "change_rrset_protection on": (
        "change_rrset_protection",
        {"zone": "example.com", "name": "www", "type": "A", "change": True},
    ),
    **{f"create_rrset {t}": ("create_rrset", record(t)) for t in PLAIN},
    **{f"add_records {t}": ("add_records", record(t)) for t in PLAIN},
    "acme challenge": ("add_records", record("TXT", "_acme-challenge")),
    "acme challenge of a host": ("add_records", record("TXT", "_acme-challenge.www")),
    "acme challenge in capitals": ("create_rrset", record("TXT", "_ACME-challenge.shop")),
    "update_zone": ("update_zone", {"zone": "example.com", "labels": {"env": "prod"}}),
    "update_rrset": (
        "update_rrset",
        {"zone": "example.com", "name": "www", "type": "A", "labels": {}},
    ),
    "change_zone_ttl": ("change_zone_ttl", {"zone": "example.com", "ttl": 300}),
    "change_rrset_ttl": (
        "change_rrset_ttl",
        {"zone": "example.com", "name": "www", "type": "A", "ttl": None},
    ),
    "create_zone": ("create_zone", {"name": "new.example", "mode": "primary"}),
    "create_zone with a zone file": (
        "create_zone",
        {"name": "new.example", "mode": "primary", "zonefile": "www IN A 198.51.100.1\n"},
    ),
}
"""What is never asked about, as the calls that a person should not have to look at."""


async def decline(context: object, params: object) -> types.ElicitResult:
    return types.ElicitResult(action="decline")


def message(asked: types.InputRequiredResult) -> str:
    request = (asked.input_requests or {})["confirm"]
    assert isinstance(request, types.ElicitRequest)
    assert isinstance(request.params, types.ElicitRequestFormParams)
    return request.params.message


async def dialog(server: Server[object], tool: str, arguments: Arguments) -> str:
    """The text of the dialog that a call raises."""
    async with connect(server, "2026-07-28", decline) as client:
        return message(await question(client, tool, arguments))


async def approve_other(
    client: Client, tool: str, approved: Arguments, other: Arguments, other_tool: str | None = None
) -> types.CallToolResult | types.InputRequiredResult:
    """Get a yes for one call and present it with another."""
    asked = await question(client, tool, approved)
    return await leg(client, other_tool or tool, other, answer=accept(), state=asked.request_state)


async def refusal(server: Server[object], tool: str, arguments: Arguments) -> str:
    """The error text of a call that must fail before anybody is asked."""
    async with connect(server, "2026-07-28", decline) as client:
        result = await leg(client, tool, arguments)
    assert isinstance(result, types.CallToolResult), f"asked: {text(result)}"
    assert result.is_error, text(result)
    return text(result)


async def outcome(server: Server[object], tool: str, arguments: Arguments) -> Result:
    """The final result of a call by a client that approves."""

    async def yes(context: object, params: object) -> types.ElicitResult:
        return accept()

    async with connect(server, "2026-07-28", yes) as client:
        return await client.call_tool(tool, dict(arguments))
