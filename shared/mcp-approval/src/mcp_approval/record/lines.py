"""Reading a record line by line, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from mcp_approval.record.chain import LINE_BYTES
from mcp_approval.record.file import TAIL_BYTES

CHUNK = LINE_BYTES + 2


class FaultFound(Exception):  # noqa: N818 (what a verification is for, not an error in it)
    """The first thing that is wrong, with file and line."""


class Line(NamedTuple):
    """One line of a file as it lies there."""

    file: str
    number: int
    content: bytes
    ended: bool

    @property
    def place(self) -> str:
        """Where it stands, in words."""
        return f"{self.file} line {self.number}"


def lines_of(path: str, name: str) -> Iterator[Line]:
    """Read a file line by line; one that is too long comes in pieces, each no record."""
    with open(path, "rb") as file:
        number = 0
        while content := _read(file):
            number += 1
            yield Line(name, number, content.removesuffix(b"\n"), content.endswith(b"\n"))


def _read(file: BinaryIO) -> bytes:
    content = file.readline(CHUNK)
    # What an interrupted write left may be longer than a record, and is named as a whole.
    while content and not content.endswith(b"\n") and len(content) < TAIL_BYTES:
        more = file.readline(CHUNK)
        if not more:
            break
        content += more
    return content
