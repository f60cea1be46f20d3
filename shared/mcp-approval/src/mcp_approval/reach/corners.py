"""Whether the topics of questions and answers are closed to everybody who must not use them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, Protocol

from mcp_approval.reach.channel import NotReached

Request = Callable[[str, str, Mapping[str, str], bytes], Awaitable[tuple[int, bytes]]]

CHECK = b"v1.check"
REFUSED = frozenset({401, 403})


class Topics(Protocol):
    """What is tried."""

    @property
    def ask_topic(self) -> str:
        """Where questions go."""

    @property
    def answer_topic(self) -> str:
        """Where answers come from."""

    @property
    def token(self) -> str:
        """The server's login."""


class Corners(NamedTuple):
    """What came of trying.

    Attributes:
        found: What is open, or which corner could not be tried, in words without a topic's name.
        reason: Why nobody can be asked; empty when all are closed.
        said: All of it in one line.
    """

    found: list[str]
    reason: str
    said: str


async def try_corners(request: Request, topics: Topics) -> Corners:
    """Try what nobody may: the server's login and no login, reading questions and answering.

    It stops at a corner that cannot be tried, since the next would take its time to fail too.
    """
    found: list[str] = []
    for who, token in (("the server's token", topics.token), ("anybody", "")):
        headers = {"authorization": f"Bearer {token}"} if token else {}
        for what, method, path, body in (
            ("read the questions", "GET", f"{topics.ask_topic}/auth", b""),
            ("write answers", "POST", topics.answer_topic, CHECK),
        ):
            try:
                status, _ = await request(method, path, {**headers, "x-cache": "no"}, body)
            except NotReached as reason:
                unknown = f"whether {who} can {what} is unknown: {reason}"
                return _open(found) if found else Corners([unknown], str(reason), unknown)
            if status not in REFUSED:
                found.append(f"{who} can {what}")
    return _open(found) if found else Corners([], "", "")


def _open(found: list[str]) -> Corners:
    closed = "the topics are not closed"
    return Corners(found, f"{closed}; see --check", f"{closed}: {'; '.join(found)}")
