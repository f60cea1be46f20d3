"""Finding out whether a record is whole, and whether it tells one story."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple

from mcp_approval.record.chain import (
    APPROVALS,
    ENDS,
    FIRST_PREVIOUS,
    LINE_BYTES,
    OUTCOMES,
    QUESTIONS,
    BrokenLineError,
    Record,
    read_line,
    torn,
)
from mcp_approval.record.file import TAIL_BYTES, numbered
from mcp_approval.wording import counted

REMEMBERED = 100_000
"""Questions and approvals whose ends are looked for; older ones are not judged."""

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


@dataclass(slots=True)
class Findings:
    """What a verification saw.

    Attributes:
        records: How many whole records.
        files: How many files.
        first: Time of the first record.
        last: The last record.
        torn: Lines that an interrupted write left, named by the record after each.
        begins: The first record, where earlier ones are not here.
        open: Approvals without an outcome.
    """

    records: int = 0
    files: int = 0
    first: str = ""
    last: Record | None = None
    torn: list[tuple[str, int]] = field(default_factory=list)
    begins: str = ""
    open: int = 0

    def lines(self) -> list[str]:
        """Say it, a line each."""
        said = f"ok: {counted(self.records, 'record')} in {counted(self.files, 'file')}"
        if self.last is not None:
            days = f"{self.first[:10]} to {self.last.text('time')[:10]}"
            said += f", {days}, head {self.last.head}"
        notes = [
            f"{place}: torn write of {size} bytes, named by the next record"
            for place, size in self.torn
        ]
        if self.open:
            notes.append(f"{counted(self.open, 'approval')} without an outcome")
        if self.begins:
            notes.append(self.begins)
        return [said, *notes]


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


def records_of(path: str, findings: Findings) -> Iterator[tuple[Line, Record]]:
    """Read the record and what was set aside before it, oldest first.

    Raises:
        FaultFound: A line is not whole, or the chain is broken.
        OSError: A file cannot be read.
    """
    folder = os.path.dirname(path) or "."
    names = numbered(path)
    if not names or os.path.lexists(path):
        names.append(os.path.basename(path))
    findings.files = len(names)
    last: Record | None = None
    left: list[Line] = []
    for name in names:
        for line in lines_of(os.path.join(folder, name), name):
            try:
                record = read_line(line.content)
            except BrokenLineError:
                left.append(line)
                continue
            _require_named(left, record, findings)
            left = []
            if not line.ended:
                raise FaultFound(f"{line.place}: ends in an incomplete line")
            _require_chained(line, record, last, findings)
            last = record
            yield line, record
    if left:
        raise FaultFound(_fault_of(left[0]))


def _require_named(left: Sequence[Line], record: Record, findings: Findings) -> None:
    if not left:
        return
    content = b"\n".join(line.content for line in left)
    # Rebuilding the file after such a line ends it; what was written is all but that end.
    if record.get("torn") != torn(content):
        raise FaultFound(_fault_of(left[0]))
    findings.torn.append((left[0].place, len(content)))


def _fault_of(line: Line) -> str:
    if not line.ended:
        return f"{line.place}: ends in an incomplete line"
    try:
        read_line(line.content)
    except BrokenLineError as error:
        said = str(error)
        said = "no record, and none names it" if said == "no record" else said
        return f"{line.place}: {said}"
    raise AssertionError("unreachable: the line was found broken")


def _require_chained(line: Line, record: Record, last: Record | None, findings: Findings) -> None:
    if last is None and record.seq != 1:
        before = record.text("from")
        if record.event == "continued" and before:
            findings.begins = f"begins at record {record.seq}; {before} is not here"
            return
    seq, previous = (last.seq, last.hash) if last is not None else (0, FIRST_PREVIOUS)
    if record.seq != seq + 1 or record.text("prev") != previous:
        raise FaultFound(
            f"{line.place}: the chain is broken: a record was removed, added or moved before "
            "this one"
        )


class Story:
    """Whether each answer belongs to a question and each outcome to one approval."""

    def __init__(self) -> None:
        self._open: OrderedDict[int, tuple[str, str]] = OrderedDict()
        self._ended: set[int] = set()
        self._approved: OrderedDict[int, tuple[str, str]] = OrderedDict()
        self._done: set[int] = set()

    @property
    def without_outcome(self) -> int:
        """Approvals of which nothing more is told: the process ended there."""
        return len(self._approved.keys() - self._done)

    def tell(self, line: Line, record: Record) -> None:
        """Follow one more event.

        Raises:
            FaultFound: It does not fit what came before.
        """
        who = (record.text("process"), record.text("target"))
        if record.event in ENDS | {"token_refused"}:
            ends = self._ended if record.event in ENDS else None
            self._require(line, self._open, ends, record.number("asked"), who, _ANSWER)
        if record.event in OUTCOMES:
            self._require(line, self._approved, self._done, record.number("approval"), who, _ACT)
        if record.event in QUESTIONS:
            _remember(self._open, self._ended, record.seq, who)
        if record.event in APPROVALS:
            _remember(self._approved, self._done, record.seq, who)

    def _require(
        self,
        line: Line,
        known: OrderedDict[int, tuple[str, str]],
        ended: set[int] | None,
        number: int | None,
        who: tuple[str, str],
        words: tuple[str, str],
    ) -> None:
        if number is None or (len(known) >= REMEMBERED and number < next(iter(known))):
            return
        unknown, twice = words
        if known.get(number) != who:
            raise FaultFound(f"{line.place}: {unknown}")
        if ended is None:
            return
        if number in ended:
            raise FaultFound(f"{line.place}: {twice} {number}")
        ended.add(number)


_ANSWER = ("an answer to a question that was never asked", "a second end of record")
_ACT = ("an outcome of an approval that was never given", "a second outcome for record")


def _remember(
    known: OrderedDict[int, tuple[str, str]], ended: set[int], number: int, who: tuple[str, str]
) -> None:
    known[number] = who
    if len(known) > REMEMBERED:
        forgotten, _ = known.popitem(last=False)
        ended.discard(forgotten)


def verify(path: str, heads: Sequence[str] = ()) -> Findings:
    """Check a record from its first line to its last.

    Args:
        path: The newest file.
        heads: First digits of digests that were seen elsewhere.

    Raises:
        FaultFound: The first thing that is wrong.
        OSError: A file cannot be read.
    """
    findings, story, missing = Findings(), Story(), set(heads)
    for line, record in records_of(path, findings):
        story.tell(line, record)
        findings.records += 1
        findings.first = findings.first or record.text("time")
        findings.last = record
        missing = {head for head in missing if not record.hash.startswith(head.lower())}
    findings.open = story.without_outcome
    for head in heads:
        if head in missing:
            raise FaultFound(
                f"head {head} is in no record: the end was cut off, or everything was rewritten"
            )
    return findings
