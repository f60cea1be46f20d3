"""What is heard of a topic whose line carries anything, breaks, or falls silent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import pytest

from mcp_approval.reach import listening
from mcp_approval.reach.channel import NotReached
from mcp_approval.reach.listening import LINE_BYTES, Listening
from mcp_approval.reach.ntfy_instance import NtfyInstance
from tests.approval.broker import until


def event(kind: str, **fields: object) -> bytes:
    return json.dumps({"event": kind, **fields}).encode() + b"\n"


OPEN = event("open", time=1_796_000_000)


def said(text: str, name: str = "m1") -> bytes:
    return event("message", id=name, message=text)


class Lines:
    """An instance that sends these pieces on each line that is opened; the last one stays open."""

    def __init__(self, *lines: list[bytes] | None) -> None:
        self.lines = list(lines)
        self.since: list[str] = []

    @asynccontextmanager
    async def stream(self, _topic: str, since: str) -> AsyncIterator[AsyncIterator[bytes]]:
        self.since.append(since)
        pieces = self.lines.pop(0) if self.lines else []
        if pieces is None:
            raise NotReached("ntfy answered HTTP 502")
        yield self._pieces(pieces)

    async def _pieces(self, pieces: list[bytes]) -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece
        if not self.lines:
            await asyncio.Event().wait()


async def heard(lines: Lines, count: int) -> list[object]:
    found: list[object] = []
    ear = Listening(cast("NtfyInstance", lines), "answers", found.append, 50)
    await ear.start()
    await until(lambda: len(found) >= count)
    ear.stop()
    ear.stop()
    return found


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "BACKOFF_SECONDS", (0.0,))


async def test_messages_are_heard_however_they_are_cut() -> None:
    whole = OPEN + event("keepalive") + said("one") + said("two", "m2")
    pieces = [whole[at : at + 7] for at in range(0, len(whole), 7)]
    assert await heard(Lines(pieces), 2) == ["one", "two"]


async def test_what_is_no_event_is_passed_over() -> None:
    pieces = [OPEN, b"no json\n", b"[1]\n", b"\n", event("message_delete"), said("one")]
    assert await heard(Lines(pieces), 1) == ["one"]


@pytest.mark.parametrize("in_pieces", [True, False])
async def test_a_line_that_is_too_long_is_dropped_and_the_next_is_heard(in_pieces: bool) -> None:
    long = said("x" * LINE_BYTES * 2)
    pieces = [long[:9_000], long[9_000:]] if in_pieces else [long]
    assert await heard(Lines([OPEN, *pieces, said("one")]), 1) == ["one"]


@pytest.mark.requirement("A-11")
async def test_a_line_that_ends_goes_on_after_the_last_message() -> None:
    lines = Lines([OPEN], [OPEN, said("one", "m7")], None, [OPEN, said("two")])
    assert await heard(lines, 2) == ["one", "two"]
    assert lines.since == ["none", "1796000000", "m7", "m7"]


@pytest.mark.requirement("A-11")
async def test_a_silent_line_is_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "SILENCE_SECONDS", 0.01)
    lines = Lines([OPEN])
    ear = Listening(cast("NtfyInstance", lines), "answers", lambda _: None, 50)
    await ear.start()
    await until(lambda: len(lines.since) >= 3)
    ear.stop()
    assert lines.since[:3] == ["none", "1796000000", "1796000000"]
