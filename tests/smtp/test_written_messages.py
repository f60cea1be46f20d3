"""Messages as they are written out: the same bytes that the email package makes of the whole."""

from __future__ import annotations

import re
from collections.abc import Iterable
from email import message_from_bytes
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smtp_mcp.file_types import KNOWN_TYPES, travels_as
from smtp_mcp.message.attachments import AttachmentDirectory
from smtp_mcp.message.drafts import Draft, Drafter
from smtp_mcp.message.from_arguments import message_from_arguments
from smtp_mcp.message.headers import POLICY, Field
from smtp_mcp.message.message import SenderIdentity
from smtp_mcp.message.sent_messages import SentMessages
from smtp_mcp.message.transfer import SLICE_BYTES
from tests.smtp.support import LEGACY, MAIL, MODERN, Desk, audit_lines
from tests.support.clients import Era, structured, text
from tests.support.person import Person

PNG = b"\x89PNG\r\n\x1a\n"
READ_AS_IT_IS = POLICY.clone(refold_source="none")
FULL = (57, 114, SLICE_BYTES, 2 * SLICE_BYTES)
"""Sizes at which a line is full, or a slice."""

SIZES = [8, 9, *(size + beside for size in FULL for beside in (-1, 0, 1)), 200_000]


async def written(folder: Path, **arguments: object) -> bytes:
    """Compose a message and write it out."""
    directory = AttachmentDirectory(str(folder), tuple(KNOWN_TYPES), 10**7)
    identity = SenderIdentity(None, None, "Ada", "test")
    drafter = Drafter(identity, directory, SentMessages(clock=lambda: 0.0), 10**8)
    given = {
        "to": ["anna@example.test"],
        "subject": "Figures",
        "body": "Größe\n.\nFrom",
        **arguments,
    }
    draft = await drafter.draft(message_from_arguments(**given))  # type: ignore[arg-type]
    raw = await drafter.write(draft)
    assert len(raw) == draft.size
    assert raw.startswith(draft.composed.headers.encode() + b"\r\n\r\n")
    return raw


def by_the_library(raw: bytes, contents: dict[str, bytes]) -> bytes:
    """Read a message with the email package, put the files in once more, and write it out."""
    message = message_from_bytes(raw, policy=READ_AS_IT_IS)
    files = [part for part in message.walk() if part.get_filename() is not None]
    assert [part.get_filename() for part in files] == list(contents)
    for part, content in zip(files, contents.values(), strict=True):
        part.set_payload(encoded_by_the_library(content, "base64").get_payload())
    return bytes(message)


def encoded_by_the_library(content: bytes, cte: str) -> EmailMessage:
    """Make a part of a file as the email package does."""
    part = EmailMessage(policy=POLICY)
    part.set_content(content, maintype="application", subtype="octet-stream", cte=cte)
    return part


