"""A message as a caller describes it, and the rules of reply and forward."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from mcp_approval.keys import canonical
from mcp_approval.typing import JSONValue
from smtp_mcp.argument_types import SUBJECT_CHARS
from smtp_mcp.mailbox import Mailbox, Sender

if TYPE_CHECKING:
    from smtp_mcp.message.attachments import File
    from smtp_mcp.message.events import Event

# Threads hold with the newest ids; servers refuse headers without an end.
REFERENCES = 50

_REPLY = re.compile(r"\s*(?:re|aw|sv|vs|antw|odp|ref|rif|ynt)\s*(?:\[[0-9]{1,3}\])?\s*:", re.I)
_FORWARD = re.compile(
    r"\s*(?:fw|fwd|wg|tr|rv|vb|vl|enc|doorst|pd|i)\s*(?:\[[0-9]{1,3}\])?\s*:", re.I
)

Layout = Literal["new", "reply", "forward"]

BY_ITSELF = "auto-generated, and auto-replied in replies"
"""What Auto-Submitted says where nobody is asked about a message."""


def reply_subject(original: str) -> str:
    """Derive the subject of a reply; prefixes are never stacked."""
    return original if _REPLY.match(original) else f"Re: {original}"[:SUBJECT_CHARS]


def forward_subject(original: str) -> str:
    """Derive the subject of a forward; prefixes are never stacked."""
    return original if _FORWARD.match(original) else f"Fwd: {original}"[:SUBJECT_CHARS]


def bracketed(message_id: str) -> str:
    """Put a message id into its one pair of brackets."""
    return f"<{message_id.removeprefix('<').removesuffix('>')}>"


def reference_chain(references: Sequence[str], in_reply_to: str | None) -> tuple[str, ...]:
    """Build the References of a message: what was given, and the parent last."""
    ids = [bracketed(item) for item in references]
    if in_reply_to is not None:
        parent = bracketed(in_reply_to)
        ids = [item for item in ids if item != parent] + [parent]
    return tuple(dict.fromkeys(ids))[-REFERENCES:]


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """What a caller wants to be sent; addresses checked, files not read yet.

    Attributes:
        to: Addresses, in the caller's order; so are `cc` and `bcc`.
        subject: Final subject.
        body: Text; also the Markdown source.
        html: Markup as given.
        markdown: Whether the HTML part is rendered from the body.
        quote: The text replied to or forwarded.
        original_from: Who wrote that text, for the line above it; so is `original_date`.
        original_subject: Subject of a forwarded message, for the block above its text.
        in_reply_to: Message id of the parent.
        references: Message ids before it, oldest first.
        attachments: File names.
        inline_images: File names by content id.
        event: What it invites to, or calls off.
    """

    to: tuple[Mailbox, ...]
    subject: str
    body: str
    cc: tuple[Mailbox, ...] = ()
    bcc: tuple[Mailbox, ...] = ()
    html: str | None = None
    markdown: bool = False
    quote: str | None = None
    original_from: str | None = None
    original_date: str | None = None
    original_subject: str | None = None
    in_reply_to: str | None = None
    references: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    inline_images: Mapping[str, str] = field(default_factory=dict)
    event: Event | None = None

    @property
    def layout(self) -> Layout:
        """How the quoted text stands: under a reply, in a forward, or not at all."""
        if self.in_reply_to is not None:
            return "reply"
        original = self.original_from or self.original_date or self.original_subject
        quoted = self.quote or original
        return "forward" if quoted else "new"

    @property
    def chain(self) -> tuple[str, ...]:
        """The References header."""
        return reference_chain(self.references, self.in_reply_to)

    @property
    def envelope(self) -> tuple[Mailbox, ...]:
        """Every recipient once, first spelling kept."""
        unique: dict[str, Mailbox] = {}
        for mailbox in (*self.to, *self.cc, *self.bcc):
            unique.setdefault(mailbox.folded, mailbox)
        return tuple(unique.values())


@dataclass(frozen=True, slots=True)
class SenderIdentity:
    """What the operator puts on every message.

    Attributes:
        sender: The fixed sender; nothing only in a preview without one.
        reply_to: Where answers go.
        signature: Text below the message.
        mailer: Value of X-Mailer.
        auto_submitted: What Auto-Submitted says (RFC 3834), `no` for no such field, or
            `BY_ITSELF`.
    """

    sender: Sender | None
    reply_to: Sender | None
    signature: str | None
    mailer: str
    auto_submitted: str = "no"

    @property
    def of_draft(self) -> SenderIdentity:
        """The same for a draft: a person sends it, so it is not said to come by itself."""
        return replace(self, auto_submitted="no") if self.auto_submitted == BY_ITSELF else self

    def submitted(self, layout: Layout) -> str:
        """Value of Auto-Submitted for one message; empty for no such field."""
        if self.auto_submitted == BY_ITSELF:
            return "auto-replied" if layout == "reply" else "auto-generated"
        return "" if self.auto_submitted == "no" else self.auto_submitted


def content_of(
    outgoing: OutgoingMessage,
    files: Sequence[File],
    images: Mapping[str, File],
    sender_identity: SenderIdentity,
) -> dict[str, JSONValue]:
    """Describe everything that decides what leaves, in comparable form.

    The order of recipients is no difference; which list one stands in is.
    """
    lists: dict[str, JSONValue] = {
        name: sorted(map(str, mailboxes))
        for name, mailboxes in (("to", outgoing.to), ("cc", outgoing.cc), ("bcc", outgoing.bcc))
    }
    return {
        **lists,
        "subject": outgoing.subject,
        "body": outgoing.body,
        "html": outgoing.html,
        "markdown": outgoing.markdown,
        "layout": outgoing.layout,
        "quote": outgoing.quote,
        "original": [
            outgoing.original_from,
            outgoing.original_date,
            outgoing.original_subject if outgoing.layout == "forward" else None,
        ],
        "in_reply_to": outgoing.in_reply_to and bracketed(outgoing.in_reply_to),
        "references": list(outgoing.chain),
        "attachments": [[file.name, file.content_type, file.sha256] for file in files],
        "images": {cid: [file.name, file.sha256] for cid, file in images.items()},
        "from": _sender(sender_identity.sender),
        "reply_to": _sender(sender_identity.reply_to),
        "signature": sender_identity.signature,
        "event": None if outgoing.event is None else outgoing.event.content,
    }


def fingerprint(content: dict[str, JSONValue]) -> str:
    """Digest a content; it never leaves this process."""
    return hashlib.sha256(canonical(content).encode("utf-8")).hexdigest()


def _sender(sender: Sender | None) -> JSONValue:
    return None if sender is None else [sender.name, str(sender.mailbox)]
