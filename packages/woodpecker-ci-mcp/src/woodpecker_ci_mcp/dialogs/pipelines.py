"""Questions about pipelines, their logs and cron jobs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mcp_approval.keys import Target
from mcp_approval.question import Question, joined, one_of
from mcp_approval.typing import JSONValue
from mcp_approval.verdict import Ask
from woodpecker_ci_mcp.dialogs.wording import EVENTS, STATUSES
from woodpecker_ci_mcp.secret_reach import SecretReach

_DIGITS = r"[0-9a-f]{7,64}"
"""A commit; anything else is not shown."""

# Enough to be unique in any repository, as git shortens too.
_SHOWN_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Origin:
    """What the server says about where a pipeline comes from; nothing is "unknown".

    Attributes:
        id: Its id, which is never given again; numbers are.
        event: The event that made it.
        from_fork: Whether it comes from a fork.
        status: Its status.
        commit: Its commit.
        secrets: How many secrets reach it, where that was counted.
    """

    id: int | None = None
    event: str | None = None
    from_fork: bool = False
    status: str | None = None
    commit: str | None = None
    secrets: SecretReach | None = None


def approve_pipeline(repo_id: int, number: int, origin: Origin) -> Ask:
    """Ask whether a blocked pipeline may run."""
    return Ask(
        Question(
            what=f"approve pipeline {number} of repository {repo_id}",
            consequence="It runs with this repository's secrets, and its code comes from whoever "
            f"opened it. {_facts(origin)} {_secrets(origin.secrets)}",
        ),
        Target.ordered(
            "approve_pipeline", ("repo", repo_id), ("pipeline", number), facts=_bound(origin)
        ),
    )


def restart_pipeline(
    repo_id: int, number: int, origin: Origin, query: Mapping[str, str | int | bool | None]
) -> Ask:
    """Ask whether a fork's pipeline may run again that nobody reviewed; only in strict mode."""
    return Ask(
        Question(
            what=f"run pipeline {number} of repository {repo_id} again",
            consequence="A restart is not held back for approval: it runs with this repository's "
            f"secrets at once, and its code comes from whoever opened it. {_facts(origin)} "
            "Nobody reviewed it.",
        ),
        Target.ordered(
            "restart_pipeline",
            ("repo", repo_id),
            ("pipeline", number),
            body=dict(query),
            facts=_bound(origin),
        ),
    )


def delete_pipeline(repo_id: int, number: int, pipeline_id: int | None) -> Ask:
    """Ask whether a pipeline may be removed."""
    return Ask(
        Question(
            what=f"delete pipeline {number} of repository {repo_id}",
            consequence="Its logs and the results of its steps go with it and cannot be restored. "
            f"{_identity(pipeline_id)}",
        ),
        Target.ordered(
            "delete_pipeline",
            ("repo", repo_id),
            ("pipeline", number),
            facts={"pipeline id": pipeline_id},
        ),
    )


def delete_step_logs(repo_id: int, number: int, step_id: int, pipeline_id: int | None) -> Ask:
    """Ask whether the log of one step may be removed."""
    return Ask(
        Question(
            what=f"delete the log of step {step_id} in pipeline {number} of repository {repo_id}",
            consequence=f"{_LOGS} {_identity(pipeline_id)}",
        ),
        Target.ordered(
            "delete_step_logs",
            ("repo", repo_id),
            ("pipeline", number),
            ("step", step_id),
            facts={"pipeline id": pipeline_id},
        ),
    )


def delete_pipeline_logs(repo_id: int, number: int, pipeline_id: int | None) -> Ask:
    """Ask whether the logs of all steps may be removed."""
    return Ask(
        Question(
            what=f"delete the logs of all steps in pipeline {number} of repository {repo_id}",
            consequence=f"{_LOGS} {_identity(pipeline_id)}",
        ),
        Target.ordered(
            "delete_pipeline_logs",
            ("repo", repo_id),
            ("pipeline", number),
            facts={"pipeline id": pipeline_id},
        ),
    )


def delete_cron(repo_id: int, cron_id: int) -> Ask:
    """Ask whether a cron job may be removed."""
    return Ask(
        Question(
            what=f"delete cron job {cron_id} of repository {repo_id}",
            consequence="Its runs simply stop; nothing tells anybody that they did.",
        ),
        Target.ordered("delete_cron", ("repo", repo_id), ("cron", cron_id)),
    )


_LOGS = "It cannot be restored. Whoever has read it, or copied a secret out of it, keeps that."


def _identity(pipeline_id: int | None) -> str:
    """Name a pipeline for good: the number of a deleted one is given again."""
    return f"Pipeline id {pipeline_id if pipeline_id is not None else 'unknown'}."


def _facts(origin: Origin) -> str:
    commit = origin.commit or ""
    shown = f", commit {commit[:_SHOWN_DIGITS]}" if re.fullmatch(_DIGITS, commit) else ""
    return (
        f"{_identity(origin.id).rstrip('.')}{shown}. "
        f"Event: {one_of(origin.event, EVENTS)}; from a fork: "
        f"{'yes' if origin.from_fork else 'no'}; status at present: "
        f"{one_of(origin.status, STATUSES)}."
    )


def _secrets(reach: SecretReach | None) -> str:
    """Say how many secrets reach a pipeline, level by level, and what is not counted."""
    if reach is None:
        return "How many secrets reach it is unknown."
    levels = (
        ("the repository", reach.repository),
        ("its organisation", reach.organization),
        ("the instance", reach.instance),
    )
    known = [(words, count) for words, count in levels if count is not None]
    unknown = [words for words, count in levels if count is None]
    total = sum(count for _, count in known)
    listed = joined([f"{count} of {words}" for words, count in known])
    least = "At least " if unknown or reach.cut else ""
    said = f"{least}{total} {'secret reaches' if total == 1 else 'secrets reach'} it: {listed}"
    if not known:
        said = "How many secrets reach it is unknown"
    if unknown:
        missing = " and ".join(f"of {words}" for words in unknown)
        said += f"; those {missing} cannot be counted by this account"
    extension = " What its secret extension gives out is not counted." if reach.extension else ""
    return f"{said}.{extension}"


def _bound(origin: Origin) -> dict[str, JSONValue]:
    facts: dict[str, JSONValue] = {
        "pipeline id": origin.id,
        "commit": origin.commit,
        "event": origin.event,
        "from a fork": origin.from_fork,
        "status": origin.status,
    }
    if (reach := origin.secrets) is not None:
        facts |= {
            "secrets of the repository": reach.repository,
            "secrets of its organisation": reach.organization,
            "secrets of the instance": reach.instance,
            "secret extension": reach.extension,
        }
    return facts
