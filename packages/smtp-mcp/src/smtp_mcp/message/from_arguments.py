"""From the arguments of a tool to an outgoing message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_serverkit.errors import BadArgument
from smtp_mcp.mailbox import Mailbox, parse
from smtp_mcp.message.message import OutgoingMessage, forward_subject, reply_subject

if TYPE_CHECKING:
    from smtp_mcp.argument_types import EventFields


def message_from_arguments(
    *,
    to: Sequence[str],
    subject: str,
    body: str,
    cc: Sequence[str] | None = None,
    bcc: Sequence[str] | None = None,
    html: str | None = None,
    body_format: str = "text",
    quote: str | None = None,
    original_from: str | None = None,
    original_date: str | None = None,
    original_subject: str | None = None,
    in_reply_to: str | None = None,
    references: Sequence[str] | None = None,
    attachments: Sequence[str] | None = None,
    inline_images: Mapping[str, str] | None = None,
    event: EventFields | None = None,
) -> OutgoingMessage:
    """Put checked arguments together.

    Raises:
        BadArgument: Two of them contradict each other.
    """
    if body_format == "markdown" and html is not None:
        raise BadArgument("html", "leave it out: body_format markdown makes the HTML part")
    outgoing = OutgoingMessage(
        to=_mailboxes(to),
        cc=_mailboxes(cc or ()),
        bcc=_mailboxes(bcc or ()),
        subject=subject,
        body=body,
        html=html,
        markdown=body_format == "markdown",
        quote=quote,
        original_from=original_from,
        original_date=original_date,
        original_subject=original_subject,
        in_reply_to=in_reply_to,
        references=tuple(references or ()),
        attachments=tuple(attachments or ()),
        inline_images=dict(inline_images or {}),
    )
    return outgoing if event is None else _inviting(outgoing, event)


def _inviting(outgoing: OutgoingMessage, event: EventFields) -> OutgoingMessage:
    from smtp_mcp.message.events import event_of

    if outgoing.layout != "new":
        raise BadArgument("event", "goes only with a new mail, as send_mail writes it")
    return replace(outgoing, event=event_of(event))


def derived_subject(original: str, *, reply: bool) -> str:
    """Derive a subject as the sending tools do."""
    return reply_subject(original) if reply else forward_subject(original)


def _mailboxes(addresses: Sequence[str]) -> tuple[Mailbox, ...]:
    return tuple(parse(address) for address in addresses)
