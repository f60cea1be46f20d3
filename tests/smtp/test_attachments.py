"""Files leave from one directory, and only as what they are."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest

from smtp_mcp.file_types import DEFAULT_TYPES
from smtp_mcp.message.attachments import AttachmentDirectory, AttachmentRefused
from tests.smtp.support import MAIL, Desk
from tests.support.clients import structured, text
from tests.support.person import Person

PDF = b"%PDF-1.7 x"


def archive(*names: str) -> bytes:
    """Make a ZIP container."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as container:
        for name in names:
            container.writestr(name, b"x")
    return buffer.getvalue()


async def refusal(desk: Desk, name: str, **changes: str) -> str:
    """Try to attach a file and return why it may not leave."""
    person = Person()
    arguments = {**MAIL, "attachments": [name]}
    result = text(await desk.ask("send_mail", arguments, person, **changes))
    assert result.startswith("code: attachment_refused\n")
    assert result.endswith("Nothing was sent.")
    assert person.messages == []
    assert desk.backend.connections == 0
    return result


@pytest.mark.requirement("T-smtp-39", "R-08")
async def test_each_odd_entry_is_refused_with_its_own_reason(desk: Desk, tmp_path: Path) -> None:
    outside = tmp_path / "outside.pdf"
    outside.write_bytes(PDF)
    (desk.folder / "link.pdf").symlink_to(outside)
    (desk.folder / "dangling.pdf").symlink_to(tmp_path / "absent.pdf")
    (desk.folder / "folder.pdf").mkdir()
    os.mkfifo(desk.folder / "pipe.pdf")
    desk.put(".env", b"SECRET=1")
    desk.put("x.PDF.exe", b"MZ")
    desk.put("program.pdf", b"\x7fELF\x02")
    desk.put("script.txt", b"#!/bin/sh\n")
    reasons = {
        "link.pdf": "is a symbolic link",
        "dangling.pdf": "is a symbolic link",
        "folder.pdf": "is a directory",
        "pipe.pdf": "is no regular file",
        "absent.pdf": "is no regular file",
        "../outside.pdf": "must be a plain file name",
        "sub/../outside.pdf": "must be a plain file name",
        "/etc/hostname": "must be a plain file name",
        "..\\outside.pdf": "must be a plain file name",
        ".env": "must be a plain file name",
        "x.PDF.exe": "is a program by its extension",
        "program.pdf": "holds a program",
        "script.txt": "holds a program",
        "README": "has no extension",
        "key.pem": "SMTP_ATTACHMENT_TYPES does not allow",
        "page.html": "SMTP_ATTACHMENT_TYPES does not allow",
    }
    for name, reason in reasons.items():
        assert reason in await refusal(desk, name)


@pytest.mark.requirement("R-08")
@pytest.mark.parametrize("name", ["../secret.txt", "../absent.txt", "raus.txt"])
async def test_nothing_is_revealed_about_what_lies_outside(
    name: str, desk: Desk, tmp_path: Path
) -> None:
    (desk.folder / "raus.txt").symlink_to(tmp_path / "secret.txt")
    before = await refusal(desk, name)
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    assert await refusal(desk, name) == before


@pytest.mark.requirement("R-08")
@pytest.mark.parametrize("name", ["a\r\nX: y.pdf", "bericht.pdf\u0000.txt", "a\u202efdp.exe.pdf"])
async def test_a_name_with_hidden_characters_is_refused(name: str, desk: Desk) -> None:
    result = await desk.ask("send_mail", {**MAIL, "attachments": [name]})
    assert result.is_error
    assert "ttachment" in text(result)
    assert desk.backend.connections == 0


@pytest.mark.requirement("R-08")
async def test_without_a_directory_attachments_are_refused_rather_than_ignored(desk: Desk) -> None:
    desk.put("report.pdf", PDF)
    assert "SMTP_ATTACHMENT_DIR is not set" in await refusal(
        desk, "report.pdf", SMTP_ATTACHMENT_DIR=""
    )


