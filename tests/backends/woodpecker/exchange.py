"""One request being answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote

if TYPE_CHECKING:
    from .state import State

Json = dict[str, object]

PAGE = 50


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A request as it arrived; header names are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def path(self) -> str:
        """The target without its query, still percent-encoded."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> dict[str, str]:
        """The decoded query, the first value of each name."""
        found = parse_qs(self.target.partition("?")[2], keep_blank_values=True)
        return {name: values[0] for name, values in found.items()}

    def json(self) -> object:
        """The body read as JSON."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to be sent.

    Attributes:
        status: HTTP status.
        body: Its body.
        content_type: Media type; empty for none.
        headers: Further header fields.
        chunked: Whether it is sent in pieces without a length.
    """

    status: int = 200
    body: bytes = b""
    content_type: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    chunked: bool = False


def as_json(value: object, status: int = 200) -> Answer:
    """Answer with JSON."""
    return Answer(status, json.dumps(value).encode(), "application/json; charset=utf-8")


def as_list(values: list[Json]) -> Answer:
    """Answer with a list; an empty Go slice is null."""
    return as_json(values or None)


def text(status: int, words: str) -> Answer:
    """Answer with plain words."""
    return Answer(status, words.encode(), "text/plain; charset=utf-8")


def bare(status: int) -> Answer:
    """Answer with a status alone."""
    return Answer(status)


NO_CONTENT = bare(204)


class Stop(Exception):  # noqa: N818 (it ends a request, whatever the answer)
    """Ends a request with an answer."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


@dataclass(slots=True)
class Exchange:
    """A routed request with who asks, and the objects that its path names."""

    request: RecordedRequest
    state: State
    user: Json | None
    parts: Mapping[str, str]
    repo: Json = field(default_factory=dict)
    org: Json = field(default_factory=dict)
    pipeline: Json = field(default_factory=dict)

    @property
    def query(self) -> dict[str, str]:
        """The query."""
        return self.request.query

    @property
    def me(self) -> Json:
        """Who asks, where somebody must."""
        assert self.user is not None
        return self.user

    def number(self, name: str) -> int:
        """A number in the path."""
        try:
            return int(self.parts[name])
        except ValueError:
            raise Stop(bare(400)) from None

    def name(self, part: str) -> str:
        """A decoded name in the path."""
        return unquote(self.parts[part])

    def body(self) -> Json:
        """The JSON body."""
        if "application/json" not in self.request.headers.get("content-type", ""):
            raise Stop(bare(400))
        try:
            parsed = self.request.json()
        except ValueError:
            raise Stop(bare(400)) from None
        if not isinstance(parsed, dict):
            raise Stop(bare(400))
        return parsed

    def page(self, values: list[Json]) -> list[Json]:
        """Cut a list to the page that is asked for; anything odd is the first 50."""

        def number(name: str, default: int, most: int) -> int:
            given = self.query.get(name, "")
            return int(given) if given.isdigit() and 1 <= int(given) <= most else default

        size = number("perPage", PAGE, PAGE)
        first = (number("page", 1, 10**9) - 1) * size
        return values[first : first + size]
