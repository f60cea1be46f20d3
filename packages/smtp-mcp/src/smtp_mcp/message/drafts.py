"""From the arguments to the finished message: files read, HTML cleaned, bytes composed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from mcp_approval.typing import JSONValue
from mcp_serverkit.errors import BadArgument, ToolFailure
from mcp_serverkit.text.injection_signs import signs_in
from smtp_mcp.mailbox import Mailbox, Sender
from smtp_mcp.message.attachments import AttachmentDirectory, AttachmentRefused, File
from smtp_mcp.message.composed import Composed, require_correct
from smtp_mcp.message.composition import compose
from smtp_mcp.message.html_sanitizer import Cleaned, HTMLRefused, clean_html, markdown_html
from smtp_mcp.message.message import OutgoingMessage, SenderIdentity, content_of, fingerprint
from smtp_mcp.message.sent_messages import UNSET_DOMAIN, MessageIdentity, Sent, SentMessages

SIGNS = (
    "instruction-override",
    "role-injection",
    "fake-delimiter",
    "tool-coercion",
    "exfiltration",
    "credential-request",
    "url-command",
    "urgency-pressure",
    "delete-command",
    "hidden-note",
    "prompt-boundary",
    "policy-claim",
)
"""What a person is told about quote, body and HTML part."""

_WORD = re.compile(r"[^\W\d_]{3,}")

FEWEST_WORDS = 3
LEAST_LIKENESS = 0.5
"""Two parts of a mail differ when both have three words or more and share less than half."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What a person should know of the texts.

    Attributes:
        shapes: Names of injection shapes by the part that shows them.
        texts_differ: Whether text and HTML part say different things.
    """

    shapes: Mapping[str, tuple[str, ...]]
    texts_differ: bool

    @property
    def names(self) -> list[str]:
        """All shapes, each once."""
        return list(dict.fromkeys(name for names in self.shapes.values() for name in names))


@dataclass(frozen=True, slots=True)
class Draft:
    """A finished message and what belongs to it.

    Attributes:
        outgoing: What was asked for.
        content: Everything that decides what leaves; an approval is bound to it.
        fingerprint: Its digest.
        files: Attachments as found.
        html: The cleaned HTML part.
        composed: The bytes, but for those of files.
        identity: Their Message-ID and date.
        findings: What a person should know.
        sender: The fixed sender.
        unknown_since: When an identical attempt ended with unknown outcome.
        earlier: What became of it already, if it was sent a while ago.
    """

    outgoing: OutgoingMessage
    content: dict[str, JSONValue]
    fingerprint: str
    files: tuple[File, ...]
    images: Mapping[str, File]
    html: Cleaned | None
    composed: Composed
    identity: MessageIdentity
    findings: Findings
    sender: Sender | None
    unknown_since: datetime | None
    earlier: Sent | None = None

    @property
    def recipients(self) -> tuple[Mailbox, ...]:
        """Whom it is for now: everybody, or those whom an earlier attempt did not reach."""
        if self.earlier is None:
            return self.outgoing.envelope
        rest = set(self.earlier.rest)
        return tuple(mailbox for mailbox in self.outgoing.envelope if str(mailbox) in rest)

    @property
    def message_id(self) -> str:
        """Its Message-ID."""
        return self.identity.message_id

    @property
    def unsent(self) -> bool:
        """Whether it is for another program to send."""
        return self.identity.unsent

    @property
    def event_uid(self) -> str | None:
        """What its event is known by, if it has one."""
        event = self.outgoing.event
        return None if event is None else event.named(self.message_id)

    @property
    def size(self) -> int:
        """Its bytes."""
        return self.composed.size


class Drafter:
    """Composes messages under the operator's limits."""

    def __init__(
        self,
        sender_identity: SenderIdentity,
        directory: AttachmentDirectory,
        sent_messages: SentMessages,
        max_message_bytes: int,
    ) -> None:
        self._sender_identity = sender_identity
        self._directory = directory
        self._sent_messages = sent_messages
        self._max_bytes = max_message_bytes

    async def draft(self, outgoing: OutgoingMessage) -> Draft:
        """Compose a message, beside the event loop.

        Raises:
            ToolFailure: A file, the HTML part or the size is refused.
        """
        return await asyncio.to_thread(self._draft, outgoing)

    async def unsent(self, outgoing: OutgoingMessage) -> Draft:
        """Compose what another program will send.

        Raises:
            ToolFailure: A file, the HTML part or the size is refused.
        """
        return await asyncio.to_thread(self._draft, outgoing, unsent=True)

    async def write(self, draft: Draft) -> bytes:
        """Write the bytes of a message, its files read again, beside the event loop.

        Raises:
            AttachmentRefused: A file is not what it was when the draft was made.
        """
        return await asyncio.to_thread(self._write, draft)

    def _write(self, draft: Draft) -> bytes:
        raw = draft.composed.written(self._directory.slices)
        require_correct(raw, draft.outgoing, unsent=draft.unsent)
        return raw

    def _draft(self, outgoing: OutgoingMessage, *, unsent: bool = False) -> Draft:
        self._require_size(
            sum(len(text or "") for text in (outgoing.body, outgoing.html, outgoing.quote))
        )
        html = _cleaned(outgoing)
        files = self._directory.read_all(outgoing.attachments, self._max_bytes)
        left = self._max_bytes - sum(file.size for file in files)
        images = self._images(outgoing, html, left)
        content = content_of(outgoing, files, images, self._sender_identity)
        digest = fingerprint(content)
        author = self._sender_identity.of_draft if unsent else self._sender_identity
        identity = self._identity(outgoing, digest, unsent=unsent)
        composed = compose(outgoing, files, images, html, author, identity)
        self._require_size(composed.size)
        return Draft(
            outgoing=outgoing,
            content=content,
            fingerprint=digest,
            files=files,
            images=images,
            html=html,
            composed=composed,
            identity=identity,
            findings=_findings(outgoing, html),
            sender=author.sender,
            unknown_since=None if unsent else self._sent_messages.unknown_since(digest),
            earlier=None if unsent else self._sent_messages.sent(digest),
        )

    def _identity(self, outgoing: OutgoingMessage, digest: str, *, unsent: bool) -> MessageIdentity:
        recipients = (outgoing.to, outgoing.cc, outgoing.bcc)
        if unsent:
            return MessageIdentity.of_draft(digest, recipients)
        sender = self._sender_identity.sender
        domain = sender.mailbox.domain if sender else UNSET_DOMAIN
        return self._sent_messages.identity(digest, domain, recipients)

    def _images(
        self, outgoing: OutgoingMessage, html: Cleaned | None, left: int
    ) -> dict[str, File]:
        shown = html.cids if html is not None else frozenset()
        given = set(outgoing.inline_images)
        if missing := sorted(shown - given):
            raise HTMLRefused(f"it shows cid:{missing[0]}, which inline_images does not name")
        if unused := sorted(given - shown):
            raise BadArgument("inline_images", f"no image of the HTML part shows cid:{unused[0]}")
        names = list(outgoing.inline_images.values())
        files = self._directory.read_all(names, left)
        for file in files:
            if not file.content_type.startswith("image/"):
                raise AttachmentRefused(file.name, "is no image, so it cannot be shown inline")
        return dict(zip(outgoing.inline_images, files, strict=True))

    def _require_size(self, size: int) -> None:
        if size > self._max_bytes:
            raise ToolFailure(
                f"The message has {size} bytes or more; SMTP_MAX_MESSAGE_BYTES is "
                f"{self._max_bytes}. Nothing was sent.",
                code="too_large",
            )


def _cleaned(outgoing: OutgoingMessage) -> Cleaned | None:
    if outgoing.markdown:
        return clean_html(markdown_html(outgoing.body)) if outgoing.body.strip() else None
    return None if outgoing.html is None else clean_html(outgoing.html)


def _findings(outgoing: OutgoingMessage, html: Cleaned | None) -> Findings:
    parts = {
        "quote": outgoing.quote or "",
        "body": outgoing.body,
        "html": html.text if html else "",
        "hidden text": "\n".join(hidden.text for hidden in html.concealed) if html else "",
        "event": outgoing.event.text if outgoing.event else "",
    }
    shapes = {
        part: tuple(found) for part, text in parts.items() if (found := signs_in(text, SIGNS))
    }
    both = html is not None and bool(outgoing.body) and not outgoing.markdown
    return Findings(shapes, html is not None and both and diverge(outgoing.body, html.words))


def diverge(text: str, other: str) -> bool:
    """Tell whether two texts that should say the same share less than half their words."""
    left, right = ({word.lower() for word in _WORD.findall(one)} for one in (text, other))
    if min(len(left), len(right)) < FEWEST_WORDS:
        return False
    return len(left & right) / len(left | right) < LEAST_LIKENESS
