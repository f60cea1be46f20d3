"""Who may be written to: the operator's list, compared in one form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mcp_serverkit.errors import ToolFailure
from smtp_mcp.mailbox import Mailbox

VARIABLE = "SMTP_ALLOWED_RECIPIENTS"

Reason = Literal["not_on_allowlist", "non_ascii_local_part", "malformed"]

_NAMED = 20


@dataclass(frozen=True, slots=True)
class RecipientAllowlist:
    """The limits on recipients.

    Attributes:
        entries: Addresses, `@domain` entries, or `*`; folded.
        max_recipients: Distinct recipients of one message.
        allow_smtputf8: Whether letters beyond ASCII may stand before the @.
    """

    entries: tuple[str, ...]
    max_recipients: int
    allow_smtputf8: bool = False

    @property
    def open_to_all(self) -> bool:
        """Whether everybody may be written to."""
        return self.entries == ("*",)

    @property
    def shown(self) -> str:
        """The list in words."""
        if self.open_to_all:
            return "any recipient"
        return ", ".join(self.entries) or "not configured: nobody can be written to"

    def reason(self, mailbox: Mailbox) -> Reason | None:
        """Say why an address may not be written to, or nothing when it may."""
        if mailbox.needs_smtputf8 and not self.allow_smtputf8:
            return "non_ascii_local_part"
        listed = mailbox.folded in self.entries or f"@{mailbox.domain.lower()}" in self.entries
        # A host without a dot is somewhere in the own network: only a listed one is meant.
        return (
            None if listed or (self.open_to_all and "." in mailbox.domain) else "not_on_allowlist"
        )

    def require_allowed(self, recipients: Sequence[Mailbox]) -> None:
        """Check the recipients of a message.

        Raises:
            ToolFailure: Names those who may not be written to, or the limit.
        """
        refused = [str(mailbox) for mailbox in recipients if self.reason(mailbox) is not None]
        if refused:
            more = f" and {len(refused) - _NAMED} more" if len(refused) > _NAMED else ""
            raise ToolFailure(
                f"Not allowed by {VARIABLE}: {', '.join(refused[:_NAMED])}{more}. Nothing was "
                "sent. Only the operator can widen the list.",
                code="recipient_not_allowed",
            )
        if len(recipients) > self.max_recipients:
            raise ToolFailure(
                f"{len(recipients)} recipients; SMTP_MAX_RECIPIENTS is {self.max_recipients}. "
                "Nothing was sent.",
                code="too_many_recipients",
            )
