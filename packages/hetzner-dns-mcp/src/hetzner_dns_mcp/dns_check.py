"""What name servers answer, beside what Hetzner holds.

Only the tool that asks them loads this: it brings dnspython's sockets. A look-up and then a
query take at most three seconds each, all servers at once, so all of it stays below ten.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import dns.asyncquery
import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.rrset

from hetzner_dns_mcp import names, views
from hetzner_dns_mcp.addresses import Address
from hetzner_dns_mcp.facts import assigned_servers
from hetzner_dns_mcp.records.identity import rdata_key, value_key
from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.http.json_fields import Document, number_of, object_of, objects_of, text_or_empty

if TYPE_CHECKING:
    from dns.rdtypes.ANY.SOA import SOA
    from dns.rrset import RRset

    from hetzner_dns_mcp.addresses import LookUp
    from hetzner_dns_mcp.api.types import RRSetRef
    from hetzner_dns_mcp.facts import RRSetFacts

HETZNERS = (
    *("hetzner.com", "hetzner.de", "first-ns.de"),
    *("second-ns.de", "second-ns.com", "your-server.de"),
)
"""Where the names of the servers lie that Hetzner assigns; no other name is looked up."""

SECONDS = 3.0
MOST_ADDRESSES = 8
MOST_VALUES = 50
PAYLOAD = 1_232
"""Bytes of an answer by UDP that pass everywhere unfragmented."""

_STATUSES = {
    dns.rcode.NOERROR: "ok",
    dns.rcode.NXDOMAIN: "nxdomain",
    dns.rcode.REFUSED: "refused",
    dns.rcode.NOTAUTH: "refused",
}


@dataclass(frozen=True, slots=True)
class Server:
    """A server that is asked; one without an address could not be found."""

    name: str
    address: Address | None
    kind: Literal["assigned", "resolver"]


async def check(
    zone: Document,
    ref: RRSetRef,
    facts: RRSetFacts,
    look_up: LookUp,
    resolvers: Sequence[Address],
) -> Document:
    """Ask the servers of a zone, and compare their answers with the set that Hetzner holds.

    Args:
        zone: The zone, as the API shows it.
        ref: Which set.
        facts: The set, as far as it could be read.
        look_up: Finds the addresses of a host.
        resolvers: Further servers to ask.

    Raises:
        ToolFailure: The zone or the set could not be read, or nobody can be asked.
    """
    zone_name = text_or_empty(zone, "name")
    if facts.exists is None or not re.fullmatch(names.ZONE, zone_name):
        raise ToolFailure("The zone or its record set could not be read, so nobody was asked.")
    asked, strange = await servers(zone, look_up, resolvers)
    result = await compare(asked, ref, zone_name, facts.document)
    told = object_of(zone, "authoritative_nameservers")
    result["delegation"] = {
        "assigned": told.get("assigned"),
        "delegated": told.get("delegated"),
        "status": told.get("delegation_status"),
    }
    notes = []
    if strange:
        notes.append(f"{strange} assigned servers bear no name of Hetzner's and are not asked")
    if not facts.exists:
        notes.append("Hetzner holds no such set; a wildcard or a CNAME may answer for it")
    if notes:
        result["note"] = "; ".join(notes)
    return cast("Document", views.presentable(result))


async def servers(
    zone: Document, look_up: LookUp, resolvers: Sequence[Address]
) -> tuple[list[Server], int]:
    """Find the servers to ask, and count those whose names are not Hetzner's.

    Raises:
        ToolFailure: There is none with an address.
    """
    hosts = assigned_servers(zone)
    ours = tuple(f".{host}." for host in HETZNERS)
    known = [host for host in hosts if f".{host.removesuffix('.')}.".endswith(ours)]
    found = await asyncio.gather(*(_found(host, look_up) for host in known[:MOST_ADDRESSES]))
    asked = [*found, *(Server(resolver.shown, resolver, "resolver") for resolver in resolvers)]
    if not any(server.address for server in asked):
        raise ToolFailure("No name server could be asked: none of their addresses is known.")
    return asked[:MOST_ADDRESSES], len(hosts) - len(known)


async def _found(host: str, look_up: LookUp) -> Server:
    try:
        async with asyncio.timeout(SECONDS):
            addresses = await look_up(host.removesuffix("."))
    except (OSError, TimeoutError):
        addresses = []
    first = sorted(addresses, key=lambda address: ":" in address.host)[:1]
    return Server(host, first[0] if first else None, "assigned")


async def compare(
    asked: Sequence[Server], ref: RRSetRef, zone_name: str, held: Document
) -> Document:
    """Ask all servers at once, and compare their answers with the set that Hetzner holds."""
    values = [text_or_empty(record, "value") for record in objects_of(held, "records")]
    expected = {value_key(value, ref.type, zone_name) for value in values}
    answers = await asyncio.gather(*(_asked(server, ref, zone_name, expected) for server in asked))
    result: Document = {"expected": values[:MOST_VALUES], "answers": list(answers)}
    serials = [
        number_of(answer, "serial")
        for answer in answers
        if answer["kind"] == "assigned" and "serial" in answer
    ]
    if len(serials) > 1:
        result["serials_agree"] = len(set(serials)) == 1
    return result


async def _asked(server: Server, ref: RRSetRef, zone_name: str, expected: set[str]) -> Document:
    told: Document = {"server": server.name, "kind": server.kind, "status": "unreachable"}
    told["match"] = False
    if server.address is None:
        return told
    told["address"] = server.address.shown
    owner = dns.name.from_text(names.absolute(ref.name, zone_name))
    apex = dns.name.from_text(names.absolute(names.APEX, zone_name))
    answer, authority = await asyncio.gather(
        _query(server, owner, ref.type), _query(server, apex, "SOA")
    )
    if isinstance(authority, dns.message.Message):
        for soa in _records(authority, apex, "SOA"):
            told["serial"] = int(cast("SOA", soa).serial)
    if isinstance(answer, str):
        told["status"] = answer
        return told
    aa = bool(answer.flags & dns.flags.AA)
    found = _records(answer, owner, ref.type)
    status = _STATUSES.get(answer.rcode(), "servfail")
    told.update(status="nodata" if status == "ok" and not found else status, aa=aa)
    told["values"] = [rdata.to_text() for rdata in found][:MOST_VALUES]
    if found:
        told["ttl"] = found.ttl
    same = {rdata_key(rdata, ref.type) for rdata in found} == expected
    told["match"] = same and status in {"ok", "nxdomain"} and (aa or server.kind == "resolver")
    return told


def _records(answer: dns.message.Message, owner: dns.name.Name, record_type: str) -> RRset:
    """The set of a name and type in an answer; an empty one where it holds none."""
    kind = dns.rdatatype.from_text(record_type)
    found = answer.get_rrset(answer.answer, owner, dns.rdataclass.IN, kind)
    return dns.rrset.RRset(owner, dns.rdataclass.IN, kind) if found is None else found


async def _query(
    server: Server, owner: dns.name.Name, record_type: str
) -> dns.message.Message | str:
    """Ask by UDP, and by TCP where the answer was too long; a word where there is none."""
    assert server.address is not None  # noqa: S101 (the caller looked)
    query = dns.message.make_query(owner, record_type, use_edns=0, payload=PAYLOAD)
    if server.kind == "assigned":
        query.flags &= ~dns.flags.RD
    try:
        async with asyncio.timeout(SECONDS):
            answer, _ = await dns.asyncquery.udp_with_fallback(
                query,
                server.address.host,
                timeout=SECONDS,
                port=server.address.port,
                ignore_unexpected=True,
                ignore_errors=True,
            )
    except (TimeoutError, dns.exception.Timeout):
        return "timeout"
    except (OSError, EOFError, dns.exception.DNSException):
        return "unreachable"
    return answer
