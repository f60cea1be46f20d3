"""Reading the present state for a question about it.

A reading that fails shows as unknown; one that proves that the call must fail ends it
before anybody is asked.
"""

from __future__ import annotations

import hashlib
import re

from hetzner_dns_mcp import names
from hetzner_dns_mcp.api.client import HetznerClient
from hetzner_dns_mcp.api.error_hints import PROTECTED_RRSET, PROTECTED_ZONE
from hetzner_dns_mcp.api.types import RRSetRef
from hetzner_dns_mcp.facts import RRSetFacts, ZoneFacts
from hetzner_dns_mcp.zonefile.reading import UnreadableZoneError, ZoneContent, read_zonefile
from mcp_serverkit.errors import Refused, ToolFailure
from mcp_serverkit.facts import read_fact
from mcp_serverkit.http.json_fields import (
    Document,
    flag_of,
    number_of,
    object_of,
    objects_of,
    text_of,
)

_REMEMBERED = 2
"""Zone files kept in parsed form: the present one and the coming one."""


class ZoneReader:
    """Reads zones and record sets for questions about them."""

    def __init__(self, client: HetznerClient) -> None:
        self._client = client
        self._parsed: dict[bytes, ZoneContent] = {}

    async def zone(self, zone: str, *, deleting: bool = False) -> ZoneFacts:
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
            assigned=_assigned(document),
            protected=flag_of(object_of(document, "protection"), "delete"),
        )
        if deleting and facts.protected:
            raise ToolFailure(PROTECTED_ZONE, code="protected")
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
        known = isinstance(document.get("records"), list)
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

    async def zonefile(self, zone: str) -> str | None:
        """Export a zone; nothing when that is not possible."""
        try:
            answer = await self._client.export_zonefile(zone)
        except ToolFailure:
            return None
        body = answer.body
        return text_of(body, "zonefile") if isinstance(body, dict) else None

    async def content(self, text: str, zone: str) -> ZoneContent:
        """Read a zone file; the two newest are remembered, since each leg reads them again.

        Raises:
            UnreadableZoneError: It cannot be read here.
        """
        digest = hashlib.sha256(f"{zone}\n{text}".encode()).digest()
        if digest not in self._parsed:
            content = await read_zonefile(text, zone)
            while len(self._parsed) >= _REMEMBERED:
                del self._parsed[next(iter(self._parsed))]
            self._parsed[digest] = content
        return self._parsed[digest]

    async def content_or_reason(self, text: str, zone: str) -> ZoneContent | str:
        """Read a caller's zone file; what cannot be read here, the API may still take."""
        try:
            return await self.content(text, zone)
        except UnreadableZoneError as error:
            return str(error)

    async def present_content(self, text: str | None, zone: str | None) -> ZoneContent | None:
        """Read the zone file that the API exported; nothing when it cannot be read."""
        if text is None or zone is None:
            return None
        try:
            return await self.content(text, zone)
        except UnreadableZoneError:
            return None


def _assigned(zone: Document) -> tuple[str, ...]:
    servers = object_of(zone, "authoritative_nameservers").get("assigned")
    entries = servers if isinstance(servers, list) else []
    return tuple(entry.lower() for entry in entries if isinstance(entry, str))
