"""Finding lines in the log of a step, in linear time."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple

from woodpecker_ci_mcp.logs import (
    ENTRIES_PER_TURN,
    Line,
    Log,
    cost_of,
    decode_line,
    give_way,
)


class Matches(NamedTuple):
    """The lines that hold a text.

    Attributes:
        first: Indexes of the first of them, in order.
        total: How many there are.
    """

    first: Sequence[int]
    total: int


class Found(NamedTuple):
    """What a search shows.

    Attributes:
        lines: Matching lines and those around them, each once, in order.
        matches: Numbers of the matching lines that are shown.
        total_matches: How many lines match.
        cut: Whether the byte budget left something out.
    """

    lines: Sequence[Line]
    matches: Sequence[int]
    total_matches: int
    cut: bool


async def find_matches(log: Log, wanted: str, most: int) -> Matches:
    """Find the lines that hold a text, in any case, and count them all."""
    needle = wanted.casefold()
    first: list[int] = []
    total = 0
    async for index, text in _decoded(log):
        if needle in text.casefold():
            total += 1
            if len(first) < most:
                first.append(index)
    return Matches(first, total)


def with_context(log: Log, matches: Matches, context: int, budget: int) -> Found:
    """Take the matching lines and some around each, as far as the bytes reach."""
    lines: list[Line] = []
    spent, shown_until = 0, -1
    for match in matches.first:
        start = max(shown_until + 1, match - context)
        for index in range(start, min(match + context + 1, len(log))):
            line = log.line(index)
            spent += cost_of(line.text)
            if spent > budget:
                shown = [found + 1 for found in matches.first if found <= shown_until]
                return Found(lines, shown, matches.total, cut=True)
            lines.append(line)
            shown_until = index
    return Found(lines, [found + 1 for found in matches.first], matches.total, cut=False)


async def first_match(log: Log, signs: re.Pattern[str]) -> int | None:
    """Find the first line that a pattern fits, but for what a shell traces of itself.

    Returns:
        Its index.
    """
    async for index, text in _decoded(log):
        if not text.startswith("+ ") and signs.search(text):
            return index
    return None


async def _decoded(log: Log) -> AsyncIterator[tuple[int, str]]:
    for index, data in enumerate(log.data):
        if index % ENTRIES_PER_TURN == ENTRIES_PER_TURN - 1:
            await give_way()
        yield index, decode_line(data)
