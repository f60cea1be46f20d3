"""The question about several changes: all of them, in their order."""

from __future__ import annotations

from collections.abc import Mapping

from hetzner_dns_mcp.change_plan import ChangePlan, Step
from hetzner_dns_mcp.details import detail, objections, warning_lines
from hetzner_dns_mcp.dialogs import zone_words
from hetzner_dns_mcp.names import NAME
from hetzner_dns_mcp.record_dialogs import effect
from mcp_approval.keys import Target
from mcp_approval.question import Detail, Question, checked
from mcp_approval.typing import JSONValue
from mcp_approval.verdict import Ask
from mcp_approval.wording import counted

_SIGNS: Mapping[str, str] = {
    "new": "+",
    "stays": "=",
    "is there": "=",
    "goes": "-",
    "not there": "=",
    "": "+",
}


def apply_record_changes(zone: str, plan: ChangePlan) -> Ask:
    """Ask whether several changes may be made, in this order."""
    count = len(plan.steps)
    lines = [line for number, step in enumerate(plan.steps, 1) for line in _lines(number, step)]
    warnings = [
        Detail(f"change {number} warning", found.value)
        for number, step in enumerate(plan.steps, 1)
        for found in warning_lines(step.plan.warnings)
    ]
    return Ask(
        Question(
            what=f"make {counted(count, 'change')} in {zone_words(zone, plan.zone_name)}, in this "
            "order",
            consequence=_consequence(plan),
            details=tuple(lines),
            advice="Make two calls with a part of the changes each, in the same order",
            findings=tuple(warnings),
        ),
        Target.ordered(
            "apply_record_changes",
            ("zone", zone),
            body=[_bound(step) for step in plan.steps],
            facts={
                "name of the zone": plan.zone_name,
                "content of the sets": [*plan.fingerprints],
                "findings": [warning.value for warning in warnings],
            },
        ),
    )


def _bound(step: Step) -> JSONValue:
    bound: dict[str, JSONValue] = {
        "action": step.change["action"],
        "name": step.ref.name,
        "type": step.ref.type,
        "records": [dict(record) for record in step.prepared.records],
    }
    if "ttl" in step.change:
        bound["ttl"] = step.change["ttl"]
    return bound


def _consequence(plan: ChangePlan) -> str:
    if plan.nothing:
        return "Nothing would change: all of it is so already."
    idle = sum(step.plan.nothing for step in plan.steps)
    said = [
        "They are made one after the other; at the first failure the rest is left, and nothing "
        "is rolled back."
    ]
    if idle:
        said.append(f"{counted(idle, 'change')} of them would change nothing.")
    for step in plan.steps:
        if step.change["action"] in {"create", "set", "add"}:
            words = effect(step.ref, step.prepared.values).strip()
            if words and f"{step.ref.type}: {words}" not in said:
                said.append(f"{step.ref.type}: {words}")
    return " ".join(said)


def _lines(number: int, step: Step) -> list[Detail]:
    action, plan = step.change["action"], step.plan
    name = f"{checked(step.ref.name, NAME)}/{step.ref.type}"
    gone = f", {plan.gone} of {plan.holds} {'goes' if plan.gone == 1 else 'go'}"
    first = f"{number} {action} {name}{gone if plan.gone and action != 'remove' else ''}"
    lines: list[Detail] = []
    if action == "delete":
        lines.append(Detail(first, "-"))
    for index, record in enumerate(step.prepared.records):
        mark = plan.marks[index] if index < len(plan.marks) else ""
        sign = "-" if action == "remove" and mark != "not there" else _SIGNS[mark]
        label = first if index == 0 else f"{number} {action} {name}"
        if mark in {"is there", "not there"}:
            label += f" ({mark})"
        value = (
            step.prepared.given.get(index, record["value"])
            if action == "remove"
            else (record["value"])
        )
        lines += detail(label, f"{sign} {value}")
        if index in step.prepared.read_as:
            lines.append(Detail(f"{number} is read as", step.prepared.read_as[index]))
        if record.get("comment"):
            lines.append(Detail(f"{number} comment {index + 1}", record["comment"]))
    if "ttl" in step.change:
        lines.append(Detail(f"{number} TTL", str(step.change["ttl"])))
    return [*lines, *objections(step.prepared.warnings)]
