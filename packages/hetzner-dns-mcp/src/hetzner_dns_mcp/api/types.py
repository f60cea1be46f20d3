"""What requests to the API are about and what came of them; loads nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from mcp_serverkit.http.json_fields import Document, object_of, objects_of

Query: TypeAlias = Sequence[tuple[str, str]]
Body: TypeAlias = Mapping[str, object]
BeforeWrite: TypeAlias = Callable[[], Awaitable[None]]
"""Looked at inside the zone's turn, right before a write; it raises to stop it."""


class RRSetRef(NamedTuple):
    """Which record set: its zone, its name in normal form, its type."""

    zone: str
    name: str
    type: str

    @property
    def segments(self) -> tuple[str, ...]:
        """Its path; the API wants `@` and `*` raw."""
        return ("zones", self.zone, "rrsets", self.name, self.type)


class WriteRequest(NamedTuple):
    """One write of several."""

    method: Literal["POST", "DELETE"]
    segments: tuple[str, ...]
    body: Body | None


@dataclass(frozen=True, slots=True)
class Write:
    """What came of a write.

    Attributes:
        answer: The answer to the request.
        action: The newest state of its action; empty when it named none.
        note: Why the action was not followed to its end; empty when it was.
        changed: Whether anything was different before.
    """

    answer: APIAnswer
    action: Document
    note: str = ""
    changed: bool = True

    @property
    def running(self) -> bool:
        """Whether its action had not ended when it was looked at last."""
        return self.action.get("status") == "running"


@dataclass(frozen=True, slots=True)
class APIAnswer:
    """A success answer.

    Attributes:
        status: HTTP status.
        body: The parsed body; `None` when there was none.
    """

    status: int
    body: object

    def document(self, key: str) -> Document:
        """Read the object under a key; an empty one when the shape is another."""
        return object_of(self.body, key)

    def documents(self, key: str) -> list[Document]:
        """Read the objects of the list under a key."""
        return objects_of(self.body, key)


@dataclass(frozen=True, slots=True)
class RateLimit:
    """What the last answer told of the project's limit.

    Attributes:
        limit: Requests an hour.
        remaining: Requests left now.
        reset: Unix time at which the limit is whole again.
    """

    limit: int | None
    remaining: int | None
    reset: int | None
