"""Drafts in the Drafts folder of a real Dovecot."""

from __future__ import annotations

from email import message_from_bytes
from email.policy import default

import pytest

from tests.live import dovecot
from tests.live.dovecot import Dovecot
from tests.live.test_sent_folder import variables
from tests.smtp.support import LEGACY, MAIL, MODERN, Desk
from tests.support.clients import Era, call, connect, structured, text

pytestmark = [
    pytest.mark.live("dovecot"),
    pytest.mark.requirement("S-17"),
]


@pytest.mark.parametrize(("mode", "era"), [("none", LEGACY), ("starttls", MODERN)])
async def test_a_draft_is_there_for_a_mail_program(
    mode: str, era: Era, desk: Desk, mailboxes: Dovecot
) -> None:
    desk.put("daten.csv", "Größe;1".encode())
    arguments = {
        **MAIL,
        "subject": f"Entwurf {mode}",
        "bcc": ["hidden@example.test"],
        "attachments": ["daten.csv"],
    }
    changes = variables(mailboxes, mode, SMTP_EXTRAS="true")
    server = desk.server(**changes)
    result = structured(await desk.ask_at(server, "save_draft", arguments, None, era))
    assert result["folder"] == dovecot.DRAFTS_FOLDER
    content, told = mailboxes.newest(dovecot.DRAFTS_FOLDER)
    assert len(content) == result["bytes"]
    assert b"\\draft" in told
    assert b"\\seen" not in told
    assert b'"text" "csv" ("charset" "utf-8"' in told
    message = message_from_bytes(content, policy=default)
    assert message["Subject"] == f"Entwurf {mode}"
    assert (message["X-Unsent"], message["Bcc"]) == ("1", "hidden@example.test")
    assert (message["Date"], message["Message-ID"]) == (None, None)


async def test_a_wrong_password_is_told_and_tried_once(desk: Desk, mailboxes: Dovecot) -> None:
    wrong = variables(mailboxes, "none", SMTP_EXTRAS="true", SMTP_SENT_IMAP_PASSWORD="wrong")
    before = mailboxes.log.count("auth failed")
    async with connect(desk.server(**wrong), LEGACY) as client:
        for _ in range(2):
            refused = text(await call(client, "save_draft", MAIL))
            assert refused.startswith("code: draft_not_written\n")
            assert "refused the login" in refused
    assert mailboxes.logged("auth failed", before + 1) == before + 1
