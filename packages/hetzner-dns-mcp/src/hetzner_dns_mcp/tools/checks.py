"""Tools that look for mistakes; nothing is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired, cast

from typing_extensions import TypedDict

from hetzner_dns_mcp import views
from hetzner_dns_mcp.argument_types import NAME_HELP, TYPE_HELP, Name, RecordType, Zone
from hetzner_dns_mcp.registry import TOOLS
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.tools.registry import Call

if TYPE_CHECKING:
    from hetzner_dns_mcp.app import Hetzner


class ZoneChecked(TypedDict):
    """What was found in a zone."""

    findings: list[dict[str, object]]
    sets: NotRequired[int]
    records: NotRequired[int]
    unreadable: NotRequired[str]


class DNSChecked(TypedDict):
    """What name servers answered, beside what Hetzner holds."""

    expected: list[str]
    answers: list[dict[str, object]]
    serials_agree: NotRequired[bool]
    delegation: NotRequired[dict[str, object]]
    note: NotRequired[str]


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


@TOOLS.read("Ask the name servers", foreign="dns", open_world=True)
async def check_dns(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    name: Annotated[Name, NAME_HELP] = "@",
    type: Annotated[RecordType, TYPE_HELP] = "A",  # noqa: A002 (the API's word)
    resolvers: Annotated[bool, "true also asks those of HETZNER_RESOLVERS"] = False,
) -> DNSChecked:
    """Compare what name servers answer with the record set that Hetzner holds.

    Asks the servers that Hetzner assigned to the zone; nothing is changed.
    """
    from hetzner_dns_mcp import dns_check

    hetzner = call.app
    if resolvers and not hetzner.settings.resolvers:
        raise BadArgument("resolvers", "HETZNER_RESOLVERS is not set, so no resolver may be asked")
    ref = await hetzner.rrset(zone, name, type)
    document = (await hetzner.client.get_zone(zone)).document("zone")
    facts = await hetzner.zones.rrset(ref, may_be_missing=True, changing=False)
    extra = hetzner.settings.resolvers if resolvers else ()
    result = await dns_check.check(document, ref, facts, hetzner.look_up, extra)
    return cast("DNSChecked", views.with_rate_limit(result, hetzner.client.api))
