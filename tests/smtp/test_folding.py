"""Headers and lines are encoded only where they must be, and folded otherwise."""

from __future__ import annotations

from email import message_from_bytes, policy

import pytest

from smtp_mcp.message.composition import _guarded
from tests.smtp.support import FORWARD, LEGACY, MAIL, REPLY, Desk
from tests.support.clients import Arguments, call, connect, structured, text, token_in


async def raw_of(
    desk: Desk, arguments: Arguments, tool: str = "send_mail", **changes: str
) -> bytes:
    structured(await desk.ask(tool, arguments, None, LEGACY, **changes))
    return desk.backend.messages[-1].raw


def header_of(raw: bytes, name: str) -> str:
    """A field as it stands on the wire, folds included."""
    head = raw.partition(b"\r\n\r\n")[0].decode()
    start = head.index(f"{name}: ")
    lines = head[start:].split("\r\n")
    count = next((n for n, line in enumerate(lines[1:], 1) if line[:1] not in " \t"), len(lines))
    return "\r\n".join(lines[:count])


@pytest.mark.requirement("R-50", "S-12")
@pytest.mark.parametrize(
    "subject",
    [
        "Quarterly figures ",
        f"{'a' * 49}  {'b' * 49}",
        "https://x.test/" + "p" * 105,
        f"See https://x.test/{'p' * 105} for more",
        "word " * 40,
        "end" + " " * 100,
    ],
)
async def test_ascii_subjects_are_never_encoded_words(subject: str, desk: Desk) -> None:
    raw = await raw_of(desk, {**MAIL, "subject": subject})
    field = header_of(raw, "Subject")
    assert "=?" not in field
    assert all(line.strip() for line in field.split("\r\n"))
    assert not field.startswith("Subject: \r\n")
    parsed = message_from_bytes(raw, policy=policy.default)["Subject"]
    assert str(parsed).rstrip() == subject.rstrip()
    unfolded = field.replace("\r\n", "").removeprefix("Subject: ")
    assert unfolded.rstrip() == subject.rstrip()


@pytest.mark.requirement("R-50", "S-12")
@pytest.mark.parametrize("name", ["Ada Ember " * 9, "Ember, Ada (Sales) " * 5])
async def test_a_long_ascii_name_is_folded(name: str, desk: Desk) -> None:
    name = name.strip()
    assert len(name) >= 85
    raw = await raw_of(desk, MAIL, SMTP_FROM=f"{name} <ada@sender.test>")
    field = header_of(raw, "From")
    assert "=?" not in field
    assert all(len(line) <= 78 for line in field.split("\r\n"))
    [address] = message_from_bytes(raw, policy=policy.default)["From"].addresses
    assert (address.display_name, address.addr_spec) == (name, "ada@sender.test")


async def test_only_what_looks_like_an_encoded_word_is_encoded(desk: Desk) -> None:
    raw = await raw_of(desk, {**MAIL, "subject": "is 1=?2 or 3?="})
    assert "=?utf-8?b?" in header_of(raw, "Subject")


@pytest.mark.requirement("S-12")
async def test_lines_that_hops_change_are_encoded(desk: Desk) -> None:
    body = "From here on\n.\n..x"
    raw = await raw_of(desk, {**MAIL, "body": body, "html": "<pre>From x\n.y</pre>"})
    lines = raw.split(b"\r\n")
    assert b"=46rom here on" in lines
    assert b"=2E" in lines
    assert b"=2E.x" in lines
    assert not any(line.startswith((b"From ", b".")) for line in lines)
    plain = message_from_bytes(raw, policy=policy.default).get_body(("plain",))
    assert plain is not None
    assert plain.get_content().replace("\r", "").rstrip("\n") == body


@pytest.mark.parametrize(
    "line",
    [
        "." + "a" * 75,
        "From " + "b" * 70 + "=",
        "." + "a" + "=C3=A4" * 12 + "b",
        "." + "aa" + "=C3=A4" * 12,
    ],
)
def test_a_line_that_grows_is_parted_between_characters(line: str) -> None:
    import quopri

    parts = _guarded(line)
    assert all(len(part) <= 76 for part in parts)
    assert quopri.decodestring("\n".join(parts)) == quopri.decodestring(line)
    assert all(part.endswith("=") for part in parts[:-1])


