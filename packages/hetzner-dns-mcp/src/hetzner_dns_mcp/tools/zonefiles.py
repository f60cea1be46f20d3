"""Tools for whole zone files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired, cast

from typing_extensions import TypedDict

from hetzner_dns_mcp import import_dialogs, views
from hetzner_dns_mcp.argument_types import Zone, Zonefile
from hetzner_dns_mcp.registry import TOOLS
from hetzner_dns_mcp.tools.zones import with_previous
from hetzner_dns_mcp.views import Written
from mcp_approval.verdict import Ask
from mcp_serverkit.http.json_fields import text_of
from mcp_serverkit.tools.registry import Call

if TYPE_CHECKING:
    from hetzner_dns_mcp.app import Hetzner


class Exported(TypedDict):
    """A zone file."""

    zonefile: NotRequired[str]
    note: NotRequired[str]


@TOOLS.read("Export a zone file", foreign=True)
async def export_zonefile(call: Call[Hetzner], zone: Annotated[Zone, "Name or id"]) -> Exported:
    """Return a primary zone as a BIND zone file, up to 150,000 characters."""
    hetzner = call.app
    await hetzner.allowlist.require_allowed(zone)
    answer = await hetzner.client.export_zonefile(zone)
    text = text_of(answer.body, "zonefile") if isinstance(answer.body, dict) else None
    result = views.single(answer, "zonefile") if text is None else views.zonefile(text)
    return cast("Exported", views.with_rate_limit(result, hetzner.client.api))


@TOOLS.write("Import a zone file", destructive=True, idempotent=True, asks="always", foreign=True)
async def import_zonefile(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    zonefile: Annotated[Zonefile, "BIND format, without $INCLUDE and $GENERATE"],
) -> Written:
    """Replace all records of a primary zone by those of a zone file.

    What the file does not hold disappears. The result holds the zone file from before.
    """
    hetzner = call.app
    await hetzner.allowlist.require_allowed(zone)
    previous: str | None = None

    async def ask() -> Ask:
        nonlocal previous
        facts = await hetzner.zones.zone(zone, importing=True)
        previous = await hetzner.zones.zonefile(zone)
        plan = await hetzner.plan_import(zone, facts, previous, zonefile)
        plan.refuse_errors()
        incomplete = hetzner.no_complete_copy(previous)
        return import_dialogs.import_zonefile(zone, facts, zonefile, plan, incomplete)

    await call.confirm(ask)
    backup = await hetzner.backups.store(zone, previous)
    write = await hetzner.client.zone_action(zone, "import_zonefile", {"zonefile": zonefile})
    return with_previous(views.written(write), previous, backup)
