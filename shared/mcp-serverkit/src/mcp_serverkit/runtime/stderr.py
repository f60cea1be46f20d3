"""The one owner of stderr in a server process: nothing that logs ever waits for its reader.

A client may leave stderr unread, and then its pipe is full after 64 KiB. So lines go into
a bounded queue, and a thread of its own writes them. The descriptor itself is not made
non-blocking, since the parent and other processes share it.
"""

from __future__ import annotations

import io
import os
import select
import sys
from _thread import LockType, RLock, allocate_lock, start_new_thread
from collections import deque
from collections.abc import Callable
from contextlib import suppress

# Minutes of a chatty server, and little memory.
MAX_LINES = 1_000
MAX_BYTES = 256 * 1024


class StderrQueue:
    """Takes lines at once, writes them in order, and counts those that it had to drop.

    Args:
        name: Who says so, when lines were dropped.
        descriptor: Where to write.
        start: Starts the thread.
    """

    def __init__(
        self,
        name: str,
        descriptor: int = 2,
        start: Callable[[Callable[[], None], tuple[()]], int] = start_new_thread,
    ) -> None:
        self._name = name
        self._descriptor = descriptor
        self._start = start
        self._started = False
        # Reentrant: an object that the garbage collector ends in here may log as well.
        self._state = RLock()
        self._queue: deque[bytes | LockType] = deque()
        self._bytes = 0
        self._dropped = 0
        self._filled = allocate_lock()
        self._filled.acquire()

    def put(self, line: bytes) -> None:
        """Take a line, its end included, or drop it where the queue is full."""
        with self._state:
            if len(self._queue) >= MAX_LINES or self._bytes + len(line) > MAX_BYTES:
                self._dropped += 1
                return
            if self._dropped:
                told = f"{self._name}: {self._dropped} log lines were dropped, stderr was not read"
                self._dropped = 0
                self._append(told.encode("utf-8") + b"\n")
            self._append(line)
        self._wake()

    def finish(self, seconds: float) -> None:
        """Wait until all that was taken is written, but no longer than this."""
        if not self._started:
            return
        done = allocate_lock()
        done.acquire()
        with self._state:
            self._queue.append(done)
        self._wake()
        done.acquire(timeout=seconds)

    def _append(self, line: bytes) -> None:
        self._queue.append(line)
        self._bytes += len(line)

    def _wake(self) -> None:
        with self._state:
            if not self._started:
                self._started = True
                self._start(self._write_all, ())
        with suppress(RuntimeError):  # it is awake already
            self._filled.release()

    def _write_all(self) -> None:
        while True:
            self._filled.acquire()
            while (item := self._next()) is not None:
                if isinstance(item, bytes):
                    _write(self._descriptor, item)
                else:
                    item.release()

    def _next(self) -> bytes | LockType | None:
        with self._state:
            if not self._queue:
                return None
            item = self._queue.popleft()
            if isinstance(item, bytes):
                self._bytes -= len(item)
            return item


class QueuedText(io.TextIOBase):
    """Stands for `sys.stderr`: what the interpreter or a library prints there is queued too."""

    encoding = "utf-8"

    def __init__(self, queue: StderrQueue) -> None:
        self._queue = queue
        self._rest = ""

    def write(self, text: str) -> int:
        """Queue whole lines; keep what has no end yet."""
        *lines, self._rest = (self._rest + text).split("\n")
        if len(self._rest) > MAX_BYTES:
            lines, self._rest = [*lines, self._rest], ""
        for line in lines:
            self._queue.put(line.encode("utf-8", "replace") + b"\n")
        return len(text)

    def writable(self) -> bool:
        """Say that text may be written."""
        return True


def own_stderr(name: str) -> StderrQueue:
    """Make everything that this process says on stderr go through one queue."""
    _fill_closed_descriptors()
    queue = StderrQueue(name)
    sys.stderr = QueuedText(queue)
    return queue


def _fill_closed_descriptors() -> None:
    """Put the null device where a standard stream is closed.

    The next file would get its number otherwise, and log lines would go into it.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _write(descriptor: int, line: bytes) -> None:
    rest = memoryview(line)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:  # whoever started us made it so
            select.select([], [descriptor], [])
        except OSError:
            return
