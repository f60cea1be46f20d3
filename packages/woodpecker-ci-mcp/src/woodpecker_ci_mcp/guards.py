"""Which changes give more reach than there is now. Only these are asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_serverkit.http.json_fields import Document, text_or_empty, texts_of

LOOSER_APPROVAL = "loosen:require_approval"
PUBLIC = "loosen:visibility"

_APPROVAL = ("none", "forks", "pull_requests", "all_events")
"""From the loosest to the strictest."""

SILENT_LEVELS = frozenset({"fatal", "panic", "disabled"})
"""Log levels at which a server no longer reports failures."""


@dataclass(frozen=True, slots=True)
class Widening:
    """What of a change widens the reach.

    Attributes:
        reasons: Each a role and a name, as they are bound.
        approval: The present `require_approval`, where it was read.
        visibility: The present visibility, where it was read.
    """

    reasons: tuple[str, ...]
    approval: str | None = None
    visibility: str | None = None


def of_repository(body: Document, present: Document | None) -> Widening:
    """Compare new settings of a repository with its present ones.

    Args:
        body: The settings to be sent; trust as an object of flags.
        present: The repository, if approval or visibility are among them.
    """
    trusted = body.get("trusted")
    flags = trusted if isinstance(trusted, dict) else {}
    reasons = [f"trusted:{flag}" for flag, granted in flags.items() if granted]
    if present is None:
        return Widening(tuple(reasons))
    approval = text_or_empty(present, "require_approval")
    visibility = text_or_empty(present, "visibility")
    wanted = body.get("require_approval")
    if isinstance(wanted, str) and _rank(wanted) < _rank(approval):
        reasons.append(LOOSER_APPROVAL)
    if body.get("visibility") == "public" and visibility != "public":
        reasons.append(PUBLIC)
    return Widening(tuple(reasons), approval or None, visibility or None)


def grants_trust(widening: Widening) -> bool:
    """Tell whether a change grants trust, which takes an instance admin."""
    return any(reason.startswith("trusted:") for reason in widening.reasons)


def of_secret(body: Document, present: Document | None) -> tuple[str, ...]:
    """Compare new settings of a secret with its present ones.

    Args:
        body: The settings to be sent.
        present: The secret, if events or images are among them.
    """
    reasons = ["widen:value"] if "value" in body else []
    if present is None:
        return tuple(reasons)
    if opened(body) - opened(present):
        reasons.append("widen:events")
    if body.get("images") == [] and texts_of(present, "images"):
        reasons.append("widen:images")
    return tuple(reasons)


def opened(secret: Document) -> set[str]:
    """Return the pull request events that a secret is open to."""
    return {event for event in texts_of(secret, "events") if event.startswith("pull_request")}


def opens_to_pull_requests(events: Sequence[str]) -> bool:
    """Tell whether a secret with these events reaches pull requests."""
    return any(event.startswith("pull_request") for event in events)


def _rank(approval: str) -> int:
    return _APPROVAL.index(approval) if approval in _APPROVAL else len(_APPROVAL)
