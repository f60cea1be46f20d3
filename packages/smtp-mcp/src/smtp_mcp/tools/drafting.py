"""The tool that saves drafts, off unless SMTP_EXTRAS is on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired

from typing_extensions import TypedDict

from mcp_serverkit.tools.registry import Call
from smtp_mcp.argument_types import (
    HTML,
    Body,
    BodyFormat,
    Copies,
    Files,
    Images,
    MessageId,
    MessageIds,
    OriginalDate,
    OriginalFrom,
    Quote,
    Subject,
)
from smtp_mcp.message.from_arguments import derived_subject, message_from_arguments
from smtp_mcp.registry import TOOLS
from smtp_mcp.tools.views import ConcealedText, LinkView, concealed_text, links

if TYPE_CHECKING:
    from smtp_mcp.api.drafts_folder import Kept
    from smtp_mcp.app import Smtp
    from smtp_mcp.message.drafts import Draft


class Saved(TypedDict):
    """Where a draft lies, in short: a path, or a folder of the mailbox."""

    saved: bool
    path: NotRequired[str]
    folder: NotRequired[str]


class SavedInFull(Saved):
    """Where a draft lies, and what was made of its HTML part."""

    bytes: int
    html_removed: list[str]
    hidden_text: list[ConcealedText]
    links: list[LinkView]
    note: str


@TOOLS.write("Save a draft", destructive=False, idempotent=True, foreign=True, offline=True)
async def save_draft(
    call: Call[Smtp],
    to: Copies | None = None,
    cc: Copies | None = None,
    bcc: Copies | None = None,
    subject: Subject | None = None,
    body: Body = "",
    html: HTML | None = None,
    body_format: BodyFormat = "text",
    quote: Quote | None = None,
    original_from: OriginalFrom | None = None,
    original_date: OriginalDate | None = None,
    original_subject: Subject | None = None,
    in_reply_to: MessageId | None = None,
    references: MessageIds | None = None,
    attachments: Files | None = None,
    inline_images: Images | None = None,
) -> Saved:
    """Save a mail, composed as by preview_mail, for a person to finish and send. Sends nothing."""
    if subject is None:
        reply = in_reply_to is not None
        subject = "" if original_subject is None else derived_subject(original_subject, reply=reply)
    outgoing = message_from_arguments(
        to=to or (),
        cc=cc,
        bcc=bcc,
        subject=subject,
        body=body,
        html=html,
        body_format=body_format,
        quote=quote,
        original_from=original_from,
        original_date=original_date,
        original_subject=original_subject,
        in_reply_to=in_reply_to,
        references=references,
        attachments=attachments,
        inline_images=inline_images,
    )
    outbox = call.app.outbox
    with outbox.audit.attempt(call.tool.name, outgoing) as attempt:
        call.app.drafts.require()
        attempt.draft = draft = await outbox.unsent(outgoing)
        kept = await call.app.drafts.save(await outbox.write(draft), subject)
        attempt.saved = True
    return _saved(draft, kept, in_mailbox=call.app.drafts.in_mailbox)


def _saved(draft: Draft, kept: Kept, *, in_mailbox: bool) -> SavedInFull:
    result: SavedInFull = {
        "saved": True,
        "bytes": draft.size,
        "html_removed": list(draft.html.removed) if draft.html else [],
        "hidden_text": concealed_text(draft),
        "links": links(draft),
        "note": _note(kept, in_mailbox=in_mailbox),
    }
    result["folder" if in_mailbox else "path"] = kept.place
    return result


def _note(kept: Kept, *, in_mailbox: bool) -> str:
    if not kept.new:
        return "This very draft was there already, so no second one was made. Nothing was sent."
    who = "lies in the mailbox" if in_mailbox else "opens in a mail program as a new message"
    return f"The draft {who}; a person sends it. Nothing was sent."
