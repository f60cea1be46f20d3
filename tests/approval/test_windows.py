"""A question that is taller than the client's window gets shorter where nothing is decided."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_approval.asking_client import ROWS
from mcp_approval.blocks import COLUMNS, LEAST_ROWS, _first, _parted, cut_to_rows, rows_of
from mcp_approval.limits import Limits
from mcp_approval.question import Block, Detail, Marked, Question
from mcp_approval.rendering import render

WIDE = Limits(lines=1_000, value_chars=8_000, total_chars=100_000)
SHORT = WIDE._replace(rows=30)
REMARK = "  This client's window holds no longer question; preview_mail shows the whole text."
BLOCK = Block(elsewhere="preview_mail shows the whole text")


def _mail(*texts: str) -> Question:
    blocks = [Detail(f"Text {number}", text, block=BLOCK) for number, text in enumerate(texts)]
    return Question(
        "send a message to 1 recipient(s)",
        "A sent message cannot be recalled.",
        (Detail("To", "ada@example.org"), Detail("Subject", "Figures"), *blocks),
        findings=(Detail("warning", "none"),),
    )


def _outside(message: str) -> list[str]:
    return [line for line in message.split("\n") if not line.startswith(("  | ", "  |", "  : "))]


@pytest.mark.requirement("C-27")
def test_forty_lines_fit_thirty_rows_and_what_decides_stands() -> None:
    body = "\n".join(f"line {number}" for number in range(1, 41))
    message = render(_mail(body), SHORT)
    lines = message.split("\n")
    assert rows_of(message) <= 30
    assert {"  To: ada@example.org", "  Subject: Figures", "  warning: none", REMARK} <= set(lines)
    assert "  | line 1" in lines
    assert "  | line 40" in lines
    [told] = [line for line in lines if line.startswith("  : ")]
    missing = told.removeprefix("  : ").partition(" ")[0]
    assert f"  Not shown below: {missing} characters in Text" in message
    assert told == f"  : {missing} characters in between are not shown"
    assert "line 40" in render(_mail(body), WIDE)
    assert "not shown" not in render(_mail(body), WIDE)


def test_empty_lines_go_first() -> None:
    message = render(_mail("\n\n".join(f"line {number}" for number in range(1, 13))), SHORT)
    assert rows_of(message) <= 30
    assert "  |\n" not in message
    assert "not shown" not in message
    assert "  | line 6\n" in message


@pytest.mark.requirement("C-27")
def test_a_question_that_is_too_long_without_its_texts_is_shown_whole() -> None:
    files = tuple(Detail(f"File {number}", "x") for number in range(40))
    question = _mail("\n".join(f"line {number}" for number in range(40)))
    question = Question(question.what, question.consequence, (*files, *question.details))
    assert render(question, SHORT) == render(question, WIDE)


@pytest.mark.requirement("C-27")
def test_no_text_gets_shorter_than_eight_rows() -> None:
    texts = ["\n".join(f"line {number}" for number in range(40))] * 5
    message = render(_mail(*texts), SHORT)
    shown = [line for line in message.split("\n") if line.startswith(("  | ", "  : "))]
    assert len(shown) == 5 * LEAST_ROWS
    assert rows_of(message) > 30


def test_a_question_without_texts_is_never_cut() -> None:
    question = Question("x", "y", tuple(Detail(f"Value {n}", "z") for n in range(60)))
    assert render(question, SHORT) == render(question, WIDE)


@pytest.mark.requirement("C-27")
@settings(max_examples=150)
@given(
    st.lists(
        st.lists(
            st.sampled_from(["", "x", "*a* " * 30, "y" * 200, "\u754c" * 90, "To: b", "\ta"])
        ).map("\n".join),
        min_size=1,
        max_size=3,
    )
)
def test_what_is_outside_of_texts_stands_character_for_character(texts: list[str]) -> None:
    whole, short = render(_mail(*texts), WIDE), render(_mail(*texts), SHORT)
    extra = {REMARK, "Noted by this server:"}
    kept = [line for line in _outside(short) if line not in extra and "Not shown" not in line]
    assert kept == [line for line in _outside(whole) if line not in extra and "Not sh" not in line]
    left = [line for line in short.split("\n") if line.startswith(("  | ", "  : "))]
    assert rows_of(short) <= 30 or len(left) <= 2 * LEAST_ROWS * len(texts)


def test_the_table_names_the_clients_that_clip() -> None:
    assert ROWS == {"claude-code": 30}


@pytest.mark.parametrize(
    ("text", "rows"), [("", 1), ("x" * 80, 1), ("x" * 81, 2), ("\u754c" * 41, 2)]
)
def test_rows_are_counted_at_eighty_columns(text: str, rows: int) -> None:
    assert rows_of(text) == rows


def test_a_line_of_wide_characters_is_cut_where_the_row_ends() -> None:
    cut = cut_to_rows(["漢" * 400], 3)
    assert rows_of(cut.head[0]) <= 3
    assert 0 < len(cut.head[0]) <= 3 * COLUMNS // 2


def test_lines_that_fit_are_all_kept() -> None:
    assert _first(["one", "two"], 5) == ["one", "two"]


def test_what_stays_of_an_end_begins_with_something_seen() -> None:
    cut = _parted("one\u200dtwo", "o", "\u200dtwo")
    assert (cut.head, cut.tail, cut.left_out) == (["o"], ["two"], 3)


def test_a_value_that_the_server_marked_is_quoted_where_it_could_pass_for_a_line() -> None:
    details = (Detail("To", Marked("Bcc: nobody")), Detail("Bcc", "eve"))
    question = Question(what="send it", consequence="It cannot be recalled.", details=details)
    assert "  To: «Bcc: nobody»" in render(question, Limits()).splitlines()
