"""The way out: limits before a question, and the truth about what became of a message."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

from mcp_serverkit.errors import ToolFailure
from smtp_mcp.api.client import MailServer
from smtp_mcp.api.envelope import Delivery, Envelope, Progress
from smtp_mcp.mailbox import Mailbox
from smtp_mcp.message.drafts import Draft, Drafter
from smtp_mcp.message.message import OutgoingMessage
from smtp_mcp.message.sent_messages import Sent, SentMessages
from smtp_mcp.policy.allowlist import RecipientAllowlist
from smtp_mcp.policy.audit import Attempt, Audit
from smtp_mcp.policy.limiter import HourlyLimit, Slot


class Outbox:
    """Puts the parts together that every sending tool needs.

    Attributes:
        fence: Who may be written to.
        limit: How often a person may be asked.
        audit: The audit lines.
        server: The mail server.
    """

    def __init__(
        self,
        *,
        fence: RecipientAllowlist,
        drafter: Drafter,
        memory: SentMessages,
        limit: HourlyLimit,
        server: MailServer,
        audit: Audit,
        sender: Mailbox | None,
    ) -> None:
        self.fence = fence
        self.limit = limit
        self.audit = audit
        self.server = server
        self._drafter = drafter
        self._memory = memory
        self._sender = sender
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def draft(self, letter: OutgoingMessage) -> Draft:
        """Admit the recipients, then compose; no file is touched for a refused recipient.

        Raises:
            ToolFailure: Refused by a limit of the operator's.
        """
        self.fence.admit(letter.envelope)
        return await self._drafter.draft(letter)

    async def compose(self, letter: OutgoingMessage) -> Draft:
        """Compose without asking who may be written to, for a preview that sends nothing."""
        return await self._drafter.draft(letter)

    def earlier(self, draft: Draft) -> Sent | None:
        """Return what became of this very message, if it was sent a short while ago."""
        return self._memory.sent(draft.fingerprint)

    def turn(self, draft: Draft) -> asyncio.Lock:
        """Return what lets one delivery of the same message go at a time."""
        return self._turns.setdefault(draft.fingerprint, asyncio.Lock())

    async def before_asking(self) -> Slot:
        """Reserve a place of the hour; the approver keeps or returns it."""
        return self.limit.reserve()

    async def post(self, attempt: Attempt, draft: Draft) -> Delivery:
        """Hand the approved bytes in and remember what came of it, before anybody is told.

        Raises:
            ToolFailure: It was not taken, or nobody knows.
        """
        if self._sender is None:
            raise ToolFailure("SMTP_FROM is not set. Nothing was sent.", code="not_configured")
        parcel = Envelope(self._sender, draft.letter.envelope, draft.composed.raw)
        attempt.progress = progress = Progress()
        try:
            delivery = await self.server.deliver(parcel, progress)
        except ToolFailure as failure:
            if failure.code == "outcome_unknown":
                self._memory.remember_unknown(draft.fingerprint, draft.identity)
            raise
        except asyncio.CancelledError:
            if progress.left:
                self._memory.remember_unknown(draft.fingerprint, draft.identity)
            raise
        attempt.delivery = delivery
        self._memory.remember_sent(draft.fingerprint, draft.identity, delivery.accepted)
        return delivery
