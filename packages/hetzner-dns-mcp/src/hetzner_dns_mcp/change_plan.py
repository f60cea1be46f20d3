"""Several writes of records as one: each judged against what the one before leaves behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hetzner_dns_mcp.api.types import RRSetRef, WriteRequest
from hetzner_dns_mcp.argument_types import RecordChange
from hetzner_dns_mcp.facts import RRSetFacts, fingerprint
from hetzner_dns_mcp.record_plan import Present, RecordPlan
from hetzner_dns_mcp.record_plan import plan as plan_records
from hetzner_dns_mcp.records.normalize import NO_RECORDS, Prepared, references
from hetzner_dns_mcp.zonefile.content import SetKey
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.http.json_fields import Document

if TYPE_CHECKING:
    from hetzner_dns_mcp.app import Hetzner

TOOL_OF = {
    "create": "create_rrset",
    "set": "set_records",
    "add": "add_records",
    "remove": "remove_records",
    "delete": "delete_rrset",
}
"""The tool that does alone what an action does here; it must be on offer."""


@dataclass(frozen=True, slots=True)
class Step:
    """One change, and what it would do after those before it."""

    change: RecordChange
    ref: RRSetRef
    prepared: Prepared
    plan: RecordPlan

    @property
    def request(self) -> WriteRequest:
        """The one request that it takes."""
        action, ref = self.change["action"], self.ref
        ttl: dict[str, object] = {"ttl": self.change["ttl"]} if "ttl" in self.change else {}
        if action == "delete":
            return WriteRequest("DELETE", ref.segments, None)
        records = list(self.plan.sent)
        if action == "create":
            body = {"name": ref.name, "type": ref.type, "records": records, **ttl}
            return WriteRequest("POST", ("zones", ref.zone, "rrsets"), body)
        segments = (*ref.segments, "actions", f"{action}_records")
        return WriteRequest("POST", segments, {"records": records, **ttl})


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """All changes of a call.

    Attributes:
        zone_name: Name of the zone; `None` when it is unknown.
        steps: The changes in order.
        before: The touched sets as they are, for the result.
    """

    zone_name: str | None
    steps: Sequence[Step]
    before: Mapping[SetKey, Document]

    @property
    def nothing(self) -> bool:
        """Whether it is certain that nothing would change."""
        return all(step.plan.nothing for step in self.steps)

    @property
    def fingerprints(self) -> list[str]:
        """What the touched sets hold, to bind an approval to it."""
        return [f"{'/'.join(key)} {fingerprint(d) if d else ''}" for key, d in self.before.items()]


async def check_changes(
    hetzner: Hetzner, zone: str, changes: Sequence[RecordChange]
) -> list[tuple[RRSetRef, Prepared]]:
    """Check the arguments of all changes.

    Raises:
        BadArgument: Names the change.
    """
    checked = []
    for index, change in enumerate(changes):
        place, action = f"changes[{index}]", change["action"]
        if TOOL_OF[action] not in hetzner.offered:
            raise BadArgument(f"{place}.action", f"is not taken: {TOOL_OF[action]} is not offered")
        if ("records" in change) is (action == "delete"):
            problem = "are none for delete" if action == "delete" else "are needed"
            raise BadArgument(f"{place}.records", problem)
        if "ttl" in change and action not in {"create", "add"}:
            raise BadArgument(f"{place}.ttl", "is for create and add only")
        if change["type"] == "SOA" and action in {"create", "delete"}:
            raise BadArgument(f"{place}.type", "Hetzner keeps the SOA of a zone")
        try:
            ref = await hetzner.rrset(zone, change["name"], change["type"])
            checked.append((ref, await _prepared(hetzner, ref, change)))
        except BadArgument as problem:
            said = problem.text.removeprefix(f"{problem.argument}: ")
            raise BadArgument(f"{place}.{problem.argument}", said) from None
    return checked


async def plan_changes(
    hetzner: Hetzner,
    zone: str,
    changes: Sequence[RecordChange],
    checked: Sequence[tuple[RRSetRef, Prepared]],
) -> ChangePlan:
    """Find out what all changes would do, one after the other.

    Raises:
        BadArgument: The API would refuse one; names it.
    """
    zone_name = await hetzner.known_zone_name(zone)
    refs = {SetKey(ref.name, ref.type): ref for ref, _ in checked}
    apex_ns = next((ref for ref in refs.values() if ref[1:] == ("@", "NS")), checked[0][0])
    state = await hetzner.zones.around(apex_ns, zone_name)
    facts: dict[SetKey, RRSetFacts] = {}
    for key, ref in refs.items():
        facts[key] = await hetzner.zones.rrset(ref, may_be_missing=True)
        state = Present.of(key, zone_name, facts[key], state).state or state
    present = {key: Present.of(key, zone_name, facts[key], state) for key in refs}
    steps = []
    for index, (change, (ref, prepared)) in enumerate(zip(changes, checked, strict=True)):
        key = SetKey(ref.name, ref.type)
        step = _step(hetzner, index, change, ref, prepared, replace(present[key], state=state))
        steps.append(step)
        after = step.plan.after
        if after is not None:
            present[key] = after
            state = after.state or state
    return ChangePlan(zone_name, steps, {key: found.document for key, found in facts.items()})


def _step(
    hetzner: Hetzner,
    index: int,
    change: RecordChange,
    ref: RRSetRef,
    prepared: Prepared,
    present: Present,
) -> Step:
    place, action = f"changes[{index}]", change["action"]
    if action == "create" and present.exists:
        raise BadArgument(place, "the record set exists already; set or add changes it")
    if action in {"set", "remove", "delete"} and present.exists is False:
        raise BadArgument(place, "there is no such record set at this point; create makes it")
    plan = plan_records(
        action, present, prepared, mode=hetzner.settings.validation, ttl=change.get("ttl")
    )
    plan.refuse_errors(place)
    return Step(change, ref, prepared, plan)


async def _prepared(hetzner: Hetzner, ref: RRSetRef, change: RecordChange) -> Prepared:
    if change["action"] == "delete":
        return NO_RECORDS
    if change["action"] == "remove":
        return references(change["records"], ref.type)
    return await hetzner.prepare(ref, change["records"], change.get("ttl"))
