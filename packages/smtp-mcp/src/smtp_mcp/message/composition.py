"""Composing: what is shown, approved and sent, all of it but the content of files.

The bytes are a function of content and identity alone: boundaries are derived from the
message id, so composing again gives the same message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from email.utils import format_datetime
from html import escape

from smtp_mcp.message.attachments import File
from smtp_mcp.message.composed import Composed, place_of, require_correct
from smtp_mcp.message.headers import (
    LINE_COLUMNS,
    POLICY,
    Field,
    address_field,
    id_field,
    parameter_field,
    sender_field,
    text_field,
)
from smtp_mcp.message.html_sanitizer import Cleaned, quoted_html
from smtp_mcp.message.message import OutgoingMessage, SenderIdentity, bracketed
from smtp_mcp.message.sent_messages import MessageIdentity
from smtp_mcp.message.transfer import MAIL

SEPARATOR = "---------- Forwarded message ----------"


def compose(
    outgoing: OutgoingMessage,
    files: Sequence[File],
    images: Mapping[str, File],
    html: Cleaned | None,
    sender_identity: SenderIdentity,
    identity: MessageIdentity,
) -> Composed:
    """Compose a message.

    Raises:
        ValueError: The result would not be correct mail; a defect, never a caller's doing.
    """
    text = _text_part(outgoing, html, sender_identity.signature)
    markup = None if html is None else _html_part(outgoing, html.html, sender_identity.signature)
    message = EmailMessage(policy=POLICY)
    for name, value in _header_fields(outgoing, sender_identity, identity):
        message[name] = value
    message.set_content(text, subtype="plain", charset="utf-8", cte="quoted-printable")
    if markup is not None:
        message.add_alternative(markup, subtype="html", charset="utf-8", cte="quoted-printable")
        _relate(message, images)
    if outgoing.event is not None:
        from smtp_mcp.message.invitation import invite

        invite(message, outgoing, _said(outgoing, html), sender_identity.sender, identity)
    _guard_lines(message)
    for number, file in enumerate(files, len(images)):
        _attach(message, file, number)
    _settle_boundaries(message, identity.message_id)
    skeleton = message.as_bytes(policy=POLICY)
    composed = Composed.of(skeleton, [*images.values(), *files], text, markup)
    require_correct(composed.frame, outgoing, unsent=identity.unsent)
    return composed


def _header_fields(
    outgoing: OutgoingMessage, sender_identity: SenderIdentity, identity: MessageIdentity
) -> list[tuple[str, Field]]:
    ids = [bracketed(outgoing.in_reply_to)] if outgoing.in_reply_to is not None else []
    submitted = sender_identity.submitted(outgoing.layout)
    fields = [
        sender_field("From", sender_identity.sender) if sender_identity.sender else None,
        address_field("To", identity.to) if identity.to else None,
        address_field("Cc", identity.cc) if identity.cc else None,
        text_field("Subject", outgoing.subject),
        *_made_by_sending(identity),
        id_field("In-Reply-To", ids) if ids else None,
        id_field("References", outgoing.chain) if outgoing.chain else None,
        sender_field("Reply-To", sender_identity.reply_to) if sender_identity.reply_to else None,
        _plain("Auto-Submitted", submitted) if submitted else None,
        _plain("MIME-Version", "1.0"),
        _plain("X-Mailer", sender_identity.mailer),
    ]
    return [(field.name, field) for field in fields if field is not None]


def _made_by_sending(identity: MessageIdentity) -> list[Field]:
    """Date and Message-ID; in a draft what the program needs that makes them."""
    if not identity.unsent:
        return [
            _plain("Date", format_datetime(identity.date)),
            _plain("Message-ID", identity.message_id),
        ]
    blind = [address_field("Bcc", identity.bcc)] if identity.bcc else []
    return [*blind, _plain("X-Unsent", "1")]


def _plain(name: str, value: str) -> Field:
    return Field(name, value, f"{name}: {value}\r\n")


def _text_part(outgoing: OutgoingMessage, html: Cleaned | None, signature: str | None) -> str:
    body = _said(outgoing, html)
    parts = [_lines(body)] if body else []
    if outgoing.layout != "new":
        parts.append(_quotation(outgoing))
    if signature:
        parts.append(f"-- \n{_lines(signature)}")
    return "\n\n".join(part for part in parts if part)


def _said(outgoing: OutgoingMessage, html: Cleaned | None) -> str:
    """Return the body, or what its HTML part reads like where that stands alone."""
    return html.text if html is not None and not outgoing.body else outgoing.body


def _quotation(outgoing: OutgoingMessage) -> str:
    quote = _lines(outgoing.quote or "")
    if outgoing.layout == "forward":
        lines = [SEPARATOR]
        lines += [f"From: {outgoing.original_from}"] if outgoing.original_from else []
        lines += [f"Date: {outgoing.original_date}"] if outgoing.original_date else []
        if outgoing.original_subject is not None:
            lines.append(f"Subject: {outgoing.original_subject}")
        return "\n".join([*lines, "", quote])
    if not quote:
        return ""
    marked = "\n".join(f"> {line}" if line else ">" for line in quote.split("\n"))
    attribution = attribution_line(outgoing)
    return f"{attribution}\n{marked}" if attribution else marked


def attribution_line(outgoing: OutgoingMessage) -> str:
    """Compose the line above quoted text."""
    if outgoing.original_from and outgoing.original_date:
        return f"On {outgoing.original_date}, {outgoing.original_from} wrote:"
    return f"{outgoing.original_from} wrote:" if outgoing.original_from else ""


def _html_part(outgoing: OutgoingMessage, html: str, signature: str | None) -> str:
    parts = [html]
    if outgoing.layout == "forward":
        heading = _quotation(outgoing).partition("\n\n")[0]
        parts.append(f"<p>{_escaped(heading)}</p>")
    if outgoing.layout == "reply" and outgoing.quote and (line := attribution_line(outgoing)):
        parts.append(f"<p>{_escaped(line)}</p>")
    if outgoing.quote:
        parts.append(quoted_html(_lines(outgoing.quote)))
    if signature:
        parts.append(f"<p>-- <br>{_escaped(_lines(signature))}</p>")
    return "\n".join(parts)


def _escaped(text: str) -> str:
    return escape(text, quote=False).replace("\n", "<br>")


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _relate(message: EmailMessage, images: Mapping[str, File]) -> None:
    parts = message.get_payload()
    assert isinstance(parts, list)  # noqa: S101 (add_alternative made it one)
    html = parts[-1]
    assert isinstance(html, EmailMessage)  # noqa: S101
    for number, (cid, file) in enumerate(images.items()):
        main, _, sub = file.content_type.partition("/")
        html.add_related(
            b"",
            maintype=main,
            subtype=sub,
            cid=f"<{cid}>",
            filename=file.name,
            disposition="inline",
        )
        list(html.iter_parts())[-1].set_payload(f"{place_of(number)}\n")


def _attach(message: EmailMessage, file: File, number: int) -> None:
    cte = "7bit" if file.content_type == MAIL else "base64"
    message.add_attachment(
        b"", maintype="application", subtype="octet-stream", cte=cte, filename=file.name
    )
    part = list(message.iter_attachments())[-1]
    part.set_payload(f"{place_of(number)}\n")
    del part["Content-Type"]
    parameters = {**file.parameters, "name": file.name}
    part["Content-Type"] = parameter_field("Content-Type", file.content_type, parameters)


def _guard_lines(message: EmailMessage) -> None:
    """Encode beginnings of lines that hops between change, which would break signatures."""
    for part in message.walk():
        if part.get("Content-Transfer-Encoding") == "quoted-printable":
            payload = part.get_payload()
            assert isinstance(payload, str)  # noqa: S101 (a text part)
            lines = [line for given in payload.split("\n") for line in _guarded(given)]
            part.set_payload("\n".join(lines))


def _guarded(line: str) -> list[str]:
    lines: list[str] = []
    while True:
        if line.startswith("From "):
            line = f"=46{line[1:]}"
        elif line.startswith("."):
            line = f"=2E{line[1:]}"
        if len(line) <= LINE_COLUMNS:
            return [*lines, line]
        cut = LINE_COLUMNS - 1
        # An encoded character is not parted.
        cut -= next((back for back in (1, 2) if line[cut - back] == "="), 0)
        lines.append(f"{line[:cut]}=")
        line = line[cut:]


def _settle_boundaries(message: EmailMessage, message_id: str) -> None:
    """Derive boundaries; "=_" occurs in neither quoted-printable nor base64."""
    stem = message_id.strip("<>").partition("@")[0]
    multiparts = [part for part in message.walk() if part.is_multipart()]
    for number, part in enumerate(multiparts):
        part.set_boundary(f"=_{number}_{stem}")
