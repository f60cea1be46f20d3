"""Questions about repositories."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_approval.keys import Target
from mcp_approval.question import Detail, Question, one_of
from mcp_approval.typing import JSONValue
from mcp_approval.verdict import Ask
from mcp_serverkit.http.json_fields import Document
from woodpecker_ci_mcp.api.removal import ids_of
from woodpecker_ci_mcp.dialogs.wording import APPROVALS, VISIBILITIES, bound, fields, how_many
from woodpecker_ci_mcp.guards import LOOSER_APPROVAL, PUBLIC, Widening


def delete_repository(
    repo_id: int, keep_data: bool, crons: Sequence[Document] | None = None
) -> Ask:
    """Ask whether a repository may be removed, or only switched off.

    Args:
        repo_id: The repository.
        keep_data: Whether it is only switched off.
        crons: Its cron jobs; nothing when they cannot be read.
    """
    facts: dict[str, JSONValue] = {}
    if keep_data:
        what = f"switch off repository {repo_id} in Woodpecker"
        consequence = (
            "Its webhook is removed and it is left without an owner; pipelines, logs, secrets and "
            "settings stay."
        )
    else:
        what = f"delete repository {repo_id} from Woodpecker"
        consequence = (
            "Its pipelines, secrets, registries and permissions are removed and cannot be "
            f"restored, and {how_many(crons, 'cron job')} of it. A server that keeps logs in "
            "files keeps those files; delete_pipeline_logs before it removes them. The repository "
            "on the forge stays; its webhook is removed."
        )
        facts["cron jobs"] = None if crons is None else [*ids_of(crons)]
    target = Target.ordered(
        "delete_repository", ("repo", repo_id), ("keep_data", keep_data), facts=facts
    )
    return Ask(Question(what, consequence), target)


def move_repository(repo_id: int, to: str) -> Ask:
    """Ask whether a repository may be pointed at another one of the forge."""
    return Ask(
        Question(
            what=f"point repository {repo_id} at another repository of the forge",
            consequence="Unless it was moved on the forge already, its pipelines stop. Secrets of "
            "the old owner's organisation no longer apply, those of the new owner's do.",
            details=(Detail("To", to),),
        ),
        Target.ordered("move_repository", ("repo", repo_id), ("to", to)),
    )


def chown_repository(repo_id: int, user_id: int | None) -> Ask:
    """Ask whether the calling account may become the owner of a repository."""
    who = f"(user {user_id})" if user_id is not None else "(its id is unknown)"
    return Ask(
        Question(
            what=f"make the account of this server's token {who} owner of repository {repo_id}",
            consequence="Every later pipeline of that repository works with this account's forge "
            "login, so what the account reaches on the forge, the repository reaches. Who owned "
            "it before is not remembered.",
        ),
        Target.ordered("chown_repository", ("repo", repo_id), facts={"user": user_id}),
    )


def repair_all() -> Ask:
    """Ask whether the webhook of every repository may be installed anew."""
    return Ask(
        Question(
            what="install the webhook of every active repository of this instance anew",
            consequence="Each repository costs one or more calls to its forge, which takes long on "
            "a large instance. Webhooks are missing for moments meanwhile, and Woodpecker goes on "
            "even if this call is ended. A repository without an owner gets this account as its "
            "owner.",
        ),
        Target.ordered("repair_repository", ("scope", "instance")),
    )


def update_repository(repo_id: int, body: Document, widening: Widening) -> Ask:
    """Ask whether settings may change that give a repository more reach.

    Args:
        repo_id: The repository.
        body: Everything that will be sent.
        widening: What of it widens, compared with the present state.
    """
    reasons = [_reason(reason, body, widening) for reason in widening.reasons]
    return Ask(
        Question(
            what=f"change settings of repository {repo_id}, and widen its reach with them",
            consequence=" ".join(reasons) or "At present none of it widens anything.",
            details=fields(body),
        ),
        Target.ordered(
            "update_repository",
            ("repo", repo_id),
            *((reason.partition(":")[0], reason.partition(":")[2]) for reason in widening.reasons),
            body=bound(body),
            facts={"require_approval": widening.approval, "visibility": widening.visibility},
        ),
    )


def _reason(reason: str, body: Document, widening: Widening) -> str:
    if reason == LOOSER_APPROVAL:
        before = one_of(widening.approval, APPROVALS)
        after = one_of(str(body["require_approval"]), APPROVALS)
        return (
            f"Approval (require_approval) goes from {before} to {after}, so more pipelines start "
            "without anybody's approval."
        )
    if reason == PUBLIC:
        before = one_of(widening.visibility, VISIBILITIES)
        return (
            f"Visibility goes from {before} to public, so anybody can read its pipelines and logs."
        )
    return _TRUST[reason]


_TRUST = {
    "trusted:network": "Trust for networks lets its steps join networks of the agent's host.",
    "trusted:volumes": "Trust for volumes lets its steps mount paths of the agent's host.",
    "trusted:security": "Trust for security lets its steps run with raised privileges.",
}
