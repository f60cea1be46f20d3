"""Lines for stderr: never waited for, in order, counted where they are dropped."""

from __future__ import annotations

import fcntl
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_approval.output import write_stderr
from mcp_serverkit.runtime import stderr
from mcp_serverkit.runtime.stderr import QueuedText, StderrQueue, _write, own_stderr
from tests.serverkit.pipes import BOUND_SECONDS, Pipe, pipe


class Starter:
    """Starts nothing, so that the queue fills; `go` lets the thread run."""

    def __init__(self) -> None:
        self.threads: list[threading.Thread] = []

    def __call__(self, run: object, _arguments: tuple[()]) -> int:
        self.threads.append(threading.Thread(target=run, daemon=True))  # type: ignore[arg-type]
        return 0

    def go(self) -> None:
        (thread,) = self.threads
        thread.start()


@pytest.fixture
def ends() -> Iterator[Pipe]:
    with pipe() as made:
        yield made


def _lines(ends: Pipe, count: int) -> list[str]:
    """Read so many lines."""
    read = b""
    while read.count(b"\n") < count:
        read += os.read(ends.read_end, 65_536)
    return read.decode("utf-8").splitlines()


@pytest.mark.requirement("C-1")
def test_lines_are_written_in_order(ends: Pipe) -> None:
    queue = StderrQueue("kit-mcp", ends.write_end)
    for number in range(100):
        queue.put(b"line %d\n" % number)
    queue.finish(BOUND_SECONDS)
    assert _lines(ends, 100) == [f"line {number}" for number in range(100)]


def test_nothing_is_started_and_nothing_waited_for_without_a_line() -> None:
    starter = Starter()
    StderrQueue("kit-mcp", -1, starter).finish(BOUND_SECONDS)
    assert starter.threads == []


@pytest.mark.requirement("R-68", "C-1")
@pytest.mark.parametrize(("limit", "most"), [("MAX_LINES", 5), ("MAX_BYTES", 5 * len(b"line 0\n"))])
def test_a_full_queue_drops_lines_and_counts_them_before_the_next_one(
    limit: str, most: int, ends: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stderr, limit, most)
    starter = Starter()
    queue = StderrQueue("kit-mcp", ends.write_end, starter)
    for number in range(8):
        queue.put(b"line %d\n" % number)
    starter.go()
    queue.finish(BOUND_SECONDS)
    queue.put(b"after\n")
    queue.finish(BOUND_SECONDS)
    assert _lines(ends, 7) == [
        *(f"line {number}" for number in range(5)),
        "kit-mcp: 3 log lines were dropped, stderr was not read",
        "after",
    ]


@pytest.mark.requirement("C-1")
def test_the_end_waits_for_a_reader_that_is_not_there_only_so_long(ends: Pipe) -> None:
    queue = StderrQueue("kit-mcp", ends.write_end)
    queue.put(b"x" * 200_000 + b"\n")
    queue.finish(0.01)
    assert len(os.read(ends.read_end, 200_000)) > 0


def test_a_descriptor_that_takes_nothing_is_no_reason_to_fail(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path / "file", os.O_RDONLY | os.O_CREAT)
    try:
        queue = StderrQueue("kit-mcp", descriptor)
        queue.put(b"one\n")
        queue.put(b"two\n")
        queue.finish(BOUND_SECONDS)
    finally:
        os.close(descriptor)


def test_a_descriptor_that_does_not_block_is_waited_for(ends: Pipe) -> None:
    os.set_blocking(ends.write_end, False)
    queue = StderrQueue("kit-mcp", ends.write_end)
    queue.put(b"x" * 200_000 + b"\n")
    (line,) = _lines(ends, 1)
    assert len(line) == 200_000
    queue.finish(BOUND_SECONDS)


def test_whatever_is_printed_becomes_lines(ends: Pipe) -> None:
    queue = StderrQueue("kit-mcp", ends.write_end)
    text = QueuedText(queue)
    assert text.writable()
    print("one", "two", file=text)
    print("half", end="", file=text, flush=True)
    print(" a line \ud83d", file=text)
    queue.finish(BOUND_SECONDS)
    assert _lines(ends, 2) == ["one two", "half a line ?"]


def test_a_text_without_an_end_does_not_grow_for_ever(
    ends: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stderr, "MAX_BYTES", 100)
    queue = StderrQueue("kit-mcp", ends.write_end)
    text = QueuedText(queue)
    text.write("x" * 99)
    text.write("yz")
    text.write("end\n")
    queue.finish(BOUND_SECONDS)
    assert _lines(ends, 2) == ["kit-mcp: 1 log lines were dropped, stderr was not read", "end"]


def test_a_process_that_owns_stderr_sends_its_lines_there(
    ends: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    before = os.dup(2)
    try:
        os.dup2(ends.write_end, 2)
        queue = own_stderr("kit-mcp")
        write_stderr("a line\x00 — of ours")
        queue.finish(BOUND_SECONDS)
    finally:
        os.dup2(before, 2)
        os.close(before)
    assert _lines(ends, 1) == ["a line — of ours"]


def test_a_descriptor_that_is_full_for_now_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with pipe() as ends:
        os.set_blocking(ends.write_end, False)
        size = fcntl.fcntl(ends.write_end, fcntl.F_SETPIPE_SZ, 4_096)
        os.write(ends.write_end, b"x" * size)
        # Somebody reads while it waits.
        monkeypatch.setattr("select.select", lambda *_: os.read(ends.read_end, size))
        _write(ends.write_end, b"y" * size)
        assert os.read(ends.read_end, size) == b"y" * size


def test_a_descriptor_without_a_reader_ends_the_line() -> None:
    with pipe() as ends:
        ends.close_reader()
        _write(ends.write_end, b"y")
