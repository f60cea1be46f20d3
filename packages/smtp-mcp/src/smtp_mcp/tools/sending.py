"""The tools that send; each asks for each message."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired

from typing_extensions import TypedDict

from mcp_approval.verdict import Ask
from mcp_serverkit.facts import fresh_after_first
from mcp_serverkit.tools.registry import Call
from smtp_mcp import dialogs
from smtp_mcp.argument_types import (
    HTML,
    Body,
    BodyFormat,
    Copies,
    Files,
    Images,
    Invited,
    MessageId,
    MessageIds,
    OriginalDate,
    OriginalFrom,
    Quote,
    Subject,
    To,
)
from smtp_mcp.message.from_arguments import message_from_arguments
from smtp_mcp.message.message import OutgoingMessage, forward_subject, reply_subject
from smtp_mcp.registry import TOOLS
from smtp_mcp.tools.views import ConcealedText, CopyView, concealed_text, copy_view

if TYPE_CHECKING:
    from collections.abc import Sequence

    from smtp_mcp.api.envelope import Delivery
    from smtp_mcp.api.reply import Rejection, Reply
    from smtp_mcp.api.sent_folder import Copy
    from smtp_mcp.app import Smtp
    from smtp_mcp.message.drafts import Draft
    from smtp_mcp.message.sent_messages import Sent


class Rejected(TypedDict):
    """A recipient who does not get the message."""

    address: str
    code: int
    enhanced: NotRequired[str]
    text: str
    temporary: bool


class Posted(TypedDict):
    """What became of a message, in short."""

    sent: bool
    already_sent: bool
    rejected: list[Rejected]


class PostedInFull(Posted):
    """What became of a message; not all of it needs a place in the listing."""

    note: str
    message_id: str
    accepted: list[str]
    rejected_addresses: list[str]
    bytes: NotRequired[int]
    hidden_text: NotRequired[list[ConcealedText]]
    event_uid: NotRequired[str]
    earlier_accepted: NotRequired[list[str]]
    sent_copy: NotRequired[CopyView]
    queue_id: NotRequired[str]
    server_response: NotRequired[str]
    sends_remaining_this_hour: int


@TOOLS.write("Send a mail", destructive=False, idempotent=False, asks="always", foreign=True)
async def send_mail(
    call: Call[Smtp],
    to: To,
    subject: Subject,
    body: Body,
    cc: Copies | None = None,
    bcc: Copies | None = None,
    html: HTML | None = None,
    body_format: BodyFormat = "text",
    attachments: Files | None = None,
    inline_images: Images | None = None,
    event: Invited | None = None,
) -> Posted:
    """Send a new mail from the fixed sender to bare addresses. It cannot be recalled.

    markdown makes html from body. Files lie in SMTP_ATTACHMENT_DIR. A repeat within 15 minutes
    answers already_sent. After outcome_unknown, ask the user first.
    """
    outgoing = message_from_arguments(
        to=to,
        cc=cc,
        bcc=bcc,
        subject=subject,
        body=body,
        html=html,
        body_format=body_format,
        attachments=attachments,
        inline_images=inline_images,
        event=event,
    )
    return await _post(call, outgoing)


@TOOLS.write("Reply to a mail", destructive=False, idempotent=False, asks="always", foreign=True)
async def reply_mail(
    call: Call[Smtp],
    to: To,
    original_subject: Subject,
    in_reply_to: MessageId,
    body: Body,
    cc: Copies | None = None,
    bcc: Copies | None = None,
    subject: Subject | None = None,
    quote: Quote | None = None,
    original_from: OriginalFrom | None = None,
    original_date: OriginalDate | None = None,
    references: MessageIds | None = None,
    html: HTML | None = None,
    body_format: BodyFormat = "text",
    attachments: Files | None = None,
    inline_images: Images | None = None,
) -> Posted:
    """Answer a mail in its thread; name everyone who should receive it. Else as send_mail."""
    outgoing = message_from_arguments(
        to=to,
        cc=cc,
        bcc=bcc,
        subject=reply_subject(original_subject) if subject is None else subject,
        body=body,
        html=html,
        body_format=body_format,
        quote=quote,
        original_from=original_from,
        original_date=original_date,
        in_reply_to=in_reply_to,
        references=references,
        attachments=attachments,
        inline_images=inline_images,
    )
    return await _post(call, outgoing)


@TOOLS.write("Forward a mail", destructive=False, idempotent=False, asks="always", foreign=True)
async def forward_mail(
    call: Call[Smtp],
    to: To,
    original_subject: Subject,
    body: Body,
    cc: Copies | None = None,
    bcc: Copies | None = None,
    subject: Subject | None = None,
    quote: Quote | None = None,
    original_from: OriginalFrom | None = None,
    original_date: OriginalDate | None = None,
    references: MessageIds | None = None,
    html: HTML | None = None,
    body_format: BodyFormat = "text",
    attachments: Files | None = None,
    inline_images: Images | None = None,
) -> Posted:
    """Pass a mail on below your own text, without its attachments. Else as send_mail."""
    outgoing = message_from_arguments(
        to=to,
        cc=cc,
        bcc=bcc,
        subject=forward_subject(original_subject) if subject is None else subject,
        body=body,
        html=html,
        body_format=body_format,
        quote=quote,
        original_from=original_from,
        original_date=original_date,
        original_subject=original_subject,
        references=references,
        attachments=attachments,
        inline_images=inline_images,
    )
    return await _post(call, outgoing)


async def _post(call: Call[Smtp], outgoing: OutgoingMessage) -> Posted:
    outbox = call.app.outbox
    with outbox.audit.attempt(call.tool.name, outgoing) as attempt:
        attempt.draft = draft = await outbox.draft(outgoing)
        if draft.earlier is not None and not draft.earlier.rest:
            return _already_sent(draft.earlier, outbox.limit.remaining)
        outbox.require_deliverable(draft)
        composed = fresh_after_first(draft, lambda: outbox.draft(outgoing))

        async def ask() -> Ask:
            attempt.draft = await composed()
            changes = outbox.previews.changes(attempt.draft.content)
            return dialogs.post(call.tool.name, attempt.draft, changes)

        await call.confirm(ask, outbox.before_asking)
        approved = attempt.draft
        async with outbox.turn(approved):
            # Another call may have sent the same message while this one was waiting.
            earlier = outbox.earlier(approved)
            if earlier is not None and earlier != approved.earlier:
                return _already_sent(earlier, outbox.limit.remaining)
            raw = await outbox.write(approved)
            delivery = await outbox.post(attempt, approved, raw)
        copy = await outbox.keep_copy(approved, raw)
        return _posted(approved, delivery, outbox.limit.remaining, copy)


def _posted(draft: Draft, delivery: Delivery, remaining: int, copy: Copy | None) -> PostedInFull:
    earlier = draft.earlier
    before = earlier.refused_for_good if earlier is not None else ()
    rejected = [*before, *delivery.rejected]
    result: PostedInFull = {
        "sent": True,
        "already_sent": False,
        "message_id": draft.message_id,
        "accepted": list(delivery.accepted),
        "rejected": [_rejected(r.address, r.reply) for r in rejected],
        "rejected_addresses": [rejection.address for rejection in rejected],
        "bytes": draft.size,
        "server_response": f"{delivery.reply.code} {delivery.reply.shown}",
        "sends_remaining_this_hour": remaining,
        "note": _note(rejected),
    }
    if copy is not None:
        result["sent_copy"] = copy_view(copy)
    if earlier is not None:
        result["earlier_accepted"] = list(earlier.accepted)
    if delivery.queue_id is not None:
        result["queue_id"] = delivery.queue_id
    if draft.event_uid is not None:
        result["event_uid"] = draft.event_uid
    if concealed := concealed_text(draft):
        result["hidden_text"] = concealed
    return result


def _note(rejected: Sequence[Rejection]) -> str:
    if not rejected:
        return "The mail server took the message; it tells failures of delivery by mail."
    later = sum(rejection.reply.temporary for rejection in rejected)
    lacking = f"{len(rejected)} recipient{'s do' if len(rejected) > 1 else ' does'} not get this."
    if later:
        ones = "one" if later == 1 else "ones"
        return (
            f"{lacking} Repeat the same call to try the {later} temporary {ones} again; it sends "
            "to nobody else."
        )
    return f"{lacking} The others have it: sent again as a new message it would reach them twice."


def _rejected(address: str, reply: Reply) -> Rejected:
    entry: Rejected = {
        "address": address,
        "code": reply.code,
        "text": reply.shown,
        "temporary": reply.temporary,
    }
    if reply.enhanced:
        entry["enhanced"] = reply.enhanced
    return entry


def _already_sent(earlier: Sent, remaining: int) -> PostedInFull:
    said = "This very message was sent a while ago, so it was not sent again."
    rejected = earlier.rejected
    return {
        "sent": False,
        "already_sent": True,
        "message_id": earlier.message_id,
        "accepted": list(earlier.accepted),
        "rejected": [_rejected(r.address, r.reply) for r in rejected],
        "rejected_addresses": [rejection.address for rejection in rejected],
        "sends_remaining_this_hour": remaining,
        "note": f"{said} {_note(rejected)}" if rejected else said,
    }
