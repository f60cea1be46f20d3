"""The question of this server: what is shown of a mail, and beside it what is bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mcp_approval.keys import Target
from mcp_approval.question import Block, Detail, Marked, Question, joined, quoted
from mcp_approval.verdict import Ask
from smtp_mcp.file_types import described
from smtp_mcp.mailbox import Mailbox, unicode_domain
from smtp_mcp.message.domains import outsiders, registrable
from smtp_mcp.message.links import Judged, judged

if TYPE_CHECKING:
    from mcp_approval.typing import JSONValue
    from smtp_mcp.message.attachments import File
    from smtp_mcp.message.drafts import Draft
    from smtp_mcp.message.events import Event
    from smtp_mcp.message.message import OutgoingMessage
    from smtp_mcp.message.previews import Changes
    from smtp_mcp.message.sent_messages import Sent

# Recipients longer than this are told one a line.
JOINED_CHARS = 200
# As many lines of links as are still read in a dialog.
LINKS = 40
# A line and a half: what tells one link from the next.
LINK_TEXT_CHARS = 100
# A host and the path that matter stand at the beginning.
TARGET_CHARS = 500

_WHOLE = Block(elsewhere="preview_mail shows the whole text")

_ANSWERED = _WHOLE._replace(whole_chars=1_300, head_chars=1_000, tail_chars=300)
"""Of the text that a reply quotes, the person knows the rest."""

_DEEDS = {
    "send_mail": "send a message",
    "reply_mail": "send a reply",
    "forward_mail": "forward a message",
}


def post(tool: str, draft: Draft, changes: Changes | None = None) -> Ask:
    """Ask whether a message may be sent.

    Args:
        tool: The tool that was called.
        draft: The message.
        changes: How it differs from what was previewed.
    """
    outgoing = draft.outgoing
    links = judged(draft.html.links) if draft.html else []
    return Ask(
        Question(
            what=_what(tool, draft),
            consequence="\n\n".join(["A sent message cannot be recalled.", *_warnings(draft)]),
            details=tuple(_details(draft, links)),
            title="Send this message?",
            findings=tuple(_findings(draft, links, changes)),
        ),
        Target.ordered(
            tool,
            ("to", draft.content["to"]),
            ("cc", draft.content["cc"]),
            ("bcc", draft.content["bcc"]),
            body={
                **draft.content,
                "attachments": list(outgoing.attachments),
                "images": dict(outgoing.inline_images),
            },
            facts={
                "attachments": [draft.content["attachments"], draft.content["images"]],
                "earlier attempt": _since(draft),
                "recipients who lack it": [*draft.earlier.rest] if draft.earlier else None,
            },
        ),
    )


def _what(tool: str, draft: Draft) -> str:
    total = len(draft.outgoing.envelope)
    if draft.earlier is not None:
        return (
            f"send the same message to {len(draft.recipients)} of its {total} recipients: those "
            "who did not get it"
        )
    return f"{_DEEDS[tool]} to {total} recipient(s)"


def _since(draft: Draft) -> JSONValue:
    return draft.unknown_since.isoformat() if draft.unknown_since else None


def _warnings(draft: Draft) -> Iterator[str]:
    if draft.unknown_since is not None:
        moment = draft.unknown_since.strftime("%Y-%m-%d %H:%M UTC")
        yield (
            f"An identical attempt at {moment} ended with an unknown outcome: the recipients may "
            "have this message already. A second one carries the same Message-ID."
        )
    shapes = draft.findings.shapes
    if "quote" in shapes:
        yield (
            f"The quoted original shows signs of giving orders ({joined(shapes['quote'])}). It "
            "is passed on unchanged; check who asked for this mail."
        )
    parts = ("body", "html", "hidden text", "event")
    own = dict.fromkeys(name for part in parts for name in shapes.get(part, ()))
    if own:
        yield (
            f"The message itself shows signs of giving orders ({joined(list(own))}). Read it in "
            "full before you allow it."
        )
    if draft.findings.texts_differ:
        yield "Text part and HTML part say different things; recipients see only one of them."
    if _international(draft.outgoing.envelope):
        yield "A recipient's domain is not plain ASCII; compare both of its spellings below."


def _findings(draft: Draft, links: Sequence[Judged], changes: Changes | None) -> Iterator[Detail]:
    outgoing = draft.outgoing
    if changes is not None:
        label = f"Changed since the preview of {changes.since:%H:%M} UTC"
        yield Detail(label, f"{joined(changes.parts)}.")
    if draft.sender is not None:
        away = outsiders(draft.sender.mailbox, outgoing.envelope)
        outside = [mailbox for mailbox in outgoing.envelope if mailbox.domain in away]
        if len(outside) == len(outgoing.envelope):
            home = registrable(draft.sender.mailbox.domain)
            yield Detail(f"Outside {home}", f"{len(outside)} of {len(outside)} recipients")
    if differing := sum(link.differs for link in links):
        yield Detail("Links whose text names another address", f"{differing} of {len(links)}")
    if len(links) > LINKS:
        yield Detail("Links that are not listed", f"{len(links) - LINKS} of {len(links)}")
    if draft.html is None:
        return
    if hidden := sum(len(c.text) for c in draft.html.concealed if not c.sent):
        yield Detail(
            "Hidden text",
            f"{hidden} characters of the HTML part were hidden from readers and are taken out",
        )
    if draft.html.removed:
        removed = joined(draft.html.removed)
        yield Detail("Removed from the HTML part before sending", removed)
    if outgoing.html is not None and _reads_alike(draft):
        yield Detail("HTML part", "it reads like the body")


def _details(draft: Draft, links: Sequence[Judged]) -> Iterator[Detail]:
    outgoing = draft.outgoing
    if draft.earlier is not None:
        yield from _left(draft, draft.earlier)
    yield from _all_recipients(draft)
    for domain, reading in _international(outgoing.envelope).items():
        yield Detail("Domain", f"{domain} reads {reading}")
    yield Detail("Subject", outgoing.subject or "(empty)")
    yield from _original(outgoing)
    if outgoing.event is not None:
        yield from _event(outgoing, outgoing.event)
    yield from _files(draft)
    yield from _links(links)
    if draft.html is not None:
        hidden = [c.text for c in draft.html.concealed if not c.sent]
        yield from _text("Hidden text, taken out", "\n".join(hidden), empty=False)
        faint = [c.text for c in draft.html.concealed if c.sent]
        yield from _text("Hardly visible text, sent as it is", "\n".join(faint), empty=False)
    yield from _text("Body", outgoing.body)
    if (event := outgoing.event) is not None and event.description not in (None, outgoing.body):
        yield from _text("Description of the event", event.description or "")
    if outgoing.html is not None and draft.html is not None and not _reads_alike(draft):
        yield from _text("HTML part as the recipient reads it", draft.html.text)
    if outgoing.quote is not None:
        block = _ANSWERED if outgoing.layout == "reply" else _WHOLE
        yield from _text("Quoted original", outgoing.quote, block)


def _original(outgoing: OutgoingMessage) -> Iterator[Detail]:
    forwarded = outgoing.original_subject if outgoing.layout == "forward" else None
    for label, value in (
        ("from", outgoing.original_from),
        ("date", outgoing.original_date),
        ("subject", forwarded),
    ):
        if value is not None:
            yield Detail(f"Original {label}", value or "(empty)")


def _event(outgoing: OutgoingMessage, event: Event) -> Iterator[Detail]:
    yield Detail("Cancellation" if event.cancel else "Invitation", event.shown)
    yield Detail("Title", event.title(outgoing.subject) or "(empty)")
    if event.location:
        yield Detail("Place", event.location)
    if event.uid is not None:
        yield Detail(f"Event id (revision {event.sequence})", event.uid)


def _left(draft: Draft, earlier: Sent) -> Iterator[Detail]:
    total = len(draft.recipients)
    for number, mailbox in enumerate(draft.recipients, 1):
        which = "Not reached yet" if total == 1 else f"Not reached yet {number}/{total}"
        yield Detail(which, str(mailbox))
    if earlier.accepted:
        yield Detail("Has it already", joined(earlier.accepted), summary=True)
    if refused := [rejection.address for rejection in earlier.refused_for_good]:
        yield Detail("Refused for good, not tried again", joined(refused), summary=True)


def _reads_alike(draft: Draft) -> bool:
    body = "".join(draft.outgoing.body.split())
    readings = (draft.html.text, draft.html.words) if draft.html else ()
    return any("".join(reading.split()) == body for reading in readings)


def _all_recipients(draft: Draft) -> Iterator[Detail]:
    outgoing = draft.outgoing
    away: frozenset[str] = frozenset()
    mark = ""
    if draft.sender is not None:
        away = outsiders(draft.sender.mailbox, outgoing.envelope)
        mark = f"outside {registrable(draft.sender.mailbox.domain)}"
        if all(mailbox.domain in away for mailbox in outgoing.envelope):
            away = frozenset()
    yield from _recipients("To", "", outgoing.to, away, mark)
    yield from _recipients("Cc", "", outgoing.cc, away, mark)
    yield from _recipients("Bcc", "hidden from the other recipients", outgoing.bcc, away, mark)


def _recipients(
    label: str, remark: str, mailboxes: Sequence[Mailbox], away: frozenset[str], mark: str
) -> Iterator[Detail]:
    """List everybody: those of the sender's own domain, then those outside of it."""
    if not mailboxes:
        return
    inside = [mailbox for mailbox in mailboxes if mailbox.domain not in away]
    outside = [mailbox for mailbox in mailboxes if mailbox.domain in away]
    groups = [(inside, remark), (outside, joined([word for word in (remark, mark) if word]))]
    lines = [(joined([*map(str, group)]), _in_brackets(words)) for group, words in groups if group]
    if all(len(line) <= JOINED_CHARS for line, _ in lines):
        yield from (Detail(f"{label}{words}", line) for line, words in lines)
        return
    for number, mailbox in enumerate(mailboxes, 1):
        words = joined([one for one in (remark, mark if mailbox.domain in away else "") if one])
        yield Detail(f"{label} {number}/{len(mailboxes)}{_in_brackets(words)}", str(mailbox))


