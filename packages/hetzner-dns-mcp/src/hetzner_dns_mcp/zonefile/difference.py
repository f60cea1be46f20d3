"""How a zone would differ after a zone file has taken its place."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hetzner_dns_mcp.zonefile.content import Records, SetKey, ZoneContent

Fate: TypeAlias = Literal["new", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one record set.

    Attributes:
        key: Which set.
        before: What it holds now; `None` when it is new, or nobody knows.
        after: What it will hold; `None` when it goes.
        comments: New comments of its records, by record.
    """

    key: SetKey
    before: Records | None
    after: Records | None
    comments: tuple[tuple[str, str], ...] = ()

    @property
    def fate(self) -> Fate:
        """What becomes of it, in a word."""
        if self.after is None:
            return "removed"
        return "new" if self.before is None else "changed"

    @property
    def going(self) -> list[str]:
        """The records that go, as the zone writes them."""
        if self.before is None:
            return []
        after = {} if self.after is None else self.after.values
        return [text for record, text in self.before.values.items() if record not in after]


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between a zone and what would take its place.

    Attributes:
        changes: The sets that are new, changed or gone, the apex first.
        same: How many sets are as they are.
        sets: How many sets the zone holds now; `None` when that is unknown.
        records: How many records those hold.
        zone_ttl: The zone's TTL now and afterwards; `None` is unknown.
        following: Sets that follow the zone's TTL afterwards.
        lost_comments: Comments of records that stay and that are not in the file.
    """

    changes: Sequence[Change]
    same: int
    sets: int | None
    records: int | None
    zone_ttl: tuple[int | None, int | None]
    following: int
    lost_comments: int

    @property
    def new_zone_ttl(self) -> bool:
        """Whether the zone's TTL changes."""
        old, new = self.zone_ttl
        return new is not None and old != new

    @property
    def nothing(self) -> bool:
        """Whether it is certain that nothing differs."""
        return (
            self.sets is not None
            and not self.changes
            and not self.new_zone_ttl
            and not self.lost_comments
        )

    def count(self, fate: Fate) -> int:
        """Count the sets with one fate."""
        return sum(change.fate == fate for change in self.changes)

    def digest(self) -> str:
        """Condense all of it, present values included, to bind an approval to it."""
        content = [
            [self.same, self.sets, self.records, *self.zone_ttl, self.following],
            self.lost_comments,
            *(
                [
                    *change.key,
                    _condensed(change.before),
                    _condensed(change.after),
                    change.comments,
                ]
                for change in self.changes
            ),
        ]
        text = json.dumps(content, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()


def compare(
    present: ZoneContent | None, coming: ZoneContent, zone_ttl: int | None = None
) -> Difference:
    """Compare a zone with the file that would replace it.

    Args:
        present: What the zone holds; `None` when that is unknown.
        coming: What the file holds.
        zone_ttl: The zone's present TTL.
    """
    old_ttl = present.ttl if present is not None and present.ttl is not None else zone_ttl
    old = {} if present is None else present.sets
    changes: list[Change] = []
    for key in sorted({*old, *coming.sets}, key=lambda key: (key.name != "@", key)):
        before, after = old.get(key), coming.sets.get(key)
        comments = () if after is None else _new_comments(key, before, after, present, coming)
        same = before is not None and after is not None and before.same(after)
        if not same or comments:
            changes.append(Change(key, before, after, comments))
    return Difference(
        changes,
        same=len(old) - sum(change.before is not None for change in changes),
        sets=None if present is None else len(old),
        records=None if present is None else present.records,
        zone_ttl=(old_ttl, old_ttl if coming.ttl is None else coming.ttl),
        following=sum(records.ttl is None for records in coming.sets.values()),
        lost_comments=0 if present is None else _lost(present, coming),
    )


def _new_comments(
    key: SetKey,
    before: Records | None,
    after: Records,
    present: ZoneContent | None,
    coming: ZoneContent,
) -> tuple[tuple[str, str], ...]:
    if not coming.comments:
        return ()
    found = []
    for record in after.values:
        comment = coming.comments.get((key, record), "")
        stays = before is not None and record in before.values
        old = present.comments.get((key, record), "") if stays and present is not None else ""
        if comment and comment != old:
            found.append((record, comment))
    return tuple(found)


def _lost(present: ZoneContent, coming: ZoneContent) -> int:
    return sum(
        record in coming.sets[key].values and (key, record) not in coming.comments
        for key, record in present.comments
        if key in coming.sets
    )


def _condensed(records: Records | None) -> list[object] | None:
    return None if records is None else [records.ttl, sorted(records.values)]
