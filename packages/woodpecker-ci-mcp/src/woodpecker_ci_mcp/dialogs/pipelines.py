"""Questions about pipelines, their logs and cron jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcp_approval.keys import Target
from mcp_approval.question import Question
from mcp_approval.verdict import Ask
from woodpecker_ci_mcp.dialogs.wording import counted, word


@dataclass(frozen=True, slots=True)
class Origin:
    """What the server says about where a pipeline comes from; nothing is "unknown".

    Attributes:
        event: The event that made it.
        from_fork: Whether it comes from a fork.
        status: Its status.
        secrets: How many secrets of the repository are open to that event.
    """

    event: str | None = None
    from_fork: bool | None = None
    status: str | None = None
    secrets: str | None = None


def approve_pipeline(repo_id: int, number: int, origin: Origin) -> Ask:
    """Ask whether a blocked pipeline may run."""
    return Ask(
        Question(
            what=f"approve pipeline {number} of repository {repo_id}",
            consequence="It runs with this repository's secrets, and its code comes from whoever "
            f"opened it. {_facts(origin)} "
            f"{counted(origin.secrets, 'secret', 'secrets').capitalize()} of the repository "
            f"{'is' if origin.secrets == '1' else 'are'} open to that event.",
        ),
        Target.ordered(
            "approve_pipeline", ("repo", repo_id), ("pipeline", number), facts=_bound(origin)
        ),
    )


def restart_pipeline(
    repo_id: int, number: int, origin: Origin, query: Mapping[str, str | int | bool | None]
) -> Ask:
    """Ask whether a pipeline may run again that nobody approved."""
    return Ask(
        Question(
            what=f"run pipeline {number} of repository {repo_id} again",
            consequence="A restart is not held back for approval: it runs with this repository's "
            f"secrets at once, and its code comes from whoever opened it. {_facts(origin)}",
        ),
        Target.ordered(
            "restart_pipeline",
            ("repo", repo_id),
            ("pipeline", number),
            body=dict(query),
            facts=_bound(origin),
        ),
    )


def delete_pipeline(repo_id: int, number: int) -> Ask:
    """Ask whether a pipeline may be removed."""
    return Ask(
        Question(
            what=f"delete pipeline {number} of repository {repo_id}",
            consequence="Its logs and the results of its steps go with it and cannot be restored.",
        ),
        Target.ordered("delete_pipeline", ("repo", repo_id), ("pipeline", number)),
    )


def delete_step_logs(repo_id: int, number: int, step_id: int) -> Ask:
    """Ask whether the log of one step may be removed."""
    return Ask(
        Question(
            what=f"delete the log of step {step_id} in pipeline {number} of repository {repo_id}",
            consequence=_LOGS,
        ),
        Target.ordered(
            "delete_step_logs", ("repo", repo_id), ("pipeline", number), ("step", step_id)
        ),
    )


def delete_pipeline_logs(repo_id: int, number: int) -> Ask:
    """Ask whether the logs of all steps may be removed."""
    return Ask(
        Question(
            what=f"delete the logs of all steps in pipeline {number} of repository {repo_id}",
            consequence=_LOGS,
        ),
        Target.ordered("delete_pipeline_logs", ("repo", repo_id), ("pipeline", number)),
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


def _facts(origin: Origin) -> str:
    fork = {True: "yes", False: "no", None: "unknown"}[origin.from_fork]
    return (
        f"Event: {word(origin.event)}; from a fork: {fork}; status at present: "
        f"{word(origin.status)}."
    )


def _bound(origin: Origin) -> dict[str, str | bool | None]:
    return {
        "event": origin.event,
        "from_fork": origin.from_fork,
        "status": origin.status,
        "secrets": origin.secrets,
    }
