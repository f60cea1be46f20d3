"""Reading the log of a step: decoding and windows, in linear time.

A log is a JSON array with one entry per line, its text in base64. Large ones are decoded
entry by entry, so that the event loop gets its turn in between: one parse of 30 MB would
hold it for half a second.
"""

from __future__ import annotations

import base64
import binascii
import json
import operator
import re
from array import array
from collections.abc import Sequence
from typing import NamedTuple

from mcp_serverkit.errors import Unexpected
from mcp_serverkit.text.sanitize import clean_text
from woodpecker_ci_mcp.redaction import without_credentials

ENTRIES_PER_TURN = 2_000
LINE_BYTES = 16_384
"""How much of one line is kept."""

_OTHER_TYPES = frozenset({2, 3, 4})
"""Exit codes, metadata and progress; agents write them nowhere in practice."""

# Fits an array of 64-bit integers, whatever number a server sends.
_MOST = 2**62

_BLANKS = re.compile(r"[\s,]*")


class Log:
    """A log as it is stored, in order; its lines are decoded when they are shown.

    Kept as columns: a tuple for each of a few hundred thousand lines would make every
    garbage collection a pause.

    Attributes:
        seconds: When each line was written, in seconds since the step began.
        data: The text of each line in base64.
    """

    __slots__ = ("_positions", "data", "seconds")

    def __init__(self) -> None:
        self._positions = array("q")
        self.seconds = array("q")
        self.data: list[str] = []

    def __len__(self) -> int:
        return len(self.data)

    def add(self, position: int, seconds: int, data: str) -> None:
        """Add a line; a position that no server counts to is the last one."""
        self._positions.append(min(max(position, 0), _MOST))
        self.seconds.append(min(max(seconds, 0), _MOST))
        self.data.append(data)

    def sort(self) -> None:
        """Bring the lines into the order of their positions, if they are not."""
        positions = self._positions
        if all(map(operator.le, positions, positions[1:])):
            return
        order = sorted(range(len(self)), key=positions.__getitem__)
        self.seconds = array("q", (self.seconds[index] for index in order))
        self.data = [self.data[index] for index in order]
        self._positions = array("q", (positions[index] for index in order))

    def line(self, index: int) -> Line:
        """Decode one line."""
        return Line(index + 1, self.seconds[index], decode_line(self.data[index]))


class Line(NamedTuple):
    """One line to be shown.

    Attributes:
        number: Its number, from 1.
        seconds: Seconds since the step began.
        text: Its cleaned text.
    """

    number: int
    seconds: int
    text: str


class Window(NamedTuple):
    """Some lines of a log.

    Attributes:
        lines: The lines, in order.
        total: How many lines the log has.
        cut: Whether the byte budget left out lines, or a part of one.
    """

    lines: Sequence[Line]
    total: int
    cut: bool = False


async def read_log(text: str) -> Log:
    """Decode the array of entries.

    Args:
        text: The answer's JSON; null is an empty log.

    Raises:
        Unexpected: It is no such array.
    """
    decoder = json.JSONDecoder()
    log = Log()
    position = _blanks_end(text, 0)
    if text[position : position + 4] in {"", "null"}:
        return log
    if text[position : position + 1] != "[":
        raise Unexpected("Woodpecker answered a log with something else than a list.")
    position = _blanks_end(text, position + 1)
    count = 0
    while text[position : position + 1] != "]":
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            raise Unexpected("Woodpecker's answer is damaged: the log ends too early.") from None
        _add(log, value, count)
        position = _blanks_end(text, position)
        count += 1
        if count % ENTRIES_PER_TURN == 0:
            await give_way()
    log.sort()
    return log


def decode_line(data: str) -> str:
    """Decode one line: what a terminal would show of it last, without escapes.

    A progress bar overwrites its line after each carriage return; the scan for the last
    one is a single pass from the end.
    """
    try:
        content = base64.b64decode(data)
    except (binascii.Error, ValueError):
        return ""
    content = content.rstrip(b"\r\n")
    content = content[content.rfind(b"\r") + 1 :]
    cut = len(content) > LINE_BYTES
    text = content[:LINE_BYTES].decode("utf-8", "ignore" if cut else "replace")
    return without_credentials(clean_text(text)) + ("…(cut)" if cut else "")


def head(log: Log, limit: int, offset: int, budget: int) -> Window:
    """Show lines from the beginning, after `offset` of them."""
    return _from_start(log, offset, offset + limit, budget)


def tail(log: Log, limit: int, offset: int, budget: int) -> Window:
    """Show lines up to the end, before the last `offset` of them."""
    end = max(0, len(log) - offset)
    start = max(0, end - limit)
    kept: list[Line] = []
    spent = 0
    for index in range(end - 1, start - 1, -1):
        line = log.line(index)
        cost = cost_of(line.text)
        if spent + cost > budget:
            if not kept:
                kept.append(line._replace(text=_last(line.text, budget)))
            return Window(kept[::-1], len(log), cut=True)
        spent += cost
        kept.append(line)
    return Window(kept[::-1], len(log))


def around(log: Log, number: int, limit: int, budget: int) -> Window:
    """Show the lines around one, growing from it in both directions within the budget."""
    if not log:
        return Window([], 0)
    middle = min(max(number, 1), len(log)) - 1
    first = max(0, min(middle - limit // 2, len(log) - limit))
    last = min(len(log), first + limit)
    before = tail(log, middle - first, len(log) - middle, budget // 2)
    after = _from_start(log, middle, last, budget - budget // 2)
    return Window([*before.lines, *after.lines], len(log), before.cut or after.cut)


def cost_of(text: str) -> int:
    """Count the bytes that a line takes in a result, its line break included."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace"))


async def give_way() -> None:
    """Let the event loop take its turn."""
    from asyncio import sleep  # the tools are listed before anything asynchronous is loaded

    await sleep(0)


def _from_start(log: Log, start: int, end: int, budget: int) -> Window:
    kept: list[Line] = []
    spent = 0
    for index in range(start, min(end, len(log))):
        line = log.line(index)
        cost = cost_of(line.text)
        if spent + cost > budget:
            if not kept:
                kept.append(line._replace(text=_first(line.text, budget)))
            return Window(kept, len(log), cut=True)
        spent += cost
        kept.append(line)
    return Window(kept, len(log))


def _first(text: str, budget: int) -> str:
    return text.encode("utf-8", "replace")[: budget // 2].decode("utf-8", "ignore")


def _last(text: str, budget: int) -> str:
    return text.encode("utf-8", "replace")[-(budget // 2) :].decode("utf-8", "ignore")


def _add(log: Log, value: object, count: int) -> None:
    """Add an entry; what is no text, or no output, is passed over."""
    if not isinstance(value, dict) or value.get("type") in _OTHER_TYPES:
        return
    data, line, seconds = value.get("data"), value.get("line"), value.get("time")
    if isinstance(data, str):
        position = line if isinstance(line, int) else count
        log.add(position, seconds if isinstance(seconds, int) else 0, data)


def _blanks_end(text: str, position: int) -> int:
    blanks = _BLANKS.match(text, position)
    return blanks.end() if blanks else position
