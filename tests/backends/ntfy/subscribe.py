"""Reading: polls and open streams."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .accounts import EVERYONE
from .cache import Message
from .core import Subscription
from .durations import parse_since
from .errors import NotModelledError, NtfyError
from .exchange import Reply, Stream, parse_priority
from .gojson import dump

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from .core import Core
    from .durations import Since
    from .exchange import Exchange
    from .settings import Settings

_TICK_SECONDS = 0.01
_DEFAULT_PRIORITY = 3


@dataclass(frozen=True, slots=True)
class Filters:
    """What a reader wants to see."""

    id: str
    title: str
    message: str
    priorities: tuple[int, ...]
    tags: frozenset[str]
    events: frozenset[str]

    @classmethod
    def of(cls, exchange: Exchange, settings: Settings) -> Filters:
        """The filters of a request; raises 40007 for a bad priority."""
        # Follow-up events go through the filters too wherever they exist.
        followed = {"message_clear", "message_delete"} if settings.at_least(2, 16) else set()
        return cls(
            exchange.text("x-id", "id"),
            exchange.text("x-title", "title", "t"),
            exchange.text("x-message", "message", "m"),
            tuple(
                parse_priority(part)
                for part in exchange.listed("x-priority", "priority", "prio", "p")
            ),
            frozenset(exchange.listed("x-tags", "tags", "tag", "ta")),
            frozenset({"message"} | followed),
        )

    def pass_on(self, message: Message) -> bool:
        """Whether the reader gets this message."""
        if message.event not in self.events:
            return True
        if self.id not in {"", message.id} or self.title not in {"", message.title}:
            return False
        if self.message not in {"", message.message}:
            return False
        if self.priorities and (message.priority or _DEFAULT_PRIORITY) not in self.priorities:
            return False
        return self.tags <= set(message.tags)


@dataclass(frozen=True, slots=True)
class _Reader:
    """A subscribe request, understood."""

    topics: list[str]
    since: Since
    scheduled: bool
    filters: Filters
    encode: Callable[[Message], bytes]

    def cached(self, core: Core) -> bytes:
        messages = [
            message
            for topic in self.topics
            for message in core.cache.read(topic, self.since, scheduled=self.scheduled)
        ]
        messages.sort(key=lambda message: message.time)
        return b"".join(self.encode(m) for m in messages if self.filters.pass_on(m))


def subscribe_json(core: Core, exchange: Exchange) -> Reply | Stream:
    """`GET /{topics}/json`."""
    return _subscribe(core, exchange, "application/x-ndjson", lambda m: dump(m.as_json()))


def subscribe_sse(core: Core, exchange: Exchange) -> Reply | Stream:
    """`GET /{topics}/sse`."""

    def encode(message: Message) -> bytes:
        name = b"" if message.event == "message" else f"event: {message.event}\n".encode()
        return name + b"data: " + dump(message.as_json()) + b"\n"

    return _subscribe(core, exchange, "text/event-stream", encode)


def subscribe_raw(core: Core, exchange: Exchange) -> Reply | Stream:
    """`GET /{topics}/raw`."""

    def encode(message: Message) -> bytes:
        text = message.message.replace("\n", " ") if message.event == "message" else ""
        return text.encode() + b"\n"

    return _subscribe(core, exchange, "text/plain", encode)


def subscribe_websocket(core: Core, exchange: Exchange) -> Reply:
    """`GET /{topics}/ws`: only the refusal of plain requests is modelled."""
    core.admit_reader(exchange, _topics(exchange))
    if exchange.request.headers.get("upgrade", "").lower() != "websocket":
        raise NtfyError(40016)
    raise NotModelledError


def read_access(core: Core, exchange: Exchange) -> Reply:
    """`GET /{topics}/auth`: whether the sender may read all of these topics."""
    core.admit_reader(exchange, _topics(exchange))
    return Reply(dump({"success": True}))


def _topics(exchange: Exchange) -> list[str]:
    return [name for name in exchange.path.split("/")[1].split(",") if name]


def _subscribe(
    core: Core, exchange: Exchange, content_type: str, encode: Callable[[Message], bytes]
) -> Reply | Stream:
    topics = _topics(exchange)
    core.admit_reader(exchange, topics)
    exchange.visitor.open_subscription()
    content_type += "; charset=utf-8"
    try:
        core.open_topics_to_read(exchange, topics)
        poll = exchange.flag("x-poll", "poll", "po", default=False)
        scheduled = exchange.flag("x-scheduled", "scheduled", "sched", default=False)
        since = parse_since(exchange.text("x-since", "since", "si"), poll=poll, now=core.now())
        filters = Filters.of(exchange, core.settings)
    except NtfyError:
        exchange.visitor.close_subscription()
        raise
    reader = _Reader(topics, since, scheduled, filters, encode)
    if poll:
        exchange.visitor.close_subscription()
        return Reply(reader.cached(core), content_type=content_type)
    username = exchange.user.name if exchange.user is not None else EVERYONE
    subscription = Subscription(frozenset(topics), username)
    core.subscriptions.append(subscription)
    # Read at once, so that nothing published meanwhile comes twice.
    opened = reader.encode(Message(exchange.path.split("/")[1], int(core.now()), "open"))
    backlog = opened + reader.cached(core)
    return Stream(_listen(core, exchange, reader, subscription, backlog), content_type)


async def _listen(
    core: Core,
    exchange: Exchange,
    reader: _Reader,
    subscription: Subscription,
    backlog: bytes,
) -> AsyncGenerator[bytes]:
    """The chunks of a stream; empty ones let the server notice a reader that left."""
    names = exchange.path.split("/")[1]
    left = core.cuts.pop(0) if core.cuts else None
    try:
        if left is not None:
            yield b"".join(backlog.splitlines(keepends=True)[:left])
            return
        yield backlog
        quiet_since = time.monotonic()
        while not subscription.cut:
            with core.lock:
                core.catch_up()
            while subscription.waiting:
                message = subscription.waiting.popleft()
                if reader.filters.pass_on(message):
                    yield reader.encode(message)
            if time.monotonic() - quiet_since >= core.settings.keepalive_seconds:
                quiet_since = time.monotonic()
                yield reader.encode(Message(names, int(core.now()), "keepalive"))
            yield b""
            await asyncio.sleep(_TICK_SECONDS)
    finally:
        core.subscriptions.remove(subscription)
        exchange.visitor.close_subscription()
