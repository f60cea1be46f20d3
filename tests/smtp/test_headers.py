"""Header fields, read back by decoders that are not ours."""

from __future__ import annotations

import base64
import re
from email import message_from_bytes, policy
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from smtp_mcp.mailbox import Mailbox, Sender
from smtp_mcp.message.headers import encode_phrase, id_field, sender_field, text_field
from tests.smtp.support import MAIL, REPLY, Desk, header_lines
from tests.support.clients import structured, text

_WORD = re.compile(r"=\?utf-8\?b\?([A-Za-z0-9+/]+={0,2})\?=")
_UNSAFE: Final = ("Cc", "Cs", "Zl", "Zp")

LINES = st.text(st.characters(exclude_categories=_UNSAFE), max_size=255)
THICK = st.text(st.sampled_from("ä €=?_. \u00a0\U0001f600x\t".replace("\t", "")), max_size=255)


def decoded(wire: str) -> str:
    """Decode a field value after RFC 2047 and RFC 5322, without the library under test."""
    unfolded = wire.removesuffix("\r\n").replace("\r\n", "")
    if "=?" not in unfolded:
        return unfolded
    words = unfolded.split(" ")
    pieces = []
    for word in words:
        found = _WORD.fullmatch(word)
        assert found is not None, word
        pieces.append(base64.b64decode(found[1], validate=True).decode("utf-8"))
    return "".join(pieces)


def lines_of(wire: str) -> list[str]:
    return wire.removesuffix("\r\n").split("\r\n")


@pytest.mark.requirement("T-smtp-15")
@settings(max_examples=1_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(LINES | THICK)
def test_any_subject_decodes_to_itself(subject: str) -> None:
    wire = text_field("Subject", subject).fold(policy=policy.SMTP)
    name, _, value = wire.partition(": ")
    assert name == "Subject"
    assert decoded(value).rstrip(" ") == subject.rstrip(" ")
    words = re.findall(r" *[^ ]+", wire.removeprefix("Subject:"))
    longest = max([78, *(len(word.rstrip(" ")) + 9 for word in words)])
    assert all(len(line.rstrip(" ")) <= longest for line in lines_of(wire))
    assert all(line.strip() for line in lines_of(wire))
    assert ("=?" in wire) is (not subject.isascii() or "=?" in subject)
    assert "=?utf-8?b??=" not in wire
    assert all(len(word) <= 75 for word in re.findall(r"=\?\S+\?=", wire))
    assert wire.isascii()


@pytest.mark.requirement("T-smtp-15")
@settings(max_examples=200, deadline=None)
@given(LINES.filter(lambda subject: not re.search(r"=\?", subject)))
def test_the_standard_library_reads_the_same_subject(subject: str) -> None:
    wire = text_field("Subject", subject).fold(policy=policy.SMTP)
    parsed = message_from_bytes(wire.encode("ascii") + b"\r\n", policy=policy.default)
    if subject.strip() == subject:
        assert parsed["Subject"] == subject


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(exclude_categories=_UNSAFE), min_size=1, max_size=120))
def test_any_display_name_stands_before_an_address_that_is_never_encoded(name: str) -> None:
    sender = Sender(name.strip() or "A", Mailbox("ada", "sender.test"))
    wire = sender_field("From", sender).fold(policy=policy.SMTP)
    assert wire.isascii()
    assert wire.endswith("<ada@sender.test>\r\n")
    assert all(len(line) <= 78 for line in lines_of(wire))
    phrase = wire.removeprefix("From: ").partition("<ada@sender.test>")[0]
    phrase = phrase.rstrip(" ").removesuffix("\r\n")
    if "=?" in phrase and not phrase.startswith('"'):
        assert decoded(phrase) == sender.name


@pytest.mark.requirement("T-smtp-15")
async def test_a_long_subject_arrives_as_it_was_approved(desk: Desk) -> None:
    subject = ("Grüße aus Köln, 100 % — fertig? " * 7)[:200].strip()
    structured(await desk.ask("send_mail", {**MAIL, "subject": subject}))
    raw = desk.backend.messages[0].raw
    [line] = [line for line in header_lines(raw) if line.startswith("Subject: ")]
    assert decoded(line.removeprefix("Subject: ")) == subject


@pytest.mark.parametrize(
    ("subject", "plain"),
    [
        ("word " * 50 + "end", True),
        ("x" * 70, True),
        ("short " * 12 + "y" * 80, True),
        ("two  blanks " * 20, True),
        (" leading", True),
        ("trailing ", True),
        ("y" * 75 + " z", True),
        ("=?x", False),
    ],
)
def test_plain_subjects_stay_readable_where_folding_changes_nothing(
    subject: str, plain: bool
) -> None:
    wire = text_field("Subject", subject).fold(policy=policy.SMTP)
    assert ("=?" not in wire) is plain
    assert decoded(wire.removeprefix("Subject: ")) == subject


