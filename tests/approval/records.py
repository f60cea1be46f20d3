"""Records for tests: events as a server tells them, and files made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from mcp_approval.record.chain import FIRST_PREVIOUS, Record, chained
from mcp_approval.typing import JSONValue

Event = Mapping[str, JSONValue]


def event(name: str, **fields: JSONValue) -> dict[str, JSONValue]:
    return {
        "event": name,
        "time": "2026-11-30T22:28:10.123Z",
        "server": "ntfy-mcp",
        "process": "9f2c1d3e",
        **fields,
    }


def story() -> list[dict[str, JSONValue]]:
    """Twenty events of one process: three calls that end well, fail and are declined."""
    told = [event("started", version="0.1.0", instance="", elicitation=True)]
    for number in range(4):
        target, first = f"{number:012x}", len(told) + 1
        told += [
            event("asked", tool="delete_user", target=target, way="dialog", client="x 1"),
            event("approved", tool="delete_user", target=target, way="dialog", asked=first),
            event("done", tool="delete_user", target=target, approval=first + 1),
        ]
    first = len(told) + 1
    told += [
        event("asked", tool="delete_user", target="d" * 12, way="phone", approver="anna"),
        event("declined", tool="delete_user", target="d" * 12, way="phone", asked=first),
        event("token_issued", tool="delete_user", target="e" * 12),
        event("token_accepted", tool="delete_user", target="e" * 12, asked=first + 2),
        event("failed", tool="delete_user", target="e" * 12, approval=first + 3),
        event("asked", tool="delete_user", target="f" * 12, way="dialog"),
        event("approved", tool="delete_user", target="f" * 12, way="dialog", asked=first + 5),
    ]
    return told


def chain(events: list[dict[str, JSONValue]]) -> Iterator[Record]:
    seq, previous = 0, FIRST_PREVIOUS
    for one in events:
        record = chained(one, seq + 1, previous)
        seq, previous = record.seq, record.hash
        yield record


def written(path: Path, events: list[dict[str, JSONValue]]) -> list[Record]:
    records = list(chain(events))
    path.write_bytes(b"".join(record.line() for record in records))
    return records
