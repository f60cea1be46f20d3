"""The end of a server process: a thread of its own sees to it, whatever else is stuck.

A signal, or the end of input, begins the orderly way out: calls are cancelled, what may
have happened is told, connections are closed. Beside it runs a deadline, and at its end
the process is gone with code 0. The thread learns of signals through the interpreter's
wake-up descriptor, and of the end of input by itself: neither needs the main thread or
its event loop.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from _thread import start_new_thread
from collections.abc import Callable
from contextlib import suppress

EXIT_SECONDS = 1.5
"""After the end of input or a signal the process is gone by then, busy threads or not."""

# No signal has this number.
_END_OF_INPUT = 0

# No signal has this number either.
_WATCH_INPUT = 255

_HANG_UP = getattr(select, "POLLRDHUP", 0)
"""A pipe tells its end unasked; a socket, whose other direction may stay open, only so."""


def _signals() -> tuple[int, ...]:
    """Return the signals that end a server; a hang-up that is ignored at start stays so."""
    found: list[int] = [signal.SIGTERM, signal.SIGINT]
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        found.append(signal.SIGHUP)
    return tuple(found)


class Leaving:
    """Ends the process in time, once it is started; until then it does nothing.

    Args:
        at_once: What a signal does before anything is served.
        seconds: From the first sign of the end to the end.
        leave: Ends the process with a code.
        start: Starts the thread.
    """

    def __init__(
        self,
        at_once: Callable[[], object],
        seconds: float = EXIT_SECONDS,
        leave: Callable[[int], object] = os._exit,
        start: Callable[[Callable[[int], None], tuple[int]], int] = start_new_thread,
    ) -> None:
        self._seconds = seconds
        self._leave = leave
        self._start = start
        self._stop = at_once
        self._serving = False
        self._signals = _signals()
        self._write_end = self._input = -1

    def start(self) -> None:
        """Take the signals and the wake-up descriptor, and start the thread."""
        read_end, self._write_end = os.pipe()
        self._start(self._watch, (read_end,))
        self._take_wakeup()
        for number in self._signals:
            signal.signal(number, self._on_signal)

    def serve(self, stop: Callable[[], object]) -> None:
        """From now on a signal begins the orderly way out.

        Args:
            stop: Begins it; may be called by any thread, and more than once.
        """
        self._stop = stop
        self._serving = True

    def watch_input(self, descriptor: int) -> None:
        """From now on the end of input is noticed even where nobody reads it.

        Args:
            descriptor: What the server reads.
        """
        if hasattr(select, "poll"):
            self._input = descriptor
            self._tell(_WATCH_INPUT)

    def begin(self) -> None:
        """Start the deadline: the end of input was read, or serving is over."""
        self._tell(_END_OF_INPUT)

    def _take_wakeup(self) -> None:
        if sys.platform != "win32":  # there the event loop needs it to notice a signal at all
            os.set_blocking(self._write_end, False)
            signal.set_wakeup_fd(self._write_end, warn_on_full_buffer=False)

    def _on_signal(self, number: int, _frame: object) -> None:
        if sys.platform == "win32":
            self._tell(number)
        with suppress(RuntimeError):  # the loop is closed
            self._stop()

    def _tell(self, number: int) -> None:
        with suppress(OSError):
            os.write(self._write_end, bytes([number]))

    def _watch(self, read_end: int) -> None:
        ending = {_END_OF_INPUT, *self._signals}
        while not (told := ending & set(self._next(read_end))):
            pass
        # The signal may have reached a thread other than the one that waits in the loop. After
        # the end of input the reader sees to the rest: calls that were under way are answered.
        if self._serving and told != {_END_OF_INPUT}:
            with suppress(RuntimeError):  # the loop is closed
                self._stop()
        time.sleep(self._seconds)
        self._leave(0)

    def _next(self, read_end: int) -> bytes:
        """Wait for what this process is told, or for the end of its input."""
        if self._input >= 0 and self._hung_up(read_end):
            return bytes([_END_OF_INPUT])
        return os.read(read_end, 64)

    def _hung_up(self, read_end: int) -> bool:
        """Wait; tell whether the input ended and nobody reads on, before this process was told."""
        polled = select.poll()
        polled.register(read_end, select.POLLIN)
        polled.register(self._input, _HANG_UP)
        if any(descriptor == read_end for descriptor, _ in polled.poll()):
            return False
        polled.unregister(self._input)
        unread = _unread(self._input)
        while unread:
            if polled.poll(self._seconds * 1_000):
                return False
            before, unread = unread, _unread(self._input)
            if before == unread:
                break
        return True


def _unread(descriptor: int) -> int:
    """Count the bytes that wait to be read."""
    import fcntl  # not everywhere, and of no use before the end
    import termios

    count = fcntl.ioctl(descriptor, termios.FIONREAD, b"\0" * 4)
    return int.from_bytes(count, sys.byteorder)
