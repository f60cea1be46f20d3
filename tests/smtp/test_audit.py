"""The audit line: one for each attempt, readable by a machine, without a text of the mail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.smtp.support import LEGACY, MAIL, Desk, audit_lines, parse_audit
from tests.support.clients import call, connect, structured, text, token_in
from tests.support.person import Person

FIELDS = [
    "time",
    "tool",
    "from",
    "to",
    "cc",
    "bcc",
    "subject",
    "message_id",
    "bytes",
    "attachments",
    "accepted",
    "rejected",
    "outcome",
    "error",
]


@pytest.mark.requirement("T-smtp-40")
async def test_a_subject_cannot_pose_as_another_field(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    subject = 'a" to=["x@y.test"]'
    structured(await desk.ask("send_mail", {**MAIL, "subject": subject}))
    [line] = audit_lines(capsys.readouterr().err)
    assert list(line) == FIELDS
    assert line["subject"] == subject
    assert line["to"] == ["anna@example.test"]


async def test_a_sent_mail_is_told_with_its_envelope_and_not_with_its_text(
    desk: Desk, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = tmp_path / "audit.log"
    desk.put("a.txt", b"file content")
    arguments = {
        **MAIL,
        "body": "body words",
        "html": "<p>html words</p>",
        "bcc": ["boss@other.test"],
        "attachments": ["a.txt"],
    }
    result = structured(await desk.ask("send_mail", arguments, SMTP_AUDIT_LOG=str(log)))
    err = capsys.readouterr().err
    [line] = audit_lines(err)
    assert line == {
        "time": line["time"],
        "tool": "send_mail",
        "from": "ada@sender.test",
        "to": ["anna@example.test"],
        "cc": [],
        "bcc": ["boss@other.test"],
        "subject": "Figures",
        "message_id": result["message_id"],
        "bytes": result["bytes"],
        "attachments": ["a.txt"],
        "accepted": 2,
        "rejected": [],
        "outcome": "sent",
        "error": None,
    }
    assert "words" not in err
    assert parse_audit(log.read_text(encoding="ascii").rstrip("\n")) == line
    assert log.stat().st_mode & 0o777 == 0o600


async def test_each_end_of_an_attempt_has_its_word(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    server = desk.server()
    async with connect(server, LEGACY, Person("decline")) as client:
        await call(client, "send_mail", MAIL)
        await call(client, "send_mail", {**MAIL, "to": ["x@elsewhere.test"]})
    async with connect(server, LEGACY) as client:
        token = token_in(await call(client, "send_mail", MAIL))
        await call(client, "send_mail", {**MAIL, "confirm_token": "wrong"})
        structured(await call(client, "send_mail", {**MAIL, "confirm_token": token}))
        structured(await call(client, "send_mail", MAIL))
    lines = audit_lines(capsys.readouterr().err)
    assert [(line["outcome"], line["error"]) for line in lines] == [
        ("declined", "decline"),
        ("refused", "recipient_not_allowed"),
        ("token_rejected", "TokenRefused"),
        ("sent", None),
        ("already_sent", None),
    ]


async def test_long_lists_are_abbreviated_with_a_count(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    many = [f"r{number}@example.test" for number in range(25)]
    await desk.ask("send_mail", {**MAIL, "to": many}, SMTP_MAX_RECIPIENTS="25")
    [line] = audit_lines(capsys.readouterr().err)
    assert line["to"] == [*many[:20], "and 5 more"]


async def test_a_log_that_cannot_be_written_is_no_reason_to_fail(
    desk: Desk, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    changes = {"SMTP_AUDIT_LOG": str(tmp_path / "absent" / "audit.log")}
    structured(await desk.ask("send_mail", MAIL, **changes))
    assert len(desk.backend.messages) == 1
    assert "SMTP_AUDIT_LOG cannot be written" in caplog.text


async def test_a_dialog_without_an_answer_expires(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    import asyncio
    from typing import cast

    import mcp_types as types
    from mcp.client.session import ElicitationFnT

    async def never(_context: object, _params: object) -> types.ElicitResult:
        await asyncio.Event().wait()
        raise AssertionError

    async with connect(desk.server(0.05), LEGACY, cast("ElicitationFnT", never)) as client:
        assert "in time" in text(await call(client, "send_mail", MAIL))
    [line] = audit_lines(capsys.readouterr().err)
    assert line["outcome"] == "expired"
