"""The questions of this server: what is shown, and beside it what is bound.

A person must see what the name will answer afterwards, so every value that will be
written is a line of its own. Of the present state only numbers are quoted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hetzner_dns_mcp import details
from hetzner_dns_mcp.facts import ZoneFacts
from hetzner_dns_mcp.names import ZONE, is_zone_id
from mcp_approval.keys import Target
from mcp_approval.question import Question, checked, joined
from mcp_approval.typing import JSONValue
from mcp_approval.verdict import Ask
from mcp_approval.wording import counted

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
    return Ask(
        Question(
            what=f"change the primary name servers of {zone_words(zone, facts.name)}",
            consequence="The whole content of the zone will then come from the "
            f"{counted(len(servers), 'server')} below, whatever they hold.",
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


def zone_words(zone: str, name: str | None) -> str:
    """Name a zone; one given by its id with its name beside it."""
    if is_zone_id(zone) and name is not None:
        return f'zone "{checked(name, ZONE)}" (id {checked(zone, ZONE)})'
    return f'zone "{checked(zone, ZONE)}"'


def records_words(count: int | None) -> str:
    """Count records, or say that their number is unknown."""
    if count is None:
        return "an unknown number of records"
    return counted(count, "record")


def _by_type(types: Mapping[str, int] | None) -> str:
    if not types:
        return ""
    return f" ({joined([f'{count} {kind}' for kind, count in sorted(types.items())])})"


def _counts(types: Mapping[str, int] | None) -> JSONValue:
    return None if types is None else dict(sorted(types.items()))
