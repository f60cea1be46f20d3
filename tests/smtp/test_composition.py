"""Messages as they leave, read back from the wire."""

from __future__ import annotations

import quopri
import re
import socket
from email.message import EmailMessage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smtp_mcp.mailbox import parse
from smtp_mcp.message.composed import require_correct
from smtp_mcp.message.composition import compose
from smtp_mcp.message.message import OutgoingMessage, SenderIdentity, forward_subject, reply_subject
from smtp_mcp.message.sent_messages import SentMessages
from tests.smtp.support import FORWARD, MAIL, REPLY, Desk, header_lines
from tests.support.clients import Arguments, structured, text

PNG = b"\x89PNG\r\n\x1a\nimage"
PDF = b"%PDF-1.7\nbody\x00\xff"


async def sent(desk: Desk, tool: str, arguments: Arguments, **changes: str) -> EmailMessage:
    structured(await desk.ask(tool, arguments, **changes))
    return desk.backend.messages[-1].parsed


def body_of(message: EmailMessage, kind: str = "plain") -> str:
    part = message.get_body((kind,))
    assert part is not None
    content = part.get_content()
    assert isinstance(content, str)
    return content.replace("\r\n", "\n").removesuffix("\n")


@pytest.mark.requirement("T-smtp-18")
@pytest.mark.parametrize(
    ("original", "reply", "forward"),
    [
        ("AW: Re: Plan", "AW: Re: Plan", "Fwd: AW: Re: Plan"),
        ("Re:Plan", "Re:Plan", "Fwd: Re:Plan"),
        ("RE[2]: Plan", "RE[2]: Plan", "Fwd: RE[2]: Plan"),
        ("Plan", "Re: Plan", "Fwd: Plan"),
        ("WG: Plan", "Re: WG: Plan", "WG: Plan"),
        ("fw:Plan", "Re: fw:Plan", "fw:Plan"),
        ("Region: Plan", "Re: Region: Plan", "Fwd: Region: Plan"),
        ("x" * 255, f"Re: {'x' * 251}", f"Fwd: {'x' * 250}"),
    ],
)
def test_prefixes_are_recognised_and_never_stacked(original: str, reply: str, forward: str) -> None:
    assert reply_subject(original) == reply
    assert forward_subject(original) == forward


@pytest.mark.requirement("T-smtp-19", "R-09")
async def test_lines_of_dots_and_long_lines_arrive_whole(desk: Desk) -> None:
    body = f".\r\n..\nx\r.y\n{'long ' * 600}\n\ttab\n trailing \n."
    message = await sent(desk, "send_mail", {**MAIL, "body": body})
    assert body_of(message) == body.replace("\r\n", "\n").replace("\r", "\n")
    assert max(map(len, desk.backend.messages[0].raw.split(b"\r\n"))) <= 998


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=400))
def test_any_text_survives_quoted_printable(body: str) -> None:
    to = (parse("anna@example.test"),)
    outgoing = OutgoingMessage(to=to, subject="x", body=body)
    identity = SentMessages(clock=lambda: 0.0).identity("f", "sender.test", (to, (), ()))
    composed = compose(outgoing, [], {}, None, SenderIdentity(None, None, None, "m"), identity)
    payload = composed.frame.partition(b"\r\n\r\n")[2]
    decoded = quopri.decodestring(payload).decode("utf-8").replace("\r\n", "\n")
    assert decoded.removesuffix("\n") == composed.text.removesuffix("\n")


@pytest.mark.requirement("T-smtp-20", "R-08")
@pytest.mark.parametrize("name", ["Übersicht „Q3“ 2026.pdf", "résumé März.pdf", 'a "b" c.pdf'])
async def test_an_accented_file_name_arrives_and_so_do_the_bytes(name: str, desk: Desk) -> None:
    desk.put(name, PDF)
    message = await sent(desk, "send_mail", {**MAIL, "attachments": [name]})
    [part] = message.iter_attachments()
    assert part.get_filename() == name
    assert part.get_content() == PDF
    assert desk.backend.messages[0].raw.isascii()
    assert name.isascii() or b"filename*=utf-8''" in desk.backend.messages[0].raw


@pytest.mark.requirement("T-smtp-21")
async def test_an_inline_image_stands_beside_the_markup_that_shows_it(desk: Desk) -> None:
    desk.put("logo.png", PNG)
    desk.put("report.pdf", PDF)
    arguments = {
        **MAIL,
        "html": '<p>Hello</p><img src="cid:logo">',
        "inline_images": {"logo": "logo.png"},
        "attachments": ["report.pdf"],
    }
    message = await sent(desk, "send_mail", arguments)
    kinds = [part.get_content_type() for part in message.walk()]
    assert kinds == [
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "multipart/related",
        "text/html",
        "image/png",
        "application/pdf",
    ]
    [image] = [part for part in message.walk() if part.get_content_type() == "image/png"]
    assert image["Content-ID"] == "<logo>"
    assert image.get_content() == PNG


