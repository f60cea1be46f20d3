"""What the import of a zone file would do, and what stands against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hetzner_dns_mcp.records.lints import lint_set
from hetzner_dns_mcp.records.types import DECIDING_TYPES
from hetzner_dns_mcp.zone_rules import State, judge
from hetzner_dns_mcp.zonefile.content import (
    APEX_NS,
    APEX_SOA,
    Objection,
    SetKey,
    UnreadableZoneError,
    ZoneContent,
)
from hetzner_dns_mcp.zonefile.difference import Difference, compare
from hetzner_dns_mcp.zonefile.reading import read_zonefile
from mcp_serverkit.errors import BadArgument

NEW_ZONE_SERVERS = (
    "hydrogen.ns.hetzner.com.",
    "oxygen.ns.hetzner.com.",
    "helium.ns.hetzner.de.",
)
"""What Hetzner assigns to a new zone (its documentation of name servers)."""

# As many errors as are read before the file is mended and tried again.
ERRORS_NAMED = 10

_ADVICE: Mapping[str, str] = {
    "apex-ns-incomplete": 'mode="merge" keeps them',
    "soa": 'mode="merge" leaves every SOA out',
    "type": 'mode="merge" leaves such records out',
    "ttl": 'mode="merge" reads 1 as the zone\'s TTL and lifts 2 to 59 to 60',
}


class LeftOut(NamedTuple):
    """A record set of a file that a merge leaves out."""

    key: SetKey
    records: int
    reason: str


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What an import would do.

    Attributes:
        content: What the zone would hold; `None` when the file cannot be read here.
        unreadable: Why it cannot be read here.
        difference: How that differs from the present zone; `None` without content.
        errors: What would refuse the call.
        warnings: What is most likely a mistake, the weightiest first.
        refusal: Why it cannot be carried out at all.
        sent: What a merge sends.
        left_out: What a merge leaves out of the file.
    """

    content: ZoneContent | None = None
    unreadable: UnreadableZoneError | None = None
    difference: Difference | None = None
    errors: Sequence[Objection] = ()
    warnings: Sequence[Objection] = ()
    refusal: str = ""
    sent: str = ""
    left_out: Sequence[LeftOut] = ()

    @property
    def nothing(self) -> bool:
        """Whether it is certain that nothing would change."""
        return self.difference is not None and self.difference.nothing

    def blocks(self, *, creating: bool = False) -> list[str]:
        """Say all that stands against the import."""
        said = [_with_advice(error, creating=creating) for error in self.errors]
        return [self.refusal, *said] if self.refusal else said

    def refuse_errors(self, argument: str = "zonefile", *, creating: bool = False) -> None:
        """End the call if anything stands against it.

        Raises:
            BadArgument: Names all errors, ten at most and the number of the rest.
        """
        blocks = self.blocks(creating=creating)
        if not blocks:
            return
        said = blocks[:ERRORS_NAMED]
        rest = len(blocks) - ERRORS_NAMED
        if rest > 0:
            said.append(f"and {rest} more")
        ids = {error.id for error in self.errors}
        if creating and ids <= {*_ADVICE}:
            said.append(
                'create the zone without a file, then use import_zonefile with mode="merge"'
            )
        raise BadArgument(argument, "; ".join(said))


async def plan_replacement(
    text: str,
    zone: str,
    present: ZoneContent | None,
    *,
    mode: str,
    zone_ttl: int | None = None,
    assigned: Sequence[str] = (),
    creating: bool = False,
) -> ImportPlan:
    """Find out what a file would do that replaces all records of a zone.

    Args:
        text: The file.
        zone: Name of the zone.
        present: What the zone holds; `None` when that is unknown.
        mode: strict, warn or off.
        zone_ttl: The zone's present TTL.
        assigned: The name servers that Hetzner assigned.
        creating: Whether the zone is new: SOA and NS need not be in the file.
    """
    import asyncio

    ttl = present.ttl if present is not None and present.ttl is not None else zone_ttl
    try:
        content = await read_zonefile(text, zone, ttl)
    except UnreadableZoneError as error:
        return ImportPlan(unreadable=error)
    return await asyncio.to_thread(
        _judged, content, zone, present, mode, ttl, assigned, creating=creating
    )


def _judged(
    content: ZoneContent,
    zone: str,
    present: ZoneContent | None,
    mode: str,
    zone_ttl: int | None,
    assigned: Sequence[str],
    *,
    creating: bool,
) -> ImportPlan:
    difference = compare(present, content, zone_ttl)
    if mode == "off":
        return ImportPlan(content, difference=difference)
    if creating:
        servers: Sequence[str] = NEW_ZONE_SERVERS if APEX_NS in content.sets else ()
    else:
        servers = assigned
    before = None if present is None else State(zone, present.sets, assigned=servers)
    after = State(zone, content.sets, whole=True, assigned=servers)
    found = [
        *([] if creating else _soa_faults(content)),
        *_fresh(content, present),
        *judge(before, after),
        *lints(difference, zone),
    ]
    return sorted_plan(content, difference, found, mode)


def sorted_plan(
    content: ZoneContent, difference: Difference, found: Sequence[Objection], mode: str
) -> ImportPlan:
    """Part errors from warnings; outside strict mode there are no errors."""
    found = list(dict.fromkeys(found))
    errors = [fault for fault in found if fault.level == "error"] if mode == "strict" else []
    touched = {change.key.name for change in difference.changes}
    warnings = [
        fault
        for fault in found
        if not (errors and fault.level == "error")
        and (fault.key is None or fault.key.name in touched)
    ]
    warnings.sort(key=_weight)
    return ImportPlan(content, None, difference, errors, warnings)


def lints(difference: Difference, zone: str) -> list[Objection]:
    """Look over the sets that the call brings or changes."""
    found = []
    for change in difference.changes:
        if change.after is not None:
            values = list(change.after.values.values())
            key, ttl = change.key, change.after.ttl
            for text in lint_set(key.type, key.name, values, ttl, zone):
                word, _, words = text.partition(": ")
                found.append(Objection(word, "warning", change.key, "", words))
    return found


def _fresh(content: ZoneContent, present: ZoneContent | None) -> list[Objection]:
    """Leave out what is said of records that stand in the zone already."""
    if present is None:
        return list(content.objections)
    return [fault for fault in content.objections if not _stands(fault, content, present)]


def _stands(fault: Objection, content: ZoneContent, present: ZoneContent) -> bool:
    if fault.key is None or (old := present.sets.get(fault.key)) is None:
        return False
    if fault.id in {"ttl", "ttl-mismatch"}:
        return old.ttl == content.sets[fault.key].ttl
    return not fault.record or fault.record in old.values


def _soa_faults(content: ZoneContent) -> list[Objection]:
    found = []
    if APEX_SOA not in content.sets:
        found.append(Objection("soa", "error", None, "", "the file has no SOA of the zone"))
    found += [
        Objection("soa", "error", key, "", "an SOA stands at the zone's own name only")
        for key in content.sets
        if key.type == "SOA" and key != APEX_SOA
    ]
    return found


def _weight(fault: Objection) -> tuple[bool, bool, bool, str]:
    key = fault.key or SetKey("@", "NS")
    return fault.level != "error", key.type not in DECIDING_TYPES, key.name != "@", key.name


def _with_advice(error: Objection, *, creating: bool) -> str:
    advice = _ADVICE.get(error.id)
    return error.placed if advice is None or creating else f"{error.placed}; {advice}"
