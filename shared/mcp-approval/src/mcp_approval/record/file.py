"""Appending to the record, one process at a time, on disk before anybody goes on."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from mcp_approval.accounting import CannotRecord
from mcp_approval.record import system
from mcp_approval.record.chain import (
    FIRST_PREVIOUS,
    BrokenLineError,
    Record,
    chained,
    read_line,
    torn,
)
from mcp_approval.typing import JSONValue

TAIL_BYTES = 65_536
"""How far back the last whole line is looked for; a line holds at most 2 KiB."""

ROTATE_BYTES = 10 * 1024 * 1024
"""A file beyond this size is set aside under a number; nothing is ever shortened."""

# Files sort by name up to a million rotations.
NUMBER_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Tail:
    """Where a file ends.

    Attributes:
        last: Its last whole record; nothing in an empty file.
        missing: What has to be written before the next line.
        torn: What an interrupted write left after the last record.
    """

    last: Record | None
    missing: bytes = b""
    torn: bytes = b""


@dataclass(frozen=True, slots=True)
class RecordFile:
    """A record that several processes may share.

    Attributes:
        path: Where it lies.
        rotate_bytes: Size beyond which it is set aside.
        write: Writes to a descriptor, as `os.write`.
    """

    path: str
    rotate_bytes: int = ROTATE_BYTES
    write: Callable[[int, bytes], int] = os.write

    def append(self, events: Sequence[Mapping[str, JSONValue]]) -> list[Record]:
        """Append events as the next lines of the chain.

        Returns:
            The lines as they were written.

        Raises:
            CannotRecord: Nothing was appended that counts.
        """
        try:
            with system.locked(f"{self.path}.lock"):
                written = self._append(events)
                self._rotate(written[-1])
                return written
        except OSError as error:
            raise CannotRecord(reason(error)) from None

    def last(self) -> Record | None:
        """Read the last record without writing.

        Raises:
            CannotRecord: The file cannot be built upon.
        """
        try:
            if not os.path.exists(self.path):
                return self._before()
            with open(self.path, "rb") as file:
                return _tail(file.fileno()).last
        except OSError as error:
            raise CannotRecord(reason(error)) from None

    def _append(self, events: Sequence[Mapping[str, JSONValue]]) -> list[Record]:
        descriptor = system.open_to_append(self.path)
        try:
            tail = _tail(descriptor)
            last = tail.last
            queue = [dict(event) for event in events]
            if last is None and (last := self._before()) is not None:
                queue.insert(0, {**_who(queue[0]), "event": "continued", "from": self._newest()})
            if tail.torn:
                queue[0]["torn"] = torn(tail.torn)
            written = _chain(queue, last)
            data = tail.missing + b"".join(record.line() for record in written)
            if self.write(descriptor, data) != len(data):
                raise OSError(0, "only a part of a line could be written")
            system.sync(descriptor)
        finally:
            os.close(descriptor)
        return written

    def _rotate(self, last: Record) -> None:
        """Set a large file aside; what was recorded stays recorded if that fails."""
        if os.stat(self.path).st_size <= self.rotate_bytes:
            return
        number = int((self._newest() or "0").rpartition(".")[2]) + 1
        name = f"{os.path.basename(self.path)}.{number:0{NUMBER_DIGITS}}"
        [record] = _chain([{**_who(last), "event": "rotated", "to": name}], last)
        with suppress(OSError):
            descriptor = system.open_to_append(self.path)
            try:
                whole = self.write(descriptor, record.line()) == len(record.line())
                system.sync(descriptor)
            finally:
                os.close(descriptor)
            if whole:
                os.rename(self.path, os.path.join(os.path.dirname(self.path), name))

    def _newest(self) -> str:
        names = numbered(self.path)
        return names[-1] if names else ""

    def _before(self) -> Record | None:
        """Read the end of the file that was set aside last."""
        name = self._newest()
        if not name:
            return None
        with open(os.path.join(os.path.dirname(self.path), name), "rb") as file:
            return _tail(file.fileno()).last


def numbered(path: str) -> list[str]:
    """Names of the files that were set aside, oldest first."""
    base = os.path.basename(path)
    found = []
    for name in os.listdir(os.path.dirname(path) or "."):
        stem, _, number = name.rpartition(".")
        if stem == base and number.isascii() and number.isdigit() and len(number) >= NUMBER_DIGITS:
            found.append((int(number), name))
    return [name for _, name in sorted(found)]


def _chain(events: Sequence[Mapping[str, JSONValue]], last: Record | None) -> list[Record]:
    written: list[Record] = []
    for event in events:
        seq, previous = (last.seq, last.hash) if last is not None else (0, FIRST_PREVIOUS)
        last = chained(event, seq + 1, previous)
        written.append(last)
    return written


def _who(event: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    return {name: event[name] for name in ("time", "server", "process") if name in event}


def _tail(descriptor: int) -> Tail:
    size = os.fstat(descriptor).st_size
    if size == 0:
        return Tail(None)
    start = max(0, size - TAIL_BYTES)
    os.lseek(descriptor, start, os.SEEK_SET)
    data = b""
    while piece := os.read(descriptor, TAIL_BYTES):
        data += piece
    if data.endswith(b"\n"):
        return Tail(_own(data[:-1].rpartition(b"\n")[2]))
    return _interrupted(data, whole=start == 0)


def _interrupted(data: bytes, *, whole: bool) -> Tail:
    """Find the last record before a line that was not finished."""
    body, _, rest = data.rpartition(b"\n")
    try:
        return Tail(read_line(rest), missing=b"\n")
    except BrokenLineError:
        pass
    left = len(data)
    while body:
        left = len(body) + 1
        body, _, line = body.rpartition(b"\n")
        try:
            return Tail(read_line(line), missing=b"\n", torn=data[left:])
        except BrokenLineError:
            continue
    if whole:
        return Tail(None, missing=b"\n", torn=data)
    raise _foreign()


def _own(line: bytes) -> Record:
    try:
        return read_line(line)
    except BrokenLineError:
        raise _foreign() from None


def _foreign() -> OSError:
    return OSError(0, "its last line is not its own; the operator can run mcp-approval verify")


def reason(error: OSError) -> str:
    """Say in the system's words why something cannot be written."""
    return error.strerror or "the system gave no reason"
