"""Drafts as files: a mail that a person opens, finishes and sends."""

from __future__ import annotations

import asyncio
import errno
import os
import stat
import threading
import time
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from hashlib import sha256
from pathlib import Path

import pytest

from smtp_mcp.message.draft_directory import DraftDirectory, file_stem
from tests.smtp.support import (
    FORWARD,
    LEGACY,
    MAIL,
    REPLY,
    Desk,
    audit_lines,
)
from tests.support.clients import ERAS, Arguments, Era, call, connect, structured, text
from tests.support.person import Person

pytestmark = pytest.mark.requirement("S-17")

WHOLE: dict[str, object] = {
    "to": ["anna@example.test"],
    "cc": ["boss@other.test"],
    "bcc": ["hidden@example.test"],
    "subject": "Größe & Preis: 5 %",
    "body": "Hello",
    "html": "<p>Hello <a href='https://x.test/'>https://y.test/</a></p>"
    "<p style='display:none'>not seen</p><script>1</script>",
    "attachments": ["plan.txt"],
}


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def switched(drafts: Path, **more: str) -> dict[str, str]:
    return {"SMTP_EXTRAS": "true", "SMTP_DRAFT_DIR": str(drafts), **more}


async def saved(desk: Desk, drafts: Path, arguments: Arguments, **more: str) -> EmailMessage:
    """Save a draft and read it back."""
    result = structured(await desk.ask("save_draft", arguments, **switched(drafts, **more)))
    return parsed(Path(str(result["path"])))


def parsed(path: Path) -> EmailMessage:
    message = message_from_bytes(path.read_bytes(), policy=default)
    assert isinstance(message, EmailMessage)
    assert [part.defects for part in message.walk() if part.defects] == []
    return message


