"""Tools for the records of a set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, cast

from hetzner_dns_mcp import dialogs, guards, views
from hetzner_dns_mcp.api.types import BeforeWrite, RRSetRef
from hetzner_dns_mcp.argument_types import TTL, Fingerprint, Name, Records, RecordType, Zone
from hetzner_dns_mcp.coexistence import find_conflicts
from hetzner_dns_mcp.facts import RRSetFacts, fingerprint
from hetzner_dns_mcp.records.normalize import Prepared, same_record
from hetzner_dns_mcp.registry import TOOLS
from hetzner_dns_mcp.views import Written
from mcp_approval.verdict import Ask
from mcp_serverkit.errors import BadArgument, ToolFailure
from mcp_serverkit.http.json_fields import Document
from mcp_serverkit.tools.registry import Call

if TYPE_CHECKING:
    from hetzner_dns_mcp.app import Hetzner
    from mcp_approval.typing import JSONValue


@dataclass(frozen=True, slots=True)
class Expected:
    """What the caller believes a record set to hold; a write happens only if it does."""

    count: int | None
    fingerprint: str | None

    def check(self, facts: RRSetFacts) -> None:
        """Compare with the present state.

        Raises:
            ToolFailure: It differs; nothing was sent.
        """
        if self.count is not None and facts.records != self.count:
            raise _changed("expected_record_count")
        if self.fingerprint is not None and fingerprint(facts.document) != self.fingerprint:
            raise _changed("expected_fingerprint")

    def last_look(self, hetzner: Hetzner, ref: RRSetRef) -> BeforeWrite | None:
        """Return the comparison to make in the zone's turn, if anything is expected."""
        if self.count is None and self.fingerprint is None:
            return None

        async def look() -> None:
            self.check(await hetzner.zones.rrset(ref, changing=False))

        return look


@TOOLS.write("Replace records", destructive=True, idempotent=True, asks="always", foreign=True)
async def set_records(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    name: Annotated[Name, "Relative; @ is the zone itself"],
    type: RecordType,  # noqa: A002 (the API's word)
    records: Annotated[Records, "All records of the set"],
    expected_fingerprint: Annotated[Fingerprint | None, "Only if still so"] = None,
    expected_record_count: Annotated[int | None, "Only if still so many"] = None,
) -> Written:
    """Replace all records of an existing set of a primary zone; labels and TTL stay.

    The result holds what was there before.
    """
    hetzner = call.app
    ref = await hetzner.rrset(zone, name, type)
    prepared = await hetzner.prepare(ref, records)
    expected = Expected(expected_record_count, expected_fingerprint)
    body: dict[str, JSONValue] = {"records": prepared.records}
    before = RRSetFacts()

    async def ask() -> Ask:
        nonlocal before
        before = await hetzner.zones.rrset(ref)
        expected.check(before)
        await _keep_assigned(hetzner, ref, prepared, removing=False)
        zone_name = await hetzner.known_zone_name(zone)
        around = await find_conflicts(hetzner.client, ref, prepared.values, zone_name)
        return dialogs.set_records(ref, zone_name, before, prepared, body, around)

    await call.confirm(ask)
    look = expected.last_look(hetzner, ref)
    write = await hetzner.client.rrset_action(ref, "set_records", body, look)
    result = _with_warnings(views.written(write), prepared)
    if before.document:
        result["previous"] = views.rrset(before.document)
    return cast("Written", views.with_rate_limit(result, hetzner.client.api))


@TOOLS.write("Add records", destructive=False, idempotent=True, asks=guards.WHEN, foreign=True)
async def add_records(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    name: Annotated[Name, "Relative; @ is the zone itself"],
    type: RecordType,  # noqa: A002
    records: Annotated[Records, "Values in zone-file form"],
    ttl: Annotated[TTL | None, "For a new set; else as the set has it"] = None,
) -> Written:
    """Add records to a set of a primary zone, created if missing; those there already stay."""
    hetzner = call.app
    ref = await hetzner.rrset(zone, name, type)
    prepared = await hetzner.prepare(ref, records, ttl)
    body: dict[str, JSONValue] = {"records": prepared.records}
    if ttl is not None:
        body["ttl"] = ttl

    async def ask() -> Ask:
        facts = await hetzner.zones.rrset(ref, may_be_missing=True)
        zone_name = await hetzner.known_zone_name(zone)
        around = await find_conflicts(hetzner.client, ref, prepared.values, zone_name)
        return dialogs.add_records(ref, zone_name, facts, prepared, body, around)

    if guards.decides_who_answers(ref.name, type, hetzner.settings.ask_also):
        await call.confirm(ask)
    write = await hetzner.client.add_records(ref, body, same_record(type))
    result = _with_warnings(views.written(write), prepared)
    return cast("Written", views.with_rate_limit(result, hetzner.client.api))


@TOOLS.write("Remove records", destructive=True, idempotent=True, asks="always", foreign=True)
async def remove_records(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    name: Annotated[Name, "Relative; @ is the zone itself"],
    type: RecordType,  # noqa: A002
    records: Annotated[Records, "Values to remove"],
    expected_fingerprint: Annotated[Fingerprint | None, "Only if still so"] = None,
    expected_record_count: Annotated[int | None, "Only if still so many"] = None,
) -> Written:
    """Remove records by value, in a primary zone; removing the last one deletes the set."""
    hetzner = call.app
    ref = await hetzner.rrset(zone, name, type)
    prepared = await hetzner.prepare(ref, records, removing=True)
    expected = Expected(expected_record_count, expected_fingerprint)
    body: dict[str, JSONValue] = {"records": prepared.records}

    async def ask() -> Ask:
        facts = await hetzner.zones.rrset(ref)
        expected.check(facts)
        await _keep_assigned(hetzner, ref, prepared, removing=True)
        zone_name = await hetzner.known_zone_name(zone)
        return dialogs.remove_records(ref, zone_name, facts, prepared, body)

    await call.confirm(ask)
    look = expected.last_look(hetzner, ref)
    write = await hetzner.client.rrset_action(ref, "remove_records", body, look)
    result = _with_warnings(views.written(write), prepared)
    return cast("Written", views.with_rate_limit(result, hetzner.client.api))


async def _keep_assigned(
    hetzner: Hetzner, ref: RRSetRef, prepared: Prepared, *, removing: bool
) -> None:
    """Refuse to take an assigned name server out of the zone's own NS set."""
    if (ref.name, ref.type) != ("@", "NS") or hetzner.settings.validation != "strict":
        return
    assigned = set((await hetzner.zones.zone(ref.zone)).assigned)
    given = {value.lower() for value in prepared.values}
    lost = sorted(assigned & given if removing else assigned - given)
    if lost:
        raise BadArgument(
            "records",
            f"apex-ns-incomplete: NS: {len(lost)} of the name servers that Hetzner assigned would "
            "be missing; they must stay, foreign ones may stand beside them. get_zone lists them",
        )


def _with_warnings(result: Document, prepared: Prepared) -> Document:
    earlier = result.get("warnings")
    warnings = [*(earlier if isinstance(earlier, list) else []), *prepared.warnings]
    if warnings:
        result["warnings"] = warnings
    return result


def _changed(argument: str) -> ToolFailure:
    return ToolFailure(
        f"{argument}: the record set is not what was expected. Nothing was sent; look at it with "
        "get_rrset.",
        code="changed_meanwhile",
    )