@pytest.mark.requirement("R-08")
async def test_an_empty_file_and_a_pdf_arrive(desk: Desk) -> None:
    desk.put("bericht.pdf", PDF)
    desk.put("leer.txt", b"")
    structured(await desk.ask("send_mail", {**MAIL, "attachments": ["bericht.pdf", "leer.txt"]}))
    parts = list(desk.backend.messages[0].parsed.iter_attachments())
    assert [part.get_filename() for part in parts] == ["bericht.pdf", "leer.txt"]
    assert [part.get_payload(decode=True) for part in parts] == [PDF, b""]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.pdf", b"\x89PNG\r\n\x1a\n", "is no .pdf file by its content"),
        ("a.png", PDF, "is no .png file by its content"),
        ("a.docx", b"plain", "is no .docx file by its content"),
        ("a.docx", archive("word/document.xml", "word/vbaProject.bin"), "holds macros"),
        ("a.xlsx", b"PK\x03\x04broken", "holds macros, or cannot be checked"),
        ("a.txt", PDF, "is no .txt file by its content"),
        ("a.csv", archive("x"), "is no .csv file by its content"),
        ("big.txt", b"x" * 200, "has 200 bytes; SMTP_MAX_ATTACHMENT_BYTES is 100"),
    ],
)
async def test_content_that_contradicts_its_name_is_refused(
    name: str, content: bytes, reason: str, desk: Desk
) -> None:
    desk.put(name, content)
    changes = {"SMTP_MAX_ATTACHMENT_BYTES": "100"} if name == "big.txt" else {}
    assert reason in await refusal(desk, name, **changes)


async def test_files_that_are_too_much_together_are_refused(desk: Desk) -> None:
    for name in ("a.txt", "b.txt"):
        desk.put(name, b"x" * 3_000)
    arguments = {**MAIL, "attachments": ["a.txt", "b.txt"]}
    result = text(await desk.ask("send_mail", arguments, SMTP_MAX_MESSAGE_BYTES="5000"))
    assert "the files together exceed SMTP_MAX_MESSAGE_BYTES" in result


async def test_a_type_that_is_listed_may_leave(desk: Desk) -> None:
    desk.put("page.html", b"<p>x</p>")
    desk.put("clean.docx", archive("word/document.xml"))
    desk.put("empty.docx", archive())
    html = {"SMTP_ATTACHMENT_TYPES": "text/html"}
    structured(await desk.ask("send_mail", {**MAIL, "attachments": ["page.html"]}, **html))
    documents = {**MAIL, "attachments": ["clean.docx", "empty.docx"]}
    structured(await desk.ask("send_mail", documents))


@pytest.mark.requirement("T-smtp-39")
def test_a_file_that_grows_after_it_was_looked_at_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"short")
    real = os.open

    def slow(name: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if name == "a.txt":
            path.write_bytes(b"much longer than before")
        return real(name, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", slow)
    with pytest.raises(AttachmentRefused, match="changed while it was being opened"):
        AttachmentDirectory(str(tmp_path), DEFAULT_TYPES, 1_000).read("a.txt")


def test_a_name_is_found_however_its_accents_are_composed(tmp_path: Path) -> None:
    (tmp_path / "re\u0301sume\u0301.txt").write_bytes(b"x")
    directory = AttachmentDirectory(str(tmp_path), DEFAULT_TYPES, 1_000)
    assert directory.read("r\u00e9sum\u00e9.txt").name == "r\u00e9sum\u00e9.txt"


def test_a_platform_without_directory_descriptors_goes_by_the_real_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smtp_mcp.message.attachments._AT", False)
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "outside.txt").write_bytes(b"secret")
    (folder / "inside.txt").write_bytes(b"x")
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    directory = AttachmentDirectory(str(folder), DEFAULT_TYPES, 1_000)
    assert b"".join(directory.slices(directory.read("inside.txt"))) == b"x"
    for name in ("link.txt", "absent.txt"):
        with pytest.raises(AttachmentRefused, match="is no regular file"):
            directory.read(name)
