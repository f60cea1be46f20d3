"""Merging a zone file: it adds to a zone and takes nothing away.

What is sent is the present export unchanged, followed by the added records with full
names: one request, so all of it happens or nothing, and comments stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hetzner_dns_mcp.import_plan import ImportPlan, LeftOut, lints, sorted_plan
from hetzner_dns_mcp.names import absolute
from hetzner_dns_mcp.records.types import TYPES
from hetzner_dns_mcp.zone_rules import State, judge
from hetzner_dns_mcp.zonefile.content import (
    APEX_NS,
    Objection,
    Records,
    SetKey,
    UnreadableZoneError,
    ZoneContent,
)
from hetzner_dns_mcp.zonefile.difference import compare
from hetzner_dns_mcp.zonefile.reading import read_zonefile

AUTOMATIC_TTL = 1
"""What another provider writes for "automatic"; such a set follows the zone."""

# The lowest TTL that the API takes.
LOWEST_TTL = 60

NOT_READ = "the present zone could not be read, so nothing can be merged into it"

_LIFTED = frozenset({"soa", "ttl", "type"})
"""Objections to a file that merging answers by itself."""


async def plan_merge(
    text: str,
    zone: str,
    exported: str | None,
    present: ZoneContent | None,
    *,
    mode: str,
    assigned: Sequence[str] = (),
) -> ImportPlan:
    """Find out what a file would add to a zone.

    Args:
        text: The file.
        zone: Name of the zone.
        exported: The zone's present zone file.
        present: What that holds; `None` when it cannot be read.
        mode: strict, warn or off.
        assigned: The name servers that Hetzner assigned.
    """
    import asyncio

    if present is None or exported is None:
        return ImportPlan(refusal=NOT_READ)
    try:
        content = await read_zonefile(text, zone, present.ttl)
    except UnreadableZoneError as error:
        return ImportPlan(refusal=f"the file cannot be read here, so it cannot be merged ({error})")
    return await asyncio.to_thread(_merged, content, zone, exported, present, mode, assigned)


@dataclass
class _Merging:
    zone: str
    present: ZoneContent
    sets: dict[SetKey, Records]
    comments: dict[tuple[SetKey, str], str]
    lines: list[str] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    def take(self, key: SetKey, records: Records, content: ZoneContent) -> None:
        """Add what a set of the file brings."""
        if reason := _left_out(key):
            self.left_out.append(LeftOut(key, len(records.values), reason))
            return
        old = self.present.sets.get(key)
        ttl = _ttl(records, content, self.present) if old is None else old.ttl
        have: Mapping[str, str] = {} if old is None else old.values
        more = {same: value for same, value in records.values.items() if same not in have}
        self.sets[key] = Records(ttl, {**have, **more})
        for same, value in more.items():
            comment = content.comments.get((key, same), "")
            if comment:
                self.comments[key, same] = comment
            words = [absolute(key.name, self.zone), *([] if ttl is None else [str(ttl)]), "IN"]
            remark = f"\t; {comment}" if comment else ""
            self.lines.append("\t".join([*words, key.type, value]) + remark)


def _merged(
    content: ZoneContent,
    zone: str,
    exported: str,
    present: ZoneContent,
    mode: str,
    assigned: Sequence[str],
) -> ImportPlan:
    merging = _Merging(zone, present, dict(present.sets), dict(present.comments))
    for key, records in content.sets.items():
        merging.take(key, records, content)
    after = ZoneContent(merging.sets, None, merging.comments)
    difference = compare(present, after)
    found = [
        *(fault for fault in content.objections if not _answered(fault, present)),
        *judge(
            State(zone, present.sets, assigned=assigned),
            State(zone, merging.sets, assigned=assigned),
        ),
        *lints(difference, zone),
    ]
    conflicts = [f for f in found if f.id in {"cname-coexistence", "set-rule"}]
    if mode == "off":
        found = []
    plan = sorted_plan(after, difference, found, mode)
    if conflicts and not plan.errors:
        plan = replace(plan, errors=conflicts)
    begin = exported if exported.endswith("\n") or not exported else f"{exported}\n"
    sent = begin + "".join(f"{line}\n" for line in merging.lines)
    return replace(plan, sent=sent, left_out=merging.left_out)


def _left_out(key: SetKey) -> str:
    if key.type == "SOA":
        return "Hetzner keeps the SOA"
    if key == APEX_NS:
        return "the zone keeps its own name servers"
    return "" if key.type in TYPES else "Hetzner has no records of this type"


def _ttl(records: Records, content: ZoneContent, present: ZoneContent) -> int | None:
    """Bring the TTL of a new set to one that the API takes."""
    ttl = content.ttl if records.ttl is None else records.ttl
    if ttl is None or ttl in {AUTOMATIC_TTL, present.ttl}:
        return None
    return max(ttl, LOWEST_TTL)


def _answered(fault: Objection, present: ZoneContent) -> bool:
    """Tell whether merging does away with an objection, or the zone has it already."""
    if fault.key is not None and _left_out(fault.key):
        return True
    if fault.id in _LIFTED:
        return fault.id != "ttl" or "TTL 0;" not in fault.words
    old = None if fault.key is None else present.sets.get(fault.key)
    return old is not None and (not fault.record or fault.record in old.values)
