"""The two-call token, for clients that cannot show a dialog."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable

LIFETIME_SECONDS = 300
"""How long a token waits for the second call."""

PENDING_LIMIT = 100
"""Tokens that may wait; beyond it the one that waited longest is dropped."""

# 128 bits, and good once.
_TOKEN_BYTES = 16


class TokenStore:
    """Keeps digests of issued tokens, one per target, each good once."""

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        random_bytes: Callable[[int], bytes],
        pending_limit: int = PENDING_LIMIT,
    ) -> None:
        self._clock = clock
        self._random_bytes = random_bytes
        self._pending_limit = pending_limit
        self._pending: dict[bytes, tuple[bytes, float]] = {}

    def __repr__(self) -> str:
        return f"TokenStore(pending={len(self._pending)})"

    @property
    def pending(self) -> int:
        """Number of tokens that wait for their second call."""
        return len(self._pending)

    def issue(self, key: bytes) -> str:
        """Make a token for a target; an earlier one for the same target is void."""
        self._pending.pop(key, None)
        self._sweep()
        while len(self._pending) >= self._pending_limit:
            del self._pending[next(iter(self._pending))]
        token = self._random_bytes(_TOKEN_BYTES).hex()
        self._pending[key] = (_digest(token), self._clock() + LIFETIME_SECONDS)
        return token

    def matches(self, key: bytes, token: str) -> bool:
        """Tell whether a token is the pending one of a target, without spending it."""
        self._sweep()
        digest, _ = self._pending.get(key, (bytes(32), 0.0))
        return hmac.compare_digest(digest, _digest(token)) and key in self._pending

    def redeem(self, key: bytes, token: str) -> bool:
        """Spend a token; a wrong guess leaves the right one valid."""
        if not self.matches(key, token):
            return False
        del self._pending[key]
        return True

    def _sweep(self) -> None:
        now = self._clock()
        for key in [key for key, (_, expires) in self._pending.items() if expires <= now]:
            del self._pending[key]


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
