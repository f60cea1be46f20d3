"""The way out: limits before a question, and the truth about what became of a message."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

from mcp_serverkit.errors import ToolFailure
from smtp_mcp.api.client import MailServer
from smtp_mcp.api.envelope import Delivery, Envelope, Progress
from smtp_mcp.api.reply import Rejection
from smtp_mcp.api.sent_folder import Copy, SentFolder
from smtp_mcp.api.smtp_errors import NotDelivered
from smtp_mcp.mailbox import Mailbox
from smtp_mcp.message.drafts import Draft, Drafter
from smtp_mcp.message.message import OutgoingMessage
from smtp_mcp.message.previews import Previews
from smtp_mcp.message.sent_messages import Sent, SentMessages
from smtp_mcp.policy.allowlist import RecipientAllowlist
from smtp_mcp.policy.audit import Attempt, Audit
from smtp_mcp.policy.limiter import HourlyLimit, Slot


class Outbox:
    """Puts the parts together that every sending tool needs.

    Attributes:
        allowlist: Who may be written to.
        limit: How often a person may be asked.
        audit: The audit lines.
        server: The mail server.
        previews: What the last previews showed.
        sent_folder: Where copies of sent mail go, if they are kept.
    """

    def __init__(
        self,
        *,
        allowlist: RecipientAllowlist,
        drafter: Drafter,
        sent_messages: SentMessages,
        limit: HourlyLimit,
        server: MailServer,
        audit: Audit,
        sender: Mailbox | None,
        previews: Previews,
        sent_copy: str,
        sent_folder: SentFolder | None,
    ) -> None:
        self.allowlist = allowlist
        self.limit = limit
        self.audit = audit
        self.server = server
        self.previews = previews
        self.sent_folder = sent_folder
        self._sent_copy = sent_copy
        self._drafter = drafter
        self._sent_messages = sent_messages
        self._sender = sender
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def draft(self, outgoing: OutgoingMessage) -> Draft:
        """Admit the recipients, then compose; no file is touched for a refused recipient.

        Raises:
            ToolFailure: Refused by a limit of the operator's.
        """
        self.allowlist.require_allowed(outgoing.envelope)
        return await self._drafter.draft(outgoing)

    async def compose(self, outgoing: OutgoingMessage) -> Draft:
        """Compose without asking who may be written to, for a preview that sends nothing."""
        return await self._drafter.draft(outgoing)

    async def unsent(self, outgoing: OutgoingMessage) -> Draft:
        """Compose a draft; where there is a list of recipients, it holds for drafts too.

        Raises:
            ToolFailure: Refused by a limit of the operator's.
        """
        if self.allowlist.entries:
            self.allowlist.require_allowed(outgoing.envelope)
        return await self._drafter.unsent(outgoing)

    def earlier(self, draft: Draft) -> Sent | None:
        """Return what became of this very message, if it was sent a short while ago."""
        return self._sent_messages.sent(draft.fingerprint)

    def turn(self, draft: Draft) -> asyncio.Lock:
        """Return what lets one delivery of the same message go at a time."""
        return self._turns.setdefault(draft.fingerprint, asyncio.Lock())

    def require_deliverable(self, draft: Draft) -> None:
        """Refuse, before anybody is asked, what the server is bound to refuse.

        Raises:
            ToolFailure: A login was refused a short while ago, or the last connection showed
                that the server does not take such a message.
        """
        self.server.require_open()
        wide = any(mailbox.needs_smtputf8 for mailbox in draft.outgoing.envelope)
        self.server.require_fitting(draft.size, smtputf8=wide)

    async def before_asking(self) -> Slot:
        """Reserve a slot of the hour; the approver keeps or returns it."""
        return self.limit.reserve()

    async def write(self, draft: Draft) -> bytes:
        """Write the bytes of a message, which are too many to be kept while somebody is asked.

        Raises:
            AttachmentRefused: A file is not what it was when the draft was made.
        """
        return await self._drafter.write(draft)

    async def post(self, attempt: Attempt, draft: Draft, raw: bytes) -> Delivery:
        """Hand the approved bytes in and remember what came of it, before anybody is told.

        Raises:
            ToolFailure: It was not taken, or nobody knows.
        """
        if self._sender is None:
            raise ToolFailure("SMTP_FROM is not set. Nothing was sent.", code="not_configured")
        envelope = Envelope(self._sender, draft.recipients, raw)
        attempt.progress = progress = Progress()
        try:
            delivery = await self.server.deliver(envelope, progress)
        except ToolFailure as failure:
            if failure.code == "outcome_unknown":
                self._sent_messages.remember_unknown(draft.fingerprint, draft.identity)
            elif isinstance(failure, NotDelivered) and failure.rejections:
                self._remember(draft, (), failure.rejections)
            raise
        except asyncio.CancelledError:
            if progress.left:
                self._sent_messages.remember_unknown(draft.fingerprint, draft.identity)
            raise
        attempt.delivery = delivery
        self._remember(draft, delivery.accepted, delivery.rejected)
        return delivery

    async def keep_copy(self, draft: Draft, raw: bytes) -> Copy | None:
        """Save a copy of a message that was sent; nothing where none is kept, or has been."""
        if self._sent_copy == "off" or draft.earlier is not None:
            return None
        if self.sent_folder is None:
            return Copy(reason="the provider keeps a copy itself")
        return await self.sent_folder.save(raw)

    def _remember(
        self, draft: Draft, accepted: tuple[str, ...], rejected: tuple[Rejection, ...]
    ) -> None:
        if draft.earlier is not None:
            sent = draft.earlier.completed(accepted, rejected)
        elif accepted:
            sent = Sent(draft.message_id, accepted, rejected)
        else:
            return
        self._sent_messages.remember_sent(draft.fingerprint, draft.identity, sent)
