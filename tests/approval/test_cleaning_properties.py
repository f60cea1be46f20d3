"""Cleaning: one line, nothing invisible, done in one pass, and done once is done."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_approval.limits import Limits
from mcp_approval.question import Detail, Question, render
from mcp_approval.sanitize import clean_line, escape_markup, is_invisible

INVISIBLE = "\n\r\t \u00a0\u2028\x1b\u202e\u200b\ufe0f\u3164\ud800\U000e0041"
MARKS = "\u0301\u0e47\u20dd"
NASTY = st.sampled_from([*INVISIBLE, *MARKS, "`", "<", "](", "\\"])
ANY = st.lists(NASTY | st.characters(), max_size=60).map("".join)


@given(ANY)
def test_a_cleaned_text_is_one_trimmed_line_without_invisible_characters(value: str) -> None:
    line, _ = clean_line(value)
    assert line == line.strip()
    assert "  " not in line
    assert len(line.splitlines()) <= 1
    assert not any(is_invisible(character) for character in line)
    assert all(character == " " for character in line if character.isspace())


@given(ANY)
def test_cleaning_twice_changes_and_counts_nothing_more(value: str) -> None:
    line, _ = clean_line(value)
    assert clean_line(line) == (line, 0)


@given(ANY)
def test_every_character_is_kept_or_counted(value: str) -> None:
    line, hidden = clean_line(value)
    assert len(line) <= len(value)
    assert (hidden == 0) is (line == value)
    assert hidden >= len(value) - len(line)


@given(ANY)
def test_visible_characters_keep_their_order(value: str) -> None:
    line, _ = clean_line(value)
    rest = iter(value)
    assert all(any(kept == given for given in rest) for kept in line if kept != " ")


@given(ANY)
def test_a_cleaned_text_can_be_sent(value: str) -> None:
    line, _ = clean_line(value)
    assert line.encode("utf-8").decode("utf-8") == line


@pytest.mark.adversarial(35)
@given(ANY)
def test_cleaning_looks_at_each_character_a_bounded_number_of_times(value: str) -> None:
    looks = 0

    class Counting(str):
        __slots__ = ()

        def __iter__(self) -> object:  # type: ignore[override]
            nonlocal looks
            for character in str.__iter__(self):
                looks += 1
                yield character

    expected = clean_line(value)
    assert clean_line(Counting(value)) == expected
    assert looks == len(value)


@pytest.mark.adversarial(35)
@pytest.mark.parametrize("unit", ["x", "\u200b", " ", "\n", "\u0301", "\\", "`", "]("])
def test_the_work_grows_with_the_length_and_not_faster(
    unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    categories = 0
    real = unicodedata.category

    def counted(character: str) -> str:
        nonlocal categories
        categories += 1
        return real(character)

    monkeypatch.setattr(unicodedata, "category", counted)
    counts = []
    for length in (1_000, 2_000, 4_000):
        categories = 0
        line, _ = clean_line(unit * length)
        escape_markup(line)
        counts.append(categories)
    assert counts[2] <= 2 * counts[1] <= 4 * counts[0]
    assert counts[2] <= 3 * 4_000 * len(unit)


@given(ANY, ANY)
def test_a_detail_is_one_line_of_a_message_whatever_it_holds(label: str, value: str) -> None:
    limits = Limits(value_chars=1_000, total_chars=10_000)
    details = (Detail(label, value, summary=True), Detail("Last", "one"))
    message = render(Question("do it", "It is done.", details), limits)
    lines = message.split("\n")
    assert len(lines) == 7
    assert lines[-1] == "  Last: one"
    assert lines[-2].startswith("  ")
    assert len(message.splitlines()) == 7


@given(ANY)
def test_inert_text_holds_no_active_markup(value: str) -> None:
    line = escape_markup(clean_line(value)[0])
    assert "](" not in line
    for position, character in enumerate(line):
        if character in "`<":
            before = line[:position]
            assert (len(before) - len(before.rstrip("\\"))) % 2 == 1
