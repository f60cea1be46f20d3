"""Tools for record sets as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired, cast

from typing_extensions import TypedDict

from hetzner_dns_mcp import guards, names, record_dialogs, views
from hetzner_dns_mcp.api import queries
from hetzner_dns_mcp.argument_types import (
    NAME_HELP,
    PAGE_HELP,
    SORT_HELP,
    TTL,
    TYPE_HELP,
    VALUES_HELP,
    Fingerprint,
    Labels,
    LabelSelector,
    ManyRecords,
    Name,
    Page,
    PerPage,
    RecordType,
    Zone,
    ZoneSort,
)
from hetzner_dns_mcp.facts import RRSetFacts, fingerprint
from hetzner_dns_mcp.record_plan import RecordPlan
from hetzner_dns_mcp.records.normalize import NO_RECORDS
from hetzner_dns_mcp.registry import TOOLS
from hetzner_dns_mcp.tools.records import Expected
from hetzner_dns_mcp.views import RecordsReplaced, RecordsWritten
from mcp_approval.verdict import Ask
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.http.json_fields import without_none
from mcp_serverkit.tools.registry import Call

if TYPE_CHECKING:
    from hetzner_dns_mcp.app import Hetzner
    from mcp_approval.typing import JSONValue


class RRSetList(TypedDict):
    """One page of record sets."""

    rrsets: list[dict[str, object]]
    meta: NotRequired[dict[str, object]]


class RRSetResult(TypedDict):
    """A record set."""

    rrset: NotRequired[dict[str, object]]
    fingerprint: NotRequired[str]


class RRSetLabelled(TypedDict):
    """A record set whose labels were replaced."""

    rrset: NotRequired[dict[str, object]]
    full_name: NotRequired[str]


@TOOLS.read("List record sets", foreign=True)
async def list_rrsets(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    name: Annotated[Name | None, "Exact; @ is the zone itself"] = None,
    type: Annotated[list[RecordType] | None, "Only these types"] = None,  # noqa: A002
    label_selector: Annotated[LabelSelector | None, "Such as env=prod,!old"] = None,
    sort: Annotated[list[ZoneSort] | None, SORT_HELP] = None,
    page: Annotated[Page | None, PAGE_HELP] = None,
    per_page: Annotated[PerPage | None, "Entries a page"] = None,
) -> RRSetList:
    """List the record sets of a primary zone, a page at a time."""
    hetzner = call.app
    if name is not None:
        name = (await hetzner.rrset(zone, name, "")).name
    await hetzner.allowlist.require_allowed(zone)
    query = queries.query(
        name=name,
        type=type,
        label_selector=label_selector,
        sort=sort,
        page=page,
        per_page=per_page,
    )
    answer = await hetzner.client.list_rrsets(zone, query)
    result = await views.page(answer, "rrsets")
    return cast("RRSetList", views.with_rate_limit(result, hetzner.client.api))


@TOOLS.read("Show a record set", foreign=True)
async def get_rrset(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    name: Annotated[Name, NAME_HELP],
    type: Annotated[RecordType, TYPE_HELP],  # noqa: A002
) -> RRSetResult:
    """Show a record set of a primary zone, with a fingerprint for later writes."""
    hetzner = call.app
    ref = await hetzner.rrset(zone, name, type)
    answer = await hetzner.client.get_rrset(ref)
    result = views.single(answer, "rrset")
    if "rrset" in result:
        result["fingerprint"] = fingerprint(answer.document("rrset"))
    return cast("RRSetResult", views.with_rate_limit(result, hetzner.client.api))


@TOOLS.write(
    "Create a record set", destructive=False, idempotent=False, asks=guards.WHEN, foreign=True
)
async def create_rrset(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    name: Annotated[Name, NAME_HELP],
    type: Annotated[RecordType, TYPE_HELP],  # noqa: A002
    records: Annotated[ManyRecords, f"Values such as {VALUES_HELP}"],
    ttl: Annotated[TTL | None, "Default: the zone's"] = None,
    labels: Annotated[Labels | None, "Labels"] = None,
) -> RecordsWritten:
    """Create a record set that does not exist yet, in a primary zone."""
    hetzner = call.app
    ref = await hetzner.rrset(zone, name, type)
    _refuse_soa(type)
    prepared = await hetzner.prepare(ref, records, ttl)
    body: dict[str, JSONValue] = without_none(
        name=ref.name, type=type, records=prepared.records, ttl=ttl, labels=labels
    )

    plan = RecordPlan(sent=prepared.records, warnings=prepared.warnings)

    async def ask() -> Ask:
        nonlocal plan
        present = await hetzner.present_for_new(ref)
        plan = hetzner.plan("create", present, prepared, ttl)
        return record_dialogs.create_rrset(present, ref, prepared, body, plan)

    if guards.decides_who_answers(ref.name, type, hetzner.settings.ask_also):
        await call.confirm(ask)
    else:
        plan = await hetzner.beside_policies(ref, prepared, plan)
    write = await hetzner.client.create_rrset(zone, body)
    return await hetzner.record_result(views.written(write, "rrset"), ref, plan)


@TOOLS.write("Replace a record set's labels", destructive=True, idempotent=True, foreign=True)
async def update_rrset(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    name: Annotated[Name, NAME_HELP],
    type: Annotated[RecordType, TYPE_HELP],  # noqa: A002
    labels: Annotated[Labels, "All labels; {} clears them"],
) -> RRSetLabelled:
    """Replace all labels of a record set of a primary zone; records and TTL stay."""
    hetzner = call.app
    ref = await hetzner.rrset(zone, name, type)
    write = await hetzner.client.update_rrset(ref, labels)
    result = views.single(write.answer, "rrset")
    return cast("RRSetLabelled", await hetzner.record_result(result, ref))


@TOOLS.write("Delete a record set", destructive=True, idempotent=True, asks="always", foreign=True)
async def delete_rrset(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    name: Annotated[Name, NAME_HELP],
    type: Annotated[RecordType, TYPE_HELP],  # noqa: A002
    expected_fingerprint: Annotated[Fingerprint | None, "Only if still so"] = None,
    expected_record_count: Annotated[int | None, "Only if still so many"] = None,
) -> RecordsReplaced:
    """Delete a record set of a primary zone. The result holds what it was."""
    hetzner = call.app
    ref = await hetzner.rrset(zone, name, type)
    _refuse_soa(type)
    expected = Expected(expected_record_count, expected_fingerprint)
    before = RRSetFacts()

    plan = RecordPlan()

    async def ask() -> Ask:
        nonlocal before, plan
        before, present = await hetzner.present(ref)
        expected.check(before)
        plan = hetzner.plan("delete", present, NO_RECORDS)
        return record_dialogs.delete_rrset(present, ref, before, plan)

    await call.confirm(ask)
    write = await hetzner.client.delete_rrset(ref, expected.last_look(hetzner, ref))
    result = await hetzner.record_result(views.written(write), ref, plan)
    return views.with_previous(result, before.document)


@TOOLS.write("Change a record set's TTL", destructive=True, idempotent=True, foreign=True)
async def change_rrset_ttl(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    name: Annotated[Name, NAME_HELP],
    type: Annotated[RecordType, TYPE_HELP],  # noqa: A002
    ttl: Annotated[TTL | None, "Seconds; null returns to the zone's TTL"],
) -> RecordsWritten:
    """Change the TTL of a record set of a primary zone; its records stay."""
    hetzner = call.app
    ref = await hetzner.rrset(zone, name, type)
    write = await hetzner.client.rrset_action(ref, "change_ttl", {"ttl": ttl})
    return await hetzner.record_result(views.written(write), ref)


def _refuse_soa(record_type: str) -> None:
    if record_type == "SOA":
        raise BadArgument(
            "type",
            "Hetzner keeps the SOA of a zone: it can neither be created nor deleted; set_records "
            f"at {names.APEX} changes it",
        )