def _in_brackets(words: str) -> str:
    return f" ({words})" if words else ""


def _files(draft: Draft) -> Iterator[Detail]:
    total = len(draft.files)
    for number, file in enumerate(draft.files, 1):
        which = "Attachment" if total == 1 else f"Attachment {number}/{total}"
        yield Detail(f"{which} ({_kind(file)})", file.name)
    for cid, file in draft.images.items():
        yield Detail(f"Image in the text ({_kind(file)}, cid {cid})", file.name)


def _kind(file: File) -> str:
    return f"{described(file.content_type, file.parameters)}, {file.size} bytes"


def _links(links: Sequence[Judged]) -> Iterator[Detail]:
    for number, link in enumerate(links[:LINKS], 1):
        marks = ["its text names another address"] if link.differs else []
        marks += [f"host {link.host}"] if link.host else []
        long = len(link.target) > TARGET_CHARS
        marks += [f"target of {len(link.target)} characters, cut"] if long else []
        target = link.target[:TARGET_CHARS] + ("…" if long else "")
        plain = quoted(target)[1:-1]
        value = Marked(f"{quoted(link.text[:LINK_TEXT_CHARS])} opens {plain}")
        yield Detail(f"Link {number}/{len(links)}{_in_brackets('; '.join(marks))}", value)


def _text(label: str, text: str, block: Block = _WHOLE, *, empty: bool = True) -> Iterator[Detail]:
    """Show a text line by line, its length in the label."""
    label = f"{label} ({len(text)} characters)"
    if text.strip():
        yield Detail(label, text, block=block)
    elif empty:
        yield Detail(label, "(empty)")


def _international(mailboxes: Sequence[Mailbox]) -> dict[str, str]:
    found = {mailbox.domain: unicode_domain(mailbox.domain) for mailbox in mailboxes}
    return {domain: reading for domain, reading in found.items() if reading is not None}