@pytest.mark.requirement("S-15")
@pytest.mark.parametrize("size", SIZES)
async def test_files_of_any_size_leave_as_the_library_would_write_them(
    size: int, tmp_path: Path
) -> None:
    contents = {
        "a.png": PNG.ljust(size, b"\xff"),
        "b.pdf": b"%PDF-".ljust(size, b"\x00"),
        "ü.txt": ("ü.\r\n" * size).encode()[:size],
        "c.csv": b"x" * size,
        "d.txt": b"",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    image, *attachments = contents
    raw = await written(
        tmp_path,
        html='<p>Größe</p><img src="cid:logo">',
        inline_images={"logo": image},
        attachments=attachments,
    )
    assert by_the_library(raw, contents) == raw


@pytest.mark.requirement("S-15", "S-11")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("line", [b".\n..\nFrom x\n\n", b".\r\n..\r\nFrom x\r\n\r\n"])
async def test_a_mail_of_any_size_leaves_as_the_library_would_write_it(
    line: bytes, size: int, tmp_path: Path
) -> None:
    content = (b"Subject: x\n\n" + line * size)[: size + 20].rstrip(b"\r")
    (tmp_path / "old.eml").write_bytes(content)
    raw = await written(tmp_path, attachments=["old.eml"])
    part = bytes(encoded_by_the_library(content, "7bit")).partition(b"\r\n\r\n")[2]
    assert b'message/rfc822; name="old.eml"' in b" ".join(raw.split())
    assert raw.count(b"\r\n\r\n" + part + b"\r\n--=_0_") == 1


async def test_dots_are_doubled_wherever_an_upload_is_cut(desk: Desk) -> None:
    desk.put("dots.eml", b"Subject: x\n\n" + b".\n" * 100_000)
    types = {"SMTP_ATTACHMENT_TYPES": "message/rfc822"}
    structured(await desk.ask("send_mail", {**MAIL, "attachments": ["dots.eml"]}, **types))
    assert desk.backend.messages[0].raw.count(b"\r\n.") == 100_000


@pytest.mark.requirement("S-15")
@pytest.mark.parametrize("era", [LEGACY, MODERN])
@pytest.mark.parametrize("content", [b"b" * 100, b"short", b"longer" * 100, None])
async def test_a_file_that_changes_behind_the_yes_is_not_sent(
    content: bytes | None,
    era: Era,
    desk: Desk,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = desk.put("a.txt", b"a" * 100)
    write = Drafter.write

    async def late(drafter: Drafter, draft: Draft) -> bytes:
        path.unlink()
        if content is not None:
            path.write_bytes(content)
        return await write(drafter, draft)

    monkeypatch.setattr(Drafter, "write", late)
    person = Person()
    result = text(await desk.ask("send_mail", {**MAIL, "attachments": ["a.txt"]}, person, era))
    why = "is no regular file" if content is None else "changed after it was looked at"
    assert result.startswith("code: attachment_refused\n")
    assert why in result
    assert len(person.questions) == 1
    assert desk.backend.connections == 0
    [line] = audit_lines(capsys.readouterr().err)
    assert (line["outcome"], line["error"]) == ("refused", "attachment_refused")


def unfolded_first(content: bytes) -> str | None:
    """Look for the method of a calendar in a copy without folds."""
    whole = re.sub(rb"\r?\n[ \t]", b"", content)
    pattern = rb"(?im)^METHOD(?:;[^:\r\n]*)?:([A-Za-z0-9-]{1,64})[ \t]*\r?$"
    found = {name.upper() for name in re.findall(pattern, whole)}
    return found.pop().decode() if len(found) == 1 else None


WORDS = [b"ME", b"THO", b"d", b";", b"a=b", b":", b"RE", b"quest", b"\n"]
BETWEEN = st.sampled_from(
    [*[b""] * 6, b"\r\n ", b"\n\t", b"\r\r\n ", b" ", b"\r", b"\n", b"\r\n \n "]
)
OTHERS = st.sampled_from(
    [b"", b"X:1\r\n", b"\r\n \n", b"\n ", b"METHOD:REQUEST\n", b"METHOD:x\n", b"!"]
)


@pytest.mark.requirement("S-11")
@settings(max_examples=1_000, deadline=None)
@given(OTHERS, st.tuples(*[BETWEEN] * len(WORDS)), st.booleans(), OTHERS)
def test_a_method_is_found_however_its_line_is_folded(
    before: bytes, between: tuple[bytes, ...], has_parameter: bool, after: bytes
) -> None:
    words = WORDS if has_parameter else [*WORDS[:3], *WORDS[5:]]
    line = b"".join(word + part for word, part in zip(words, between, strict=False))
    content = before + line + after
    method = travels_as("ics", content)[1].get("method")
    assert method == unfolded_first(content)


@pytest.mark.requirement("S-11")
@pytest.mark.parametrize("place", [0, 65_534, 65_535, 65_536, 70_000])
def test_a_character_is_read_wherever_it_stands(place: int) -> None:
    before = b"x" * place
    wide = before + "👍".encode()
    assert travels_as("txt", wide + b"x" * 70_000) == ("text/plain", {"charset": "utf-8"})
    for broken in (wide[:-1], wide[:-1] + b"x" * 70_000, before + b"\xff"):
        assert travels_as("txt", broken) == ("application/octet-stream", {})


@pytest.mark.requirement("S-11")
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\r\n.\n"])
@pytest.mark.parametrize("begin", [b"", b"y\n", b"y\r\n" * 300])
@pytest.mark.parametrize(
    ("length", "plain"), [(997, True), (998, True), (999, False), (2_000, False)]
)
def test_a_line_is_as_long_as_mail_allows(
    length: int, plain: bool, begin: bytes, end: bytes
) -> None:
    content = b"Subject: x\n\n" + begin + b"z" * length + end
    kind = "message/rfc822" if plain else "application/octet-stream"
    assert travels_as("eml", content) == (kind, {})


@pytest.mark.requirement("R-09")
@pytest.mark.parametrize("broken", ["composition.text_field", "composed.encoded"])
async def test_a_defect_that_would_break_the_lines_of_a_mail_sends_nothing(
    broken: str, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.put("a.txt", b"x" * 3)

    def field(name: str, value: str) -> Field:
        return Field(name, value, f"{name}: {value}\n")

    def content(_kind: str, _slices: Iterable[bytes]) -> list[bytes]:
        return [b"eHh4\n\n"]

    monkeypatch.setattr(f"smtp_mcp.message.{broken}", field if "field" in broken else content)
    person = Person()
    result = await desk.ask("send_mail", {**MAIL, "attachments": ["a.txt"]}, person)
    assert result.is_error
    assert desk.backend.connections == 0
    assert len(person.questions) == (broken == "composed.encoded")
