"""What stands around a record that decides who answers: warnings for the dialog.

They need look-ups, so they are made only where a person is asked, and a look-up that
fails is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hetzner_dns_mcp import names
from hetzner_dns_mcp.api.types import RRSetRef
from hetzner_dns_mcp.records.type_rules import TARGETS
from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.http.json_fields import text_of

if TYPE_CHECKING:
    from hetzner_dns_mcp.api.client import HetznerClient

LOOK_UPS = 5
"""Targets looked at in one call."""


async def find_conflicts(
    client: HetznerClient, ref: RRSetRef, values: Sequence[str], zone: str | None
) -> list[str]:
    """Look at the name itself, and at targets of MX and NS inside the zone."""
    found = []
    if ref.type == "CNAME":
        others = await _types_at(client, ref.zone, ref.name)
        if others and others != {"CNAME"}:
            found.append("cname-coexistence: other records stand at this name")
    if ref.type in {"MX", "NS"} and zone is not None:
        for target in _targets_inside(ref.type, values, zone)[:LOOK_UPS]:
            found += _judge_target(ref.type, await _types_at(client, ref.zone, target))
    return list(dict.fromkeys(found))


def _judge_target(record_type: str, types: set[str] | None) -> list[str]:
    if types is None:
        return []
    word = "mx" if record_type == "MX" else "ns"
    if "CNAME" in types:
        return [f"{word}-to-cname: a target in this zone is a CNAME"]
    if types & {"A", "AAAA"}:
        return []
    problem = "mx-no-address" if record_type == "MX" else "ns-glue-missing"
    return [f"{problem}: a target in this zone has no address of its own"]


def _targets_inside(record_type: str, values: Sequence[str], zone: str) -> list[str]:
    inside = []
    for value in values:
        words = value.split()
        for index in TARGETS[record_type]:
            target = words[index].lower() if index < len(words) else "."
            if not target.endswith("."):
                inside.append(target)
            elif target == f"{zone}." or target.endswith(f".{zone}."):
                inside.append(names.relative(target, zone))
    return list(dict.fromkeys(inside))


async def _types_at(client: HetznerClient, zone: str, name: str) -> set[str] | None:
    try:
        answer = await client.list_rrsets(zone, [("name", name), ("per_page", "100")])
    except ToolFailure:
        return None
    sets = answer.documents("rrsets")
    return {text_of(entry, "type") or "" for entry in sets if text_of(entry, "name") == name}
