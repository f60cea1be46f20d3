"""One line for each attempt to send: who, to whom, what became of it; never a text of it."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Literal, Self

from mcp_approval.exceptions import Asked, CallEnded, NotApproved, TokenNeeded, TokenRefused
from mcp_approval.output import write_stderr
from mcp_approval.question import TooMuchToShowError, UnsafeIdentifierError
from mcp_serverkit.errors import ToolFailure
from smtp_mcp.api.envelope import Delivery, Progress
from smtp_mcp.mailbox import Mailbox
from smtp_mcp.message.drafts import Draft
from smtp_mcp.message.message import OutgoingMessage

Outcome = Literal[
    "sent",
    "partial",
    "failed",
    "unknown",
    "refused",
    "declined",
    "token_rejected",
    "expired",
    "already_sent",
    "draft",
]

# A log line stays one line; the number of the rest is told.
LISTED = 20
_REFUSALS = (ToolFailure, CallEnded, TooMuchToShowError, UnsafeIdentifierError)

_log = logging.getLogger(__name__)


class Audit:
    """Writes audit lines to stderr and to the operator's file.

    Args:
        sender: The fixed sender.
        path: The file, if any.
        now: The present moment.
        write: Writes a line to stderr.
    """

    def __init__(
        self,
        sender: str | None,
        path: str | None,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        write: Callable[[str], None] = write_stderr,
    ) -> None:
        self._sender = sender
        self._path = path
        self._now = now
        self._write = write

    def attempt(self, tool: str, outgoing: OutgoingMessage) -> Attempt:
        """Accompany one attempt; its line is written when it ends."""
        return Attempt(self, tool, outgoing)

    def record(self, attempt: Attempt, outcome: Outcome, error: str = "") -> None:
        """Write a line. Every value is JSON, so no text can pose as another field."""
        outgoing, draft, delivery = attempt.outgoing, attempt.draft, attempt.delivery
        fields = {
            "time": self._now().isoformat(timespec="seconds"),
            "tool": attempt.tool,
            "from": self._sender,
            "to": _listed(attempt.tried(outgoing.to)),
            "cc": _listed(attempt.tried(outgoing.cc)),
            "bcc": _listed(attempt.tried(outgoing.bcc)),
            "subject": outgoing.subject,
            "message_id": draft.message_id if draft and not draft.unsent else None,
            "bytes": draft.size if draft else None,
            "attachments": list(outgoing.attachments),
            "accepted": len(delivery.accepted) if delivery else 0,
            "rejected": [r.address for r in delivery.rejected] if delivery else [],
            "outcome": outcome,
            "error": error or None,
        }
        line = " ".join(f"{name}={json.dumps(value)}" for name, value in fields.items())
        self._write(f"smtp-mcp: audit {line}")
        self._append(line)

    def _append(self, line: str) -> None:
        if self._path is None:
            return
        try:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
            descriptor = os.open(self._path, flags, 0o600)
            try:
                os.write(descriptor, line.encode("ascii") + b"\n")
            finally:
                os.close(descriptor)
        except OSError as error:
            _log.warning("SMTP_AUDIT_LOG cannot be written: %s", error.strerror)


class Attempt:
    """One attempt to send, from its arguments to its end.

    Attributes:
        tool: The tool that was called.
        outgoing: What it was given.
        draft: The message, once composed.
        progress: How far the handing-in came; nothing before it began.
        delivery: What the server took.
        saved: Whether it was saved as a draft.
    """

    def __init__(self, audit: Audit, tool: str, outgoing: OutgoingMessage) -> None:
        self._audit = audit
        self.tool = tool
        self.outgoing = outgoing
        self.draft: Draft | None = None
        self.progress: Progress | None = None
        self.delivery: Delivery | None = None
        self.saved = False

    def tried(self, mailboxes: Sequence[Mailbox]) -> Sequence[Mailbox]:
        """Pick those of a list whom this attempt is for: all, or whom an earlier one missed."""
        if self.draft is None or self.draft.earlier is None or not self.draft.earlier.rest:
            return mailboxes
        rest = {mailbox.folded for mailbox in self.draft.recipients}
        return [mailbox for mailbox in mailboxes if mailbox.folded in rest]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, Asked | TokenNeeded):
            return
        outcome = self._ended_by(error) if error is not None else self._done()
        self._audit.record(self, outcome, _short(error))

    def _done(self) -> Outcome:
        if self.saved:
            return "draft"
        if self.delivery is None:
            return "already_sent"
        return "partial" if self.delivery.rejected else "sent"

    def _ended_by(self, error: BaseException) -> Outcome:
        if isinstance(error, NotApproved):
            return "expired" if error.answer.action == "timeout" else "declined"
        if isinstance(error, TokenRefused):
            return "token_rejected"
        if self.delivery is not None:
            # The mail was taken; what broke off afterwards was its copy.
            return self._done()
        if self.progress is None:
            refused = isinstance(error, _REFUSALS) and _short(error) != "draft_not_written"
            return "refused" if refused else "failed"
        unknown = self.progress.left and _leaves_open(error)
        return "unknown" if unknown else "failed"


def _leaves_open(error: BaseException) -> bool:
    return not isinstance(error, ToolFailure) or error.code == "outcome_unknown"


def _short(error: BaseException | None) -> str:
    if isinstance(error, ToolFailure):
        return error.code or "bad_argument"
    if isinstance(error, NotApproved):
        return error.answer.action
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    return "" if error is None else type(error).__name__


def _listed(mailboxes: Sequence[Mailbox]) -> list[str]:
    rest = len(mailboxes) - LISTED
    shown = [str(mailbox) for mailbox in mailboxes[:LISTED]]
    return [*shown, f"and {rest} more"] if rest > 0 else shown
