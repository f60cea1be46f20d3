"""The end of a server process: a thread of its own sees to it, whatever else is stuck.

A signal, or the end of input, begins the orderly way out: calls are cancelled, what may
have happened is told, connections are closed. Beside it runs a deadline, and at its end
the process is gone with code 0. The thread learns of signals through the interpreter's
wake-up descriptor, which needs neither the main thread nor its event loop.
"""

from __future__ import annotations

import os
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
    """

    def __init__(
        self,
        at_once: Callable[[], object],
        seconds: float = EXIT_SECONDS,
        leave: Callable[[int], object] = os._exit,
    ) -> None:
        self._seconds = seconds
        self._leave = leave
        self._stop = at_once
        self._serving = False
        self._signals = _signals()
        self._write_end = -1

    def start(self) -> None:
        """Take the signals and the wake-up descriptor, and start the thread."""
        read_end, self._write_end = os.pipe()
        start_new_thread(self._watch, (read_end,))
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
        while not ending & set(os.read(read_end, 64)):
            pass
        # The signal may have reached a thread other than the one that waits in the loop.
        if self._serving:
            with suppress(RuntimeError):  # the loop is closed
                self._stop()
        time.sleep(self._seconds)
        self._leave(0)
