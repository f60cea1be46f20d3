"""Copies in the Sent folder of a real IMAP server.

IMAP_TEST_PORT and IMAP_TEST_TLS_PORT name its ports on this machine, IMAP_TEST_USER and
IMAP_TEST_PASSWORD a login, IMAP_TEST_CA_FILE its authority, and IMAP_TEST_FOLDER another folder.
"""

from __future__ import annotations

import imaplib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.backends.smtp import SmtpBackend
from tests.smtp.support import LEGACY, MAIL, Desk
from tests.support.clients import structured

PORT = os.environ.get("IMAP_TEST_PORT", "")
TLS_PORT = os.environ.get("IMAP_TEST_TLS_PORT", "")
USER = os.environ.get("IMAP_TEST_USER", "")
PASSWORD = os.environ.get("IMAP_TEST_PASSWORD", "")
CA_FILE = os.environ.get("IMAP_TEST_CA_FILE", "")
FOLDER = os.environ.get("IMAP_TEST_FOLDER", "Drafts")

pytestmark = [
    pytest.mark.live("imap"),
    pytest.mark.case("R-53"),
]


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with SmtpBackend() as backend:
        yield Desk(backend, tmp_path)


def newest(folder: str) -> tuple[bytes, bytes, bytes]:
    """Bytes, flags and structure of the newest message of a folder."""
    client = imaplib.IMAP4("127.0.0.1", int(PORT))
    try:
        client.login(USER, PASSWORD)
        _, [count] = client.select(folder, readonly=True)
        assert count is not None
        _, found = client.fetch(count.decode(), "(BODY.PEEK[] FLAGS BODYSTRUCTURE)")
        content = next(part[1] for part in found if isinstance(part, tuple))
        rest = b" ".join(part if isinstance(part, bytes) else part[0] for part in found if part)
        return content, rest, rest
    finally:
        client.logout()


@pytest.mark.parametrize("mode", ["none", "starttls", "implicit"])
@pytest.mark.parametrize("folder", ["", FOLDER])
async def test_the_copy_equals_the_bytes_that_were_sent(mode: str, folder: str, desk: Desk) -> None:
    desk.put("daten.csv", "Größe;1".encode())
    desk.put("invite.ics", b"BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n")
    changes = {
        "SMTP_SENT_IMAP_HOST": "localhost",
        "SMTP_SENT_IMAP_PORT": TLS_PORT if mode == "implicit" else PORT,
        "SMTP_SENT_IMAP_TLS": mode,
        "SMTP_SENT_IMAP_USER": USER,
        "SMTP_SENT_IMAP_PASSWORD": PASSWORD,
        "SMTP_CA_FILE": CA_FILE,
        "SMTP_SENT_IMAP_FOLDER": folder,
    }
    arguments = {**MAIL, "subject": f"{mode} {folder}", "attachments": ["daten.csv", "invite.ics"]}
    result = structured(await desk.ask("send_mail", arguments, None, LEGACY, **changes))
    assert result["sent_copy"] == {"saved": True, "folder": folder or "Sent"}
    content, flags, structure = newest(folder or "Sent")
    assert content == desk.backend.messages[0].raw
    assert b"\\Seen" in flags
    assert b'"text" "csv" ("charset" "utf-8"' in structure.lower()
    assert b'"method" "request"' in structure.lower()


async def test_a_wrong_password_is_told_and_the_mail_is_sent(desk: Desk) -> None:
    changes = {
        "SMTP_SENT_IMAP_HOST": "localhost",
        "SMTP_SENT_IMAP_PORT": PORT,
        "SMTP_SENT_IMAP_TLS": "none",
        "SMTP_SENT_IMAP_USER": USER,
        "SMTP_SENT_IMAP_PASSWORD": "wrong",
    }
    result = structured(await desk.ask("send_mail", MAIL, None, LEGACY, **changes))
    assert result["sent"] is True
    assert "refused the login" in str(result["sent_copy"])
