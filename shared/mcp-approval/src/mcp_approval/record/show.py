"""A record as people read it: one line an event."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator

from mcp_approval.invisible import is_invisible
from mcp_approval.record.chain import ENDS, OUTCOMES, Record
from mcp_approval.record.lines import FaultFound, Line
from mcp_approval.record.texts import kept_text
from mcp_approval.record.verify import Findings, checked
from mcp_approval.sanitize import clean_line

_WAYS = {
    "dialog": "in the client's dialog",
    "phone": "by phone",
    "window": "in a window",
    "token": "by a token",
}
_PLAIN = {"elsewhere": "answered elsewhere, taken back"}

_SAID_BY_NOBODY = frozenset({"expired", "withdrawn", "superseded", "replaced"})
"""Ends that come over a question, in no way that a person took."""


def told(record: Record) -> str:
    """Say one event."""
    time = record.text("time")[:19].replace("T", " ")
    who = " ".join(
        filter(None, [record.text("server"), record.text("tool"), record.text("target")])
    )
    # A record may have been made by anybody; a terminal must not obey it.
    parts = (f"{time}Z", f"#{record.seq} {who}", _words(record))
    return "  ".join(clean_line(part).text for part in parts)


def _words(record: Record) -> str:
    said = _PLAIN.get(record.event) or record.event.replace("_", " ")
    approver = record.text("approver")
    way = _WAYS.get(record.text("way"), "")
    if way and record.event in (ENDS | {"asked"}) - _SAID_BY_NOBODY:
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
    path: str,
    findings: Findings,
    *,
    last: int | None = None,
    as_json: bool = False,
    texts: bool = False,
) -> Iterator[str]:
    """Tell a record, oldest first; it is checked on the way.

    Args:
        path: The newest file.
        findings: Filled on the way.
        last: How many of the newest events; all without it.
        as_json: The lines as they are.
        texts: Whether kept texts follow the events that showed them.

    Raises:
        FaultFound: What was told so far is whole, and the next line is not.
        OSError: A file cannot be read.
    """

    def events() -> Iterator[str]:
        for line, record in checked(path, findings):
            if as_json:
                yield _as_it_is(line)
                continue
            kept = kept_text(path, record) if texts else None
            yield "\n".join([told(record), *_indented(kept or "")])

    yield from events() if last is None else _newest(events(), last)


def _newest(lines: Iterator[str], count: int) -> Iterator[str]:
    kept: deque[str] = deque(maxlen=count)
    try:
        kept.extend(lines)
    except FaultFound:
        yield from kept
        raise
    yield from kept


def _indented(text: str) -> Iterator[str]:
    for line in text.splitlines():
        seen = (character for at, character in enumerate(line) if not is_invisible(line, at))
        yield f"    {''.join(seen)}".rstrip()


def _as_it_is(line: Line) -> str:
    text = line.content.decode("utf-8", "replace")
    # What a terminal might obey is escaped, which says the same.
    return text if text.isprintable() else json.dumps(json.loads(text), separators=(",", ":"))
