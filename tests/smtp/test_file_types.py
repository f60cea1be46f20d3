"""What attached files travel as: what their content is, and no more than that."""

from __future__ import annotations

import email
from email.policy import default
from pathlib import Path

import pytest

from smtp_mcp.file_types import travels_as
from tests.smtp.support import MAIL, Desk
from tests.support.clients import Result, structured, text

EVERYTHING = "text/plain,text/csv,text/html,text/calendar,message/rfc822,application/json"
INVITE = b"BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n"
ASCII = {"charset": "us-ascii"}
OLD_MAIL = b"Subject: x\n\nbare line feeds\n.\nFrom here\n"


async def part_of(desk: Desk, name: str, content: bytes) -> tuple[bytes, bytes]:
    """Send a file; return its part's header and body as they were on the wire."""
    desk.put(name, content)
    arguments = {**MAIL, "attachments": [name]}
    structured(await desk.ask("send_mail", arguments, SMTP_ATTACHMENT_TYPES=EVERYTHING))
    raw = desk.backend.messages[0].raw
    boundary = raw.split(b'boundary="')[1].split(b'"')[0]
    head, _, body = raw.split(b"--" + boundary)[2].partition(b"\r\n\r\n")
    return b" ".join(head.split()), body.removesuffix(b"\r\n")


@pytest.mark.requirement("R-48", "S-11")
async def test_a_table_in_utf_8_says_so(desk: Desk) -> None:
    head, body = await part_of(desk, "daten.csv", "Größe;1".encode())
    assert b'Content-Type: text/csv; charset="utf-8"; name="daten.csv"' in head
    assert b"Content-Transfer-Encoding: base64" in head
    assert email.message_from_bytes(head + b"\n\n" + body, policy=default)


@pytest.mark.requirement("R-49", "S-11")
async def test_an_invitation_says_its_method(desk: Desk) -> None:
    head, _ = await part_of(desk, "invite.ics", INVITE.replace(b"VCAL", b"VCAL"))
    assert b'text/calendar; charset="us-ascii"; method="REQUEST"' in head
    desk.backend.messages.clear()
    wide = INVITE.replace(b"METHOD", "SUMMARY:Größe\r\nMETHOD".encode())
    head, _ = await part_of(desk, "invite.ics", wide)
    assert b'text/calendar; charset="utf-8"; method="REQUEST"' in head


@pytest.mark.requirement("S-11")
@pytest.mark.parametrize(
    ("extension", "content", "expected"),
    [
        ("txt", b"plain", ("text/plain", {"charset": "us-ascii"})),
        ("md", "\ufeffü".encode(), ("text/plain", {"charset": "utf-8"})),
        ("log", "ü".encode("latin-1"), ("application/octet-stream", {})),
        ("csv", "a;b".encode("utf-16"), ("application/octet-stream", {})),
        ("csv", "a;b".encode("utf-16-le"), ("application/octet-stream", {})),
        ("html", b"<p>x", ("text/html", {"charset": "us-ascii"})),
        ("json", "ü".encode("latin-1"), ("application/json", {})),
        ("xml", b"<a/>", ("application/xml", {})),
        ("ics", b"method;x=y:request", ("text/calendar", {**ASCII, "method": "REQUEST"})),
        ("ics", b"METH\r\n OD:CANCEL\r\n", ("text/calendar", {**ASCII, "method": "CANCEL"})),
        ("ics", b"METHOD:REQUEST\r\nMETHOD:CANCEL", ("text/calendar", {"charset": "us-ascii"})),
        ("ics", b"BEGIN:VCALENDAR", ("text/calendar", {"charset": "us-ascii"})),
        ("eml", OLD_MAIL, ("message/rfc822", {})),
        ("eml", b"Subject: \xfc\n\nx", ("application/octet-stream", {})),
        ("eml", b"Subject: x\n\n" + b"y" * 999, ("application/octet-stream", {})),
        ("eml", b"From ada Mon\nSubject: x\n\ny", ("application/octet-stream", {})),
        ("pdf", b"%PDF-1", ("application/pdf", {})),
    ],
)  # fmt: skip
def test_a_type_is_what_the_content_shows(
    extension: str, content: bytes, expected: tuple[str, dict[str, str]]
) -> None:
    assert travels_as(extension, content) == expected


@pytest.mark.requirement("S-11")
async def test_a_mail_travels_as_a_mail_unchanged_but_for_its_line_ends(desk: Desk) -> None:
    assert "SMTP_ATTACHMENT_TYPES" in text(await refused(desk))
    head, body = await part_of(desk, "old.eml", OLD_MAIL)
    assert b'Content-Type: message/rfc822; name="old.eml"' in head
    assert b"Content-Transfer-Encoding: 7bit" in head
    assert body == OLD_MAIL.replace(b"\n", b"\r\n")
    [part] = desk.backend.messages[0].parsed.iter_attachments()
    assert part.get_content()["Subject"] == "x"


async def refused(desk: Desk) -> Result:
    desk.put("old.eml", OLD_MAIL)
    return await desk.ask("send_mail", {**MAIL, "attachments": ["old.eml"]})


async def test_a_mail_that_is_not_plain_travels_as_bytes(desk: Desk, tmp_path: Path) -> None:
    content = "Subject: ü\n\nx".encode()
    head, _ = await part_of(desk, "old.eml", content)
    assert b"application/octet-stream" in head
    [part] = desk.backend.messages[0].parsed.iter_attachments()
    assert part.get_content() == content


@pytest.mark.requirement("S-11")
async def test_a_name_beyond_ascii_is_told_in_both_ways(desk: Desk) -> None:
    head, _ = await part_of(desk, "Größe.txt", b"x")
    assert b'name="=?utf-8?b?R3LDtsOfZS50eHQ=?="' in head
    assert b"filename*=utf-8''Gr%C3%B6%C3%9Fe.txt" in head
    [part] = desk.backend.messages[0].parsed.iter_attachments()
    assert part.get_filename() == "Größe.txt"
