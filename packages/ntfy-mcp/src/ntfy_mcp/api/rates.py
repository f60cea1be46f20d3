"""What the client remembers of refusals and rates, so that it does not make them worse.

ntfy counts failed logins and requests per client address; both counters refill slowly.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from mcp_serverkit.errors import Refused

REFUSAL_SECONDS = 10.0
"""How long a refused login is answered from memory."""

BUCKET_SIZE = 60
BUCKET_SECONDS = 5.0
"""ntfy's default request bucket, and the seconds that refill one request."""


class LoginMemory:
    """Remembers that the login was refused, for a short while."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._refusal: Refused | None = None
        self._until = 0.0

    def remember(self, refusal: Refused) -> None:
        """File a refusal that says something about the login itself."""
        self._refusal = refusal
        self._until = self._clock() + REFUSAL_SECONDS

    def check(self) -> None:
        """Repeat a fresh refusal instead of spending another failed login.

        Raises:
            Refused: The login was refused a moment ago.
        """
        left = self._until - self._clock()
        if self._refusal is not None and left > 0:
            known = self._refusal
            raise Refused(
                f"{known.text} This is remembered; nothing was sent. The next real try is "
                f"possible in {math.ceil(left)} s.",
                status=known.status,
                error_code=known.error_code,
                hint=known.hint,
            )


class RequestBucket:
    """Mirrors ntfy's default request bucket to estimate what is left of it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._level = float(BUCKET_SIZE)
        self._seen = clock()

    def spend(self) -> None:
        """Count one request."""
        self._refill()
        self._level = max(0.0, self._level - 1)

    def exhausted(self) -> None:
        """Take the server's word that nothing is left."""
        self._refill()
        self._level = 0.0

    @property
    def remaining(self) -> int:
        """Estimated requests before the next refusal, under ntfy's default limits."""
        self._refill()
        return int(self._level)

    def _refill(self) -> None:
        now = self._clock()
        self._level = min(BUCKET_SIZE, self._level + (now - self._seen) / BUCKET_SECONDS)
        self._seen = now
