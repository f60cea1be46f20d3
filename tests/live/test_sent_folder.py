"""Copies in the Sent folder of a real Dovecot."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live import dovecot
from tests.live.dovecot import Dovecot
from tests.smtp.support import LEGACY, MAIL, Desk
from tests.support.clients import structured

pytestmark = [
    pytest.mark.live("dovecot"),
    pytest.mark.requirement("R-53"),
]


def variables(mailboxes: Dovecot, mode: str, **more: str) -> dict[str, str]:
    """Settings of copies, with a login that is good."""
    return {
        "SMTP_SENT_IMAP_HOST": "localhost",
        "SMTP_SENT_IMAP_PORT": str(mailboxes.imaps if mode == "implicit" else mailboxes.imap),
        "SMTP_SENT_IMAP_TLS": mode,
        "SMTP_SENT_IMAP_USER": dovecot.USER,
        "SMTP_SENT_IMAP_PASSWORD": dovecot.PASSWORD,
        "SMTP_CA_FILE": str(mailboxes.certificate),
        **more,
    }


@pytest.mark.parametrize("mode", ["none", "starttls", "implicit"])
@pytest.mark.parametrize("folder", ["", dovecot.OTHER_FOLDER])
async def test_the_copy_equals_the_bytes_that_were_sent(
    mode: str, folder: str, desk: Desk, mailboxes: Dovecot
) -> None:
    desk.put("daten.csv", "Größe;1".encode())
    desk.put("invite.ics", b"BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n")
    changes = variables(mailboxes, mode, SMTP_SENT_IMAP_FOLDER=folder)
    arguments = {**MAIL, "subject": f"{mode} {folder}", "attachments": ["daten.csv", "invite.ics"]}
    result = structured(await desk.ask("send_mail", arguments, None, LEGACY, **changes))
    assert result["sent_copy"] == {"saved": True, "folder": folder or dovecot.SENT_FOLDER}
    content, told = mailboxes.newest(folder or dovecot.SENT_FOLDER)
    assert content == desk.backend.messages[0].raw
    assert b"\\seen" in told
    assert b'"text" "csv" ("charset" "utf-8"' in told
    assert b'"method" "request"' in told


async def test_the_access_token_of_the_mail_opens_the_folder_too(
    desk: Desk, mailboxes: Dovecot, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text(dovecot.token(), encoding="utf-8")
    desk.backend.mechanisms, desk.backend.token = ("XOAUTH2",), dovecot.token()
    changes = variables(
        mailboxes,
        "implicit",
        SMTP_PASSWORD="",
        SMTP_SENT_IMAP_PASSWORD="",
        SMTP_OAUTH_TOKEN_FILE=str(file),
    )
    arguments = {**MAIL, "subject": "by token"}
    result = structured(await desk.ask("send_mail", arguments, None, LEGACY, **changes))
    assert result["sent_copy"] == {"saved": True, "folder": dovecot.SENT_FOLDER}
    content, _ = mailboxes.newest(dovecot.SENT_FOLDER)
    assert content == desk.backend.messages[0].raw


async def test_a_wrong_password_is_told_and_the_mail_is_sent(
    desk: Desk, mailboxes: Dovecot
) -> None:
    changes = variables(mailboxes, "none", SMTP_SENT_IMAP_PASSWORD="wrong")
    result = structured(await desk.ask("send_mail", MAIL, None, LEGACY, **changes))
    assert result["sent"] is True
    assert "refused the login" in str(result["sent_copy"])
