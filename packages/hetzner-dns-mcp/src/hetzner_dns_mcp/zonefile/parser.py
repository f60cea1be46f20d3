"""Parsing of zone files with dnspython, record by record.

Its own zone object would drop what it does not like without a word (a second CNAME, a
name outside the zone) and would hold so many objects that collecting garbage stops
everybody else. Only text is kept here.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import dns.exception
import dns.name
import dns.rdataclass
import dns.rdatatype
import dns.tokenizer
import dns.zonefile

from hetzner_dns_mcp.guards import TYPES
from hetzner_dns_mcp.zonefile.reading import (
    APEX_NS,
    Records,
    SetKey,
    UnreadableZoneError,
    ZoneContent,
)

if TYPE_CHECKING:
    from dns.rdata import Rdata
    from dns.transaction import Transaction

DEFAULT_TTL = 3600
"""Stands in where a file names no default; the API then takes the zone's."""

REASON_CHARS = 200


def parse_zonefile(text: str, zone: str, stop: threading.Event | None = None) -> ZoneContent:
    """Read a zone file.

    Args:
        text: The zone file.
        zone: Name of the zone, in normal form.
        stop: Ends the reading early when it is set.

    Raises:
        UnreadableZoneError: It cannot be read here; the text may quote the file.
    """
    collected = _Collector(zone)
    tokens = dns.tokenizer.Tokenizer(_Stoppable(text.removeprefix("\ufeff"), stop), "line")
    reader = _Reader(
        tokens,
        dns.rdataclass.IN,
        cast("Transaction", collected),
        allow_directives={"$ORIGIN", "$TTL"},
        default_ttl=DEFAULT_TTL,
    )
    try:
        reader.read()
    except (dns.exception.DNSException, ValueError, KeyError, OverflowError) as error:
        raise UnreadableZoneError(str(error)[:REASON_CHARS] or type(error).__name__) from None
    return collected.content(reader.outside)


class _Reader(dns.zonefile.Reader):
    """Counts the records whose names lie outside the zone, which the base class skips."""

    outside = 0

    def _eat_line(self) -> None:
        self.outside += 1
        super()._eat_line()  # type: ignore[no-untyped-call]


class _Collector:
    """Takes the place of dnspython's transaction and keeps text only."""

    def __init__(self, zone: str) -> None:
        self.manager = self
        self._origin = dns.name.from_text(f"{zone}.")
        self._apex = f"{zone}."
        self._values: dict[SetKey, set[str]] = {}
        self._ttls: dict[SetKey, set[int]] = {}

    def origin_information(self) -> tuple[dns.name.Name, bool, dns.name.Name]:
        """Answer what the reader asks its transaction's manager."""
        return self._origin, False, self._origin

    def check_put_rdataset(self, _check: Callable[..., None]) -> None:
        """Decline the check of the base class: it would end the reading."""

    def add(self, name: dns.name.Name, ttl: int, rdata: Rdata) -> None:
        """Take one record."""
        written = name.to_text().lower()
        relative = "@" if written == self._apex else written.removesuffix(f".{self._apex}")
        key = SetKey(relative, dns.rdatatype.to_text(rdata.rdtype))
        self._values.setdefault(key, set()).add(_value(rdata, key.type))
        self._ttls.setdefault(key, set()).add(ttl)

    def _set_origin(self, _origin: dns.name.Name) -> None:
        """Let the reader keep its present origin to itself."""

    def content(self, outside: int) -> ZoneContent:
        """Sum up what was taken."""
        sets = {
            key: Records(min(self._ttls[key]), frozenset(values))
            for key, values in self._values.items()
        }
        warnings = self._warnings()
        if outside:
            warnings.append(f"records with names outside the zone: {outside}")
        return ZoneContent(sets, sum(map(len, self._values.values())), tuple(warnings))

    def _warnings(self) -> list[str]:
        keys = self._values.keys()
        found = []
        if SetKey("@", "SOA") not in keys:
            found.append("the file has no SOA")
        if APEX_NS not in keys:
            found.append("the file has no NS for the zone itself")
        if foreign := sorted({key.type for key in keys} - set(TYPES)):
            found.append(f"Hetzner has no records of type {', '.join(foreign)[:100]}")
        aliases = {key.name for key in keys if key.type == "CNAME"}
        crowded = {key.name for key in keys if key.type != "CNAME"} & aliases
        crowded |= {key.name for key in keys if key.type == "CNAME" and len(self._values[key]) > 1}
        if crowded:
            found.append(f"cname-coexistence: names with a CNAME and more: {len(crowded)}")
        if mixed := sum(len(ttls) > 1 for ttls in self._ttls.values()):
            found.append(f"record sets with more than one TTL: {mixed}")
        return found


class _Stoppable(io.StringIO):
    """A text that refuses to be read on once nobody waits for the outcome."""

    def __init__(self, text: str, stop: threading.Event | None) -> None:
        super().__init__(text)
        self._stop = stop

    def read(self, size: int | None = -1, /) -> str:
        """Read on, if somebody still waits."""
        if self._stop is not None and self._stop.is_set():
            raise UnreadableZoneError("nobody waits for it any more")
        return super().read(size)


def _value(rdata: Rdata, record_type: str) -> str:
    """Write a value; the serial of an SOA, which Hetzner keeps, is left out."""
    text = rdata.to_text()
    if record_type == "SOA":
        words = text.split()
        return " ".join([*words[:2], "serial", *words[3:]])
    return text
