"""Trying the connection, seldom: every try is a login, and providers lock accounts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from mcp_serverkit.errors import ToolFailure

# A model that asks again at once gets what was found, not another login.
REPEAT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Probe:
    """What a connection without a message showed."""

    greeting: str
    mechanism: str
    capabilities: dict[str, str]
    tls_version: str | None
    cipher: str | None
    certificate_expires: str | None


class Probed(Protocol):
    """What can be probed."""

    async def probe(self) -> Probe:
        """Connect, log in and leave."""


class ConnectionProbe:
    """Probes a mail server at most once in ten seconds; callers share an attempt.

    Args:
        server: The mail server.
        clock: Monotonic seconds.
    """

    def __init__(self, server: Probed, clock: Callable[[], float]) -> None:
        self._server = server
        self._clock = clock
        self._lock = asyncio.Lock()
        self._tried: float | None = None
        self._outcome: Probe | ToolFailure | None = None

    async def probe(self) -> tuple[Probe, bool]:
        """Probe, or repeat the last outcome.

        Returns:
            What was found, and whether it is a repeat.

        Raises:
            ToolFailure: It did not work, now or within the last ten seconds.
        """
        async with self._lock:
            if self._tried is not None and self._clock() - self._tried < REPEAT_SECONDS:
                return self._repeat(self._tried), True
            self._tried, self._outcome = self._clock(), None
            try:
                self._outcome = await self._server.probe()
            except ToolFailure as failure:
                self._outcome = failure
                raise
            return self._outcome, False

    def _repeat(self, tried: float) -> Probe:
        if isinstance(self._outcome, Probe):
            return self._outcome
        left = max(1, round(REPEAT_SECONDS - (self._clock() - tried)))
        again = f"No new attempt for another {left} s."
        if self._outcome is None:
            raise ToolFailure(f"The last attempt was cut short. {again}")
        raise ToolFailure(f"{self._outcome.text} {again}", code=self._outcome.code)
