"""How an HTML part reads in plain text, and that cleaning keeps its meaning."""

from __future__ import annotations

import pytest

from smtp_mcp.message.html_sanitizer import clean_html
from tests.smtp.support import MAIL, Desk
from tests.support.clients import structured


@pytest.mark.requirement("R-41", "S-5")
@pytest.mark.parametrize(
    ("html", "cleaned", "text", "removals"),
    [
        (
            '<a href="https://x.test/" style="background:#007bff;color:#fff">Confirm</a>',
            '<a href="https://x.test/" style="background-color: #007bff; color: #fff">Confirm</a>',
            "Confirm <https://x.test/>",
            0,
        ),
        (
            '<!DOCTYPE html><html dir="rtl" lang="he"><head><meta charset="utf-8"><title>t</title>'
            '</head><body style="color:#222"><p>שלום</p></body></html>',
            '<div dir="rtl" lang="he" style="color: #222"><p>שלום</p></div>',
            "שלום",
            0,
        ),
        (
            '<table><tr><td style="background:url(https://x.test/b.png) #111">'
            '<font color="#fff">Hi</font></td></tr></table>',
            '<table><tbody><tr><td style="background-color: #111">'
            '<font color="#fff">Hi</font></td></tr></tbody></table>',
            "Hi",
            1,
        ),
        ('<body bgcolor="#000000" text="#ffffff">x', None, "x", 0),
        ('<li value="7">x</li>', '<li value="7">x</li>', "- x", 0),
    ],
)
def test_cleaning_keeps_the_meaning(
    html: str, cleaned: str | None, text: str, removals: int
) -> None:
    result = clean_html(html)
    assert result.html == (cleaned or result.html)
    assert result.text == text
    assert len(result.removed) == removals
    assert result.concealed == ()


@pytest.mark.requirement("R-42", "S-6")
@pytest.mark.parametrize(
    ("html", "text"),
    [
        (
            'Please click<a href="http://www.url.test/confirm/1/">Confirm</a>',
            "Please click Confirm <http://www.url.test/confirm/1/>",
        ),
        ("<ol><li>first</li><li>second</li></ol><ul><li>a</li></ul>", "1. first\n2. second\n- a"),
        ('<ol start="4"><li>x<ul><li>y</li></ul></li><li>z</li></ol>', "4. x\n  - y\n5. z"),
        ("<ol reversed><li>x<li>y<li>z</ol>", "3. x\n2. y\n1. z"),
        ('<ol><li value="9">x<li>y</ol>', "9. x\n10. y"),
        ('<a href="https://www.x.test/">x.test</a>', "x.test"),
        ('<a href="mailto:a@x.test">a@x.test</a>', "a@x.test"),
        ("<table><tr><td>A<td>B<tr><td>1<td>2</table>", "A | B\n1 | 2"),
        ("<table><tr><td>A<td><td>B</table>", "A |  | B"),
        ("<h1>T</h1><p>a</p><p>b</p>", "T\n\na\n\nb"),
        ("a<br>b<hr>c", "a\nb\n---\nc"),
        ("<blockquote>q<p>r</p></blockquote>", "> q\n>\n> r"),
        ("<pre>a  b\n  c</pre>", "a  b\n  c"),
        ("<del>a</del> <s>b</s> <strike>c</strike>", "~~a~~ ~~b~~ ~~c~~"),
        ('<span style="text-decoration:line-through">a</span>', "~~a~~"),
        ("m<sup>2</sup>", "m^2"),
        ("<q>a</q>", "“a”"),
        ('x <img src="cid:l" alt="Our logo"> y', "x [image: Our logo] y"),
        ("<div>a</div><div>b</div>", "a\nb"),
        ("a\n  b&nbsp;c", "a b c"),
        ('<p style="text-transform:uppercase">pay</p>', "PAY"),
        ('<span style="display:block">a</span><span>b</span>', "a\nb"),
        ('<p style="display:inline">a</p><p style="display:inline">b</p>', "ab"),
    ],
)
def test_a_reader_of_plain_text_loses_nothing(html: str, text: str) -> None:
    assert clean_html(html).text == text


@pytest.mark.requirement("R-42", "S-6")
async def test_an_empty_body_is_the_reading_with_its_links(desk: Desk) -> None:
    html = 'Please click<a href="http://www.url.test/confirm/1/">Confirm</a>'
    structured(await desk.ask("send_mail", {**MAIL, "body": "", "html": html}))
    parsed = desk.backend.messages[0].parsed
    plain = parsed.get_body(("plain",))
    assert plain is not None
    expected = "Please click Confirm <http://www.url.test/confirm/1/>"
    assert plain.get_content().strip() == expected


@pytest.mark.requirement("R-43", "S-6")
async def test_single_line_breaks_of_markdown_stay(desk: Desk) -> None:
    body = "Best regards,\nAda Ember\nSales"
    structured(await desk.ask("send_mail", {**MAIL, "body": body, "body_format": "markdown"}))
    html = desk.backend.messages[0].parsed.get_body(("html",))
    assert html is not None
    assert html.get_content().count("<br>") == 2
    assert clean_html(html.get_content()).text == body


@pytest.mark.requirement("S-6")
async def test_markdown_shows_an_inline_image(desk: Desk) -> None:
    desk.put("logo.png", b"\x89PNG\r\n\x1a\n")
    arguments = {
        **MAIL,
        "body": "![Logo](cid:logo)",
        "body_format": "markdown",
        "inline_images": {"logo": "logo.png"},
    }
    structured(await desk.ask("send_mail", arguments))
    parsed = desk.backend.messages[0].parsed
    related = [part for part in parsed.walk() if part.get_content_type() == "multipart/related"]
    assert len(related) == 1
    html = parsed.get_body(("html",))
    assert html is not None
    assert '<img src="cid:logo" alt="Logo">' in html.get_content()