@pytest.mark.requirement("R-55", "S-12")
async def test_a_preview_has_the_line_ends_of_the_wire(desk: Desk) -> None:
    result = structured(await desk.ask("preview_mail", {**MAIL, "body": "a\nb", "format": "eml"}))
    eml, headers = str(result["eml"]), str(result["headers"])
    assert len(eml.encode()) == result["bytes"]
    assert eml.startswith(f"{headers}\r\n\r\n")
    assert eml.count("\n") == eml.count("\r\n")


@pytest.mark.requirement("R-51", "S-13")
@pytest.mark.parametrize(
    "parent",
    ["<20220720005922.0000000004E@>", "<0f99ab14eeb8>", "<" + "x" * 900 + ">", "a@b.test"],
)
async def test_odd_parents_thread(parent: str, desk: Desk) -> None:
    raw = await raw_of(desk, {**REPLY, "in_reply_to": parent}, "reply_mail")
    expected = parent if parent.startswith("<") else f"<{parent}>"
    for name in ("In-Reply-To", "References"):
        assert header_of(raw, name).partition(": ")[2].strip() == expected


@pytest.mark.requirement("R-54", "S-13")
@pytest.mark.parametrize(
    "parent", ["0f99ab14eeb8", "M1a2b3", "<>", "<a", "a@b>", "<a<b>", "<a b@c>", "<ä@b>", "x" * 901]
)
async def test_what_does_not_thread_is_refused_with_the_reason(parent: str, desk: Desk) -> None:
    result = text(await desk.ask("reply_mail", {**REPLY, "in_reply_to": parent}))
    assert "in_reply_to: must be a Message-ID" in result
    assert desk.backend.messages == []


@pytest.mark.requirement("S-13")
async def test_a_forward_holds_the_original_subject(desk: Desk) -> None:
    arguments = {**FORWARD, "html": "<p>See below</p>", "subject": "Other", "original_from": "Eve"}
    raw = await raw_of(desk, arguments, "forward_mail")
    parsed = message_from_bytes(raw, policy=policy.default)
    plain, html = parsed.get_body(("plain",)), parsed.get_body(("html",))
    assert plain is not None
    assert html is not None
    text_part = plain.get_content().replace("\r", "")
    assert "From: Eve\nSubject: Plan\n\nthe plan" in text_part
    assert "From: Eve<br>Subject: Plan" in html.get_content()


@pytest.mark.requirement("S-13")
async def test_a_preview_derives_the_subject_as_the_sending_tools_do(desk: Desk) -> None:
    common = {"to": MAIL["to"], "body": "See below", "original_subject": "Plan"}
    forward = {**common, "quote": "the plan"}
    async with connect(desk.server(), LEGACY) as client:
        replied = structured(await call(client, "preview_mail", {**common, "in_reply_to": "<p@x>"}))
        forwarded = structured(await call(client, "preview_mail", forward))
        missing = text(await call(client, "preview_mail", {"to": MAIL["to"], "body": "x"}))
    assert "Subject: Re: Plan\r\n" in str(replied["headers"])
    assert "Subject: Fwd: Plan\r\n" in str(forwarded["headers"])
    assert missing.startswith("subject: is needed")
    sent = structured(await desk.ask("forward_mail", forward))
    assert sent["bytes"] == forwarded["bytes"]


async def test_the_original_subject_is_bound_and_shown(desk: Desk) -> None:
    from tests.smtp.test_dialogs import asked

    given = {**FORWARD, "subject": "Other"}
    lines = await asked(desk, "forward_mail", given)
    assert "  Original subject: Plan" in lines
    given["body"] = "Once more"
    async with connect(desk.server(), LEGACY) as client:
        token = token_in(await call(client, "forward_mail", given))
        other = {**given, "original_subject": "Another", "confirm_token": token}
        assert "confirm_token refused" in text(await call(client, "forward_mail", other))
