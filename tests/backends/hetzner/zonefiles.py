"""Import and export of zone files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, cast

import dns.exception
import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.tokenizer
import dns.ttl
import dns.zonefile

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


class _Line(NamedTuple):
    """A record of a file; an own TTL is one that the file's default does not give."""

    name: str
    type: str
    ttl: int
    rdata: dns.rdata.Rdata
    own: bool = False

    @property
    def key(self) -> tuple[str, str]:
        return self.name, self.type


def _read(zone: Zone, text: str) -> tuple[dict[tuple[str, str], RRSet], int | None]:
    origin = f"{zone.name}."
    default = re.search(r"^\$TTL[ \t]+(\S+)", text, re.MULTILINE)
    default_ttl = zone.ttl if default is None else int(dns.ttl.from_text(default[1]))
    if default is None:
        text = f"$TTL {zone.ttl}\n{text}"
    lines = _lines(text, origin)
    _check_origins(text, origin)
    _check_names(lines)
    sets: dict[tuple[str, str], RRSet] = {}
    ttls: dict[tuple[str, str], int] = {}
    for line in lines:
        if line.type not in TYPES:
            raise invalid("zonefile", f"unsupported type {line.type}")
        ttl = check_ttl(line.ttl)
        if ttls.setdefault(line.key, line.ttl) != line.ttl:
            raise invalid("zonefile", "must match the TTL of the RRSet")
        rrset = sets.setdefault(line.key, RRSet(*line.key, {}, ttl if line.own else None))
        rrset.records[line.rdata.to_text()] = (
            cast("str | None", line.rdata.rdcomment) or ""
        ).strip()
    return sets, None if default is None else check_ttl(default_ttl)


def _check_names(lines: Sequence[_Line]) -> None:
    """Refuse what cannot stand beside something else, and what a reader would drop for it."""
    found: dict[str, dict[str, set[dns.rdata.Rdata]]] = {}
    for line in lines:
        found.setdefault(line.name, {}).setdefault(line.type, set()).add(line.rdata)
    for kinds in found.values():
        if len(kinds.get("CNAME", ())) > 1:
            raise invalid("zonefile", "only one CNAME is allowed at a name")
        if "CNAME" in kinds and len(kinds) > 1:
            raise invalid("zonefile", "CNAME cannot coexist with other records")
        if len(kinds.get("SOA", ())) > 1:
            raise invalid("zonefile", "only one SOA record is allowed")


def _check_origins(text: str, origin: str) -> None:
    for found in re.finditer(r"^\$ORIGIN[ \t]+(\S+)", text, re.MULTILINE):
        if not f".{found[1].lower()}".endswith(f".{origin}"):
            raise invalid("zonefile", "$ORIGIN does not match the zone")


def _lines(text: str, origin: str) -> list[_Line]:
    """Read the records, those with a TTL of their own marked: another default moves the others."""
    given = _records(text, origin)
    moved = []
    for default in (777_001, 777_002):
        other = re.sub(r"^\$TTL[ \t]+\S+", f"$TTL {default}", text, flags=re.MULTILINE)
        moved.append([line.ttl for line in _records(other, origin)])
    return [line._replace(own=one == two) for line, one, two in zip(given, *moved, strict=True)]


class _Collector(dns.zonefile.RRsetsReaderTransaction):
    """Keeps each record, where a zone object lets the last of two CNAMEs win."""

    def __init__(self, origin: str) -> None:
        apex = dns.name.from_text(origin)
        manager = dns.zonefile.RRSetsReaderManager(apex)
        super().__init__(manager, True, False)  # type: ignore[no-untyped-call]
        self.lines: list[_Line] = []
        self._origin = origin

    def add(self, *args: object) -> None:
        name, ttl, rdata = args
        assert isinstance(ttl, int)
        assert isinstance(rdata, dns.rdata.Rdata)
        written = str(name).lower()
        relative = "@" if written == self._origin else written.removesuffix(f".{self._origin}")
        self.lines.append(_Line(relative, dns.rdatatype.to_text(rdata.rdtype), ttl, rdata))


def _records(text: str, origin: str) -> list[_Line]:
    collector = _Collector(origin)
    tokens = dns.tokenizer.Tokenizer(text.removeprefix("\ufeff"))
    reader = dns.zonefile.Reader(
        tokens, dns.rdataclass.IN, collector, allow_directives={"$ORIGIN", "$TTL"}
    )
    try:
        reader.read()
    except (dns.exception.DNSException, ValueError, KeyError) as error:
        raise invalid("zonefile", str(error)) from None
    return collector.lines
