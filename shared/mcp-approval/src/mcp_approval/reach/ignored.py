"""Lines about answers that were not taken: whoever floods a topic does not flood the log."""

from __future__ import annotations

from collections.abc import Callable

# Ten lines a minute show that somebody tries; more would flood the log.
LINES = 10
# The window of that bound.
SECONDS = 60.0


class Ignored:
    """Writes at most ten lines a minute, and then one that counts.

    Args:
        log: Takes a line.
        clock: Monotonic seconds.
    """

    def __init__(self, log: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._log = log
        self._clock = clock
        self._since = float("-inf")
        self._seen = 0

    def __call__(self, way: str, reason: str) -> None:
        """Say that an answer was not taken, and why."""
        if self._clock() - self._since >= SECONDS:
            if self._seen > LINES:
                more = self._seen - LINES
                self._log(f"decision=answer_ignored way={way} reason=more count={more}")
            self._since, self._seen = self._clock(), 0
        self._seen += 1
        if self._seen <= LINES:
            self._log(f"decision=answer_ignored way={way} reason={reason}")