@pytest.mark.parametrize("era", ERAS)
async def test_a_draft_is_the_mail_for_another_program_to_send(
    era: Era, desk: Desk, drafts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.put("plan.txt", b"plan")
    person = Person()
    server = desk.server(**switched(drafts))
    result = structured(await desk.ask_at(server, "save_draft", WHOLE, person, era))
    [path] = files(drafts)
    raw = path.read_bytes()
    assert path.name == f"groe-preis-5-{sha256(raw).hexdigest()[:8]}.eml"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    message = parsed(path)
    assert [name.lower() for name in message] == [
        *("from", "to", "cc", "subject", "bcc", "x-unsent", "mime-version", "x-mailer"),
        "content-type",
    ]
    assert (message["X-Unsent"], message["Bcc"]) == ("1", "hidden@example.test")
    assert (message["To"], message["Cc"]) == ("anna@example.test", "boss@other.test")
    assert message["Subject"] == "Größe & Preis: 5 %"
    assert [part.get_content_type() for part in message.walk()] == [
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "text/html",
        "text/plain",
    ]
    assert raw.count(b"\r\n") == raw.count(b"\n") == raw.count(b"\r")
    assert result | {"notice": 0, "source": 0, "untrusted": 0} == {
        "saved": True,
        "path": str(path),
        "bytes": len(raw),
        "html_removed": ["<script> with its content"],
        "hidden_text": [{"text": "not seen", "how": "display", "sent": False}],
        "links": [{"text": "https://y.test/", "target": "https://x.test/", "differs": True}],
        "note": "The draft opens in a mail program as a new message; a person sends it. "
        "Nothing was sent.",
        "notice": 0,
        "source": 0,
        "untrusted": 0,
    }
    [line] = audit_lines(capsys.readouterr().err)
    assert (line["tool"], line["outcome"], line["error"]) == ("save_draft", "draft", None)
    assert (line["message_id"], line["bytes"], line["accepted"]) == (None, len(raw), 0)
    assert line["bcc"] == ["hidden@example.test"]
    assert (person.questions, desk.remaining, desk.decisions) == ([], 20, [])
    assert desk.backend.connections == 0


async def test_the_texts_are_those_of_the_preview(desk: Desk, drafts: Path) -> None:
    desk.put("plan.txt", b"plan")
    async with connect(desk.server(**switched(drafts)), LEGACY) as client:
        preview = structured(await call(client, "preview_mail", WHOLE))
        structured(await call(client, "save_draft", WHOLE))
    [path] = files(drafts)
    message = parsed(path)
    for kind, field in (("plain", "text_body"), ("html", "html_body")):
        part = message.get_body((kind,))
        assert part is not None
        assert part.get_content().strip() == str(preview[field]).strip()


async def test_nothing_of_it_must_be_given(desk: Desk, drafts: Path) -> None:
    message = await saved(desk, drafts, {})
    assert [name for name in ("To", "Cc", "Bcc", "Date", "Message-ID") if name in message] == []
    assert message["Subject"] == ""
    assert [path.name[:6] for path in files(drafts)] == ["draft-"]


async def test_without_a_sender_the_mail_program_names_its_own(desk: Desk, drafts: Path) -> None:
    message = await saved(desk, drafts, {"body": "x"}, SMTP_FROM="", SMTP_HOST="", SMTP_USER="")
    assert "From" not in message


async def test_the_layout_follows_the_original(desk: Desk, drafts: Path) -> None:
    reply = {**REPLY, "quote": "Shall we?", "original_from": "Bob", "references": ["<p0@b.test>"]}
    message = await saved(desk, drafts, reply)
    assert message["Subject"] == "Re: Plan"
    assert message["In-Reply-To"] == "<p1@example.test>"
    assert message["References"] == "<p0@b.test> <p1@example.test>"
    assert message.get_content() == "Yes\r\n\r\nBob wrote:\r\n> Shall we?\r\n"
    message = await saved(desk, drafts, {**FORWARD, "original_date": "Monday"})
    assert message["Subject"] == "Fwd: Plan"
    assert "Date: Monday\r\nSubject: Plan\r\n\r\nthe plan" in message.get_content()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"ELICITATION": "false"}, []),
        ({"SMTP_AUTO_SUBMITTED": "auto-generated"}, ["auto-generated"]),
    ],
)
async def test_what_a_person_sends_is_not_said_to_come_by_itself(
    changes: dict[str, str], expected: list[str], desk: Desk, drafts: Path
) -> None:
    message = await saved(desk, drafts, MAIL, **changes)
    assert message.get_all("Auto-Submitted", []) == expected


@pytest.mark.parametrize("era", ERAS)
async def test_an_equal_draft_is_left_as_it_is(era: Era, desk: Desk, drafts: Path) -> None:
    server = desk.server(**switched(drafts))
    first = structured(await desk.ask_at(server, "save_draft", MAIL, None, era))
    [path] = files(drafts)
    os.utime(path, ns=(1, 1))
    again = structured(await desk.ask("save_draft", MAIL, None, era, **switched(drafts)))
    assert again["path"] == first["path"]
    assert "was there already" in str(again["note"])
    assert files(drafts) == [path]
    assert path.stat().st_mtime_ns == 1


async def test_no_other_file_is_replaced(desk: Desk, drafts: Path) -> None:
    await saved(desk, drafts, MAIL)
    [path] = files(drafts)
    raw = path.read_bytes()
    path.write_bytes(raw + b"more, by a person\r\n")
    digest = sha256(raw).hexdigest()
    for digits in (16, 64):
        await saved(desk, drafts, MAIL)
        other = drafts / f"figures-{digest[:digits]}.eml"
        assert other.read_bytes() == raw
        other.unlink()
        other.symlink_to(drafts / "nowhere")
    refused = await desk.ask("save_draft", MAIL, **switched(drafts))
    assert text(refused).startswith("code: draft_not_written\n")
    assert path.read_bytes() == raw + b"more, by a person\r\n"
    assert not (drafts / "nowhere").exists()


