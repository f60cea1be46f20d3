"""Tools for whole zone files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired, cast

from typing_extensions import TypedDict

from hetzner_dns_mcp import import_dialogs, views
from hetzner_dns_mcp.api.error_hints import SECONDARY_ZONE
from hetzner_dns_mcp.argument_types import ImportMode, Offset, Zone, Zonefile
from hetzner_dns_mcp.import_plan import ImportPlan
from hetzner_dns_mcp.importing import no_complete_copy, plan_import, planned
from hetzner_dns_mcp.registry import TOOLS
from hetzner_dns_mcp.tools.zones import with_previous
from hetzner_dns_mcp.views import NOTHING_CHANGES, Written
from mcp_approval.verdict import Ask
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.http.json_fields import text_of
from mcp_serverkit.tools.registry import Call

if TYPE_CHECKING:
    from hetzner_dns_mcp.app import Hetzner


class Exported(TypedDict):
    """A zone file."""

    zonefile: NotRequired[str]
    total: NotRequired[int]
    sha256: NotRequired[str]
    next_offset: NotRequired[int]


class Imported(Written):
    """What came of an import, or what would come of it; it may say more than this."""

    dry_run: NotRequired[bool]
    mode: NotRequired[str]
    counts: NotRequired[dict[str, int]]
    zone_ttl: NotRequired[list[int | None]]
    sets: NotRequired[list[dict[str, object]]]
    left_out: NotRequired[list[dict[str, object]]]
    blocked: NotRequired[list[str]]
    complete_copy: NotRequired[bool]
    changed: NotRequired[bool]


@TOOLS.read("Export a zone file", foreign=True)
async def export_zonefile(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    offset: Annotated[Offset, "next_offset of the part before"] = 0,
) -> Exported:
    """Return a primary zone as a BIND zone file, up to 150,000 characters at a time."""
    hetzner = call.app
    await hetzner.allowlist.require_allowed(zone)
    answer = await hetzner.client.export_zonefile(zone)
    text = text_of(answer.body, "zonefile") if isinstance(answer.body, dict) else None
    if text is not None and offset and offset >= len(text):
        raise BadArgument("offset", f"is past the end: the zone file has {len(text)} characters")
    result = views.single(answer, "zonefile") if text is None else views.zonefile_part(text, offset)
    return cast("Exported", views.with_rate_limit(result, hetzner.client.api))


@TOOLS.write("Import a zone file", destructive=True, idempotent=True, asks="always", foreign=True)
async def import_zonefile(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    zonefile: Annotated[Zonefile, "BIND format, without $INCLUDE and $GENERATE"],
    mode: Annotated[ImportMode, "merge only adds; replace removes what is not in it"] = "replace",
    dry_run: Annotated[bool, "true only tells what would change, and asks nobody"] = False,
) -> Imported:
    """Replace all records of a primary zone by those of a zone file, or add to them.

    With replace, what the file does not hold disappears. The result holds up to 150,000
    characters of the zone file from before.
    """
    hetzner = call.app
    await hetzner.allowlist.require_allowed(zone)
    if dry_run:
        return await _dry_run(hetzner, zone, zonefile, mode)
    previous: str | None = None
    plan = ImportPlan()

    async def ask() -> Ask:
        nonlocal previous, plan
        facts = await hetzner.zones.zone(zone, importing=True)
        previous = await hetzner.zones.zonefile(zone)
        plan = await plan_import(hetzner, zone, facts, previous, zonefile, mode)
        plan.refuse_errors()
        incomplete = no_complete_copy(hetzner, previous)
        return import_dialogs.import_zonefile(zone, facts, zonefile, plan, incomplete, mode)

    await call.confirm(ask)
    if plan.nothing:
        return {"changed": False, "warnings": [NOTHING_CHANGES]}
    backup = await hetzner.backups.store(zone, previous)
    body = {"zonefile": plan.sent if mode == "merge" else zonefile}
    write = await hetzner.client.zone_action(zone, "import_zonefile", body)
    return cast("Imported", with_previous(views.written(write), previous, backup))


async def _dry_run(hetzner: Hetzner, zone: str, text: str, mode: ImportMode) -> Imported:
    facts = await hetzner.zones.zone(zone)
    exported = await hetzner.zones.zonefile(zone)
    plan = await plan_import(hetzner, zone, facts, exported, text, mode)
    incomplete = no_complete_copy(hetzner, exported)
    blocked = plan.blocks()
    if facts.secondary:
        blocked.append(SECONDARY_ZONE)
    if not blocked:
        ask = import_dialogs.import_zonefile(zone, facts, text, plan, incomplete, mode)
        blocked += import_dialogs.too_much(ask.question)
    complete = exported is not None and not incomplete
    return cast("Imported", planned(plan, mode, blocked, complete_copy=complete))
