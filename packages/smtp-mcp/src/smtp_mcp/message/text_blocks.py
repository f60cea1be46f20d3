"""Blocks of lines under way, for the reading of HTML."""

from __future__ import annotations

import re
from collections.abc import Mapping


class Block:
    """Lines under way."""

    def __init__(self, first: str = "", rest: str = "") -> None:
        self.first = first
        self.rest = rest
        self.lines: list[str] = []
        self._line: list[str] = []
        self._gap = 0
        self._space = False
        self._indented = False

    @property
    def ends_in_word(self) -> bool:
        """Whether more text would stick to what is there."""
        return bool(self._line) and not (self._gap or self._space) and self._line[-1][-1:].isalnum()

    def write(self, text: str, *, indented: bool = False) -> None:
        """Add text to the line."""
        self._break()
        if self._space and self._line:
            self._line.append(" ")
        self._space = False
        self._indented = self._indented or (indented and not self._line)
        self._line.append(text)

    def blank(self) -> None:
        """Part what follows by a blank."""
        self._space = True

    def part(self, lines: int) -> None:
        """Let what follows begin on a line of its own, or below an empty one."""
        if self._line or self.lines:
            self._gap = max(self._gap, lines)
        self._space = False

    def _break(self) -> None:
        gap, self._gap = self._gap, 0
        if gap and self._line:
            self.end_line()
        if gap > 1 and self.lines and self.lines[-1]:
            self.lines.append("")

    def end_line(self) -> None:
        """Begin a new line."""
        self._gap = 0
        line = "".join(self._line).rstrip()
        self.lines.append(line if self._indented else line.lstrip())
        self._line, self._space, self._indented = [], False, False

    def finished(self) -> list[str]:
        """End the block and return its lines."""
        if self._line:
            self.end_line()
        while self.lines and not self.lines[-1]:
            self.lines.pop()
        return self.lines

    def insert(self, block: Block) -> None:
        """Put a block that was set apart below what is there."""
        lines = block.finished()
        if not lines:
            return
        self._gap = max(self._gap, 1)
        self._break()
        for number, line in enumerate(lines):
            self.lines.append(((block.rest if number else block.first) + line).rstrip())


class ItemList:
    """A list under way: its marks, and the number of the next item."""

    def __init__(self, tag: str, attributes: Mapping[str, str], items: int) -> None:
        self.ordered = tag == "ol"
        self.step = -1 if "reversed" in attributes else 1
        self.next = _whole(attributes.get("start"), items if self.step < 0 else 1)

    def mark(self, attributes: Mapping[str, str]) -> str:
        """Return what stands before the next item."""
        if not self.ordered:
            return "- "
        number = _whole(attributes.get("value"), self.next)
        self.next = number + self.step
        return f"{number}. "


def _whole(text: str | None, otherwise: int) -> int:
    return int(text) if text and re.fullmatch(r"\s*-?[0-9]{1,6}\s*", text) else otherwise
