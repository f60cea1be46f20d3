"""Tools for record sets as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired, cast

from typing_extensions import TypedDict

from hetzner_dns_mcp import dialogs, guards, names, views
from hetzner_dns_mcp.api import queries
from hetzner_dns_mcp.argument_types import (
    TTL,
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
from hetzner_dns_mcp.coexistence import find_conflicts
from hetzner_dns_mcp.facts import RRSetFacts, fingerprint
from hetzner_dns_mcp.registry import TOOLS
from hetzner_dns_mcp.tools.records import Expected
from hetzner_dns_mcp.views import Written
from mcp_approval.verdict import Ask
from mcp_serverkit.errors import BadArgument
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


@TOOLS.read("List record sets", foreign=True)
async def list_rrsets(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    name: Annotated[Name | None, "Exact; @ is the zone itself"] = None,
    type: list[RecordType] | None = None,  # noqa: A002 (the API's word)
    label_selector: Annotated[LabelSelector | None, "Such as env=prod,!old"] = None,
    sort: list[ZoneSort] | None = None,
    page: Page | None = None,
    per_page: PerPage | None = None,
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
    name: Annotated[Name, "Relative; @ is the zone itself"],
    type: RecordType,  # noqa: A002
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
    name: Annotated[Name, "Relative; @ is the zone itself"],
    type: RecordType,  # noqa: A002
    records: Annotated[ManyRecords, "Values in zone-file form"],
    ttl: Annotated[TTL | None, "Default: the zone's"] = None,
    labels: Annotated[Labels | None, "Labels"] = None,
) -> Written:
    """Create a record set that does not exist yet, in a primary zone."""
    hetzner = call.app
    ref = await hetzner.rrset(zone, name, type)
    _refuse_soa(type)
    prepared = await hetzner.prepare(ref, records, ttl)
    body: dict[str, JSONValue] = {"name": ref.name, "type": type, "records": prepared.records}
    if ttl is not None:
        body["ttl"] = ttl
    if labels is not None:
        body["labels"] = labels

    async def ask() -> Ask:
        zone_name = await hetzner.known_zone_name(zone)
        around = await find_conflicts(hetzner.client, ref, prepared.values, zone_name)
        return dialogs.create_rrset(ref, zone_name, prepared, body, around)

    if guards.decides_who_answers(ref.name, type, hetzner.settings.ask_also):
        await call.confirm(ask)
    write = await hetzner.client.create_rrset(zone, body)
    result = views.written(write, "rrset")
    if prepared.warnings:
        result["warnings"] = prepared.warnings
    return cast("Written", views.with_rate_limit(result, hetzner.client.api))


@TOOLS.write("Replace a record set's labels", destructive=True, idempotent=True, foreign=True)
async def update_rrset(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    name: Annotated[Name, "Relative; @ is the zone itself"],
    type: RecordType,  # noqa: A002
    labels: Annotated[Labels, "All labels; {} clears them"],
) -> RRSetResult:
    """Replace all labels of a record set of a primary zone; records and TTL stay."""
    hetzner = call.app
    ref = await hetzner.rrset(zone, name, type)
    write = await hetzner.client.update_rrset(ref, labels)
    result = views.single(write.answer, "rrset")
    return cast("RRSetResult", views.with_rate_limit(result, hetzner.client.api))


@TOOLS.write("Delete a record set", destructive=True, idempotent=True, asks="always", foreign=True)
async def delete_rrset(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    name: Annotated[Name, "Relative; @ is the zone itself"],
    type: RecordType,  # noqa: A002
    expected_fingerprint: Annotated[Fingerprint | None, "Only if still so"] = None,
    expected_record_count: Annotated[int | None, "Only if still so many"] = None,
) -> Written:
    """Delete a record set of a primary zone. The result holds what it was."""
    hetzner = call.app
    ref = await hetzner.rrset(zone, name, type)
    _refuse_soa(type)
    expected = Expected(expected_record_count, expected_fingerprint)
    before = RRSetFacts()

    async def ask() -> Ask:
        nonlocal before
        before = await hetzner.zones.rrset(ref)
        expected.check(before)
        return dialogs.delete_rrset(ref, await hetzner.known_zone_name(zone), before)

    await call.confirm(ask)
    write = await hetzner.client.delete_rrset(ref, expected.last_look(hetzner, ref))
    result = views.written(write)
    if before.document:
        result["previous"] = views.rrset(before.document)
    return cast("Written", views.with_rate_limit(result, hetzner.client.api))


@TOOLS.write("Change a record set's TTL", destructive=True, idempotent=True, foreign=True)
async def change_rrset_ttl(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    name: Annotated[Name, "Relative; @ is the zone itself"],
    type: RecordType,  # noqa: A002
    ttl: Annotated[TTL | None, "Seconds; null returns to the zone's TTL"],
) -> Written:
    """Change the TTL of a record set of a primary zone; its records stay."""
    hetzner = call.app
    ref = await hetzner.rrset(zone, name, type)
    write = await hetzner.client.rrset_action(ref, "change_ttl", {"ttl": ttl})
    return cast("Written", views.with_rate_limit(views.written(write), hetzner.client.api))


def _refuse_soa(record_type: str) -> None:
    if record_type == "SOA":
        raise BadArgument(
            "type",
            "Hetzner keeps the SOA of a zone: it can neither be created nor deleted; set_records "
            f"at {names.APEX} changes it",
        )
