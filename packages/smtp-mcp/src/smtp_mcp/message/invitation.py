"""The calendar of an invitation (RFC 5545 and 5546): one event, no recurrence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from email.message import EmailMessage
from typing import TYPE_CHECKING
from urllib.parse import quote

from smtp_mcp.argument_types import DESCRIPTION_CHARS

if TYPE_CHECKING:
    from smtp_mcp.mailbox import Mailbox, Sender
    from smtp_mcp.message.events import Event
    from smtp_mcp.message.message import OutgoingMessage
    from smtp_mcp.message.sent_messages import MessageIdentity

FILE_NAME = "invite.ics"

# RFC 5545, 3.1: octets of a line, its end not counted.
LINE_OCTETS = 75

_CONTROL = r"[\x00-\x08\x0b-\x1f\x7f]"
# RFC 6068, 2: what may stand in a mailto address as it is.
_PLAIN = "!$'*+-._~"


def invite(
    message: EmailMessage,
    outgoing: OutgoingMessage,
    text: str,
    sender: Sender | None,
    identity: MessageIdentity,
) -> None:
    """Put a calendar behind the texts of a message, and once more as a file.

    A reader shows the last of the texts that it knows; some take calendars from files only.

    Args:
        message: The texts.
        outgoing: What is to be sent.
        text: What its body says.
        sender: Who invites.
        identity: Its Message-ID and date.
    """
    event = outgoing.event
    assert event is not None  # noqa: S101 (checked by the composition)
    said = calendar(event, outgoing.subject, text, sender, identity)
    message.add_alternative(
        said.decode("utf-8"),
        subtype="calendar",
        charset="utf-8",
        cte="quoted-printable",
        params={"method": event.method},
    )
    message.add_attachment(
        said,
        maintype="application",
        subtype="ics",
        filename=FILE_NAME,
        params={"name": FILE_NAME},
    )


def calendar(
    event: Event, subject: str, text: str, sender: Sender | None, identity: MessageIdentity
) -> bytes:
    """Write a calendar with an event."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//smtp-mcp//EN",
        f"METHOD:{event.method}",
        "BEGIN:VEVENT",
        f"UID:{_text(event.named(identity.message_id))}",
        f"SEQUENCE:{event.sequence}",
        f"DTSTAMP:{_moment(identity.date.astimezone(UTC))}",
        f"DTSTART{_when(event.start)}",
        f"DTEND{_when(event.end)}",
        f"SUMMARY:{_text(event.title(subject))}",
        *_texts(event, text),
        *([] if sender is None else [_organizer(sender)]),
        *(f"ATTENDEE;RSVP=TRUE:{_address(one)}" for one in _invited(identity)),
        f"STATUS:{'CANCELLED' if event.cancel else 'CONFIRMED'}",
        "END:VEVENT",
        "END:VCALENDAR",
    ]
    return "".join(f"{_folded(line)}\r\n" for line in lines).encode("utf-8")


def _texts(event: Event, text: str) -> Iterator[str]:
    if event.location:
        yield f"LOCATION:{_text(event.location)}"
    description = text[:DESCRIPTION_CHARS] if event.description is None else event.description
    if description:
        yield f"DESCRIPTION:{_text(description)}"


def _invited(identity: MessageIdentity) -> list[Mailbox]:
    """List To and Cc, each once; never Bcc."""
    unique: dict[str, Mailbox] = {}
    for mailbox in (*identity.to, *identity.cc):
        unique.setdefault(mailbox.folded, mailbox)
    return list(unique.values())


def _organizer(sender: Sender) -> str:
    # RFC 6868: a quoted parameter spells its own quotation marks with a caret.
    name = sender.name.replace("^", "^^").replace('"', "^'")
    named = f';CN="{name}"' if name else ""
    return f"ORGANIZER{named}:{_address(sender.mailbox)}"


def _address(mailbox: Mailbox) -> str:
    return f"mailto:{quote(mailbox.local, safe=_PLAIN)}@{mailbox.domain}"


def _when(at: date) -> str:
    return f":{_moment(at)}" if isinstance(at, datetime) else f";VALUE=DATE:{at:%Y%m%d}"


def _moment(at: datetime) -> str:
    return f"{at:%Y%m%dT%H%M%SZ}"


def _text(value: str) -> str:
    plain = re.sub(_CONTROL, "", value.replace("\r\n", "\n").replace("\r", "\n"))
    escaped = plain.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return escaped.replace("\n", "\\n")


def _folded(line: str) -> str:
    """Break a line between characters; each further one begins with a blank."""
    lines: list[str] = []
    start, octets = 0, 0
    for position, character in enumerate(line):
        width = len(character.encode("utf-8"))
        if octets + width > LINE_OCTETS:
            lines.append(line[start:position])
            start, octets = position, 1
        octets += width
    return "\r\n ".join([*lines, line[start:]])
