"""Prints what a person is asked, or what refuses a call before that, example by example.

    python -m tests.hetzner_dns.print_dialogs

Everything runs against the stand-in, once in each protocol era; both must say the same.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import mcp_types as types
from mcp.server import Server

from hetzner_dns_mcp.app import build
from hetzner_dns_mcp.definition import HETZNER_DNS
from mcp_serverkit.config.settings import read_settings
from mcp_serverkit.server import build_approver, build_server
from tests.backends.hetzner import HetznerBackend
from tests.support.clients import ERAS, Arguments, connect, text

ZONE = "example.com"


def several(kind: str, name: str, *values: str, **more: object) -> Arguments:
    records = [{"value": value} for value in values]
    return {"zone": ZONE, "name": name, "type": kind, "records": records, **more}


def examples(export: str) -> Sequence[tuple[str, str, Arguments]]:
    """Headline, tool and arguments of each example."""

    def file(zonefile: str, **more: object) -> Arguments:
        return {"zone": ZONE, "zonefile": zonefile, **more}

    foreign = "$TTL 1\n@ SOA a. b. 1 2 3 4 5\n@ NS ns1.example.net.\n@ NS ns2.example.net.\n"
    return [
        ("one address", "import_zonefile", file(export.replace("192.0.2.1", "203.0.113.66"))),
        (
            "another default",
            "import_zonefile",
            file(export.replace("$TTL\t3600", "$TTL 604800")),
        ),
        ("no default", "import_zonefile", file(export.replace("$TTL\t3600\n", ""))),
        (
            "a line that cannot be read",
            "import_zonefile",
            file("\n" * 20 + '@ MX 0 evil.example.\nx TXT "' + "y" * 256 + '"\n'),
        ),
        (
            "too many changes",
            "import_zonefile",
            file(export + "".join(f"h{n} A 192.0.2.7\n" for n in range(200))),
        ),
        (
            "merge",
            "import_zonefile",
            file(foreign + "www A 203.0.113.9\nk SSHFP 1 1 " + "ab" * 20, mode="merge"),
        ),
        ("no change of a set", "set_records", several("A", "www", "192.0.2.1")),
        ("a takeover", "set_records", several("A", "www", "203.0.113.66")),
        ("a faulty record goes", "remove_records", several("TXT", "bad", "unquoted text")),
        (
            "fifty texts",
            "set_records",
            {
                **several("TXT", "bad"),
                "records": [{"value": f"text {n}", "comment": f"note {n}"} for n in range(50)],
            },
        ),
        (
            "a second policy",
            "add_records",
            several("TXT", "@", "v=spf1 include:_spf.example.net ~all"),
        ),
        ("apex name servers", "delete_rrset", {"zone": ZONE, "name": "@", "type": "NS"}),
        (
            "a new zone",
            "create_zone",
            {"name": "y.example", "mode": "primary", "zonefile": "@ IN MX 10 mail.y.example"},
        ),
        ("a delegation", "add_records", several("NS", "www", "ns.example.net.")),
        ("a target in use", "delete_rrset", {"zone": ZONE, "name": "mail", "type": "A"}),
        ("a set that exists", "create_rrset", several("MX", "@", "5 x.example.net.")),
        ("a foreign origin", "import_zonefile", file(export.replace("example.com.", "x.test.", 1))),
        ("TTL 1", "import_zonefile", file(export.replace("mail\tIN", "mail\t1\tIN"))),
        ("no certificates", "create_rrset", several("CAA", "@", '0 issue ";"')),
        ("a wildcard", "create_rrset", several("A", "*", "192.0.2.9")),
        ("no final dot", "create_rrset", several("MX", "sub", "10 mail.example.net")),
        (
            "several changes",
            "apply_record_changes",
            {
                "zone": ZONE,
                "changes": [
                    {"action": "delete", "name": "www", "type": "A"},
                    {
                        "action": "create",
                        "name": "www",
                        "type": "CNAME",
                        "records": [{"value": "shop.example.net."}],
                        "ttl": 600,
                    },
                ],
            },
        ),
    ]


def fill(backend: HetznerBackend) -> None:
    """Make the zone that the examples are about."""
    backend.add_zone(ZONE, zone_id=42)
    backend.add_rrset(ZONE, "www", "A", ["192.0.2.1"])
    backend.add_rrset(ZONE, "@", "MX", ["10 mail.example.com."])
    backend.add_rrset(ZONE, "mail", "A", ["192.0.2.3"])
    backend.add_rrset(ZONE, "@", "TXT", ['"v=spf1 mx -all"'])


def make_server(backend: HetznerBackend) -> Server[object]:
    environ = {
        "HETZNER_API_TOKEN": backend.token,
        "HETZNER_API_BASE_URL": backend.url,
        "HETZNER_EXTRAS": "true",
    }
    values = read_settings(HETZNER_DNS.variables, HETZNER_DNS.prefix, environ).values
    approver = build_approver(HETZNER_DNS, values)
    approver.log = lambda _line: None
    app = build(values, HETZNER_DNS.select(values).names)
    return build_server(HETZNER_DNS, values, app=app, approver=approver)


async def ask(server: Server[object], era: str, tool: str, arguments: Arguments) -> str:
    """What a person reads, or what refuses the call."""
    asked: list[str] = []

    async def decline(context: object, params: object) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestFormParams)
        asked.append(params.message)
        return types.ElicitResult(action="decline")

    async with connect(server, era, decline) as client:  # type: ignore[arg-type]
        result = await client.call_tool(tool, dict(arguments))
    return asked[0] if asked else f"NOT ASKED: {text(result)}"


async def main() -> None:
    """Print all examples."""
    with HetznerBackend() as backend:
        fill(backend)
        for headline, tool, arguments in examples(backend.zonefile(ZONE)):
            if headline == "a faulty record goes":
                backend.add_rrset(ZONE, "bad", "TXT", ["unquoted text", '"other"'])
            said = [await ask(make_server(backend), era, tool, arguments) for era in ERAS]
            plain = {re.sub(r"\bc[0-9a-f]{15}\b", "c…", words) for words in said}
            assert len(plain) == 1, plain
            print(f"=== {headline}: {tool}\n{said[0]}\n")


if __name__ == "__main__":
    asyncio.run(main())
