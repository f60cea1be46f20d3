"""Values are inert where a client renders Markdown or HTML, and untouched where not."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mcp_approval.limits import Limits
from mcp_approval.markup import escape_markup
from mcp_approval.question import Detail, Question
from mcp_approval.rendering import render
from tests.support.rendered import collapsed, read_by_eye

PIECES = st.sampled_from(
    [
        *("a", "b", "\\", "`", "``", "*", "**", "_", "__", "~", "~~", "$", "<", "<b", "</", "<!--"),
        *(
            "-->",
            ">",
            "@",
            "a@b.c",
            "&",
            "&amp;",
            "&#x202e;",
            "&copy;",
            "&nope;",
            "[",
            "]",
            "(",
            ")",
        ),
        *("](", "![", " ", "---", "-", ":", "|", "http://x.y", "https://a.b/c_d_", "www.a.b", "é"),
        *(
            "ftp://q.r",
            "€",
            "—",
            "«",
            "»",
            ".",
            "1",
            "#",
            "=",
            "+",
            "mailto:a@b.c",
            "😀",
            "http://",
        ),
        *("HTTP://A.b", "WWW.x.y", ";"),
    ]
)
VALUES = st.lists(st.lists(PIECES, max_size=10).map("".join), min_size=1, max_size=3)
WIDE = Limits(lines=1_000, value_chars=10_000, total_chars=100_000)

ORDINARY = (
    "_acme-challenge",
    "*.example.com",
    "*.dev.example.com",
    "_dmarc._tcp",
    "snake_case_name",
    "a_b__c",
    "5 < 6",
    "R&D",
    "AT&T; and more",
    "C:\\temp",
    "\\server",
    "/srv/data/*.log",
    "~/notes",
    "~user",
    "5 * 3 = 15",
    "2 * 3 * 4",
    "19,99 €",
    "$5",
    "$5 and $6",
    "100 %",
    "#42",
    "[draft] Agenda",
    "(optional)",
    "https://example.org/a_b?c=d&e=f",
    "www.example.org",
    "ada@example.org",
    "v=spf1 include:_spf.example.com -all",
    '"v=DKIM1; k=rsa; p=MIGf+/="',
    '0 issue "letsencrypt.org"',
    "Quarterly figures",
    "Relevé de compte, août",
    "Größe geändert: 5 Stück",
    "¿Qué tal? ¡Bien!",
    "Счёт за август",
    "請求書の件",
    "تقرير الشهر",
    "Deploy ⚠️ 👩🏽‍🚀 1️⃣",
    "refs/heads/feature-1",
    "plugins/docker:20.14",
    "0 4 * * *",
)


@pytest.mark.requirement("R-76", "C-15")
@pytest.mark.parametrize("value", ORDINARY)
def test_an_ordinary_value_comes_out_as_it_is(value: str) -> None:
    message = render(Question("do it", "It is done.", (Detail("Value", value),)), Limits())
    assert message.endswith(f"\n  Value: {value}")
    assert "Not shown" not in message


def test_there_are_forty_ordinary_values() -> None:
    assert len(ORDINARY) == 40


@pytest.mark.requirement("R-76", "C-15")
@settings(max_examples=300)
@given(VALUES)
@example(["old: ~~x", "y~~ stays"])
@example(["**bold", "and** plain"])
@example(["a&#x202e;b", "`x` and \\`"])
@example(["https://a.b/<c", "see www.a.b/*x* now"])
def test_a_renderer_shows_the_message_that_was_written(values: list[str]) -> None:
    details = tuple(Detail(f"Line {number}", value) for number, value in enumerate(values))
    details += (Detail("Text", "\n".join(values), block=True),)
    question = Question("do it", "It is done.", details)
    message = render(question, WIDE)
    plain = render(question, WIDE, escape=False)
    assert escape_markup(plain) == message
    assert read_by_eye(message) == collapsed(plain)


@pytest.mark.requirement("C-15")
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a&#x202e;b", "a\\&#x202e;b"),
        ("a&nbsp;b", "a\\&nbsp;b"),
        ("[click](http://evil.example)", "[click]\\(http://evil.example)"),
        ("<script>", "\\<script>"),
        ("<ada@example.org>", "\\<ada@example.org>"),
        ("<1@example.org>", "\\<1@example.org>"),
        ("5 < 6, ada@example.org", "5 < 6, ada@example.org"),
        ("**bold**", "\\*\\*bold\\*\\*"),
        ("`one` ", "\\`one\\`"),
        ("one ` only", "one ` only"),
        ("$x$", "\\$x\\$"),
        ("a\\*b", "a\\\\*b"),
        ("ends with \\", "ends with \\\\"),
        ("http://a.b/*c*", "http\\://a.b/\\*c\\*"),
    ],
)
def test_exactly_what_would_start_something_gets_a_backslash(value: str, shown: str) -> None:
    message = render(Question("do it", "It is done.", (Detail("Value", value),)), Limits())
    assert message.endswith(f"\n  Value: {shown}")


@pytest.mark.requirement("R-76", "C-15")
def test_two_values_together_cannot_strike_out_the_line_between_them() -> None:
    details = (Detail("Old", "~~x"), Detail("Record", "198.51.100.1"), Detail("New", "y~~ stays"))
    message = render(Question("do it", "It is done.", details), Limits())
    assert "  Old: \\~\\~x\n" in message
    assert message.endswith("  New: y\\~\\~ stays")


def test_a_rule_inside_a_text_makes_no_table_of_its_neighbours() -> None:
    details = (Detail("Text", "a | b\n--- | ---\nc | d", block=True),)
    message = render(Question("do it", "It is done.", details), Limits())
    assert "  | \\--- | ---\n" in message


@pytest.mark.parametrize("unit", ["`", "~~a", "&", "<", "http://", "](", "\\", "<@", "_ "])
def test_a_long_text_is_escaped_in_linear_time(unit: str) -> None:
    assert len(escape_markup(unit * 50_000)) >= 50_000 * len(unit)
