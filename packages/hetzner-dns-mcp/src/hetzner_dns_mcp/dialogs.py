"""The questions of this server: what is shown, and beside it what is bound.

A person must see what the name will answer afterwards, so every value that will be
written is a line of its own. Of the present state only numbers are quoted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hetzner_dns_mcp import details
from hetzner_dns_mcp.api.types import RRSetRef
from hetzner_dns_mcp.facts import RRSetFacts, ZoneFacts
from hetzner_dns_mcp.names import NAME, ZONE, is_zone_id
from hetzner_dns_mcp.records.normalize import Prepared
from mcp_approval.keys import Target
from mcp_approval.question import Question, checked
from mcp_approval.typing import JSONValue
from mcp_approval.verdict import Ask

Body = Mapping[str, JSONValue]


def delete_zone(
    zone: str, facts: ZoneFacts, types: Mapping[str, int] | None, incomplete: str = ""
) -> Ask:
    """Ask whether a zone may be deleted."""
    return Ask(
        Question(
            what=f"delete {zone_words(zone, facts.name)}",
            consequence=f"It currently holds {records_words(facts.records)}{_by_type(types)}. All "
            "of them go, nothing answers for its names any more, and deleting is irreversible."
            f"{incomplete}",
        ),
        Target.ordered(
            "delete_zone",
            ("zone", zone),
            facts={
                "name of the zone": facts.name,
                "number of records": facts.records,
                "number of records by type": _counts(types),
                "copy of the old zone": incomplete,
            },
        ),
    )


def change_primary_nameservers(zone: str, facts: ZoneFacts, servers: Sequence[JSONValue]) -> Ask:
    """Ask whether a zone's content may come from other servers; their keys are never shown."""
    count = len(servers)
    return Ask(
        Question(
            what=f"change the primary name servers of {zone_words(zone, facts.name)}",
            consequence=f"The whole content of the zone will then come from the {count} "
            f"server{'s' if count != 1 else ''} below, whatever they hold.",
            details=tuple(details.servers(servers)),
        ),
        Target.ordered(
            "change_primary_nameservers",
            ("zone", zone),
            body=list(servers),
            facts={"name": facts.name},
        ),
    )


def change_zone_protection(zone: str, facts: ZoneFacts) -> Ask:
    """Ask whether a zone may lose its protection."""
    return Ask(
        Question(
            what=f"remove the delete protection of {zone_words(zone, facts.name)}",
            consequence="Afterwards the zone can be deleted with everything in it.",
        ),
        Target.ordered("change_zone_protection", ("zone", zone), facts={"name": facts.name}),
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


def delete_rrset(ref: RRSetRef, zone_name: str | None, facts: RRSetFacts) -> Ask:
    """Ask whether a record set may be deleted."""
    return Ask(
        Question(
            what=f"delete RRSet {_rrset_words(ref, zone_name)}",
            consequence=f"{_holding(facts)}, and deleting is irreversible. Use get_rrset to "
            "review the contents.",
        ),
        _rrset_target("delete_rrset", ref, zone_name, facts),
    )


def create_rrset(
    ref: RRSetRef, zone_name: str | None, prepared: Prepared, body: Body, around: Sequence[str]
) -> Ask:
    """Ask whether a record set that decides who answers may be created."""
    return Ask(
        Question(
            what=f"create RRSet {_rrset_words(ref, zone_name)}",
            consequence="Such a record decides who answers for the name. Nothing need be removed "
            "for it to take effect.",
            details=details.written_values(prepared, body, around),
        ),
        _rrset_target("create_rrset", ref, zone_name, None, body, around),
    )


def add_records(
    ref: RRSetRef,
    zone_name: str | None,
    facts: RRSetFacts,
    prepared: Prepared,
    body: Body,
    around: Sequence[str],
) -> Ask:
    """Ask whether records that decide who answers may be added."""
    return Ask(
        Question(
            what=f"add {len(prepared.records)} record(s) to RRSet {_rrset_words(ref, zone_name)}",
            consequence=f"{_holding(facts)}{'' if facts.exists is False else '; those stay'}. "
            "Such a record decides who answers for the name.",
            details=details.written_values(prepared, body, around),
        ),
        _rrset_target("add_records", ref, zone_name, facts, body, around),
    )


def set_records(
    ref: RRSetRef,
    zone_name: str | None,
    facts: RRSetFacts,
    prepared: Prepared,
    body: Body,
    around: Sequence[str],
) -> Ask:
    """Ask whether the records of a set may be replaced."""
    return Ask(
        Question(
            what=f"replace the records of RRSet {_rrset_words(ref, zone_name)}",
            consequence=f"{_holding(facts)}, replaced by the {len(prepared.records)} below.",
            details=details.written_values(prepared, body, around),
        ),
        _rrset_target("set_records", ref, zone_name, facts, body, around),
    )


def remove_records(
    ref: RRSetRef, zone_name: str | None, facts: RRSetFacts, prepared: Prepared, body: Body
) -> Ask:
    """Ask whether records of a set may be removed."""
    return Ask(
        Question(
            what=f"remove records from RRSet {_rrset_words(ref, zone_name)}",
            consequence=f"{_holding(facts)}; this removes {len(prepared.records)}. Removing the "
            "last one deletes the set.",
            details=details.written_values(prepared, body, ()),
        ),
        _rrset_target("remove_records", ref, zone_name, facts, body),
    )


def zone_words(zone: str, name: str | None) -> str:
    """Name a zone; one given by its id with its name beside it."""
    if is_zone_id(zone) and name is not None:
        return f'zone "{checked(name, ZONE)}" (id {checked(zone, ZONE)})'
    return f'zone "{checked(zone, ZONE)}"'


def _rrset_words(ref: RRSetRef, zone_name: str | None) -> str:
    record_type = checked(ref.type, r"[A-Z]{1,8}")
    return f'"{checked(ref.name, NAME)}/{record_type}" of {zone_words(ref.zone, zone_name)}'


def _rrset_target(
    tool: str,
    ref: RRSetRef,
    zone_name: str | None,
    facts: RRSetFacts | None,
    body: Body | None = None,
    around: Sequence[str] = (),
) -> Target:
    quoted: dict[str, JSONValue] = {"zone_name": zone_name, "around": list(around)}
    return Target.ordered(
        tool,
        ("zone", ref.zone),
        ("name", ref.name),
        ("type", ref.type),
        body=None if body is None else dict(body),
        facts=quoted if facts is None else {**quoted, **facts.quoted},
    )


def _holding(facts: RRSetFacts) -> str:
    if facts.exists is False:
        return "It does not exist yet"
    if facts.records is None:
        return "It currently holds an unknown number of records"
    ttl = "the zone's TTL" if facts.ttl is None else f"TTL {facts.ttl}"
    return f"It currently holds {facts.records} record(s), {ttl}"


def records_words(count: int | None) -> str:
    """Count records, or say that their number is unknown."""
    if count is None:
        return "an unknown number of records"
    return f"{count} record{'' if count == 1 else 's'}"


def _by_type(types: Mapping[str, int] | None) -> str:
    if not types:
        return ""
    return f" ({', '.join(f'{count} {kind}' for kind, count in sorted(types.items()))})"


def _counts(types: Mapping[str, int] | None) -> JSONValue:
    return None if types is None else dict(sorted(types.items()))