@pytest.mark.parametrize(
    ("subject", "stem"),
    [
        ("Quarterly figures", "quarterly-figures"),
        ("../../etc/passwd", "etc-passwd"),
        ("Ärger — 100 %!", "arger-100"),
        ("漢字", "draft"),
        ("", "draft"),
        ("x" * 50, "x" * 40),
        ("a" * 39 + " b", "a" * 39),
    ],
)
def test_the_name_is_plain(subject: str, stem: str) -> None:
    assert file_stem(subject) == stem


async def test_a_directory_of_two_hundred_drafts_is_full(
    desk: Desk, drafts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    structured(await desk.ask("save_draft", MAIL, **switched(drafts)))
    for number in range(198):
        (drafts / f"{number}.EML").touch()
    (drafts / "notes.txt").touch()
    structured(await desk.ask("save_draft", {**MAIL, "body": "the last"}, **switched(drafts)))
    capsys.readouterr()
    full = await desk.ask("save_draft", {**MAIL, "body": "one more"}, **switched(drafts))
    assert text(full) == (
        "code: draft_dir_full\nSMTP_DRAFT_DIR holds 200 drafts; 200 are possible. Nothing was "
        "saved. Somebody must send or delete some."
    )
    structured(await desk.ask("save_draft", MAIL, **switched(drafts)))
    outcomes = [(line["outcome"], line["error"]) for line in audit_lines(capsys.readouterr().err)]
    assert outcomes == [("refused", "draft_dir_full"), ("draft", None)]
    assert len(files(drafts)) == 201


async def test_what_the_system_says_is_told(
    desk: Desk, drafts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = desk.server(**switched(drafts))
    os.rmdir(drafts)
    refused = await desk.ask_at(server, "save_draft", MAIL)
    assert text(refused) == (
        "code: draft_not_written\nThe draft was not saved: no such file or directory."
    )
    [line] = audit_lines(capsys.readouterr().err)
    assert (line["outcome"], line["error"]) == ("failed", "draft_not_written")


async def test_half_a_file_never_lies_there(
    desk: Desk, drafts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        assert [path.suffix for path in files(drafts)] == [".tmp"]
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    refused = await desk.ask("save_draft", MAIL, **switched(drafts))
    assert "not saved: no space left on device" in text(refused)
    assert files(drafts) == []


@pytest.mark.parametrize("era", ERAS)
async def test_a_cancelled_call_leaves_no_file(
    era: Era,
    desk: Desk,
    drafts: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    writing, go_on = threading.Event(), threading.Event()

    def held(_descriptor: int) -> None:
        writing.set()
        assert go_on.wait(30)

    monkeypatch.setattr(os, "fsync", held)
    async with connect(desk.server(**switched(drafts)), era) as client:
        calling = asyncio.create_task(call(client, "save_draft", MAIL))
        await asyncio.to_thread(writing.wait, 30)
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        structured(await call(client, "get_server_info"))
        go_on.set()
        # The next draft is written behind the one that was called off.
        structured(await call(client, "save_draft", {"subject": "Next"}))
    assert [path.name[:5] for path in files(drafts)] == ["next-"]
    lines = audit_lines(capsys.readouterr().err)
    assert [(line["outcome"], line["error"]) for line in lines] == [
        ("failed", "cancelled"),
        ("draft", None),
    ]


async def test_a_draft_that_was_called_off_as_it_was_finished_goes_again(
    drafts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked, go_on = threading.Event(), threading.Event()
    unlink = os.unlink

    def held(path: str) -> None:
        if path.endswith(".tmp"):
            linked.set()
            assert go_on.wait(30)
        unlink(path)

    monkeypatch.setattr(os, "unlink", held)
    saving = asyncio.create_task(DraftDirectory(str(drafts)).save(b"x", "s"))
    await asyncio.to_thread(linked.wait, 30)
    assert any(path.suffix == ".eml" for path in files(drafts))
    saving.cancel()
    await asyncio.gather(saving, return_exceptions=True)
    assert not any(path.suffix == ".eml" for path in files(drafts))
    go_on.set()


async def test_where_files_cannot_be_linked_they_are_put_in_place(
    drafts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(_source: str, _target: str) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuses)
    kept = await DraftDirectory(str(drafts)).save(b"x", "s")
    [path] = files(drafts)
    assert (str(path), path.read_bytes()) == (kept.place, b"x")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_a_place_that_was_taken_in_vain_is_given_back(
    desk: Desk, drafts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(_source: str, _target: str) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuses)
    monkeypatch.setattr(os, "replace", refuses)
    refused = await desk.ask("save_draft", MAIL, **switched(drafts))
    assert "not saved: operation not permitted" in text(refused)
    assert files(drafts) == []


async def test_parallel_calls_write_one_file(
    desk: Desk, drafts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Long enough for all of them to find the place free, if they were let.
    monkeypatch.setattr(os, "fsync", lambda _descriptor: time.sleep(0.1))
    async with connect(desk.server(**switched(drafts)), LEGACY) as client:
        calls = (call(client, "save_draft", MAIL) for _ in range(4))
        results = [structured(result) for result in await asyncio.gather(*calls)]
    assert {str(result["path"]) for result in results} == {str(path) for path in files(drafts)}


@pytest.mark.parametrize("links", [True, False])
async def test_a_file_that_came_in_between_is_not_replaced(
    links: bool, desk: Desk, drafts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(_source: str, _target: str) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    await saved(desk, drafts, MAIL)
    [path] = files(drafts)
    path.write_bytes(b"another")
    monkeypatch.setattr("os.path.lexists", lambda _path: False)
    if not links:
        monkeypatch.setattr(os, "link", refuses)
    refused = await desk.ask("save_draft", MAIL, **switched(drafts))
    assert "not saved: file exists" in text(refused)
    assert [one.read_bytes() for one in files(drafts)] == [b"another"]


async def test_without_a_place_the_call_says_so(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = {**MAIL, "attachments": ["gone.txt"]}
    refused = await desk.ask("save_draft", arguments, SMTP_EXTRAS="true")
    assert text(refused) == (
        "code: not_configured\nSMTP_DRAFT_DIR is not set, and neither is SMTP_SENT_IMAP_HOST, so "
        "there is no place for a draft. Nothing was saved."
    )
    [line] = audit_lines(capsys.readouterr().err)
    assert (line["outcome"], line["error"]) == ("refused", "not_configured")


async def test_the_list_of_recipients_holds_for_drafts(desk: Desk, drafts: Path) -> None:
    stranger = {**MAIL, "bcc": ["x@elsewhere.test"]}
    refused = await desk.ask("save_draft", stranger, **switched(drafts))
    assert text(refused).startswith("code: recipient_not_allowed\n")
    assert files(drafts) == []
    off = {"SMTP_ALLOW_SEND": "", "SMTP_ALLOWED_RECIPIENTS": ""}
    await saved(desk, drafts, stranger, **off)


@pytest.mark.parametrize(
    ("argument", "value", "refusal"),
    [
        ("subject", "a\nb", "subject: holds U+000A"),
        ("to", ["anna"], "to[0]: must be a bare address"),
        ("attachments", ["gone.txt"], "code: attachment_refused\n"),
        ("body", "x" * 2_000, "code: too_large\n"),
        ("event", {}, "event: is no argument of this tool"),
        ("confirm_token", "x", "confirm_token: is no argument of this tool"),
    ],
)
async def test_the_checks_are_those_of_a_mail(
    argument: str, value: object, refusal: str, desk: Desk, drafts: Path
) -> None:
    changes = switched(drafts, SMTP_MAX_MESSAGE_BYTES="1500")
    refused = await desk.ask("save_draft", {**MAIL, argument: value}, **changes)
    assert text(refused).startswith(refusal)
    assert files(drafts) == []
