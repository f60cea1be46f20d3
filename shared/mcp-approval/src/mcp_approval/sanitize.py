"""Cleaning of text that a person is about to read.

A line in a dialog must look like what it is. What draws nothing, reorders its
neighbours or moves a terminal's cursor is taken out and counted, so the reader is told
that something was there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from mcp_approval.invisible import is_invisible, is_mark

_BLANKS = " \u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""All of category Zs; each shows as one blank."""

_BREAKS = "\t\n\r\v\f\x85\u2028\u2029"
_LINE_END = re.compile("\r\n|[\n\r\v\f\x85\u2028\u2029]")
_JOINERS = "\u200c\u200d"

_MAX_COMBINING_MARKS = 4
"""Marks kept on one base character: the longest stack ordinary languages write."""

_TAB_BLANKS = 4
"""Width of a tab in a block of text."""


class Line(NamedTuple):
    """One line as a person sees it, and what of the text it does not show.

    Attributes:
        text: The line.
        hidden: Invisible characters and stacked marks that were taken out.
        blanks: Blanks beyond the one that is shown.
        breaks: Tabs and line ends; CR LF is one.
    """

    text: str
    hidden: int = 0
    blanks: int = 0
    breaks: int = 0


Kind = Literal["seen", "hidden", "blank", "break"]


def clean_line(text: str) -> Line:
    """Flatten text to one visible line, in linear time."""
    return _cleaned(text.replace("\r\n", "\n"), _line_gap)


def clean_lines(text: str) -> list[Line]:
    """Clean a text line by line; indentation stays, a tab shows as four blanks.

    Of several empty lines in a row one stays, at the ends none. Neither line ends nor
    blanks at the end of a line are counted.
    """
    lines: list[Line] = []
    for raw in _LINE_END.split(text):
        line = _cleaned(raw.rstrip(_BLANKS + "\t"), _block_gap)._replace(breaks=0)
        if line.text or line.hidden or (lines and lines[-1].text):
            lines.append(line)
    while lines and lines[-1] == Line(""):
        lines.pop()
    return lines


def _cleaned(text: str, gap: Callable[[int, int, bool], str]) -> Line:
    kept: list[str] = []
    hidden = blanks = breaks = 0
    here = [0, 0]
    for kind, character in _pieces(text):
        if kind == "hidden":
            hidden += 1
        elif kind == "seen":
            if any(here):
                shown = gap(here[0], here[1], not kept)
                kept.append(shown)
                blanks += max(here[0] - len(shown), 0)
                here = [0, 0]
            kept.append(character)
        else:
            here[kind == "break"] += 1
            breaks += kind == "break"
    return Line("".join(kept), hidden, blanks + here[0], breaks)


def _line_gap(_blanks: int, _breaks: int, first: bool) -> str:
    return "" if first else " "


def _block_gap(blanks: int, tabs: int, first: bool) -> str:
    if first:
        return " " * (blanks + _TAB_BLANKS * tabs)
    return " " * (_TAB_BLANKS * tabs or 1)


def _pieces(text: str) -> Iterator[tuple[Kind, str]]:
    """What each character is to a reader."""
    marks = 0
    for index, character in enumerate(text):
        if character in _BLANKS:
            marks = 0
            yield "blank", character
        elif character in _BREAKS:
            marks = 0
            yield "break", character
        elif is_invisible(text, index):
            yield "hidden", character
        else:
            # A joiner that is kept is no base: marks go on counting behind it.
            marks = marks + 1 if character in _JOINERS or is_mark(character) else 0
            yield "seen" if marks <= _MAX_COMBINING_MARKS else "hidden", character