@pytest.mark.requirement("T-smtp-21")
@pytest.mark.parametrize(
    ("html", "images", "words"),
    [
        ('<img src="cid:logo">', {}, "cid:logo"),
        ("<p>x</p>", {"logo": "logo.png"}, "cid:logo"),
        ('<img src="cid:logo">', {"logo": "report.pdf"}, "is no image"),
        ('<img src="cid:logo">', {"lo go": "logo.png"}, "content id"),
        ("<p>x</p>", {str(n): "logo.png" for n in range(11)}, "at most 10"),
    ],
)
async def test_an_image_without_its_place_or_the_other_way_round_is_refused(
    html: str, images: dict[str, str], words: str, desk: Desk
) -> None:
    desk.put("logo.png", PNG)
    desk.put("report.pdf", PDF)
    result = await desk.ask("send_mail", {**MAIL, "html": html, "inline_images": images})
    assert result.is_error
    assert words in text(result)
    assert desk.backend.connections == 0


@pytest.mark.requirement("T-smtp-21")
async def test_a_script_is_absent_from_the_wire_and_told_as_removed(desk: Desk) -> None:
    arguments = {**MAIL, "html": '<p>Hello</p><script a="<">alert(1)</script>'}
    preview = structured(await desk.ask("preview_mail", arguments))
    assert "<script> with its content" in str(preview["html_removed"])
    await sent(desk, "send_mail", arguments)
    assert b"alert" not in desk.backend.messages[0].raw


@pytest.mark.requirement("T-smtp-22", "R-09")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("send_mail", MAIL), ("reply_mail", REPLY), ("forward_mail", FORWARD)],
)
async def test_every_message_has_each_field_once_and_what_was_previewed_arrives(
    tool: str, arguments: dict[str, object], desk: Desk
) -> None:
    arguments = {**arguments, "bcc": ["boss@other.test"], "html": "<p>Hällo</p>"}
    subject = reply_subject("Plan") if tool == "reply_mail" else forward_subject("Plan")
    shown = {"subject": subject, **arguments}
    if tool == "reply_mail":
        shown.pop("original_subject")
    server = desk.server(SMTP_SIGNATURE="Ada\nEmber", SMTP_REPLY_TO="Desk <desk@sender.test>")
    preview = structured(await desk.ask_at(server, "preview_mail", {**shown, "format": "eml"}))
    result = structured(await desk.ask_at(server, tool, arguments))
    raw = desk.backend.messages[0].raw
    assert str(preview["eml"]).encode() == raw
    assert (preview["bytes"], preview["message_id"]) == (len(raw), result["message_id"])
    names = [line.partition(":")[0] for line in header_lines(raw)]
    for name in ("From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Reply-To"):
        assert names.count(name) == 1
    assert "Bcc" not in names
    assert raw.isascii()
    assert raw.count(b"\r\n") == raw.count(b"\n") == raw.count(b"\r")


@pytest.mark.requirement("R-09")
async def test_ids_and_dates_say_nothing_of_the_machine(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "a1b2c3d4e5f6")
    monkeypatch.setattr(socket, "getfqdn", lambda *_: "a1b2c3d4e5f6")
    server = desk.server(SMTP_FROM="Ops Bot <ops@example.org>")
    first = structured(await desk.ask_at(server, "send_mail", MAIL))
    second = structured(await desk.ask_at(server, "send_mail", {**MAIL, "subject": "Other"}))
    assert first["message_id"] != second["message_id"]
    for message, result in zip(desk.backend.messages, (first, second), strict=True):
        assert message.parsed["Message-ID"] == result["message_id"]
        assert str(result["message_id"]).endswith("@example.org>")
        assert re.search(r" [+-][0-9]{4}$", message.parsed["Date"])
        assert b"a1b2c3d4e5f6" not in message.raw
    assert "EHLO [127.0.0.1]" in desk.backend.commands
    assert not any("a1b2c3d4e5f6" in command for command in desk.backend.commands)


async def test_a_reply_quotes_below_an_attribution_and_above_the_signature(desk: Desk) -> None:
    arguments = {
        **REPLY,
        "quote": "old\n\ntext",
        "original_from": "Anna",
        "original_date": "1 May 2026",
        "html": "<p>Yes</p>",
    }
    message = await sent(desk, "reply_mail", arguments, SMTP_SIGNATURE="Ada")
    assert body_of(message) == "Yes\n\nOn 1 May 2026, Anna wrote:\n> old\n>\n> text\n\n-- \nAda"
    assert body_of(message, "html") == (
        "<p>Yes</p>\n<p>On 1 May 2026, Anna wrote:</p>\n"
        "<blockquote>old<br><br>text</blockquote>\n<p>-- <br>Ada</p>"
    )


