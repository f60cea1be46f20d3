"""The question about a zone file: what a zone will be once the file has taken its place."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace

from hetzner_dns_mcp import details, import_details
from hetzner_dns_mcp.argument_types import ImportMode
from hetzner_dns_mcp.dialogs import Body, records_words, zone_words
from hetzner_dns_mcp.facts import ZoneFacts
from hetzner_dns_mcp.import_plan import ImportPlan
from hetzner_dns_mcp.settings import LIMITS
from hetzner_dns_mcp.zonefile.content import UnreadableZoneError
from hetzner_dns_mcp.zonefile.difference import Difference
from mcp_approval.keys import Target
from mcp_approval.question import Detail, Question, TooMuchToShowError, joined
from mcp_approval.rendering import render
from mcp_approval.verdict import Ask
from mcp_approval.wording import counted

IMPORT_ADVICE = (
    "Change single sets with set_records and add_records, or import a part of the file with "
    'mode="merge". Importing parts with mode="replace" would remove the rest'
)
MERGE_ADVICE = "Merge a part of the file at a time"


def import_zonefile(
    zone: str,
    facts: ZoneFacts,
    text: str,
    plan: ImportPlan,
    incomplete: str = "",
    mode: ImportMode = "replace",
) -> Ask:
    """Ask whether a zone file may replace all records, or add to them.

    Args:
        zone: The zone.
        facts: What is known of it.
        text: The file.
        plan: What it would do.
        incomplete: Says so when no complete copy of the old zone will be kept.
        mode: Whether the file takes the zone's place, or adds to it.
    """
    difference = plan.difference
    verb = "merge" if mode == "merge" else "import"
    question = Question(
        what=f"{verb} a zone file into {zone_words(zone, facts.name)}",
        consequence=f"{_import_words(difference, facts)}{incomplete}",
        findings=(*_file_findings(text, plan.unreadable), *_left_out(plan), *_warnings(plan)),
        advice=MERGE_ADVICE if mode == "merge" else IMPORT_ADVICE,
    )
    return Ask(
        _with_changes(question, text, plan),
        Target.ordered(
            "import_zonefile",
            ("zone", zone),
            ("mode", mode),
            body=text,
            facts={
                "name of the zone": facts.name,
                "number of records": facts.records,
                "difference from the zone": None if difference is None else difference.digest(),
                "findings": [warning.placed for warning in plan.warnings],
                "copy of the old zone": incomplete,
                "text to be sent": hashlib.sha256(plan.sent.encode()).hexdigest(),
            },
        ),
    )


def create_zone(body: Body, plan: ImportPlan | None) -> Ask:
    """Ask whether a zone may be created with content, where the operator wants that asked."""
    text = body.get("zonefile")
    servers = body.get("primary_nameservers")
    question = Question(
        what=f"create {zone_words(str(body['name']), None)} together with its content",
        consequence="Once the domain is delegated to Hetzner, this is what answers for it.",
        details=tuple(details.servers(servers)) if isinstance(servers, list) else (),
        advice="Create the zone without a file, then add its record sets one by one",
    )
    if isinstance(text, str) and plan is not None:
        findings = (*_file_findings(text, plan.unreadable), *_warnings(plan))
        question = _with_changes(replace(question, findings=findings), text, plan)
    return Ask(question, Target.ordered("create_zone", ("zone", body["name"]), body=dict(body)))


def _import_words(difference: Difference | None, facts: ZoneFacts) -> str:
    if difference is None or difference.sets is None:
        known = "What would change is unknown: the present zone could not be read."
        if difference is None:
            known = "What would change is unknown: the file could not be read here."
        return (
            f"The zone holds {records_words(facts.records)} now and all are replaced: what is not "
            f"in the file disappears. {known}"
        )
    if difference.nothing:
        return f"Nothing would change: {_all_sets(difference.sets)}."
    new, gone, same = (difference.count("new"), difference.count("removed"), difference.same)
    changed, lost = difference.count("changed"), difference.lost_comments
    held = f"{records_words(difference.records)} in {counted(difference.sets, 'set')}"
    words = (
        f"The zone holds {held} now. "
        f"Afterwards {counted(changed, 'set')} {_are(changed)} changed, {new} {_are(new)} new, "
        f"{gone} {_are(gone)} gone and {same} {'is as it is' if same == 1 else 'are as they are'}."
        f"{import_details.gone_words(difference)}"
    )
    if lost:
        words += f" {counted(lost, 'comment')} of records that stay {_are(lost)} lost."
    return words


def _all_sets(count: int) -> str:
    return "the 1 set is as it is" if count == 1 else f"all {count} sets are as they are"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _file_findings(text: str, reason: UnreadableZoneError | None) -> list[Detail]:
    data, lines = text.encode(), text.count("\n") + 1
    found = [
        Detail("size", f"{counted(len(data), 'byte')} in {counted(lines, 'line')}"),
        Detail("SHA-256 begins with", hashlib.sha256(data).hexdigest()[:12]),
    ]
    if reason is not None:
        where = f"reading ended at line {reason.line}" if reason.line else "it was not read"
        found.append(Detail("shown whole", f"the file could not be read here, {where}"))
    return found


def _left_out(plan: ImportPlan) -> list[Detail]:
    counts: Counter[str] = Counter()
    for out in plan.left_out:
        counts[out.key.type] += out.records
    said = joined([f"{count} {kind}" for kind, count in counts.items()])
    return [Detail("left out", said)] if plan.left_out else []


def _warnings(plan: ImportPlan) -> list[Detail]:
    return import_details.warning_lines(plan.warnings)


def _with_changes(question: Question, text: str, plan: ImportPlan) -> Question:
    """Add what changes: all of it, else the values that decide and the names of the rest.

    Raises:
        TooMuchToShowError: A file that cannot be read here does not fit.
    """
    if plan.difference is None:
        lines = import_details.file_lines(text, plan.unreadable)
        whole = replace(question, details=(*question.details, *lines))
        if too_much(whole):
            raise TooMuchToShowError(
                f"the file could not be read here ({plan.unreadable}), and it is too long to be "
                f"shown whole. {question.advice}"
            )
        return whole
    lines = import_details.change_lines(plan.difference)
    whole = replace(question, details=(*question.details, *lines))
    if not too_much(whole):
        return whole
    lines = import_details.change_lines(plan.difference, import_details.decides)
    return replace(question, details=(*question.details, *lines))


def too_much(question: Question) -> list[str]:
    """Say why a question does not fit a dialog, if it does not."""
    try:
        render(question, LIMITS)
    except TooMuchToShowError as refusal:
        return [str(refusal)]
    return []
