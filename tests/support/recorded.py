"""What must be true of every record, whoever was asked and however it ended."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from mcp_approval.record.chain import QUESTIONS, Record, read_line
from mcp_approval.record.show import shown
from mcp_approval.record.verify import Findings, verify
from tests.support.clients import Arguments

SHORT = 6
"""A value of so few characters stands in a file of digests by chance."""


def environ(path: Path) -> dict[str, str]:
    """What the operator set."""
    return {"APPROVAL_RECORD": str(path)}


def values_of(argument: object) -> Iterator[str]:
    """Every text in an argument, however deep."""
    if isinstance(argument, str):
        yield argument
    elif isinstance(argument, Mapping):
        for each in argument.values():
            yield from values_of(each)
    elif isinstance(argument, Collection):
        for each in argument:
            yield from values_of(each)


def events_of(path: Path) -> list[Record]:
    """The events of a record, from its first."""
    return [read_line(line) for line in path.read_bytes().splitlines()]


def hold(path: Path, arguments: Arguments) -> list[Record]:
    """Hold a record to what must be true of all, and give its events.

    Each yes has an outcome, each end one question of the same call, and no value of a call
    stands in the file or in what is shown of it.
    """
    assert verify(str(path)).open == 0
    events = events_of(path)
    assert events[0].event == "started"
    known = {event.seq for event in events if event.event in QUESTIONS}
    for event in events:
        if "asked" in event and event.event != "facts_changed":
            assert event.number("asked") in known, event
        if "approval" in event:
            assert event.number("approval") is not None, event
    # A value may be the name of a field by chance.
    told = "\n".join([*values_of(events), *shown(str(path), Findings())])
    for value in values_of(arguments):
        assert len(value) <= SHORT or value not in told
    return events
