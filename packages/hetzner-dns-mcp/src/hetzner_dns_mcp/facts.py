"""What is read of the present state for a question, and what of it a question quotes.

Only numbers, and a zone's name where it was given by its id, go into a question: what
the API returns was written by whoever controls the zone. A reading that fails shows as
unknown; one that proves that the call must fail ends it before anybody is asked.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hetzner_dns_mcp import names
from hetzner_dns_mcp.api.error_hints import PROTECTED_RRSET, PROTECTED_ZONE, SECONDARY_ZONE
from hetzner_dns_mcp.api.types import RRSetRef
from hetzner_dns_mcp.zone_rules import State
from hetzner_dns_mcp.zonefile.content import UnreadableZoneError, ZoneContent
from hetzner_dns_mcp.zonefile.reading import read_zonefile
from mcp_serverkit.errors import Refused, ToolFailure
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import (
    Document,
    flag_of,
    number_of,
    object_of,
    objects_of,
    text_of,
    text_or_empty,
)

if TYPE_CHECKING:
    from hetzner_dns_mcp.api.client import HetznerClient

_REMEMBERED = 2
"""Zone files kept in parsed form."""

_LARGEST = 1_000_000
"""Characters of a zone file that is read for a question about one record set."""


@dataclass(frozen=True, slots=True)
class ZoneFacts:
    """What a question may quote of a zone; `None` is unknown.

    Attributes:
        name: Its name, if that is a host name.
        records: Number of its records.
        assigned: The name servers that Hetzner assigned to it.
        protected: Whether it is protected against deletion.
        ttl: Its TTL.
        secondary: Whether its content is transferred from other servers.
    """

    name: str | None = None
    records: int | None = None
    assigned: tuple[str, ...] = ()
    protected: bool = False
    ttl: int | None = None
    secondary: bool = False


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
    def quoted(self) -> Mapping[str, bool | int | str | None]:
        """What is bound to the approval."""
        content = fingerprint(self.document) if self.document else None
        return {
            "existence": self.exists,
            "number of records": self.records,
            "time to live": self.ttl,
            "content of the set": content,
        }


class ZoneReader:
    """Reads zones and record sets for questions about them."""

    def __init__(self, client: HetznerClient) -> None:
        self._client = client
        self._parsed: dict[bytes, ZoneContent] = {}

    async def zone(
        self, zone: str, *, deleting: bool = False, importing: bool = False
    ) -> ZoneFacts:
        """Read a zone.

        Raises:
            ToolFailure: The call is bound to fail.
        """
        answer = await read_fact(self._client.get_zone(zone))
        document = {} if answer is None else answer.document("zone")
        name = text_of(document, "name") or ""
        facts = ZoneFacts(
            name=name if re.fullmatch(names.ZONE, name) else None,
            records=number_of(document, "record_count"),
            assigned=assigned_servers(document),
            protected=flag_of(object_of(document, "protection"), "delete"),
            ttl=number_of(document, "ttl"),
            secondary=text_of(document, "mode") == "secondary",
        )
        if deleting and facts.protected:
            raise ToolFailure(PROTECTED_ZONE, code="protected")
        if importing and facts.secondary:
            raise ToolFailure(SECONDARY_ZONE, code="incorrect_zone_mode")
        return facts

    async def rrset(
        self, ref: RRSetRef, *, may_be_missing: bool = False, changing: bool = True
    ) -> RRSetFacts:
        """Read a record set.

        Raises:
            ToolFailure: The call is bound to fail.
        """
        try:
            answer = await read_fact(self._client.get_rrset(ref))
        except Refused as refusal:
            if refusal.status == 404 and may_be_missing:
                return RRSetFacts(exists=False, records=0)
            raise
        document = {} if answer is None else answer.document("rrset")
        known = isinstance(document.get("records"), list) and _is(document, ref)
        if not known:
            document = {}
        facts = RRSetFacts(
            exists=True if known else None,
            records=len(objects_of(document, "records")) if known else None,
            ttl=number_of(document, "ttl"),
            protected=flag_of(object_of(document, "protection"), "change"),
            document=document,
        )
        if changing and facts.protected:
            raise ToolFailure(PROTECTED_RRSET, code="protected")
        return facts

    async def at_name(self, ref: RRSetRef) -> dict[str, Document] | None:
        """Read the sets at a name, by type; nothing when that is not possible."""
        query = [("name", ref.name), ("per_page", "100")]
        answer = await read_fact(self._client.list_rrsets(ref.zone, query))
        if answer is None or not isinstance(answer.body, dict) or "rrsets" not in answer.body:
            return None
        return {
            text_or_empty(entry, "type"): entry
            for entry in answer.documents("rrsets")
            if text_of(entry, "name") == ref.name
        }

    async def around(self, ref: RRSetRef, zone_name: str | None) -> State:
        """Read what stands in the zone around a set, as far as it can be read.

        A zone file of more than a megabyte is not read for this.
        """
        assigned: tuple[str, ...] = ()
        if (ref.name, ref.type) == ("@", "NS"):
            assigned = (await self.zone(ref.zone)).assigned
        text = await self.zonefile(ref.zone)
        if text is None or len(text) > _LARGEST:
            return State(zone_name or "", {}, whole=False, assigned=assigned)
        content = await self.present_content(text, zone_name)
        sets = {} if content is None else content.sets
        return State(zone_name or "", sets, whole=content is not None, assigned=assigned)

    async def zonefile(self, zone: str) -> str | None:
        """Export a zone; nothing when that is not possible."""
        try:
            answer = await self._client.export_zonefile(zone)
        except ToolFailure:
            return None
        body = answer.body
        return text_of(body, "zonefile") if isinstance(body, dict) else None

    async def present_content(self, text: str | None, zone: str | None) -> ZoneContent | None:
        """Read the zone file that the API exported; nothing when it cannot be read.

        The newest are remembered, since each leg of a question reads them again.
        """
        if text is None or zone is None:
            return None
        digest = hashlib.sha256(f"{zone}\n{text}".encode()).digest()
        if digest not in self._parsed:
            try:
                content = await read_zonefile(text, zone)
            except UnreadableZoneError:
                return None
            while len(self._parsed) >= _REMEMBERED:
                del self._parsed[next(iter(self._parsed))]
            self._parsed[digest] = content
        return self._parsed[digest]


def _is(document: Document, ref: RRSetRef) -> bool:
    """Tell whether an answer names the set that was asked for."""
    return (text_of(document, "name"), text_of(document, "type")) == (ref.name, ref.type)


def assigned_servers(zone: Document) -> tuple[str, ...]:
    """Read which name servers Hetzner assigned to a zone, in lower case."""
    servers = object_of(zone, "authoritative_nameservers").get("assigned")
    entries = servers if isinstance(servers, list) else []
    return tuple(entry.lower() for entry in entries if isinstance(entry, str))


def fingerprint(rrset: Document) -> str:
    """Condense time to live and records of a set, in whatever order they come."""
    records = sorted(
        f"{text_of(record, 'value')!r} {text_of(record, 'comment') or ''!r}"
        for record in objects_of(rrset, "records")
    )
    content = "\n".join([repr(number_of(rrset, "ttl")), *records])
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:16]
