"""The state of one stand-in: who may do what, what is cached, who listens."""

from __future__ import annotations

import re
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .accounts import Accounts
from .cache import MessageCache
from .errors import NtfyError
from .limits import Visitor

if TYPE_CHECKING:
    from collections.abc import Callable

    from .accounts import Right, User
    from .cache import Message
    from .exchange import Exchange
    from .settings import Limits, Settings

ADDRESS = "127.0.0.1"
"""Everyone who can reach the stand-in has this address, so all share one visitor."""


@dataclass(slots=True)
class Subscription:
    """An open stream."""

    topics: frozenset[str]
    username: str
    waiting: deque[Message] = field(default_factory=deque)
    cut: bool = False


class Core:
    """Everything the routes act on."""

    def __init__(self, settings: Settings, now: Callable[[], float]) -> None:
        self.settings = settings
        self.now = now
        self.lock = threading.RLock()
        self.base_url = ""
        self.accounts = Accounts(settings.default_access, case_sensitive=settings.at_least(2, 24))
        self.cache = MessageCache(enabled=settings.cache_seconds > 0)
        self.files: dict[str, bytes] = {}
        self.subscriptions: list[Subscription] = []
        self.total_messages = 0
        self.cuts: list[int] = []
        self._limits = settings.limits
        self._topics: set[str] = set()
        self._visitors: dict[str, Visitor] = {}

    def set_limits(self, limits: Limits) -> None:
        """Use other limits and forget what was counted."""
        self._limits = limits
        self._visitors.clear()

    def identify(self, exchange: Exchange) -> None:
        """Look at the login of a request; a bad one is refused on every path."""
        visitor = self.visitor(None)
        exchange.belongs_to(None, visitor)
        if not self.settings.users:
            return
        header = exchange.authorization()
        if not header.lower().startswith(("basic ", "bearer ")):
            return
        visitor.check_login_allowed()
        try:
            user = self.accounts.login(header, self.now())
        except NtfyError:
            visitor.count_failed_login()
            raise
        exchange.belongs_to(user, self.visitor(user))

    def visitor(self, user: User | None) -> Visitor:
        """The party that pays for a request: the address, or an account with a tier."""
        tier = self.accounts.tiers.get(user.tier) if user is not None else None
        key = f"user:{user.name}" if user is not None and tier is not None else f"ip:{ADDRESS}"
        if key not in self._visitors:
            quota = tier.messages_per_day if tier is not None else None
            self._visitors[key] = Visitor(self._limits, lambda: self.now(), messages_per_day=quota)
        return self._visitors[key]

    def message_expiry_seconds(self, user: User | None) -> int:
        """How long a message of an account stays in the cache."""
        tier = self.accounts.tiers.get(user.tier) if user is not None else None
        return tier.message_expiry_seconds if tier is not None else self.settings.cache_seconds

    def open_topics(self, exchange: Exchange, names: list[str]) -> None:
        """Create topics on first use; raises for reserved names and full servers."""
        for name in names:
            if name in self.settings.reserved_topics:
                raise NtfyError(40010)
            if name not in self._topics:
                if len(self._topics) >= self._limits.total_topics:
                    raise NtfyError(42904)
                if self.settings.at_least(2, 23):
                    exchange.visitor.count_new_topic()
                self._topics.add(name)

    def admit_writer(self, exchange: Exchange, topic: str) -> None:
        """The checks before anything is published to a topic."""
        self.open_topics(exchange, [topic])
        exchange.visitor.count_request()
        self._authorize(exchange, [topic], "write")

    def admit_reader(self, exchange: Exchange, topics: list[str]) -> None:
        """The checks before anything is read from topics."""
        exchange.visitor.count_request()
        if self.settings.users:
            self.open_topics_to_read(exchange, topics)
        self._authorize(exchange, topics, "read")

    def open_topics_to_read(self, exchange: Exchange, names: list[str]) -> None:
        """The same for a reader, to whom older releases do not tell the reason."""
        try:
            self.open_topics(exchange, names)
        except NtfyError:
            if self.settings.at_least(2, 23):
                raise
            raise NtfyError(40009) from None

    def _authorize(self, exchange: Exchange, topics: list[str], right: Right) -> None:
        if not self.settings.users:
            return
        own = self.settings.at_least(2, 26)
        for topic in topics:
            if not self.accounts.may(exchange.user, topic, right, own_sync_topic=own):
                raise NtfyError(40301)

    def announce(self, message: Message) -> None:
        """Hand a message to everyone who listens to its topic."""
        for subscription in self.subscriptions:
            if message.topic in subscription.topics:
                subscription.waiting.append(message)

    def catch_up(self) -> None:
        """Do what became due: deliver scheduled messages, drop expired ones."""
        now = self.now()
        step = self.settings.delivery_seconds
        for message in self.cache.due(now // step * step if step else now):
            message.published = True
            self.announce(message)
        self.cache.drop_expired(now)

    def cut_subscriptions(self, user: User, pattern: str) -> None:
        """End the open streams of an account on the topics of a pattern."""
        regex = re.compile(".*".join(re.escape(part) for part in pattern.split("*")))
        for subscription in self.subscriptions:
            if subscription.username == user.name and any(
                regex.fullmatch(topic) for topic in subscription.topics
            ):
                subscription.cut = True
