"""A tool for several changes of records, in one question and in one order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired, cast

from typing_extensions import TypedDict

from hetzner_dns_mcp import change_dialog, views
from hetzner_dns_mcp.argument_types import RecordChanges, Zone
from hetzner_dns_mcp.change_plan import ChangePlan, check_changes, plan_changes
from hetzner_dns_mcp.registry import TOOLS
from hetzner_dns_mcp.zonefile.content import SetKey
from mcp_approval.verdict import Ask
from mcp_serverkit.errors import ToolFailure, UpstreamFailure
from mcp_serverkit.http.json_fields import Document
from mcp_serverkit.tools.registry import Call

if TYPE_CHECKING:
    from hetzner_dns_mcp.api.types import Write
    from hetzner_dns_mcp.app import Hetzner


class ChangesMade(TypedDict):
    """What came of each change."""

    complete: bool
    results: list[dict[str, object]]
    words: NotRequired[str]
    changed: NotRequired[bool]
    warnings: NotRequired[list[str]]


@TOOLS.write(
    "Apply record changes", destructive=True, idempotent=False, asks="always", foreign=True
)
async def apply_record_changes(
    call: Call[Hetzner],
    zone: Annotated[Zone, "Name or id"],
    changes: Annotated[RecordChanges, "Made in this order; it stops at the first failure"],
) -> ChangesMade:
    """Make up to 25 changes of record sets of a primary zone, in one question.

    Nothing is rolled back: the result tells what became of each.
    """
    hetzner = call.app
    await hetzner.allowlist.require_allowed(zone)
    checked = await check_changes(hetzner, zone, changes)
    plan = ChangePlan(None, (), {})

    async def ask() -> Ask:
        nonlocal plan
        plan = await plan_changes(hetzner, zone, changes, checked)
        return change_dialog.apply_record_changes(zone, plan)

    await call.confirm(ask)
    steps = [step for step in plan.steps if not step.plan.nothing]
    made, failure = await hetzner.client.in_order(zone, [step.request for step in steps])
    if failure is not None and not made:
        raise failure
    result = _result(plan, made, failure)
    return cast("ChangesMade", views.with_rate_limit(result, hetzner.client.api))


def _result(plan: ChangePlan, made: list[Write], failure: ToolFailure | None) -> Document:
    results: list[object] = []
    writes = list(made)
    told: set[SetKey] = set()
    stopped = False
    for number, step in enumerate(plan.steps, 1):
        entry: Document = {"change": number}
        results.append(entry)
        if stopped:
            entry["status"] = "not_attempted"
        elif step.plan.nothing:
            entry["status"] = "unchanged"
        elif writes:
            write = writes.pop(0)
            entry["status"] = "running" if write.running else "done"
            entry["action"] = views.presentable(write.action)
            stopped = write.running
        elif failure is not None:
            entry.update(status="failed", error=_why(failure))
            stopped = True
        key = SetKey(step.ref.name, step.ref.type)
        if step.change["action"] in {"set", "delete"} and plan.before[key] and key not in told:
            entry["previous"] = views.rrset(plan.before[key])
            told.add(key)
    done = sum(entry["status"] in {"done", "unchanged"} for entry in map(_entry, results))
    result: Document = {"complete": done == len(results), "results": results}
    if not made:
        result["changed"] = False
    result["words"] = _words(done, len(results), failure, running=bool(made) and made[-1].running)
    warnings = [warning for step in plan.steps for warning in step.plan.warnings]
    if warnings:
        result["warnings"] = list(dict.fromkeys(warnings))
    return result


def _entry(value: object) -> Document:
    return cast("Document", value)


def _words(done: int, total: int, failure: ToolFailure | None, *, running: bool) -> str:
    said = f"{done} of {total} changes were made"
    if failure is not None:
        return f"{said}; change {done + 1} failed: {_why(failure)}; nothing was rolled back"
    if running:
        return f"{said}; change {done + 1} is still running, and those after it were not sent"
    return said


def _why(failure: ToolFailure) -> str:
    if isinstance(failure, UpstreamFailure) and failure.outcome == "unknown":
        return f"{failure.text} Whether it happened is unknown: look before you repeat it."
    return failure.text
