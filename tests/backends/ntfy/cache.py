"""Messages and the cache that holds them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from .accounts import random_text

if TYPE_CHECKING:
    from .durations import Since
    from .settings import JsonObject

Event = Literal["open", "keepalive", "message", "message_clear", "message_delete", "poll_request"]


@dataclass(slots=True)
class Message:
    """One line of a poll or stream."""

    topic: str
    time: int
    event: Event = "message"
    id: str = field(default_factory=lambda: random_text(12))
    sequence_id: str = ""
    expires: int = 0
    title: str = ""
    message: str = ""
    priority: int = 0
    tags: list[str] = field(default_factory=list)
    click: str = ""
    icon: str = ""
    actions: list[JsonObject] = field(default_factory=list)
    attachment: JsonObject | None = None
    poll_id: str = ""
    content_type: str = ""
    encoding: str = ""
    published: bool = True

    def as_json(self) -> JsonObject:
        """The document ntfy sends; empty fields and a sequence id equal to the id stay out."""
        document: JsonObject = {"id": self.id, "time": self.time}
        if self.sequence_id and self.sequence_id != self.id:
            document["sequence_id"] = self.sequence_id
        if self.expires:
            document["expires"] = self.expires
        document |= {"event": self.event, "topic": self.topic}
        optional: JsonObject = {
            "title": self.title,
            "message": self.message,
            "priority": self.priority,
            "tags": self.tags,
            "click": self.click,
            "icon": self.icon,
            "actions": self.actions,
            "attachment": self.attachment,
            "poll_id": self.poll_id,
            "content_type": self.content_type,
            "encoding": self.encoding,
        }
        return document | {name: value for name, value in optional.items() if value}


class MessageCache:
    """Messages in the order of their arrival, across all topics."""

    def __init__(self, *, enabled: bool) -> None:
        self._enabled = enabled
        self._rows: list[tuple[int, Message]] = []
        self._last_row = 0

    def add(self, message: Message) -> None:
        """Keep a message."""
        if self._enabled:
            self._last_row += 1
            self._rows.append((self._last_row, message))

    def read(self, topic: str, since: Since, *, scheduled: bool) -> list[Message]:
        """The messages of a topic from a starting point on, by time and then arrival."""
        rows = [(row, m) for row, m in self._rows if m.topic == topic]
        if since.kind == "none":
            return []
        if since.kind == "latest":
            delivered = _ordered([(row, m) for row, m in rows if m.published])
            return delivered[-1:]
        if since.kind == "id":
            # An id that is not in the cache is row 0, so everything follows it.
            start = next((row for row, m in self._rows if m.id == since.message_id), 0)
            return _ordered(
                [
                    (row, m)
                    for row, m in rows
                    if (m.published and row > start)
                    or (scheduled and (row > start or not m.published))
                ]
            )
        return _ordered(
            [(row, m) for row, m in rows if m.time >= since.time and (scheduled or m.published)]
        )

    def due(self, now: float) -> list[Message]:
        """Scheduled messages whose time has come."""
        return _ordered([(r, m) for r, m in self._rows if not m.published and m.time <= int(now)])

    def drop_scheduled(self, topic: str, sequence_id: str) -> None:
        """Forget the scheduled messages of a sequence."""
        self._rows = [
            (row, m)
            for row, m in self._rows
            if m.published or m.topic != topic or m.sequence_id != sequence_id
        ]

    def drop_expired(self, now: float) -> None:
        """Forget delivered messages past their expiry."""
        self._rows = [(row, m) for row, m in self._rows if not m.published or m.expires > int(now)]


def _ordered(rows: list[tuple[int, Message]]) -> list[Message]:
    return [m for _, m in sorted(rows, key=lambda item: (item[1].time, item[0]))]
