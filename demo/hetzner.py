"""The demo of hetzner-dns-mcp."""

from __future__ import annotations

from demo.stage import Person, client, heading, say, show_result, show_tools
from hetzner_dns_mcp.tools import TOOLS
from tests.backends.hetzner import HetznerBackend

MODULE = "hetzner_dns_mcp"
ZONE_FILE = """\
$ORIGIN example.com.
$TTL 3600
@    IN SOA hydrogen.ns.hetzner.com. dns.hetzner.com. 2026112901 86400 10800 3600000 3600
@    IN NS  hydrogen.ns.hetzner.com.
@    IN NS  oxygen.ns.hetzner.com.
@    IN NS  helium.ns.hetzner.de.
@    IN MX  10 mail.example.net.
www  IN A   203.0.113.7
"""
WWW = {"zone": "example.com", "name": "www", "type": "A"}


async def demo() -> None:
    person = Person()
    with HetznerBackend() as backend:
        backend.add_zone("example.com")
        backend.add_rrset("example.com", "www", "A", ["198.51.100.1", "198.51.100.2"], ttl=300)
        environ = {
            "HETZNER_API_TOKEN": backend.token,
            "HETZNER_API_BASE_URL": backend.url,
            "HETZNER_ZONE_ALLOWLIST": "example.com",
        }
        for era in ("2025-11-25", "2026-07-28"):
            await _with_dialogs(environ, era, person)
        await _without_dialogs(environ)
        heading("What the API saw")
        for request in backend.writes:
            say(f"{request.method} {request.path}  {request.body.decode()}")


async def _with_dialogs(environ: dict[str, str], era: str, person: Person) -> None:
    heading(f"hetzner-dns-mcp over stdio, protocol {era}, a client that shows dialogs")
    async with client(MODULE, environ, era, person) as connected:
        info = connected.server_info
        say(f"connected to {info.name if info else '?'} {info.version if info else ''}")
        if era == "2025-11-25":
            await show_tools(connected, {tool.name: tool.asks for tool in TOOLS})
        say("\nadd_records, an ACME challenge: nobody is asked")
        challenge = {"zone": "example.com", "name": "_acme-challenge", "type": "TXT"}
        token = [{"value": f"token-of-{era}"}]
        show_result(await connected.call_tool("add_records", {**challenge, "records": token}))
        say("\nadd_records, an MX: the client shows this, and you answer")
        mail = {"zone": "example.com", "name": "example.com", "type": "MX"}
        server = [{"value": f"{era[:2]} mx-{era[:4]}.example.net."}]
        show_result(await connected.call_tool("add_records", {**mail, "records": server}))
        say("\nset_records: what the name answers afterwards, in full")
        moved = [{"value": "203.0.113.7", "comment": f"moved ({era})"}]
        show_result(await connected.call_tool("set_records", {**WWW, "records": moved}))
        say("\nimport_zonefile: a summary of the file, and the difference in numbers")
        imported = {"zone": "example.com", "zonefile": ZONE_FILE}
        show_result(await connected.call_tool("import_zonefile", imported))
        say("\ndelete_rrset: declined")
        person.decline_next = True
        show_result(await connected.call_tool("delete_rrset", dict(WWW)))


async def _without_dialogs(environ: dict[str, str]) -> None:
    heading("The same deletion from a client without dialogs")
    async with client(MODULE, environ, "2025-11-25", None) as connected:
        first = await connected.call_tool("delete_rrset", dict(WWW))
        show_result(first)
        token = str(first.content[0]).partition('confirm_token="')[2][:32]
        say("\nthe second call, with the token")
        show_result(await connected.call_tool("delete_rrset", {**WWW, "confirm_token": token}))
