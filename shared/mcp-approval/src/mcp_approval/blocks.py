"""How a text of many lines is cut where not all of it can be shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from mcp_approval.invisible import is_invisible
from mcp_approval.question import Block

COLUMNS = 80
"""Width of a terminal that nobody made wider."""

LEAST_ROWS = 8
"""Rows that a text keeps however short a window is: enough to know it again."""

MARK = "  | "

_HEAD_SHARE = 0.8
"""Four rows of the head to one of the tail: texts end in greetings, demands and totals."""


class Cut(NamedTuple):
    """What is shown of a text: its head, then how many characters are not, then its tail."""

    head: list[str]
    left_out: int = 0
    tail: list[str] = []  # noqa: RUF012 (never changed)


def rows_of(text: str) -> int:
    """Rows that lines take in a terminal, wrapped ones counted as they wrap."""
    return sum(max(1, -(-_width(line) // COLUMNS)) for line in text.split("\n"))


def cut_to_characters(lines: Sequence[str], block: Block) -> Cut:
    """Cut a text where it is longer than a block shows."""
    text = "\n".join(lines)
    if len(text) <= block.whole_chars and len(lines) <= block.whole_lines:
        return Cut(list(lines))
    head = "\n".join(text[: block.head_chars].split("\n")[: block.head_lines])
    last = text[max(len(text) - block.tail_chars, len(head)) :]
    return _parted(text, head, "\n".join(last.split("\n")[-block.tail_lines :]))


def cut_to_rows(lines: Sequence[str], rows: int) -> Cut:
    """Cut a text to so many rows, the one that tells of the cut included."""
    head_rows = max(1, round((rows - 1) * _HEAD_SHARE))
    head = "\n".join(_first(lines, head_rows))
    reversed_lines = [line[::-1] for line in reversed(lines)]
    tail = "\n".join(_first(reversed_lines, rows - 1 - head_rows))[::-1]
    return _parted("\n".join(lines), head, tail)


def _first(lines: Sequence[str], rows: int) -> list[str]:
    kept: list[str] = []
    for line in lines:
        needed = rows_of(MARK + line)
        if needed > rows:
            room = rows * COLUMNS - len(MARK)
            part = line[: max(room, 0)]
            while part and _width(part) > room:
                part = part[:-1]
            return [*kept, part] if part else kept
        kept.append(line)
        rows -= needed
    return kept


def _parted(text: str, head: str, tail: str) -> Cut:
    while tail and is_invisible(tail, 0) and tail[0] != "\n":
        tail = tail[1:]
    return Cut(head.split("\n"), len(text) - len(head) - len(tail), tail.split("\n"))


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)
