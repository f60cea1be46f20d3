"""The questions about record sets: what becomes of each value, and of the set.

A person must see what the name will answer afterwards, so every value that will be
written is a line of its own, marked as new or as staying.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from hetzner_dns_mcp import details
from hetzner_dns_mcp.api.types import RRSetRef
from hetzner_dns_mcp.dialogs import Body, zone_words
from hetzner_dns_mcp.facts import RRSetFacts
from hetzner_dns_mcp.names import NAME
from hetzner_dns_mcp.record_plan import Present, RecordPlan
from hetzner_dns_mcp.records.normalize import Prepared
from mcp_approval.keys import Target
from mcp_approval.question import Detail, Question, checked
from mcp_approval.typing import JSONValue
from mcp_approval.verdict import Ask
from mcp_approval.wording import counted


class _Write(NamedTuple):
    """A write of the records of one set, and all that its question is about."""

    tool: str
    present: Present
    ref: RRSetRef
    facts: RRSetFacts | None
    prepared: Prepared
    body: Body
    plan: RecordPlan

    def ask(self, verb: str, consequence: str, lines: tuple[Detail, ...], advice: str) -> Ask:
        """Put it before a person; one record alone cannot be given in parts."""
        return Ask(
            Question(
                what=f"{verb} RRSet {_rrset_words(self.ref, self.present.zone)}",
                consequence=consequence,
                details=lines,
                advice=advice if len(self.prepared.records) > 1 else _TOO_LARGE,
                findings=details.warning_lines(self.plan.warnings),
            ),
            _rrset_target(self.tool, self.ref, self.present.zone, self.facts, self.body, self.plan),
        )


def change_rrset_protection(ref: RRSetRef, zone_name: str | None, facts: RRSetFacts) -> Ask:
    """Ask whether a record set may lose its protection."""
    return Ask(
        Question(
            what=f"remove the change protection of RRSet {_rrset_words(ref, zone_name)}",
            consequence=f"{_holding(facts)}. Afterwards it can be edited and deleted.",
        ),
        _rrset_target("change_rrset_protection", ref, zone_name, facts),
    )


def delete_rrset(present: Present, ref: RRSetRef, facts: RRSetFacts, plan: RecordPlan) -> Ask:
    """Ask whether a record set may be deleted."""
    return Ask(
        Question(
            what=f"delete RRSet {_rrset_words(ref, present.zone)}",
            consequence=f"{_holding(facts)}, and deleting is irreversible. Use get_rrset to "
            "review the contents.",
            findings=details.warning_lines(plan.warnings),
        ),
        _rrset_target("delete_rrset", ref, present.zone, facts, plan=plan),
    )


def create_rrset(
    present: Present, ref: RRSetRef, prepared: Prepared, body: Body, plan: RecordPlan
) -> Ask:
    """Ask whether a record set that decides who answers may be created."""
    write = _Write("create_rrset", present, ref, None, prepared, body, plan)
    return write.ask(
        "create",
        f"{effect(ref, prepared.values)}Nothing need be removed for it to take effect.",
        details.written_values(prepared, (), body),
        "Give create_rrset the first part, then add_records the rest",
    )


def add_records(
    present: Present,
    ref: RRSetRef,
    facts: RRSetFacts,
    prepared: Prepared,
    body: Body,
    plan: RecordPlan,
) -> Ask:
    """Ask whether records that decide who answers may be added."""
    holding = _holding(facts)
    if plan.nothing:
        there = "the record is there" if len(plan.marks) == 1 else "all records are there"
        consequence = f"Nothing would change: {there} already. {holding}."
    else:
        stays = "" if facts.exists is False else "; those stay"
        already = len(plan.marks) - plan.new if plan.marks else 0
        counts = f" {plan.new} {_are(plan.new)} new, {already} {_are(already)} there already."
        consequence = (
            f"{holding}{stays}.{counts if already else ''} {effect(ref, prepared.values)}"
            "Nothing need be removed for it to take effect."
        )
    write = _Write("add_records", present, ref, facts, prepared, body, plan)
    return write.ask(
        f"add {counted(len(prepared.records), 'record')} to",
        consequence,
        details.written_values(prepared, plan.marks, body),
        _TWO_CALLS,
    )


def set_records(
    present: Present,
    ref: RRSetRef,
    facts: RRSetFacts,
    prepared: Prepared,
    body: Body,
    plan: RecordPlan,
) -> Ask:
    """Ask whether the records of a set may be replaced."""
    holding = f"{_holding(facts)}, replaced by the {len(prepared.records)} below"
    if plan.nothing:
        consequence = f"Nothing would change: the records are there already. {_holding(facts)}."
    elif plan.holds is None:
        consequence = f"{holding}. {effect(ref, prepared.values)}"
    else:
        consequence = (
            f"{holding}: {plan.stay} {_verb('stay', plan.stay)}, {plan.new} {_are(plan.new)} new, "
            f"{plan.gone} {_verb('go', plan.gone)}. {effect(ref, prepared.values)}"
        )
    write = _Write("set_records", present, ref, facts, prepared, body, plan)
    return write.ask(
        "replace the records of",
        consequence.rstrip(),
        details.written_values(prepared, plan.marks, body),
        "Give set_records the first part of the records, then add_records the rest; a second "
        "set_records would replace the first",
    )


def remove_records(
    present: Present,
    ref: RRSetRef,
    facts: RRSetFacts,
    prepared: Prepared,
    body: Body,
    plan: RecordPlan,
) -> Ask:
    """Ask whether records of a set may be removed."""
    last = "Removing the last one deletes the set."
    if plan.nothing:
        consequence = f"Nothing would change: none of these is there. {_holding(facts)}."
    elif plan.holds is None:
        consequence = f"{_holding(facts)}; this removes {len(prepared.records)}. {last}"
    else:
        left = plan.holds - plan.gone
        consequence = (
            f"{_holding(facts)}; this removes {plan.gone} of them, {left} {_verb('stay', left)}. "
            f"{last if left else 'The last one goes, so the set is deleted.'}"
        )
    write = _Write("remove_records", present, ref, facts, prepared, body, plan)
    return write.ask(
        "remove records from", consequence, details.removed_values(prepared, plan.marks), _TWO_CALLS
    )


def effect(ref: RRSetRef, values: Sequence[str]) -> str:
    """Say what such a record does, by its type and by its name; ends in a blank."""
    said = _EFFECTS.get(ref.type, "")
    if ref.type == "CAA" and all(re.fullmatch(r'\d+ issue "?;"?', value) for value in values):
        said = "No authority may issue certificates for the name, and renewals fail."
    if "*" in ref.name:
        said = f"{said} It answers for every name that does not exist."
    elif ref.name == "@":
        said = f"{said} It stands at the zone itself."
    return f"{said.strip()} " if said else ""


_EFFECTS = {
    "MX": "Mail goes to the server with the lowest number.",
    "NS": "Everything at and below the name is answered elsewhere, by the servers named.",
    "CNAME": "Everything asked of the name is answered by the target.",
    "CAA": "Only the authorities named may issue certificates.",
    "DS": "A value that does not match makes the name unreachable for those who check.",
    "TLSA": "A value that does not match makes the name unreachable for those who check.",
    "SRV": "Clients connect where it says.",
    "SVCB": "Clients connect where it says.",
    "HTTPS": "Clients connect where it says.",
}


def _rrset_words(ref: RRSetRef, zone_name: str | None) -> str:
    record_type = checked(ref.type, r"[A-Z]{1,8}")
    return f'"{checked(ref.name, NAME)}/{record_type}" of {zone_words(ref.zone, zone_name)}'


def _rrset_target(
    tool: str,
    ref: RRSetRef,
    zone_name: str | None,
    facts: RRSetFacts | None,
    body: Body | None = None,
    plan: RecordPlan | None = None,
) -> Target:
    quoted: dict[str, JSONValue] = {"name of the zone": zone_name}
    if plan is not None:
        quoted["findings"] = list(plan.warnings)
    return Target.ordered(
        tool,
        ("zone", ref.zone),
        ("name", ref.name),
        ("type", ref.type),
        body=None if body is None else dict(body),
        facts=quoted if facts is None else {**quoted, **facts.quoted},
    )


_TWO_CALLS = "Make two calls with a part of the records each"
_TOO_LARGE = "No dialog can show it, so it cannot be written where a person is asked"


def _verb(word: str, count: int) -> str:
    third = {"go": "goes", "stay": "stays"}[word]
    return third if count == 1 else word


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _holding(facts: RRSetFacts) -> str:
    if facts.exists is False:
        return "It does not exist yet"
    if facts.records is None:
        return "It currently holds an unknown number of records"
    ttl = "the zone's TTL" if facts.ttl is None else f"TTL {facts.ttl}"
    return f"It currently holds {facts.records} record(s), {ttl}"
