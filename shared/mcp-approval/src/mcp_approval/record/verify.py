"""Finding out whether a record is whole, and whether it tells one story."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mcp_approval.record.chain import FIRST_PREVIOUS, BrokenLineError, Record, read_line, torn
from mcp_approval.record.file import numbered
from mcp_approval.record.lines import FaultFound, Line, lines_of
from mcp_approval.record.story import Story
from mcp_approval.record.texts import KeptTexts
from mcp_approval.wording import counted


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
        texts: How many shown texts are kept, and how many were deleted.
    """

    records: int = 0
    files: int = 0
    first: str = ""
    last: Record | None = None
    torn: list[tuple[str, int]] = field(default_factory=list)
    begins: str = ""
    open: int = 0
    texts: tuple[int, int] = (0, 0)

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
        kept, deleted = self.texts
        if kept or deleted:
            notes.append(f"{counted(kept, 'text')} kept, {deleted} deleted")
        if self.begins:
            notes.append(self.begins)
        return [said, *notes]


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


def checked(path: str, findings: Findings) -> Iterator[tuple[Line, Record]]:
    """Go through a record and check chain, story and kept texts on the way.

    Args:
        path: The newest file.
        findings: Filled on the way.

    Raises:
        FaultFound: The first thing that is wrong.
        OSError: A file cannot be read.
    """
    story, texts = Story(), KeptTexts(path)
    for line, record in records_of(path, findings):
        story.tell(line, record)
        texts.check(line, record)
        findings.records += 1
        findings.first = findings.first or record.text("time")
        findings.last = record
        yield line, record
    findings.open = story.without_outcome
    findings.texts = texts.kept, texts.deleted


def verify(path: str, heads: Sequence[str] = ()) -> Findings:
    """Check a record from its first line to its last.

    Args:
        path: The newest file.
        heads: First digits of digests that were seen elsewhere.

    Raises:
        FaultFound: The first thing that is wrong.
        OSError: A file cannot be read.
    """
    findings, missing = Findings(), set(heads)
    for _, record in checked(path, findings):
        missing = {head for head in missing if not record.hash.startswith(head.lower())}
    for head in heads:
        if head in missing:
            raise FaultFound(
                f"head {head} is in no record: the end was cut off, or everything was rewritten"
            )
    return findings
