"""Tools that follow what Hetzner is doing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired, cast

from typing_extensions import TypedDict

from hetzner_dns_mcp import views
from hetzner_dns_mcp.api import queries
from hetzner_dns_mcp.argument_types import PAGE_HELP, ActionSort, ActionStatus, Page, PerPage, Zone
from hetzner_dns_mcp.registry import TOOLS
from mcp_serverkit.errors import BadArgument
from mcp_serverkit.http.json_fields import Document, number_of, objects_of
from mcp_serverkit.tools.constraints import Range
from mcp_serverkit.tools.registry import Call

if TYPE_CHECKING:
    from hetzner_dns_mcp.app import Hetzner


class ActionList(TypedDict):
    """One page of actions."""

    actions: list[dict[str, object]]
    meta: NotRequired[dict[str, object]]


class ActionResult(TypedDict):
    """An action."""

    action: NotRequired[dict[str, object]]


@TOOLS.read("List actions", foreign=True)
async def list_zone_actions(
    call: Call[Hetzner],
    zone: Annotated[Zone | None, "Name or id; default: all zones"] = None,
    status: Annotated[list[ActionStatus] | None, "Only these"] = None,
    sort: Annotated[list[ActionSort] | None, "Order, such as started:desc"] = None,
    page: Annotated[Page | None, PAGE_HELP] = None,
    per_page: Annotated[PerPage | None, "At most 50 count"] = None,
) -> ActionList:
    """List what was started on zones and what became of it."""
    hetzner = call.app
    if zone is not None:
        await hetzner.allowlist.require_allowed(zone)
    query = queries.query(status=status, sort=sort, page=page, per_page=queries.clamped(per_page))
    answer = await hetzner.client.list_actions(zone, query)
    actions = answer.documents("actions")
    warnings = [queries.CLAMPED] if per_page != queries.clamped(per_page) else []
    if zone is None and hetzner.allowlist.listed:
        allowed = await hetzner.allowlist.zone_ids()
        actions = [action for action in actions if _concerns(action, allowed)]
        warnings.append("HETZNER_ZONE_ALLOWLIST is set: actions of other zones are left out")
    result = await views.page(answer, "actions", actions)
    if warnings:
        result["warnings"] = warnings
    return cast("ActionList", views.with_rate_limit(result, hetzner.client.api))


@TOOLS.read("Show an action", foreign=True)
async def get_zone_action(
    call: Call[Hetzner],
    action_id: Annotated[int, "Id from a write's result", Range(1, 9_007_199_254_740_991)],
) -> ActionResult:
    """Show whether an action is running, has succeeded, or failed and why."""
    hetzner = call.app
    answer = await hetzner.client.get_action(action_id)
    if hetzner.allowlist.listed and not _concerns(
        answer.document("action"), await hetzner.allowlist.zone_ids()
    ):
        raise BadArgument("action_id", "concerns no zone of HETZNER_ZONE_ALLOWLIST")
    result = views.single(answer, "action")
    return cast("ActionResult", views.with_rate_limit(result, hetzner.client.api))


def _concerns(action: Document, zone_ids: frozenset[int]) -> bool:
    resources = objects_of(action, "resources")
    return any(number_of(resource, "id") in zone_ids for resource in resources)
