"""What an import is planned from: settings, and what is known of the zone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hetzner_dns_mcp import names, views
from hetzner_dns_mcp.argument_types import ImportMode
from hetzner_dns_mcp.facts import ZoneFacts
from hetzner_dns_mcp.import_merge import plan_merge
from hetzner_dns_mcp.import_plan import ImportPlan, plan_replacement
from hetzner_dns_mcp.zonefile.content import UnreadableZoneError, ZoneContent
from hetzner_dns_mcp.zonefile.difference import Change
from mcp_serverkit.http.json_fields import Document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hetzner_dns_mcp.app import Hetzner


async def plan_import(
    hetzner: Hetzner,
    zone: str,
    facts: ZoneFacts,
    exported: str | None,
    text: str,
    mode: ImportMode = "replace",
) -> ImportPlan:
    """Find out what a zone file would do to a zone.

    Args:
        hetzner: The app.
        zone: The zone.
        facts: What is known of it.
        exported: Its present zone file.
        text: The file.
        mode: Whether it takes the zone's place, or adds to it.
    """
    name = facts.name if names.is_zone_id(zone) else zone
    if mode == "merge":
        present = await hetzner.zones.present_content(exported, name)
        return await plan_merge(
            text,
            name or "",
            exported,
            present,
            mode=hetzner.settings.validation,
            assigned=facts.assigned,
        )
    if name is None:
        return ImportPlan(unreadable=UnreadableZoneError("the name of the zone is unknown"))
    return await plan_replacement(
        text,
        name,
        await hetzner.zones.present_content(exported, name),
        mode=hetzner.settings.validation,
        zone_ttl=facts.ttl,
        assigned=facts.assigned,
    )


async def plan_new_zone(hetzner: Hetzner, name: str, text: str) -> ImportPlan:
    """Look over the first content of a zone that is to be created.

    Raises:
        BadArgument: The API would refuse it.
    """
    plan = await plan_replacement(
        text, name, ZoneContent({}), mode=hetzner.settings.validation, creating=True
    )
    plan.refuse_errors(creating=True)
    return plan


def planned(
    plan: ImportPlan, mode: ImportMode, blocked: Sequence[str], *, complete_copy: bool
) -> Document:
    """Show what an import would do, for a caller who only wants to know.

    Args:
        plan: What it would do.
        mode: Whether the file takes the zone's place, or adds to it.
        blocked: What would refuse the call.
        complete_copy: Whether a complete copy of the old zone would be kept.
    """
    result: Document = {"dry_run": True, "mode": mode}
    difference = plan.difference
    if difference is not None and difference.sets is not None:
        result["counts"] = {
            "new": difference.count("new"),
            "changed": difference.count("changed"),
            "removed": difference.count("removed"),
            "same": difference.same,
        }
        result["zone_ttl"] = list(difference.zone_ttl)
        result["sets"] = [_planned_set(change) for change in difference.changes]
    result["left_out"] = [
        {"name": out.key.name, "type": out.key.type, "reason": out.reason} for out in plan.left_out
    ]
    result["warnings"] = [warning.placed for warning in plan.warnings]
    result["blocked"] = list(blocked)
    result["complete_copy"] = complete_copy
    return views.plan(result)


def _planned_set(change: Change) -> Document:
    before = {} if change.before is None else change.before.values
    after = {} if change.after is None else change.after.values
    return {
        "name": change.key.name,
        "type": change.key.type,
        "state": change.fate,
        "ttl": [
            None if change.before is None else change.before.ttl,
            None if change.after is None else change.after.ttl,
        ],
        "add": [text for same, text in after.items() if same not in before],
        "remove": change.going,
        "stays": sum(same in before for same in after),
    }


def no_complete_copy(hetzner: Hetzner, exported: str | None) -> str:
    """Say so when a zone is too large for a result and no backup will be kept."""
    if exported is None or hetzner.settings.backup_dir is not None:
        return ""
    shown = views.zonefile_chars(exported)
    if shown == len(exported):
        return ""
    return (
        " No complete copy of the old zone will be kept: the result holds "
        f"{shown} of {len(exported)} characters."
    )
