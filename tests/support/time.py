"""A clock and a source of randomness that tests control."""

from __future__ import annotations

import hashlib


class FakeClock:
    """Monotonic seconds that move when a test says so."""

    def __init__(self, start: float = 1_000.0) -> None:
        self.seconds = start

    def __call__(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        self.seconds += seconds


class FakeRandom:
    """Bytes that differ from call to call and are the same in every run."""

    def __init__(self, seed: str = "seed") -> None:
        self._seed = seed
        self._calls = 0

    def __call__(self, count: int) -> bytes:
        self._calls += 1
        block = hashlib.sha512(f"{self._seed}/{self._calls}".encode()).digest()
        assert count <= len(block)
        return block[:count]
