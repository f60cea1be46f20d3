"""The hourly cap: the only bound on how often a person can be asked."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from mcp_approval.wording import counted
from mcp_serverkit.errors import ToolFailure

# The limit is one of mails an hour.
WINDOW_SECONDS = 3_600.0


class Slot:
    """A slot for one question; it is given up exactly once, used or free."""

    def __init__(self, limit: HourlyLimit) -> None:
        self._limit = limit
        self._state: Literal["held", "done"] = "held"

    def commit(self) -> None:
        """The slot is used for an hour from now."""
        self._end(used=True)

    def release(self) -> None:
        """Nobody was asked and nothing was sent: the slot is free again."""
        self._end(used=False)

    def _end(self, *, used: bool) -> None:
        if self._state == "held":
            self._state = "done"
            self._limit.end(used=used)


class HourlyLimit:
    """Counts questions of the last hour, open ones included.

    Args:
        cap: Questions an hour.
        clock: Monotonic seconds.
    """

    def __init__(self, cap: int, clock: Callable[[], float]) -> None:
        self.cap = cap
        self._clock = clock
        self._used: list[float] = []
        self._held = 0

    @property
    def remaining(self) -> int:
        """Questions that may still be asked now."""
        self._forget()
        return max(0, self.cap - len(self._used) - self._held)

    def reserve(self) -> Slot:
        """Hold a slot.

        Raises:
            ToolFailure: There is none.
        """
        if self.remaining == 0:
            raise ToolFailure(
                f"SMTP_MAX_SENDS_PER_HOUR allows {self.cap} in an hour, and all are used. "
                f"{self._next()} Nothing was sent and nobody was asked.",
                code="rate_limited",
            )
        self._held += 1
        return Slot(self)

    def end(self, *, used: bool) -> None:
        """Take a slot back from its slot."""
        self._held -= 1
        if used:
            self._used.append(self._clock())

    def _next(self) -> str:
        if not self._used:
            return "A slot may become free when an open question is answered."
        seconds = min(self._used) + WINDOW_SECONDS - self._clock()
        minutes = max(1, math.ceil(seconds / 60))
        return f"The next slot is free in {counted(minutes, 'minute')}."

    def _forget(self) -> None:
        oldest = self._clock() - WINDOW_SECONDS
        self._used = [moment for moment in self._used if moment > oldest]
