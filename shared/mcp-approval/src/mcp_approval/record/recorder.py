"""Keeping the record of one process: events in the order they were told, each on disk."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Protocol, cast

import anyio
import anyio.to_thread

from mcp_approval.accounting import CannotRecord
from mcp_approval.record.chain import APPROVALS, ENDS, OUTCOMES, QUESTIONS, Record
from mcp_approval.record.file import RecordFile, reason
from mcp_approval.record.texts import keep
from mcp_approval.typing import JSONValue

REMEMBERED = 1_000
"""Questions and approvals whose number is known when their end is told."""

OWED_LIMIT = 100
"""Events that wait for a disk that is full; the newest are kept."""


@dataclass
class Recorder:
    """Appends the decisions of one process.

    Attributes:
        file: Where.
        server: Name of the server.
        process: Names this process among others that share the file.
        started: What the first event says of this process.
        wall: Unix time.
        keeps_texts: Whether shown texts are kept beside the file.
    """

    file: RecordFile
    server: str
    process: str
    started: Mapping[str, JSONValue]
    wall: Callable[[], float] = time.time
    keeps_texts: bool = False
    _begun: bool = False
    _owed: list[dict[str, JSONValue]] = field(default_factory=list)
    _asked: OrderedDict[int, tuple[str, str]] = field(default_factory=OrderedDict)
    _since: dict[int, float] = field(default_factory=dict)
    _approved: OrderedDict[str, int] = field(default_factory=OrderedDict)
    head: str = ""

    def __post_init__(self) -> None:
        self._lock = anyio.Lock()

    async def append(self, event: Mapping[str, JSONValue]) -> str:
        """Write an event, and before it what could not be written earlier.

        Returns:
            The head of the record, which covers the event.

        Raises:
            CannotRecord: It is not on disk.
        """
        # Also for a call that was cancelled meanwhile: what happened is recorded.
        with anyio.CancelScope(shield=True):
            await self._append(event)
        return self.head

    async def keep(self, digest: str, text: str) -> None:
        """Keep a text that is about to be shown, where that is wanted.

        Raises:
            CannotRecord: It is not on disk.
        """
        if not self.keeps_texts:
            return
        try:
            await anyio.to_thread.run_sync(keep, self.file.path, digest, text)
        except OSError as error:
            raise CannotRecord(reason(error)) from None

    async def _append(self, event: Mapping[str, JSONValue]) -> None:
        async with self._lock:
            first = [] if self._begun else [self._stamped({"event": "started", **self.started})]
            queue = [*first, *self._owed, self._stamped(event)]
            why = await anyio.to_thread.run_sync(self._written, queue)
        if why:
            raise CannotRecord(why)

    async def append_later(self, event: Mapping[str, JSONValue]) -> str:
        """Write an event that follows an act; where that fails it is owed.

        Returns:
            Why it could not be written; empty when it was.
        """
        stamped = self._stamped(event)
        try:
            await self.append(stamped)
        except CannotRecord as error:
            self._owed = [*self._owed, stamped][-OWED_LIMIT:]
            return str(error)
        return ""

    def _stamped(self, event: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
        if "time" in event:
            return dict(event)
        now = self.wall()
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now))
        stamp = f"{seconds}.{int(now * 1_000) % 1_000:03}Z"
        return {**event, "time": stamp, "server": self.server, "process": self.process}

    def _written(self, queue: list[dict[str, JSONValue]]) -> str:
        """Write the events one by one, so that each can name the number of an earlier one.

        Returns:
            Why not all could be written; empty when they were.
        """
        for event in queue:
            try:
                record = self.file.append([self._linked(event)])[-1]
            except CannotRecord as error:
                return str(error)
            self._remember(record)
            self.head = record.head
            if event in self._owed:
                self._owed.remove(event)
            self._begun = True
        return ""

    def _linked(self, event: dict[str, JSONValue]) -> dict[str, JSONValue]:
        """Say which question an answer ends, and which approval an outcome follows."""
        name, target = event["event"], str(event.get("target", ""))
        if name in ENDS | {"token_refused"}:
            about = (target, str(event.get("way", "")))
            open_ones = [number for number, asked in self._asked.items() if asked == about]
            # What gives way is the older of two questions about one target.
            oldest = 0 if name in {"superseded", "replaced"} else -1
            number = open_ones[oldest] if open_ones else None
            return {**self._waited(event, number), **event, "asked": number}
        if name in OUTCOMES:
            return {**event, "approval": self._approved.get(target)}
        return event

    def _waited(self, event: Mapping[str, JSONValue], number: int | None) -> dict[str, JSONValue]:
        """Say how long a question was open, where the call that ends it did not see it asked."""
        if number is None or "way" not in event:
            return {}
        return {"waited_ms": max(0, round((self.wall() - self._since[number]) * 1_000))}

    def _remember(self, record: Record) -> None:
        target = record.text("target")
        if record.event in QUESTIONS:
            self._asked[record.seq] = (target, record.text("way"))
            self._since[record.seq] = self.wall()
        if record.event in ENDS:
            self._asked.pop(record.number("asked") or 0, None)
        if record.event in APPROVALS:
            self._approved[target] = record.seq
        if record.event in OUTCOMES:
            self._approved.pop(target, None)
        for known in (self._asked, self._approved):
            if len(known) > REMEMBERED:
                known.popitem(last=False)
        self._since = {number: self._since[number] for number in self._asked}


class Recorded(Protocol):
    """The approver, as far as its record needs it."""

    @property
    def server(self) -> str:
        """Name used in texts and log lines."""

    @property
    def instance(self) -> str:
        """Where calls act."""

    @property
    def dialog(self) -> bool:
        """Whether dialogs are on."""

    @property
    def settings(self) -> Mapping[str, object]:
        """The parsed variables on approvals."""

    @property
    def process(self) -> str:
        """This process among others."""

    @property
    def wall(self) -> Callable[[], float]:
        """Unix time."""


def open_recorder(approver: Recorded, path: str) -> Recorder:
    """Make the record of a process; nothing is opened before its first event."""
    reach = cast("tuple[str, ...]", approver.settings.get("approval_reach") or ())
    started: dict[str, JSONValue] = {
        "version": version("mcp-approval"),
        "instance": approver.instance,
        "elicitation": approver.dialog,
        "reach": list(reach),
        "when": str(approver.settings.get("approval_reach_when") or ""),
    }
    texts = bool(approver.settings.get("approval_record_text"))
    if texts:
        started["texts"] = True
    return Recorder(
        RecordFile(path), approver.server, approver.process, started, approver.wall, texts
    )
