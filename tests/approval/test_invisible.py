"""One table of invisible characters, for dialogs and results alike."""

from __future__ import annotations

import os
import random
import sys
import unicodedata

import pytest

from mcp_approval import invisible_table
from mcp_approval.invisible import is_invisible, is_mark, without_invisible
from mcp_approval.sanitize import Line, clean_line
from mcp_serverkit.text.sanitize import clean_text
from scripts import unicode_table

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
TEXAS = "\U0001f3f4\U000e0075\U000e0073\U000e0074\U000e0078\U000e007f"
LINE_ENDS = set("\t\n\r\v\f\x85\u2028\u2029")
CHUNK = 512

WHOLE = "FUZZ_EXAMPLES" in os.environ
"""`make fuzz` walks all code points, `make test` those where an error would be made."""

LONG = 512
"""Of a longer range of the table its ends are tried, and a few in between."""

ROWS = {name: getattr(invisible_table, name) for name in ("INVISIBLE", "EMOJI", "MARKS", "VIRAMAS")}


def _codes() -> list[int]:
    if WHOLE:
        return list(range(sys.maxunicode + 1))
    chosen = set(range(0x300))
    for row in ROWS.values():
        for low, high in zip(row[::2], row[1::2], strict=True):
            chosen.update(range(low, high) if high - low <= LONG else ())
            chosen.update(code + step for code in (low, high) for step in (-2, -1, 0, 1))
    chosen.update(random.Random(17).sample(range(sys.maxunicode + 1), 4_000))
    return sorted(code for code in chosen if 0 <= code <= sys.maxunicode)


CODES = _codes()


def _alone(code: int) -> bool:
    return is_invisible(f"a{chr(code)}b", 1)


@pytest.mark.requirement("C-14")
def test_the_table_is_what_the_properties_of_unicode_say() -> None:
    written = unicode_table.TARGET.read_text(encoding="utf-8")
    assert written == unicode_table.table(), "run make unicode"


@pytest.mark.timeout(300)
def test_this_python_agrees_about_all_that_its_unicode_assigns() -> None:
    for code in CODES:
        category = unicodedata.category(chr(code))
        if category in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}:
            assert _alone(code), hex(code)
        elif category == "Zs":
            assert not _alone(code), hex(code)
        elif category != "Cn" and category[0] in "LNPS" and _alone(code):
            assert code in {0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x1D159, 0x13441, 0x13442}
        # One mark of Ahom became a spacing one after Unicode 14.
        if category in {"Mn", "Me"} and code != 0x1171E:
            assert is_mark(chr(code)), hex(code)


@pytest.mark.requirement("C-14")
@pytest.mark.timeout(300)
def test_of_all_code_points_a_dialog_and_a_result_drop_the_same() -> None:
    for start in range(0, len(CODES), CHUNK):
        codes = CODES[start : start + CHUNK]
        text = "".join(f"a{chr(code)}b" for code in codes)
        dialog, result = set(clean_line(text).text), set(clean_text(text))
        for code in codes:
            character = chr(code)
            if character in LINE_ENDS or 0xD800 <= code <= 0xDFFF or character in "ab":
                continue
            if unicodedata.category(character) == "Zs":
                assert " " in dialog
                assert character in result
                continue
            assert (character in dialog) is (character in result), hex(code)
            assert (character in dialog) is not _alone(code), hex(code)


KEPT = {
    "emoji selector": "Deploy \u26a0\ufe0f",
    "text selector": "\u26a0\ufe0e",
    "keycap": "1\ufe0f\u20e3 #\ufe0f\u20e3",
    "family": "\U0001f469\u200d\U0001f467",
    "skin tone": "\U0001f469\U0001f3fd\u200d\U0001f680",
    "heart on fire": "\u2764\ufe0f\u200d\U0001f525",
    "rainbow flag": "\U0001f3f3\ufe0f\u200d\U0001f308",
    "England": ENGLAND,
    "Persian": "\u0646\u0627\u0645\u0647\u200c\u0627\u06cc",
    "Devanagari": "\u0915\u094d\u200d\u0937 \u0915\u094d\u200c\u0937",
    "no font has it yet": "\u0378",
}


@pytest.mark.requirement("C-14")
@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_what_belongs_to_its_neighbours_stays_in_dialogs_and_results(text: str) -> None:
    assert clean_line(text) == Line(text)
    assert clean_text(text) == text


DROPPED = {
    "twenty selectors": ("x" + "\ufe01" * 20, "x", 20),
    "the second selector": ("\u2764" + "\ufe0f" * 5, "\u2764\ufe0f", 4),
    "selector behind a digit": ("1\ufe0f2", "12", 1),
    "selector at the start": ("\ufe0fx", "x", 1),
    "selector 1 behind an emoji": ("\u26a0\ufe01", "\u26a0", 1),
    "joiner between letters": ("a\u200db", "ab", 1),
    "joiner between digits": ("1\u200d2", "12", 1),
    "joiner at both ends": ("\u200d\U0001f469\u200d", "\U0001f469", 2),
    "joiner behind a lone skin tone": (
        "\U0001f3fd\u200d\U0001f680",
        "\U0001f3fd\U0001f680",
        1,
    ),
    "two joiners": ("\U0001f469\u200d\u200d\U0001f467", "\U0001f469\U0001f467", 2),
    "non-joiner between Latin letters": ("a\u200cb", "ab", 1),
    "non-joiner behind an Arabic digit": ("\u0661\u200c\u0628", "\u0661\u0628", 1),
    "a flag that is not registered": (TEXAS, "\U0001f3f4", 5),
    "a tag behind a flag": (ENGLAND + "\U000e0041", ENGLAND, 1),
    "tags alone": ("x" + ENGLAND[1:], "x", 6),
}


@pytest.mark.requirement("R-77", "C-14")
@pytest.mark.parametrize(("text", "kept", "hidden"), DROPPED.values(), ids=DROPPED)
def test_all_else_is_taken_out_and_counted(text: str, kept: str, hidden: int) -> None:
    assert clean_line(text) == Line(kept, hidden)
    assert clean_text(text) == kept


@pytest.mark.requirement("C-14")
def test_blanks_and_line_ends_have_words_of_their_own() -> None:
    assert clean_line("10\u202f000\u00a0\u20ac") == Line("10 000 \u20ac")
    assert clean_line("Re:  double ") == Line("Re: double", blanks=2)
    assert clean_line("a\r\nb\tc\u2028") == Line("a b c", breaks=3)
    assert clean_line("a \n b") == Line("a b", blanks=1, breaks=1)


def test_stacks_of_joining_marks_are_cut_like_other_stacks() -> None:
    line = clean_line("\u0915" + "\u094d\u200d" * 50)
    assert len(line.text) == 5
    assert clean_line(line.text) == Line(line.text)


def test_plain_text_is_cleaned_without_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_approval.invisible._table", lambda: pytest.fail("loaded"))
    assert clean_line("a\x1b[1Ab\x7f") == Line("a[1Ab", hidden=2)
    assert without_invisible("a\x00\tb", kept="\t") == "a\tb"


def test_every_row_of_the_table_is_sorted_and_closed() -> None:
    for row in ROWS.values():
        assert list(row) == sorted(set(row))
        assert len(row) % 2 == 0
