"""Buckets and counters that make a visitor wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import NtfyError
from .settings import DAY_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from .settings import Limits


class TokenBucket:
    """A bucket that starts full and refills one token at a steady pace."""

    def __init__(self, size: int, refill_seconds: float, now: Callable[[], float]) -> None:
        self._size = float(size)
        self._refill_seconds = refill_seconds
        self._now = now
        self._tokens = float(size)
        self._seen = now()

    def tokens(self) -> float:
        """What is in the bucket at this moment."""
        current = self._now()
        gained = max(0.0, current - self._seen) / self._refill_seconds
        self._tokens = min(self._size, self._tokens + gained)
        self._seen = current
        return self._tokens

    def take(self) -> bool:
        """Take one token if there is a whole one."""
        if self.tokens() < 1.0:
            return False
        self._tokens -= 1.0
        return True


class Visitor:
    """One rate-limited party: an address, or an account that has a tier."""

    def __init__(
        self, limits: Limits, now: Callable[[], float], *, messages_per_day: int | None = None
    ) -> None:
        self._now = now
        self._exempt = limits.exempt
        self.messages_per_day = (
            limits.messages_per_day if messages_per_day is None else messages_per_day
        )
        requests = limits.requests
        if messages_per_day is not None:
            requests = max(requests, min(messages_per_day // 20, 1000))
        self._requests = TokenBucket(requests, limits.request_refill_seconds, now)
        self._logins = TokenBucket(limits.login_failures, limits.login_failure_refill_seconds, now)
        self._new_topics = TokenBucket(limits.new_topics, limits.new_topic_refill_seconds, now)
        self._free_subscriptions = limits.subscriptions
        self._day = int(now() // DAY_SECONDS)
        self._messages = 0

    @property
    def messages(self) -> int:
        """Messages counted since midnight UTC."""
        today = int(self._now() // DAY_SECONDS)
        if today != self._day:
            self._day, self._messages = today, 0
        return self._messages

    def count_request(self) -> None:
        """Spend one request or raise 42901."""
        if not self._exempt and not self._requests.take():
            raise NtfyError(42901)

    def count_message(self) -> None:
        """Spend one daily message or raise 42908."""
        if self._exempt:
            return
        if self.messages >= self.messages_per_day:
            raise NtfyError(42908)
        self._messages += 1

    def count_new_topic(self) -> None:
        """Spend one new topic or raise 42911."""
        if not self._new_topics.take():
            raise NtfyError(42911)

    def check_login_allowed(self) -> None:
        """Raise 42909 when too many logins failed."""
        if self._logins.tokens() < 1.0:
            raise NtfyError(42909)

    def count_failed_login(self) -> None:
        """Spend one of the allowed login failures."""
        self._logins.take()

    def open_subscription(self) -> None:
        """Take one of the open subscriptions or raise 42903."""
        if self._free_subscriptions < 1:
            raise NtfyError(42903)
        self._free_subscriptions -= 1

    def close_subscription(self) -> None:
        """Give a subscription back."""
        self._free_subscriptions += 1
