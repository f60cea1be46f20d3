"""Import and export of zone files."""

from __future__ import annotations

import re

import dns.exception
import dns.rdatatype
import dns.ttl
import dns.zone

from .model import ASSIGNED, TYPES, APIError, RRSet, Zone, invalid


def export(zone: Zone) -> str:
    """Write a zone as the API does: tabs between fields, comments behind a semicolon."""
    lines = [f"$ORIGIN\t{zone.name}.", f"$TTL\t{zone.ttl}", ""]
    order = sorted(zone.sets, key=lambda key: (key[1] != "SOA", key[0] != "@", key))
    for key in order:
        rrset = zone.sets[key]
        ttl = "" if rrset.ttl is None else f"{rrset.ttl}\t"
        for value, comment in rrset.records.items():
            remark = f"\t; {comment}" if comment else ""
            lines.append(f"{rrset.name}\tIN\t{ttl}{rrset.type}\t{value}{remark}")
    return "\n".join(lines) + "\n"


def replace(zone: Zone, text: str, *, existing: bool) -> None:
    """Replace everything in a zone, or refuse the file as a whole."""
    if any(rrset.protected for rrset in zone.sets.values()):
        raise APIError("protected", "RRSet(s) change protected")
    sets, ttl = _read(zone, text)
    if existing:
        if ("@", "SOA") not in sets:
            raise invalid("zonefile", "SOA record is missing")
        servers = sets.get(("@", "NS"), RRSet("@", "NS")).records
        if not set(ASSIGNED) <= set(servers):
            raise invalid("zonefile", "assigned nameservers are missing")
    else:
        zone.start_content()
        sets = {**zone.sets, **sets}
    zone.sets = sets
    zone.ttl = ttl or zone.ttl
    zone.bump()


def _read(zone: Zone, text: str) -> tuple[dict[tuple[str, str], RRSet], int | None]:
    origin = f"{zone.name}."
    default = re.search(r"^\$TTL[ \t]+(\S+)", text, re.MULTILINE)
    if default is None:
        text = f"$TTL {zone.ttl}\n{text}"
    try:
        parsed = dns.zone.from_text(
            text.removeprefix("\ufeff"),
            origin=origin,
            relativize=False,
            check_origin=False,
            allow_include=False,
            allow_directives={"$ORIGIN", "$TTL"},
        )
    except (dns.exception.DNSException, ValueError, KeyError) as error:
        raise invalid("zonefile", str(error)) from None
    sets: dict[tuple[str, str], RRSet] = {}
    for owner, node in parsed.nodes.items():
        written = owner.to_text().lower()
        name = "@" if written == origin else written.removesuffix(f".{origin}")
        for rdataset in node:
            record_type = dns.rdatatype.to_text(rdataset.rdtype)
            if record_type not in TYPES:
                raise invalid("zonefile", f"unsupported type {record_type}")
            records = {rdata.to_text(): (rdata.rdcomment or "").strip() for rdata in rdataset}
            sets[name, record_type] = RRSet(name, record_type, records, int(rdataset.ttl))
    ttl = None if default is None else int(dns.ttl.from_text(default[1]))
    for rrset in sets.values():
        rrset.ttl = None if rrset.ttl == (ttl or zone.ttl) else rrset.ttl
    return sets, ttl
