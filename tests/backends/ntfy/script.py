"""Answers a test wants once, instead of the honest one."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .exchange import Reply
    from .wire import Request


@dataclass(slots=True)
class Scripted:
    """What to do with the next requests that match."""

    method: str | None
    path: str | None
    times: int
    reply: Reply | None = None
    delay: float = 0.0
    body_delay: float = 0.0
    cut_after: int | None = None
    drop: Literal["never", "unread", "done"] = "never"

    def matches(self, request: Request) -> bool:
        """Whether this is for the request; `*` in a path stands for anything."""
        return (self.method is None or request.method == self.method.upper()) and (
            self.path is None or fnmatchcase(request.path, self.path)
        )


class Script:
    """The scripted answers still to be given, oldest first."""

    def __init__(self) -> None:
        self._waiting: list[Scripted] = []

    def add(self, scripted: Scripted) -> None:
        """Wait for a matching request."""
        self._waiting.append(scripted)

    def take(self, request: Request) -> Scripted | None:
        """The scripted answer for a request, used up once."""
        for scripted in self._waiting:
            if scripted.matches(request):
                scripted.times -= 1
                if scripted.times < 1:
                    self._waiting.remove(scripted)
                return scripted
        return None

    def clear(self) -> None:
        """Forget what was not used."""
        self._waiting.clear()

    @property
    def waiting(self) -> int:
        """How many answers nobody fetched."""
        return sum(scripted.times for scripted in self._waiting)