@pytest.mark.requirement("T-smtp-16")
@pytest.mark.parametrize(
    "subject",
    [
        "=?utf-8?B?SGk=?=",
        "a =?iso-8859-1?q?b?= c",
        "a\u2028b",
        "a\x00b",
        "a\nb",
        "a\rBcc: x@y.test",
        "a\x85b",
        "a\tb",
        "a\x7fb",
        "a\u202eb",
        "a\u2066b",
        "x" * 256,
    ],
)
async def test_a_subject_that_would_read_otherwise_is_refused(subject: str, desk: Desk) -> None:
    result = await desk.ask("send_mail", {**MAIL, "subject": subject})
    assert result.is_error
    assert text(result).startswith("subject: ")
    assert desk.backend.connections == 0


@pytest.mark.requirement("T-smtp-17")
async def test_ids_are_never_encoded_and_fold_only_between_them(desk: Desk) -> None:
    parent = f"<{'p' * 120}@mail.example.test>"
    chain = [f"<{number}.{'r' * 60}@example.test>" for number in range(30)]
    structured(await desk.ask("reply_mail", {**REPLY, "in_reply_to": parent, "references": chain}))
    raw = desk.backend.messages[0].raw
    fields = dict(line.split(": ", 1) for line in header_lines(raw))
    assert fields["In-Reply-To"] == parent
    assert fields["References"].split() == [*chain, parent]
    folded = raw.partition(b"References:")[2].partition(b"\r\nMIME")[0]
    assert b"=?" not in folded
    assert all(line.strip().startswith(b"<") for line in folded.split(b"\r\n"))


@pytest.mark.requirement("T-smtp-17")
@pytest.mark.parametrize("given", ["abc@x.test", "<abc@x.test>"])
async def test_a_parent_gets_its_brackets_once(given: str, desk: Desk) -> None:
    structured(await desk.ask("reply_mail", {**REPLY, "in_reply_to": given}))
    parsed = desk.backend.messages[0].parsed
    assert parsed["In-Reply-To"] == "<abc@x.test>"
    assert parsed["References"] == "<abc@x.test>"


@pytest.mark.parametrize("given", ["a b@x.test", "<abc@x.test", "abc", "<a@x><b@x>", "ä@x.test"])
async def test_anything_but_a_message_id_is_no_parent(given: str, desk: Desk) -> None:
    result = await desk.ask("reply_mail", {**REPLY, "in_reply_to": given})
    assert text(result).startswith("in_reply_to: ")


async def test_the_newest_references_are_kept_and_each_once(desk: Desk) -> None:
    chain = [f"<{number}@example.test>" for number in range(50)]
    arguments = {**REPLY, "in_reply_to": "<new@example.test>", "references": chain}
    structured(await desk.ask("reply_mail", arguments))
    assert desk.backend.messages[0].parsed["References"].split() == [
        *chain[1:],
        "<new@example.test>",
    ]


@pytest.mark.requirement("T-smtp-6")
@pytest.mark.parametrize(
    ("given", "wire"),
    [
        ("Ember, Ada <ada@sender.test>", 'From: "Ember, Ada" <ada@sender.test>'),
        ('"Ada \\"A\\" Ember" <ada@sender.test>', 'From: "Ada \\"A\\" Ember" <ada@sender.test>'),
        ("Ada Ember <ada@sender.test>", "From: Ada Ember <ada@sender.test>"),
        ("ada@sender.test", "From: ada@sender.test"),
        ("<ada@sender.test>", "From: ada@sender.test"),
    ],
)
async def test_a_sender_is_one_mailbox_however_it_is_named(
    given: str, wire: str, desk: Desk
) -> None:
    structured(await desk.ask("send_mail", MAIL, SMTP_FROM=given))
    message = desk.backend.messages[0]
    assert message.raw.decode().split("\r\n")[0] == wire
    assert message.sender == "ada@sender.test"
    assert len(message.parsed["From"].addresses) == 1


async def test_fifty_recipients_fold_behind_commas_and_read_back(desk: Desk) -> None:
    many = [f"recipient.number.{number}@example.test" for number in range(50)]
    structured(await desk.ask("send_mail", {**MAIL, "to": many}, SMTP_MAX_RECIPIENTS="50"))
    message = desk.backend.messages[0]
    assert [address.addr_spec for address in message.parsed["To"].addresses] == many
    assert max(map(len, message.raw.split(b"\r\n"))) <= 78


def test_a_very_long_plain_name_is_encoded_rather_than_cut() -> None:
    name = "Ada " * 40 + "Ember"
    assert decoded(encode_phrase(name, 6)) == name


def test_an_id_longer_than_a_line_stands_alone() -> None:
    ids = ["<a@b.test>", f"<{'x' * 200}@b.test>"]
    wire = id_field("References", ids).fold(policy=policy.SMTP)
    assert wire == f"References: {ids[0]}\r\n {ids[1]}\r\n"
