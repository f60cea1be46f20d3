"""Tools for the records of a set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from hetzner_dns_mcp import guards, record_dialogs, views
from hetzner_dns_mcp.api.types import BeforeWrite, RRSetRef
from hetzner_dns_mcp.argument_types import (
    NAME_HELP,
    TTL,
    TYPE_HELP,
    VALUES_HELP,
    Fingerprint,
    Name,
    Records,
    RecordType,
    Zone,
)
from hetzner_dns_mcp.facts import RRSetFacts, fingerprint
from hetzner_dns_mcp.record_plan import RecordPlan
from hetzner_dns_mcp.records.normalize import references, same_record
from hetzner_dns_mcp.registry import TOOLS
from hetzner_dns_mcp.views import RecordsReplaced, RecordsWritten
from mcp_approval.verdict import Ask
from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.http.json_fields import without_none
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
    name: Annotated[Name, NAME_HELP],
    type: Annotated[RecordType, TYPE_HELP],  # noqa: A002 (the API's word)
    records: Annotated[Records, f"All records of the set, such as {VALUES_HELP}"],
    expected_fingerprint: Annotated[Fingerprint | None, "Only if still so"] = None,
    expected_record_count: Annotated[int | None, "Only if still so many"] = None,
) -> RecordsReplaced:
    """Replace all records of an existing set of a primary zone; labels and TTL stay.

    A record that stays keeps its comment unless one is given. The result holds what was
    there before.
    """
    hetzner = call.app
    ref = await hetzner.rrset(zone, name, type)
    prepared = await hetzner.prepare(ref, records)
    expected = Expected(expected_record_count, expected_fingerprint)
    body: dict[str, JSONValue] = {"records": prepared.records}
    before, plan = RRSetFacts(), RecordPlan()

    async def ask() -> Ask:
        nonlocal before, plan
        before, present = await hetzner.present(ref)
        expected.check(before)
        plan = hetzner.plan("set", present, prepared)
        return record_dialogs.set_records(present, ref, before, prepared, body, plan)

    await call.confirm(ask)
    if plan.nothing:
        return views.with_previous(await hetzner.unchanged(ref, plan), {})
    look = expected.last_look(hetzner, ref)
    write = await hetzner.client.rrset_action(ref, "set_records", {"records": plan.sent}, look)
    result = await hetzner.record_result(views.written(write), ref, plan)
    return views.with_previous(result, before.document)


@TOOLS.write("Add records", destructive=False, idempotent=True, asks=guards.WHEN, foreign=True)
async def add_records(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    name: Annotated[Name, NAME_HELP],
    type: Annotated[RecordType, TYPE_HELP],  # noqa: A002
    records: Annotated[Records, f"Values such as {VALUES_HELP}"],
    ttl: Annotated[TTL | None, "For a new set; else as the set has it"] = None,
) -> RecordsWritten:
    """Add records to a set of a primary zone, created if missing; those there already stay."""
    hetzner = call.app
    ref = await hetzner.rrset(zone, name, type)
    prepared = await hetzner.prepare(ref, records, ttl)
    body: dict[str, JSONValue] = without_none(records=prepared.records, ttl=ttl)
    plan = RecordPlan(sent=prepared.records, warnings=prepared.warnings)

    async def ask() -> Ask:
        nonlocal plan
        facts, present = await hetzner.present(ref, may_be_missing=True)
        plan = hetzner.plan("add", present, prepared, ttl)
        return record_dialogs.add_records(present, ref, facts, prepared, body, plan)

    if guards.decides_who_answers(ref.name, type, hetzner.settings.ask_also):
        await call.confirm(ask)
    else:
        plan = await hetzner.beside_policies(ref, prepared, plan)
    if plan.nothing:
        return await hetzner.unchanged(ref, plan)
    sent = {**body, "records": plan.sent}
    write = await hetzner.client.add_records(ref, sent, same_record(type))
    return await hetzner.record_result(views.written(write), ref, plan)


@TOOLS.write("Remove records", destructive=True, idempotent=True, asks="always", foreign=True)
async def remove_records(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    name: Annotated[Name, NAME_HELP],
    type: Annotated[RecordType, TYPE_HELP],  # noqa: A002
    records: Annotated[Records, "Values to remove, in any spelling"],
    expected_fingerprint: Annotated[Fingerprint | None, "Only if still so"] = None,
    expected_record_count: Annotated[int | None, "Only if still so many"] = None,
) -> RecordsWritten:
    """Remove records by value, in a primary zone; removing the last one deletes the set."""
    hetzner = call.app
    ref = await hetzner.rrset(zone, name, type)
    prepared = references(records, type)
    expected = Expected(expected_record_count, expected_fingerprint)
    body: dict[str, JSONValue] = {"records": prepared.records}
    plan = RecordPlan()

    async def ask() -> Ask:
        nonlocal plan
        facts, present = await hetzner.present(ref)
        expected.check(facts)
        plan = hetzner.plan("remove", present, prepared)
        return record_dialogs.remove_records(present, ref, facts, prepared, body, plan)

    await call.confirm(ask)
    if plan.nothing:
        return await hetzner.unchanged(ref, plan)
    look = expected.last_look(hetzner, ref)
    write = await hetzner.client.rrset_action(ref, "remove_records", {"records": plan.sent}, look)
    return await hetzner.record_result(views.written(write), ref, plan)


def _changed(argument: str) -> ToolFailure:
    return ToolFailure(
        f"{argument}: the record set is not what was expected. Nothing was sent; look at it with "
        "get_rrset.",
        code="changed_meanwhile",
    )
