"""The question of this server: what is shown of a mail, and beside it what is bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mcp_approval.keys import Target
from mcp_approval.question import Detail, Question
from mcp_approval.sanitize import clean_line
from mcp_approval.verdict import Ask
from smtp_mcp.mailbox import Mailbox, unicode_domain

if TYPE_CHECKING:
    from smtp_mcp.message.drafts import Draft

JOINED_CHARS = 200
LISTED = 20
EXCERPT_CHARS = 200

_READ_CHARS = 1_000
"""As much of a long text as is cleaned for its excerpt."""

_DEEDS = {
    "send_mail": "send a message",
    "reply_mail": "send a reply",
    "forward_mail": "forward a message",
}


def post(tool: str, draft: Draft) -> Ask:
    """Ask whether a message may be sent."""
    outgoing = draft.outgoing
    unknown = draft.unknown_since
    return Ask(
        Question(
            what=f"{_DEEDS[tool]} to {len(outgoing.envelope)} recipient(s)",
            consequence="\n\n".join(["A sent message cannot be recalled.", *_notes(draft)]),
            details=tuple(_details(draft)),
            title="Send this message?",
        ),
        Target.ordered(
            tool,
            ("to", draft.content["to"]),
            ("cc", draft.content["cc"]),
            ("bcc", draft.content["bcc"]),
            body=draft.content,
            facts={"unknown_since": unknown.isoformat() if unknown else None},
        ),
    )


def _notes(draft: Draft) -> Iterator[str]:
    if draft.unknown_since is not None:
        moment = draft.unknown_since.strftime("%Y-%m-%d %H:%M UTC")
        yield (
            f"An identical attempt at {moment} ended with an unknown outcome: the recipients may "
            "have this message already. A second one carries the same Message-ID."
        )
    shapes = draft.findings.shapes
    if "quote" in shapes:
        yield (
            f"The quoted original shows signs of giving orders ({', '.join(shapes['quote'])}). It "
            "is passed on unchanged; check who asked for this mail."
        )
    own = dict.fromkeys(name for part in ("body", "html") for name in shapes.get(part, ()))
    if own:
        yield (
            f"The message itself shows signs of giving orders ({', '.join(own)}). Read it in full "
            "before you allow it."
        )
    if draft.findings.texts_differ:
        yield "Text part and HTML part say different things; recipients see only one of them."
    if _international(draft.outgoing.envelope):
        yield "A recipient's domain is not plain ASCII; compare both of its spellings below."


def _details(draft: Draft) -> Iterator[Detail]:
    outgoing = draft.outgoing
    yield from _recipients("To", outgoing.to)
    yield from _recipients("Cc", outgoing.cc)
    yield from _recipients("Bcc (hidden from the other recipients)", outgoing.bcc)
    for domain, reading in _international(outgoing.envelope).items():
        yield Detail("Domain", f"{domain} reads {reading}")
    yield Detail("Subject", outgoing.subject or "(empty)")
    yield _text("Body", outgoing.body)
    if outgoing.quote is not None:
        yield _text("Quoted original", outgoing.quote)
    for label, value in (("From", outgoing.original_from), ("date", outgoing.original_date)):
        if value is not None:
            yield Detail(f"Original {label.lower()}", value)
    if draft.html is not None:
        if outgoing.html is not None:
            yield _text("HTML part", outgoing.html)
        yield _text("HTML part as the recipient reads it", draft.html.text)
    yield from _files(draft)
    if draft.html is not None and draft.html.removed:
        removed = ", ".join(draft.html.removed)
        yield Detail("Removed from the HTML part before sending", removed, summary=True)


def _recipients(label: str, mailboxes: Sequence[Mailbox]) -> Iterator[Detail]:
    if not mailboxes:
        return
    joined = ", ".join(map(str, mailboxes))
    if len(joined) <= JOINED_CHARS:
        yield Detail(label, joined)
        return
    total = len(mailboxes)
    for number, mailbox in enumerate(mailboxes[:LISTED], 1):
        yield Detail(f"{label} {number}/{total}", str(mailbox))
    if total > LISTED:
        yield Detail(label, f"and {total - LISTED} more, who are not listed here")


def _files(draft: Draft) -> Iterator[Detail]:
    total = len(draft.files)
    for number, file in enumerate(draft.files, 1):
        label = "Attachment" if total == 1 else f"Attachment {number}/{total}"
        yield Detail(label, f"{file.name} ({len(file.content)} bytes)")
    for cid, file in draft.images.items():
        yield Detail("Image in the text", f"{file.name} ({len(file.content)} bytes, cid {cid})")


def _text(label: str, text: str) -> Detail:
    """Show how a text begins; its length tells how much there is beside."""
    begin = text[:_READ_CHARS]
    line, hidden, *_ = clean_line(begin)
    shown = begin if hidden else line
    if len(line) > EXCERPT_CHARS or len(text) > _READ_CHARS:
        shown = line[:EXCERPT_CHARS] + "…"
    return Detail(f"{label} ({len(text)} characters)", shown if line else "(empty)")


def _international(mailboxes: Sequence[Mailbox]) -> dict[str, str]:
    found = {mailbox.domain: unicode_domain(mailbox.domain) for mailbox in mailboxes}
    return {domain: reading for domain, reading in found.items() if reading is not None}
