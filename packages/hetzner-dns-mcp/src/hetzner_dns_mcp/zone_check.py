"""What is broken, or most likely a mistake, in a zone as it stands."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from hetzner_dns_mcp import names, views
from hetzner_dns_mcp.api.types import APIAnswer
from hetzner_dns_mcp.facts import assigned_servers
from hetzner_dns_mcp.records.lints import lint_set
from hetzner_dns_mcp.records.types import DECIDING_TYPES
from hetzner_dns_mcp.zone_rules import State, standing
from hetzner_dns_mcp.zonefile.content import Objection, UnreadableZoneError, ZoneContent
from hetzner_dns_mcp.zonefile.reading import read_zonefile
from mcp_serverkit.http.json_fields import Document, number_of, text_of, text_or_empty

# As many as are read before the zone is mended and looked over again.
MOST_FINDINGS = 200


async def check(zone: Document, export: APIAnswer) -> Document:
    """Read a zone's export and tell what is wrong with it.

    Args:
        zone: The zone, as the API shows it.
        export: The answer to the export.
    """
    name = text_or_empty(zone, "name")
    text = text_of(export.body, "zonefile") if isinstance(export.body, dict) else None
    if text is None or not re.fullmatch(names.ZONE, name):
        return {"findings": [], "unreadable": "the answers held no zone file, or no zone's name"}
    try:
        content = await read_zonefile(text, name, number_of(zone, "ttl"))
    except UnreadableZoneError as error:
        return {"findings": [], "unreadable": str(error)}
    found = await asyncio.to_thread(look_over, content, name, assigned_servers(zone))
    return told(found, content)


def look_over(content: ZoneContent, zone: str, assigned: Sequence[str]) -> list[Objection]:
    """Judge all record sets of a zone.

    Args:
        content: What it holds.
        zone: Its name.
        assigned: The name servers that Hetzner assigned.
    """
    found = [*content.objections, *standing(State(zone, content.sets, assigned=assigned))]
    for key, records in content.sets.items():
        values = list(records.values.values())
        for text in lint_set(key.type, key.name, values, records.ttl, zone):
            word, _, words = text.partition(": ")
            found.append(Objection(word, "warning", key, "", words))
    alike = {(fault.id, fault.key, fault.words): fault for fault in found}
    return sorted(alike.values(), key=_weight)


def told(found: Sequence[Objection], content: ZoneContent) -> Document:
    """Show what was found, the apex and the types that decide who answers first."""
    result: Document = {
        "findings": [_finding(fault) for fault in found[:MOST_FINDINGS]],
        "sets": len(content.sets),
        "records": content.records,
    }
    if len(found) > MOST_FINDINGS:
        result["dropped"] = len(found) - MOST_FINDINGS
    return views.findings(result)


def _weight(fault: Objection) -> tuple[bool, bool, str, str]:
    if fault.key is None:
        return False, fault.level != "error", "", ""
    first = fault.key.name == "@" or fault.key.type in DECIDING_TYPES
    return not first, fault.level != "error", fault.key.name, fault.key.type


def _finding(fault: Objection) -> Document:
    place = {} if fault.key is None else {"name": fault.key.name, "type": fault.key.type}
    return {"id": fault.id, "level": fault.level, **place, "words": fault.words}
