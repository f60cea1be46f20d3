"""Import and export of zone files."""

from __future__ import annotations

import re

import dns.exception
import dns.rdatatype
import dns.ttl
import dns.zone

from .model import TYPES, APIError, RRSet, Zone, check_ttl, invalid


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
        raise APIError("protected", "RRSet(s) is/are change protected")
    sets, ttl = _read(zone, text)
    if existing:
        if ("@", "SOA") not in sets:
            raise invalid("zonefile", "SOA record is missing")
        servers = sets.get(("@", "NS"), RRSet("@", "NS")).records
        if not set(zone.assigned) <= set(servers):
            raise invalid("zonefile", "assigned nameservers are missing")
    else:
        if ("@", "NS") in sets and not set(zone.assigned) <= set(sets["@", "NS"].records):
            raise invalid("zonefile", "assigned nameservers are missing")
        zone.start_content()
        sets = {**zone.sets, **sets}
    zone.sets = sets
    zone.ttl = ttl or zone.ttl
    zone.bump()


def _read(zone: Zone, text: str) -> tuple[dict[tuple[str, str], RRSet], int | None]:
    origin = f"{zone.name}."
    default = re.search(r"^\$TTL[ \t]+(\S+)", text, re.MULTILINE)
    default_ttl = zone.ttl if default is None else int(dns.ttl.from_text(default[1]))
    if default is None:
        text = f"$TTL {zone.ttl}\n{text}"
    parsed = _parsed(text, origin)
    _check_origins(text, origin)
    explicit = _explicit(text, origin)
    sets: dict[tuple[str, str], RRSet] = {}
    for owner, node in parsed.nodes.items():
        written = owner.to_text().lower()
        name = "@" if written == origin else written.removesuffix(f".{origin}")
        kinds = {dns.rdatatype.to_text(rdataset.rdtype) for rdataset in node}
        if "CNAME" in kinds and len(kinds) > 1:
            raise invalid("zonefile", "CNAME cannot coexist with other records")
        for rdataset in node:
            record_type = dns.rdatatype.to_text(rdataset.rdtype)
            if record_type not in TYPES:
                raise invalid("zonefile", f"unsupported type {record_type}")
            if record_type == "CNAME" and len(rdataset) > 1:
                raise invalid("zonefile", "only one CNAME is allowed at a name")
            ttl = check_ttl(int(rdataset.ttl))
            records = {rdata.to_text(): (rdata.rdcomment or "").strip() for rdata in rdataset}
            own = (written, record_type) in explicit
            sets[name, record_type] = RRSet(name, record_type, records, ttl if own else None)
    return sets, None if default is None else check_ttl(default_ttl)


def _check_origins(text: str, origin: str) -> None:
    for found in re.finditer(r"^\$ORIGIN[ \t]+(\S+)", text, re.MULTILINE):
        if not f".{found[1].lower()}".endswith(f".{origin}"):
            raise invalid("zonefile", "$ORIGIN does not match the zone")


def _explicit(text: str, origin: str) -> set[tuple[str, str]]:
    """Find the sets with a TTL of their own: those that another default does not move."""
    ttls: list[dict[tuple[str, str], int]] = []
    for default in (777_001, 777_002):
        other = re.sub(r"^\$TTL[ \t]+\S+", f"$TTL {default}", text, flags=re.MULTILINE)
        ttls.append(
            {
                (owner.to_text().lower(), dns.rdatatype.to_text(rdataset.rdtype)): rdataset.ttl
                for owner, node in _parsed(other, origin).nodes.items()
                for rdataset in node
            }
        )
    return {key for key, ttl in ttls[0].items() if ttls[1][key] == ttl}


def _parsed(text: str, origin: str) -> dns.zone.Zone:
    try:
        return dns.zone.from_text(
            text.removeprefix("\ufeff"),
            origin=origin,
            relativize=False,
            check_origin=False,
            allow_include=False,
            allow_directives={"$ORIGIN", "$TTL"},
        )
    except (dns.exception.DNSException, ValueError, KeyError) as error:
        raise invalid("zonefile", str(error)) from None
