"""Cleaning: one line, nothing invisible, done in one pass, and done once is done."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_approval import sanitize
from mcp_approval.invisible import is_invisible
from mcp_approval.limits import Limits
from mcp_approval.question import Detail, Question
from mcp_approval.rendering import render
from mcp_approval.sanitize import Line, clean_line

INVISIBLE = "\n\r\t \u00a0\u2028\x1b\u202e\u200b\ufe0f\u3164\ud800\U000e0041"
MARKS = "\u0301\u0e47\u20dd"
NASTY = st.sampled_from([*INVISIBLE, *MARKS, "`", "<", "](", "\\"])
ANY = st.lists(NASTY | st.characters(), max_size=60).map("".join)


@given(ANY)
def test_a_cleaned_text_is_one_trimmed_line_without_invisible_characters(value: str) -> None:
    line = clean_line(value).text
    assert line == line.strip()
    assert "  " not in line
    assert len(line.splitlines()) <= 1
    assert not any(is_invisible(line, index) for index in range(len(line)))
    assert all(character == " " for character in line if character.isspace())


@given(ANY)
def test_cleaning_twice_changes_and_counts_nothing_more(value: str) -> None:
    line = clean_line(value).text
    assert clean_line(line) == Line(line)


@given(ANY)
def test_every_character_is_kept_or_counted(value: str) -> None:
    line, hidden, blanks, breaks = clean_line(value)
    assert len(line) <= len(value)
    told = hidden + blanks + breaks
    as_blanks = "".join(" " if unicodedata.category(one) == "Zs" else one for one in value)
    assert (told == 0) is (line == as_blanks)
    assert told + value.count("\r\n") >= len(value) - len(line)


@given(ANY)
def test_visible_characters_keep_their_order(value: str) -> None:
    line = clean_line(value).text
    rest = iter(value)
    assert all(any(kept == given for given in rest) for kept in line if kept != " ")


@given(ANY)
def test_a_cleaned_text_can_be_sent(value: str) -> None:
    line = clean_line(value).text
    assert line.encode("utf-8").decode("utf-8") == line


@pytest.mark.requirement("AP-35")
@pytest.mark.parametrize("unit", ["x", "\u200b", " ", "\n", "\u0301", "\u200d", "\U0001f3f4"])
def test_the_work_grows_with_the_length_and_not_faster(
    unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0
    real = is_invisible

    def counted(text: str, index: int) -> bool:
        nonlocal looks
        looks += 1
        return real(text, index)

    monkeypatch.setattr(sanitize, "is_invisible", counted)
    for length in (1_000, 4_000):
        looks = 0
        clean_line(unit * length)
        assert looks <= length * len(unit)


@given(ANY, ANY)
def test_a_detail_is_one_line_of_a_message_whatever_it_holds(label: str, value: str) -> None:
    limits = Limits(value_chars=1_000, total_chars=10_000)
    details = (Detail(label, value, summary=True), Detail("Last", "one"))
    message = render(Question("do it", "It is done.", details), limits)
    lines = message.split("\n")
    noted = 3 if "Noted by this server:" in lines else 0
    assert len(lines) == 7 + noted
    assert lines[-1] == "  Last: one"
    assert lines[-2].startswith("  ")
    assert len(message.splitlines()) == 7 + noted
