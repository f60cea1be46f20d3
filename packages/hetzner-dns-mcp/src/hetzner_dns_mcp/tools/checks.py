"""Tools that look for mistakes; nothing is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired, cast

from typing_extensions import TypedDict

from hetzner_dns_mcp import views
from hetzner_dns_mcp.argument_types import Zone
from hetzner_dns_mcp.registry import TOOLS
from mcp_serverkit.tools.registry import Call

if TYPE_CHECKING:
    from hetzner_dns_mcp.app import Hetzner


class ZoneChecked(TypedDict):
    """What was found in a zone."""

    findings: list[dict[str, object]]
    sets: NotRequired[int]
    records: NotRequired[int]
    unreadable: NotRequired[str]


@TOOLS.read("Check a zone", foreign=True)
async def check_zone(call: Call[Hetzner], zone: Annotated[Zone, "Name or id"]) -> ZoneChecked:
    """Look over a primary zone for what is broken or most likely a mistake.

    Nothing is changed, and no name is looked up.
    """
    from hetzner_dns_mcp.zone_check import check

    hetzner = call.app
    await hetzner.allowlist.require_allowed(zone)
    document = (await hetzner.client.get_zone(zone)).document("zone")
    answer = await hetzner.client.export_zonefile(zone)
    result = await check(document, answer)
    return cast("ZoneChecked", views.with_rate_limit(result, hetzner.client.api))
