"""Reading zone files: what they hold, and how two of them differ.

A reading takes seconds for a large zone, so it runs in a thread, which hands the event
loop its turn every few milliseconds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hetzner_dns_mcp.guards import DECIDING_TYPES

_DIRECTIVE = re.compile(r"(?:\A|[\r\n])[ \t\ufeff]*(\$[A-Za-z]+)")
_REFUSED_DIRECTIVES = frozenset({"$INCLUDE", "$GENERATE"})
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class SetKey(NamedTuple):
    """A record set: its name relative to the zone, and its type."""

    name: str
    type: str


APEX_NS = SetKey("@", "NS")


class Records(NamedTuple):
    """Time to live and values of a set; the order of values says nothing."""

    ttl: int
    values: frozenset[str]


@dataclass(frozen=True, slots=True)
class ZoneContent:
    """What a zone file holds.

    Attributes:
        sets: The record sets.
        records: How many records they hold.
        warnings: What the API may object to.
    """

    sets: Mapping[SetKey, Records]
    records: int
    warnings: tuple[str, ...] = ()

    def lacking(self, assigned: Sequence[str]) -> int:
        """Count the assigned name servers that the file does not list."""
        listed = self.sets.get(APEX_NS, Records(0, frozenset())).values
        return len(set(assigned) - {value.lower() for value in listed})

    def types(self) -> Counter[str]:
        """Count the records by type."""
        counts: Counter[str] = Counter()
        for key, records in self.sets.items():
            counts[key.type] += len(records.values)
        return counts

    def deciding(self, assigned: Sequence[str] = ()) -> list[tuple[SetKey, str]]:
        """List the records that decide who answers, in a stable order.

        Args:
            assigned: Hetzner's name servers of the zone, which go without saying.
        """
        found = [
            (key, value)
            for key, records in self.sets.items()
            if key.type in DECIDING_TYPES or (key.type != "SOA" and _is_wide(key.name))
            for value in records.values
            if key != APEX_NS or value.lower() not in assigned
        ]
        return sorted(found, key=lambda entry: (entry[0].name != "@", entry[0], entry[1]))


@dataclass(frozen=True, slots=True)
class Difference:
    """What an import would do to the record sets of a zone.

    Attributes:
        unchanged: Sets that stay as they are; an SOA's serial is looked past.
        changed: Sets with other values or another time to live.
        added: Sets that only the file has.
        removed: Sets that only the zone has, by type.
    """

    unchanged: int
    changed: int
    added: int
    removed: Mapping[str, int] = field(default_factory=dict)

    def counts(self) -> dict[str, int | Mapping[str, int]]:
        """Return the numbers by name."""
        return {
            "unchanged": self.unchanged,
            "changed": self.changed,
            "added": self.added,
            "removed": dict(self.removed),
        }


class UnreadableZoneError(ValueError):
    """A zone file that the parser here does not understand; the API may."""


def refuse_zonefile(text: str) -> None:
    """Refuse what no zone file may hold, whoever reads it.

    Raises:
        ValueError: Says what it is.
    """
    if not text.strip("\ufeff \t\r\n"):
        raise ValueError("is empty")
    if _CONTROL.search(text):
        raise ValueError("holds a control character other than tab and line ends")
    for found in _DIRECTIVE.finditer(text):
        if found[1].upper() in _REFUSED_DIRECTIVES:
            raise ValueError(f"holds the directive {found[1].upper()}, which is not carried out")


async def read_zonefile(text: str, zone: str) -> ZoneContent:
    """Read a zone file without holding up the event loop.

    Args:
        text: The zone file.
        zone: Name of the zone, in normal form.

    Raises:
        UnreadableZoneError: It cannot be read here; the text may quote the file.
    """
    import asyncio
    import threading

    from hetzner_dns_mcp.zonefile.parser import parse_zonefile

    stop = threading.Event()
    try:
        return await asyncio.to_thread(parse_zonefile, text, zone, stop)
    finally:
        stop.set()


def compare(present: ZoneContent, coming: ZoneContent) -> Difference:
    """Compare a zone with the file that would replace it."""
    both = present.sets.keys() & coming.sets.keys()
    unchanged = sum(present.sets[key] == coming.sets[key] for key in both)
    removed = Counter(key.type for key in present.sets.keys() - coming.sets.keys())
    return Difference(
        unchanged=unchanged,
        changed=len(both) - unchanged,
        added=len(coming.sets) - len(both),
        removed=dict(sorted(removed.items())),
    )


def _is_wide(name: str) -> bool:
    return name == "@" or "*" in name
