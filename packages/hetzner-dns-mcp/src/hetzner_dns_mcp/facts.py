"""What a question quotes about the present state.

Only numbers, and a zone's name where it was given by its id, go into a question: what
the API returns was written by whoever controls the zone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from mcp_serverkit.http.json_fields import Document, number_of, objects_of, text_of


@dataclass(frozen=True, slots=True)
class ZoneFacts:
    """What a question may quote of a zone; `None` is unknown.

    Attributes:
        name: Its name, if that is a host name.
        records: Number of its records.
        assigned: The name servers that Hetzner assigned to it.
        protected: Whether it is protected against deletion.
    """

    name: str | None = None
    records: int | None = None
    assigned: tuple[str, ...] = ()
    protected: bool = False


@dataclass(frozen=True, slots=True)
class RRSetFacts:
    """What a question may quote of a record set; `None` is unknown.

    Attributes:
        exists: Whether it is there.
        records: Number of its records.
        ttl: Its time to live; `None` also for the zone's default.
        protected: Whether it is protected against changes.
        document: All of it, for the result of the call; never for a question.
    """

    exists: bool | None = None
    records: int | None = None
    ttl: int | None = None
    protected: bool = False
    document: Document = field(default_factory=dict)

    @property
    def quoted(self) -> Mapping[str, bool | int | None]:
        """What is bound to the approval."""
        return {"exists": self.exists, "records": self.records, "ttl": self.ttl}


def fingerprint(rrset: Document) -> str:
    """Condense time to live and records of a set, in whatever order they come."""
    records = sorted(
        f"{text_of(record, 'value')!r} {text_of(record, 'comment') or ''!r}"
        for record in objects_of(rrset, "records")
    )
    content = "\n".join([repr(number_of(rrset, "ttl")), *records])
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:16]