async def test_a_forward_passes_the_original_on_verbatim_below_a_separator(desk: Desk) -> None:
    arguments = {
        **FORWARD,
        "quote": "> kept <as> it is",
        "original_from": "Anna <anna@example.test>",
        "original_date": "1 May 2026",
        "html": "<p>See</p>",
        "references": ["<a@b.test>"],
    }
    message = await sent(desk, "forward_mail", arguments)
    heading = (
        "---------- Forwarded message ----------\nFrom: Anna <anna@example.test>\nDate: 1 May 2026"
        "\nSubject: Plan"
    )
    assert body_of(message) == f"See below\n\n{heading}\n\n> kept <as> it is"
    assert "&gt; kept &lt;as&gt; it is" in body_of(message, "html")
    assert "From: Anna &lt;anna@example.test&gt;" in body_of(message, "html")
    assert message["Subject"] == "Fwd: Plan"
    assert message["References"] == "<a@b.test>"
    assert message["In-Reply-To"] is None


async def test_an_empty_body_takes_its_text_from_the_html_part(desk: Desk) -> None:
    html = "<h1>Title</h1><p>One<br>two &amp; three</p><ul><li>a</li><li>b</li></ul>"
    message = await sent(desk, "send_mail", {**MAIL, "body": "", "html": html})
    assert body_of(message) == "Title\n\nOne\ntwo & three\n\n- a\n- b"


async def test_markdown_makes_the_html_part_and_stays_the_text(desk: Desk) -> None:
    source = "# Hello\n\n*Anna* <b>raw</b> [l](https://x.test)"
    message = await sent(desk, "send_mail", {**MAIL, "body": source, "body_format": "markdown"})
    assert body_of(message) == source
    assert (
        '<h1>Hello</h1>\n<p><em>Anna</em> &lt;b&gt;raw&lt;/b&gt; <a href="https://x.test">l</a>'
        in (body_of(message, "html"))
    )
    both = {**MAIL, "html": "<p>x</p>", "body_format": "markdown"}
    assert text(await desk.ask("send_mail", both)).startswith("html: leave it out")


@pytest.mark.requirement("R-26")
@pytest.mark.parametrize("given", ["null", "[1,2]", '{"a":1}', '"quoted"', "true", "12"])
async def test_text_that_looks_like_json_arrives_as_it_is(given: str, desk: Desk) -> None:
    arguments = {**MAIL, "body": given, "html": f"<p>{given}</p>", "subject": given}
    message = await sent(desk, "send_mail", arguments)
    assert body_of(message) == given
    assert message["Subject"] == given


@pytest.mark.requirement("R-22")
async def test_wrapped_lists_are_unwrapped_and_null_is_left_out(desk: Desk) -> None:
    arguments = {**MAIL, "to": '["anna@example.test"]', "cc": None, "html": None, "bcc": "[]"}
    message = await sent(desk, "send_mail", arguments)
    assert message["To"] == "anna@example.test"
    assert desk.backend.messages[0].recipients == ("anna@example.test",)


@pytest.mark.parametrize(
    "raw",
    [
        b"To: a\r\n\r\nx\r\n",
        b"%s\r\nTo: b\r\n\r\nx\r\n",
        b"%s\r\nBcc: b\r\n\r\nx\r\n",
        b"%s\r\n\r\nx\ny\r\n",
        b"%s\r\n\r\nx\x00\r\n",
        b"%s\r\n\r\n" + b"x" * 999 + b"\r\n",
        "%s\r\n\r\nä\r\n".encode(),
    ],
)
def test_bytes_that_are_no_correct_mail_never_leave(raw: bytes) -> None:
    fields = ("To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type")
    head = "\r\n".join(f"{name}: x" for name in fields).encode()
    outgoing = OutgoingMessage(to=(parse("a@example.test"),), subject="", body="")
    require_correct(head + b"\r\n\r\nx\r\n", outgoing)
    with pytest.raises(ValueError, match=r"line|field|byte"):
        require_correct(raw.replace(b"%s", head), outgoing)


@pytest.mark.requirement("S-17")
@pytest.mark.parametrize(
    "more",
    ["Date: x", "Message-ID: x", "X-Unsent: 1", "Bcc: c", "To: c"],
)
def test_bytes_that_are_no_correct_draft_are_never_saved(more: str) -> None:
    head = "Bcc: b\r\nTo: a\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n"
    draft = f"{head}X-Unsent: 1\r\n"
    outgoing = OutgoingMessage(to=(), subject="", body="")
    require_correct(f"{draft}\r\nx\r\n".encode(), outgoing, unsent=True)
    for wrong in (f"{draft}{more}\r\n", head):
        with pytest.raises(ValueError, match="header field"):
            require_correct(f"{wrong}\r\nx\r\n".encode(), outgoing, unsent=True)
