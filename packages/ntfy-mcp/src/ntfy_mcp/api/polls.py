"""What a poll brings: lines of JSON, and when the instance sent them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

from mcp_serverkit.http.json_fields import Document, number_of
from mcp_serverkit.http.response import Response

LINES_PER_TURN = 500
"""Lines decoded before the event loop gets its turn; about a millisecond of work."""


@dataclass(frozen=True, slots=True)
class Poll:
    """The cached messages of a poll.

    Attributes:
        entries: The lines that are objects with a text id, oldest first.
        unreadable: Lines that are no JSON: cut or damaged.
        malformed: Lines that are JSON and no message.
        time: Unix time of the answer, by the instance's clock.
        scheduled: Whether what is not delivered yet was asked for too.
    """

    entries: list[Document]
    unreadable: int
    malformed: int
    time: float
    scheduled: bool

    @property
    def complete(self) -> bool:
        """Whether every line was understood."""
        return not (self.unreadable or self.malformed)

    def is_delivered(self, entry: Document) -> bool:
        """Tell whether a message has reached its time; one without a readable time has."""
        due = number_of(entry, "time")
        return not self.scheduled or due is None or due <= self.time


@dataclass(frozen=True, slots=True)
class Listening:
    """An open stream.

    Attributes:
        time: Unix time of its start, by the instance's clock.
        entries: Its messages and events, as they come; lines of another shape are skipped.
    """

    time: float
    entries: AsyncIterator[Document]


async def read_lines(lines: AsyncIterator[bytes]) -> AsyncIterator[Document]:
    """Decode the lines of a stream."""
    async for line in lines:
        try:
            entry = _decoded(line)
        except ValueError:
            continue
        if entry is not None:
            yield entry


async def read_poll(reply: Response, *, time: float, scheduled: bool) -> Poll:
    """Decode the lines of an answer."""
    entries: list[Document] = []
    unreadable = malformed = 0
    for number, line in enumerate(reply.body.split(b"\n"), 1):
        if number % LINES_PER_TURN == 0:
            await asyncio.sleep(0)
        if not line.strip():
            continue
        try:
            entry = _decoded(line)
        except ValueError:
            unreadable += 1
            continue
        if entry is not None:
            entries.append(entry)
        else:
            malformed += 1
    return Poll(entries, unreadable, malformed, time, scheduled)


def _decoded(line: bytes) -> Document | None:
    """Decode a line; nothing when it is JSON and no message."""
    try:
        entry = json.loads(line.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    message = isinstance(entry, dict) and isinstance(entry.get("id"), str) and entry["id"]
    return entry if message else None


def sent_at(reply: Response) -> float | None:
    """Read the `Date` header as Unix time: the instance's clock, whatever ours says."""
    from email.utils import parsedate_to_datetime  # here, so that the start does not load it

    try:
        return parsedate_to_datetime(reply.headers.get("date", "")).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
