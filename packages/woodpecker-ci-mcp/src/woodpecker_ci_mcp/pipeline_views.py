"""What a caller sees of pipelines, their workflows and steps.

No shape is trusted: 2.x names its times differently, and anything may be absent or null.
"""

from __future__ import annotations

import re

from mcp_serverkit.http.json_fields import (
    Document,
    number_of,
    object_of,
    objects_of,
    picked,
    text_or_empty,
)
from woodpecker_ci_mcp.exit_codes import exit_view
from woodpecker_ci_mcp.redaction import redacted_object
from woodpecker_ci_mcp.views import times_of

# The first line of a message, and an id that is unique in any repository, as forges show them.
MESSAGE_CHARS = 200
COMMIT_CHARS = 12

WARNINGS = 10
"""Different warnings that are shown of a pipeline."""

WARNING_FIELDS = 5
"""Places that are named for one warning."""

_COUNTS = ("parent", "rerun_count")
"""Fields of which 0 says nothing."""

_PIPELINE = (
    "number",
    "status",
    "event",
    "branch",
    "ref",
    "author",
    "title",
    "from_fork",
    "deploy_to",
    "cron",
    "cancel_info",
    "reviewed_by",
)

_WORKFLOW = ("id", "pid", "name", "state", "error", "agent_id", "platform", "environ")
_STEP = ("id", "pid", "name", "type", "state", "error")


def pipeline_summary(document: Document) -> Document:
    """Show a pipeline in short: the first line of its message, twelve digits of its commit.

    Errors are told, of warnings only how many there are.
    """
    summary = {**picked(document, _PIPELINE), **times_of(document)}
    summary |= {name: number for name in _COUNTS if (number := number_of(document, name))}
    if head := head_branch(document):
        summary["head_branch"] = head
    if errors := error_list(document):
        summary["errors"] = errors
    if warnings := _warnings(document):
        summary["warnings"] = len(warnings)
    if commit := text_or_empty(document, "commit"):
        summary["commit"] = commit[:COMMIT_CHARS]
    if message := text_or_empty(document, "message"):
        summary["message"] = re.split(r"[\r\n]", message, maxsplit=1)[0][:MESSAGE_CHARS]
    return redacted_object(summary)


def head_branch(document: Document) -> str:
    """Take the branch that a pull request comes from; its branch is the one it targets."""
    if not text_or_empty(document, "event").startswith("pull_request"):
        return ""
    return text_or_empty(document, "refspec").partition(":")[0]


def pipeline_details(document: Document) -> Document:
    """Show a pipeline with what the next call may need; of its variables only the names."""
    view = {**pipeline_summary(document), **picked(document, ("forge_url",))}
    sender = text_or_empty(document, "sender")
    if sender and sender != text_or_empty(document, "author"):
        view["sender"] = sender
    if variables := object_of(document, "variables"):
        view["variables"] = list(variables)
    return redacted_object(view)


def pipeline_view(document: Document) -> Document:
    """Show a pipeline in full with its warnings, those of one text together."""
    grouped: dict[str, Document] = {}
    for warning in _warnings(document):
        message = text_or_empty(warning, "message")
        entry = grouped.setdefault(message, {"message": message, "count": 0, "fields": []})
        entry["count"] = (number_of(entry, "count") or 0) + 1
        fields = entry["fields"]
        assert isinstance(fields, list)  # noqa: S101 (made two lines above)
        field = text_or_empty(object_of(warning, "data"), "field")
        if field and field not in fields and len(fields) < WARNING_FIELDS:
            fields.append(field)
    view = pipeline_details(document)
    if grouped:
        view["warnings"] = list(grouped.values())[:WARNINGS]
    return redacted_object(view)


def error_list(document: Document) -> list[Document]:
    """List what Woodpecker found wrong with a pipeline's configuration, warnings apart."""
    found = []
    for error in objects_of(document, "errors"):
        if error.get("is_warning") is not True:
            field = picked(object_of(error, "data"), ("field",))
            found.append({**picked(error, ("type", "message")), **field})
    return found


def _warnings(document: Document) -> list[Document]:
    return [error for error in objects_of(document, "errors") if error.get("is_warning") is True]


def workflow_view(document: Document) -> Document:
    """Show a workflow with its steps."""
    view = {**picked(document, _WORKFLOW), **times_of(document)}
    view["steps"] = [step_view(step) for step in objects_of(document, "children")]
    return view


def step_view(document: Document) -> Document:
    """Show a step; its exit code is told where it is one."""
    return {**picked(document, _STEP), **times_of(document), **exit_view(document)}


def unsuccessful(workflows: list[Document]) -> tuple[list[Document], dict[str, int]]:
    """Pick what is not success out of workflows that are shown.

    Returns:
        The workflows, each with those of its steps, and how many of both are left out.
    """
    kept: list[Document] = []
    steps = 0
    for flow in workflows:
        present = objects_of(flow, "steps")
        wanted = [step for step in present if step.get("state") != "success"]
        steps += len(present) - len(wanted)
        if wanted or flow.get("state") != "success":
            kept.append({**flow, "steps": wanted})
    return kept, {"workflows": len(workflows) - len(kept), "steps": steps}
