"""A record as people read it: one line an event."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from mcp_approval.record.chain import ENDS, OUTCOMES, Record
from mcp_approval.record.verify import FaultFound, Findings, Line, Story, records_of

_WAYS = {
    "dialog": "in the client's dialog",
    "phone": "by phone",
    "window": "in a window",
    "token": "by a token",
}


def told(record: Record) -> str:
    """Say one event."""
    time = record.text("time")[:19].replace("T", " ")
    who = " ".join(
        filter(None, [record.text("server"), record.text("tool"), record.text("target")])
    )
    return f"{time}Z #{record.seq} {who}: {_words(record)}"


def _words(record: Record) -> str:
    said = record.event.replace("_", " ")
    approver = record.text("approver")
    way = _WAYS.get(record.text("way"), "")
    if way and record.event in ENDS | {"asked"}:
        said = f"{said} {way}" + (f" ({approver})" if approver else "")
    if (waited := record.number("waited_ms")) is not None:
        said += f", {round(waited / 1_000)} s after it was asked"
    if record.event in OUTCOMES and (approval := record.number("approval")) is not None:
        said += f", as approved in #{approval}"
    if reason := record.text("reason"):
        said += f": {reason.replace('_', ' ')}"
    if name := record.text("to") or record.text("from"):
        said += f" {name}"
    return said


def shown(
    path: str, findings: Findings, *, last: int | None = None, as_json: bool = False
) -> Iterator[str]:
    """Tell a record, oldest first; the chain is checked on the way.

    Args:
        path: The newest file.
        findings: Filled on the way.
        last: How many of the newest events; all without it.
        as_json: The lines as they are.

    Raises:
        FaultFound: What was told so far is whole, and the next line is not.
        OSError: A file cannot be read.
    """
    story = Story()

    def checked() -> Iterator[str]:
        for line, record in records_of(path, findings):
            story.tell(line, record)
            findings.records += 1
            findings.first = findings.first or record.text("time")
            findings.last = record
            yield _as_it_is(line) if as_json else told(record)
        findings.open = story.without_outcome

    yield from checked() if last is None else _newest(checked(), last)


def _newest(lines: Iterator[str], count: int) -> Iterator[str]:
    kept: deque[str] = deque(maxlen=count)
    try:
        kept.extend(lines)
    except FaultFound:
        yield from kept
        raise
    yield from kept


def _as_it_is(line: Line) -> str:
    return line.content.decode("utf-8", "replace")
