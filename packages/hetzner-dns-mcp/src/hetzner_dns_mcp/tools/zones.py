"""Tools for zones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired, cast

from typing_extensions import TypedDict

from hetzner_dns_mcp import dialogs, import_dialogs, views
from hetzner_dns_mcp.api import queries
from hetzner_dns_mcp.api.parents import parent_zone
from hetzner_dns_mcp.argument_types import (
    PAGE_HELP,
    SORT_HELP,
    TTL,
    Labels,
    LabelSelector,
    Mode,
    Page,
    PerPage,
    PrimaryNameserver,
    PrimaryNameservers,
    Zone,
    Zonefile,
    ZoneSort,
)
from hetzner_dns_mcp.importing import no_complete_copy, plan_new_zone
from hetzner_dns_mcp.names import is_zone_id
from hetzner_dns_mcp.registry import TOOLS
from hetzner_dns_mcp.settings import ZONE_CONTENT
from hetzner_dns_mcp.views import Written
from mcp_approval.verdict import Ask
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.http.json_fields import Document, without_none
from mcp_serverkit.tools.registry import Call

if TYPE_CHECKING:
    from hetzner_dns_mcp.app import Hetzner
    from mcp_approval.typing import JSONValue


MOST_WARNINGS = 50
"""Warnings about a zone file that a result repeats."""


class ZoneList(TypedDict):
    """One page of zones."""

    zones: list[dict[str, object]]
    meta: NotRequired[dict[str, object]]


class ZoneResult(TypedDict):
    """A zone."""

    zone: NotRequired[dict[str, object]]


@TOOLS.read("List zones", foreign=True)
async def list_zones(
    call: Call[Hetzner],
    name: Annotated[Zone | None, "Exact name"] = None,
    mode: Annotated[Mode | None, "Only zones of this mode"] = None,
    label_selector: Annotated[LabelSelector | None, "Such as env=prod,!old"] = None,
    sort: Annotated[list[ZoneSort] | None, SORT_HELP] = None,
    page: Annotated[Page | None, PAGE_HELP] = None,
    per_page: Annotated[PerPage | None, "At most 50 count"] = None,
) -> ZoneList:
    """List the zones of the project, a page at a time."""
    hetzner = call.app
    query = queries.query(
        name=name,
        mode=mode,
        label_selector=label_selector,
        sort=sort,
        page=page,
        per_page=queries.clamped(per_page),
    )
    answer = await hetzner.client.list_zones(query)
    zones = answer.documents("zones")
    allowed = [zone for zone in zones if hetzner.allowlist.admits(zone)]
    result = await views.page(answer, "zones", allowed)
    warnings = [queries.CLAMPED] if per_page != queries.clamped(per_page) else []
    if hetzner.allowlist.listed:
        warnings.append("HETZNER_ZONE_ALLOWLIST is set: other zones are left out")
    if name is not None and not zones and name.count(".") > 1:
        warnings.append(await parent_zone(hetzner.client, name))
    if warnings:
        result["warnings"] = warnings
    return cast("ZoneList", views.with_rate_limit(result, hetzner.client.api))


@TOOLS.read("Show a zone", foreign=True)
async def get_zone(call: Call[Hetzner], zone: Annotated[Zone, "Name or id"]) -> ZoneResult:
    """Show a zone: mode, TTL, protection, number of records, delegation."""
    hetzner = call.app
    await hetzner.allowlist.require_allowed(zone)
    result = views.single(await hetzner.client.get_zone(zone), "zone")
    return cast("ZoneResult", views.with_rate_limit(result, hetzner.client.api))


@TOOLS.write("Create a zone", destructive=False, idempotent=False, foreign=True)
async def create_zone(
    call: Call[Hetzner],
    name: Annotated[Zone, "Domain, such as example.com"],
    mode: Annotated[Mode, "secondary: its content comes from primary_nameservers"],
    ttl: Annotated[TTL | None, "Default TTL"] = None,
    labels: Annotated[Labels | None, "Labels"] = None,
    primary_nameservers: Annotated[PrimaryNameservers | None, "Secondary zones only"] = None,
    zonefile: Annotated[Zonefile | None, "First content of a primary zone"] = None,
) -> Written:
    """Create a zone. It answers once the domain is delegated to Hetzner's name servers."""
    hetzner = call.app
    await hetzner.allowlist.require_allowed(name, "name")
    _check_new_zone(hetzner, name, mode, primary_nameservers, zonefile)
    primaries = None if primary_nameservers is None else nameserver_bodies(primary_nameservers)
    body: dict[str, JSONValue] = without_none(
        name=name,
        mode=mode,
        ttl=ttl,
        labels=labels,
        primary_nameservers=primaries,
        zonefile=zonefile,
    )
    plan = None if zonefile is None else await plan_new_zone(hetzner, name, zonefile)
    brings_content = primary_nameservers is not None or zonefile is not None
    if brings_content and ZONE_CONTENT in hetzner.settings.ask_also:
        await call.confirm(import_dialogs.create_zone(body, plan))
    write = await hetzner.client.create_zone(body)
    result = views.written(write, "zone")
    if plan is not None and plan.warnings:
        result["warnings"] = [warning.placed for warning in plan.warnings[:MOST_WARNINGS]]
    return cast("Written", views.with_rate_limit(result, hetzner.client.api))


