"""What a zone file holds, as plain values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from hetzner_dns_mcp import names


class SetKey(NamedTuple):
    """A record set: its name relative to the zone, and its type."""

    name: str
    type: str


APEX_NS = SetKey("@", "NS")
APEX_SOA = SetKey("@", "SOA")


class Records(NamedTuple):
    """The records of a set.

    Attributes:
        ttl: Seconds, or `None` where the set follows the zone's TTL.
        values: What makes each record this one, see `records.identity`, and how it is
            written, in the order of the file; targets are absolute.
    """

    ttl: int | None
    values: Mapping[str, str]

    def same(self, other: Records) -> bool:
        """Tell whether another set holds the same records for the same time."""
        return self.ttl == other.ttl and self.values.keys() == other.values.keys()


class Objection(NamedTuple):
    """What is wrong with a record, or with the file as a whole.

    Attributes:
        id: A stable word.
        level: Whether the API refuses it, or it is most likely a mistake.
        key: The record set, where it is about one.
        record: Which record of the set; empty for all of it.
        words: The server's words; of a caller's file they name host names at most.
    """

    id: str
    level: Literal["error", "warning"]
    key: SetKey | None
    record: str
    words: str

    @property
    def text(self) -> str:
        """The stable word, and what is wrong."""
        return f"{self.id}: {self.words}"

    @property
    def placed(self) -> str:
        """The same with the record set that it is about."""
        if self.key is None:
            return self.text
        usual = re.fullmatch(names.NAME, self.key.name)
        name = self.key.name if usual else "an unusual name"
        return f"{self.id}: {self.key.type} at {name}: {self.words}"


@dataclass(frozen=True, slots=True)
class ZoneContent:
    """What a zone file holds.

    Attributes:
        sets: The record sets.
        ttl: The file's own default, from its `$TTL`; `None` without one.
        comments: Comments of records, by set and record.
        objections: What reading it brought up, in the order of the file.
    """

    sets: Mapping[SetKey, Records]
    ttl: int | None = None
    comments: Mapping[tuple[SetKey, str], str] = field(default_factory=dict)
    objections: tuple[Objection, ...] = ()

    @property
    def records(self) -> int:
        """How many records there are."""
        return sum(len(records.values) for records in self.sets.values())

    def types(self) -> Counter[str]:
        """Count the records by type."""
        counts: Counter[str] = Counter()
        for key, records in self.sets.items():
            counts[key.type] += len(records.values)
        return counts


class UnreadableZoneError(ValueError):
    """A zone file that the parser here does not understand; the API may.

    Attributes:
        line: Number of the line where it ends; 0 where no line is to blame.
        reason: Why; the text may quote the file.
    """

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(f"line {line}: {reason}" if line else reason)
        self.line = line
        self.reason = reason
