"""Who may be written to: the operator's list, compared in one form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mcp_serverkit.errors import ToolFailure
from smtp_mcp.mailbox import Mailbox

VARIABLE = "SMTP_ALLOWED_RECIPIENTS"

Reason = Literal["not_on_allowlist", "single_label_host", "non_ascii_local_part"]

_SENTENCES: dict[Reason, str] = {
    "not_on_allowlist": f"Not allowed by {VARIABLE}: {{}}. Only the operator can widen the list.",
    "single_label_host": f"{VARIABLE}=* does not cover a host without a dot: {{}}. The "
    "operator can list it by name.",
    "non_ascii_local_part": "SMTP_ALLOW_SMTPUTF8 is not true, so nobody with letters beyond ASCII "
    "before the @ may be written to: {}.",
}


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

    def reasons(self, mailbox: Mailbox) -> tuple[Reason, ...]:
        """Say why an address may not be written to: nothing when it may."""
        found: list[Reason] = []
        listed = mailbox.folded in self.entries or f"@{mailbox.domain.lower()}" in self.entries
        # A host without a dot is somewhere in your own network: only a listed one is meant.
        if not listed and not (self.open_to_all and "." in mailbox.domain):
            found.append("single_label_host" if self.open_to_all else "not_on_allowlist")
        if mailbox.needs_smtputf8 and not self.allow_smtputf8:
            found.append("non_ascii_local_part")
        return tuple(found)

    def require_allowed(self, recipients: Sequence[Mailbox]) -> None:
        """Check the recipients of a message.

        Raises:
            ToolFailure: Names those who may not be written to and why, or the limit.
        """
        refused: dict[Reason, list[str]] = {}
        for mailbox in recipients:
            for reason in self.reasons(mailbox):
                refused.setdefault(reason, []).append(str(mailbox))
        if refused:
            said = [_SENTENCES[reason].format(", ".join(who)) for reason, who in refused.items()]
            only_letters = set(refused) == {"non_ascii_local_part"}
            raise ToolFailure(
                f"{' '.join(said)} Nothing was sent.",
                code="needs_smtputf8" if only_letters else "recipient_not_allowed",
            )
        if len(recipients) > self.max_recipients:
            raise ToolFailure(
                f"{len(recipients)} recipients; SMTP_MAX_RECIPIENTS is {self.max_recipients}. "
                "Nothing was sent.",
                code="too_many_recipients",
            )