@TOOLS.write("Replace a zone's labels", destructive=True, idempotent=True, foreign=True)
async def update_zone(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    labels: Annotated[Labels, "All labels; {} clears them"],
) -> ZoneResult:
    """Replace all labels of a zone; the old ones are not kept anywhere."""
    hetzner = call.app
    await hetzner.allowlist.require_allowed(zone)
    write = await hetzner.client.update_zone(zone, labels)
    result = views.single(write.answer, "zone")
    return cast("ZoneResult", views.with_rate_limit(result, hetzner.client.api))


@TOOLS.write("Delete a zone", destructive=True, idempotent=True, asks="always", foreign=True)
async def delete_zone(call: Call[Hetzner], zone: Annotated[Zone, "Name or id"]) -> Written:
    """Delete a zone with all its records.

    The result holds up to 150,000 characters of the last zone file.
    """
    hetzner = call.app
    await hetzner.allowlist.require_allowed(zone)
    previous: str | None = None

    async def ask() -> Ask:
        nonlocal previous
        facts = await hetzner.zones.zone(zone, deleting=True)
        previous = await hetzner.zones.zonefile(zone)
        name = facts.name if is_zone_id(zone) else zone
        present = await hetzner.zones.present_content(previous, name)
        types = present.types() if present else None
        return dialogs.delete_zone(zone, facts, types, no_complete_copy(hetzner, previous))

    await call.confirm(ask)
    backup = await hetzner.backups.store(zone, previous)
    write = await hetzner.client.delete_zone(zone)
    hetzner.allowlist.forget(zone)
    return with_previous(views.written(write), previous, backup)


@TOOLS.write("Change a zone's TTL", destructive=True, idempotent=True, foreign=True)
async def change_zone_ttl(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    ttl: Annotated[TTL, "Seconds, up to a week"],
) -> Written:
    """Change the default TTL of a primary zone, for all record sets without their own."""
    hetzner = call.app
    await hetzner.allowlist.require_allowed(zone)
    write = await hetzner.client.zone_action(zone, "change_ttl", {"ttl": ttl})
    return cast("Written", views.with_rate_limit(views.written(write), hetzner.client.api))


@TOOLS.write(
    "Change primary name servers", destructive=True, idempotent=True, asks="always", foreign=True
)
async def change_primary_nameservers(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    primary_nameservers: Annotated[
        PrimaryNameservers, "All; tsig_key is a secret that enters the conversation"
    ],
) -> Written:
    """Replace the servers that a secondary zone's whole content is transferred from."""
    hetzner = call.app
    await hetzner.allowlist.require_allowed(zone)
    servers = nameserver_bodies(primary_nameservers)

    async def ask() -> Ask:
        facts = await hetzner.zones.zone(zone)
        return dialogs.change_primary_nameservers(zone, facts, servers)

    await call.confirm(ask)
    body = {"primary_nameservers": servers}
    write = await hetzner.client.zone_action(zone, "change_primary_nameservers", body)
    return cast("Written", views.with_rate_limit(views.written(write), hetzner.client.api))


def nameserver_bodies(servers: list[PrimaryNameserver]) -> list[dict[str, JSONValue]]:
    """Build what is sent, field by field; a key and its algorithm belong together."""
    bodies: list[dict[str, JSONValue]] = []
    for index, server in enumerate(servers):
        if ("tsig_key" in server) is not ("tsig_algorithm" in server):
            raise BadArgument(
                f"primary_nameservers[{index}]", "tsig_key and tsig_algorithm belong together"
            )
        body: dict[str, JSONValue] = {"address": server["address"]}
        if "port" in server:
            body["port"] = server["port"]
        if "tsig_key" in server:
            body["tsig_key"] = server["tsig_key"]
            body["tsig_algorithm"] = server["tsig_algorithm"]
        bodies.append(body)
    return bodies


def with_previous(result: Document, previous: str | None, backup: str | None) -> Written:
    """Add what was there before, and where it was stored."""
    if previous is not None:
        result["previous"] = views.zonefile(previous)
    if backup is not None:
        result["backup"] = backup
    return cast("Written", result)


def _check_new_zone(
    hetzner: Hetzner,
    name: str,
    mode: str,
    servers: list[PrimaryNameserver] | None,
    zonefile: str | None,
) -> None:
    if is_zone_id(name) or "." not in name:
        raise BadArgument("name", "must be a domain with at least two labels")
    if zonefile is not None:
        if "import_zonefile" not in hetzner.offered:
            raise BadArgument("zonefile", "is not taken: import_zonefile is not offered")
        if mode == "secondary":
            raise BadArgument("zonefile", "is for primary zones; a secondary one is transferred")
    if servers is None and mode == "secondary":
        raise BadArgument("primary_nameservers", "are needed: a secondary zone is transferred")
    if servers is not None:
        if "change_primary_nameservers" not in hetzner.offered:
            raise BadArgument(
                "primary_nameservers", "are not taken: change_primary_nameservers is not offered"
            )
        if mode == "primary":
            raise BadArgument("primary_nameservers", "are for secondary zones only")
