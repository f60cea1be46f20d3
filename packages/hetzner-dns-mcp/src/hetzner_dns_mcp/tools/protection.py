"""Tools that protect zones and record sets, and that take the protection away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

from hetzner_dns_mcp import dialogs, record_dialogs, views
from hetzner_dns_mcp.argument_types import NAME_HELP, TYPE_HELP, Name, RecordType, Zone
from hetzner_dns_mcp.registry import TOOLS
from hetzner_dns_mcp.views import RecordsWritten, Written
from mcp_approval.verdict import Ask
from mcp_serverkit.tools.registry import Call

if TYPE_CHECKING:
    from hetzner_dns_mcp.app import Hetzner

WHEN_REMOVED = "when it removes protection"


@TOOLS.write(
    "Change a zone's protection",
    destructive=False,
    idempotent=True,
    asks=WHEN_REMOVED,
    foreign=True,
)
async def change_zone_protection(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    delete: Annotated[bool, "true protects, false removes the protection"],
) -> Written:
    """Protect a zone against deletion, or remove that protection."""
    hetzner = call.app
    await hetzner.allowlist.require_allowed(zone)

    async def ask() -> Ask:
        return dialogs.change_zone_protection(zone, await hetzner.zones.zone(zone))

    if not delete:
        await call.confirm(ask)
    write = await hetzner.client.zone_action(zone, "change_protection", {"delete": delete})
    return cast("Written", views.with_rate_limit(views.written(write), hetzner.client.api))


@TOOLS.write(
    "Change a record set's protection",
    destructive=False,
    idempotent=True,
    asks=WHEN_REMOVED,
    foreign=True,
)
async def change_rrset_protection(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    name: Annotated[Name, NAME_HELP],
    type: Annotated[RecordType, TYPE_HELP],  # noqa: A002 (the API's word)
    change: Annotated[bool, "true protects, false removes the protection"],
) -> RecordsWritten:
    """Protect a record set of a primary zone against changes, or remove that protection."""
    hetzner = call.app
    ref = await hetzner.rrset(zone, name, type)

    async def ask() -> Ask:
        facts = await hetzner.zones.rrset(ref, changing=False)
        zone_name = await hetzner.known_zone_name(zone)
        return record_dialogs.change_rrset_protection(ref, zone_name, facts)

    if not change:
        await call.confirm(ask)
    write = await hetzner.client.rrset_action(ref, "change_protection", {"change": change})
    return await hetzner.record_result(views.written(write), ref)
