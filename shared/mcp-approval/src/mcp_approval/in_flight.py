"""What is being asked about or carried out in this process at this moment."""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import contextmanager

OPEN_LIMIT = 8
"""Pushed questions that may be open at once; a person reads one at a time."""


class InFlight:
    """Target keys that belong to a call under way, and the number of open questions."""

    def __init__(self) -> None:
        self._held: set[bytes] = set()
        self._open = 0

    def take(self, key: bytes) -> bool:
        """Claim a target; false when another call holds it."""
        if key in self._held:
            return False
        self._held.add(key)
        return True

    def release(self, keys: Set[bytes]) -> None:
        """Give targets back."""
        self._held -= keys

    @property
    def full(self) -> bool:
        """Whether one more open question would be one too many."""
        return self._open >= OPEN_LIMIT

    @contextmanager
    def question(self) -> Iterator[None]:
        """Count a question as open while it is."""
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1
