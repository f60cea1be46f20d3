"""Cleaning of text that a person is about to read.

A line in a dialog must look like what it is. Characters that draw nothing, reorder
their neighbours or move a terminal's cursor are taken out and counted, so the reader
is told that something was there.
"""

from __future__ import annotations

import re
import unicodedata

_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})

# Printable by their Unicode category, blank on the screen.
_BLANK = frozenset(
    [
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
        *range(0x180B, 0x1810),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    ]
)

_MAX_COMBINING_MARKS = 4
"""Marks kept on one base character: the longest stack ordinary languages write."""

_MARKUP = re.compile(r"(\\*)([`<]|(?<=\])\()")
"""What a client that renders Markdown or HTML would act on, with the backslashes before it."""


def is_invisible(character: str) -> bool:
    """Tell whether a character draws nothing of its own, white space aside."""
    return unicodedata.category(character) in _INVISIBLE_CATEGORIES or ord(character) in _BLANK


def clean_line(text: str) -> tuple[str, int]:
    """Flatten text to one visible line, in linear time.

    Returns:
        The line, and the number of characters that it does not show as they were:
        invisible ones, line breaks, surplus white space and stacked marks.
    """
    kept: list[str] = []
    hidden = 0
    marks = 0
    for character in text:
        if character.isspace():
            if character != " ":
                hidden += 1
            if kept and kept[-1] != " ":
                kept.append(" ")
            elif character == " ":
                hidden += 1
            marks = 0
        elif is_invisible(character):
            hidden += 1
        elif unicodedata.category(character) in {"Mn", "Me"}:
            marks += 1
            if marks > _MAX_COMBINING_MARKS:
                hidden += 1
            else:
                kept.append(character)
        else:
            marks = 0
            kept.append(character)
    if kept and kept[-1] == " ":
        kept.pop()
        hidden += 1
    return "".join(kept), hidden


def escape_markup(line: str) -> str:
    """Escape the few character sequences that a rendering client would interpret."""
    return _MARKUP.sub(r"\1\1\\\2", line)
