"""How many calls may wait at once: each holds a connection open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mcp_serverkit.errors import ToolFailure

WAIT_LIMIT = 4
"""ntfy allows 30 open subscriptions an address, phones behind the same one included."""


class Waits:
    """Counts the calls that wait."""

    def __init__(self) -> None:
        self._open = 0

    @contextmanager
    def one(self) -> Iterator[None]:
        """Count one call.

        Raises:
            ToolFailure: Too many wait already.
        """
        if self._open >= WAIT_LIMIT:
            raise ToolFailure(f"{WAIT_LIMIT} calls wait already; end one, or call again later")
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1
