"""What is being asked about or carried out in this process at this moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

OPEN_LIMIT = 8
"""Pushed questions that may be open at once; a person reads one at a time."""

KEPT_SECONDS = 900
"""How long a question that timed out is remembered, to say why it is asked again."""

Withdrawn = Literal["twin", "room", "elsewhere"]
"""Why an open question ended.

The same call came again, a newer one needed its place, or a person was asked elsewhere too and
it was decided there.
"""


@dataclass(eq=False, slots=True)
class OpenQuestion:
    """A pushed question that nobody has answered yet.

    Attributes:
        opened: When it was put, in the seconds of the approver's clock.
        withdrawn: Why it is no longer open, once it is not.
        quiet: Whether somebody else tells the client that its call waits.
    """

    opened: float
    withdrawn: Withdrawn | None = None
    quiet: bool = False
    _close: Callable[[], None] | None = None

    def when_withdrawn(self, close: Callable[[], None]) -> None:
        """Say what closes it towards the client."""
        self._close = close
        if self.withdrawn is not None:
            close()

    def withdraw(self, why: Withdrawn) -> None:
        """End it; an answer that comes later is worth nothing."""
        self.withdrawn = why
        if self._close is not None:
            self._close()


class Timeouts:
    """Calls whose pushed question ended without an answer, for a while."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._ended: dict[bytes, float] = {}

    def note(self, base: bytes) -> None:
        """Remember that nobody answered in time."""
        limit = self._clock() - KEPT_SECONDS
        kept = {key: ended for key, ended in self._ended.items() if ended > limit and key != base}
        self._ended = {**kept, base: self._clock()}

    def take(self, base: bytes) -> bool:
        """Whether nobody answered when the same call was last asked about; told once."""
        ended = self._ended.pop(base, None)
        return ended is not None and self._clock() - ended < KEPT_SECONDS


class InFlight:
    """Targets that are being carried out, and questions that wait for an answer.

    Attributes:
        outside: Counts the questions that are open outside the client.
    """

    def __init__(self) -> None:
        self.outside: Callable[[], int] = lambda: 0
        self._acting: dict[bytes, object] = {}
        self._open: dict[bytes, OpenQuestion] = {}

    def acts_for_another(self, key: bytes, call: object) -> bool:
        """Whether another call has its yes for this target and has not ended yet."""
        return self._acting.get(key, call) is not call

    def act(self, key: bytes, call: object) -> None:
        """Note that a call has its yes for a target."""
        self._acting[key] = call

    def release(self, call: object) -> None:
        """Forget what a call was doing."""
        for key in [key for key, holder in self._acting.items() if holder is call]:
            del self._acting[key]

    @property
    def open(self) -> int:
        """How many questions wait for an answer, wherever they are shown."""
        return len(self._open) + self.outside()

    @property
    def full(self) -> bool:
        """Whether one more open question would be one too many."""
        return self.open >= OPEN_LIMIT

    @property
    def oldest(self) -> OpenQuestion | None:
        """The pushed question that has been open for longest, where there is one.

        One that is shown outside the client never gives way: somebody may be reading it.
        """
        return min(self._open.values(), key=lambda question: question.opened, default=None)

    def asks(self, base: bytes) -> bool:
        """Whether a question about the same call is open."""
        return base in self._open

    def withdraw(self, base: bytes) -> bool:
        """End the open question about the same call, if there is one."""
        question = self._open.pop(base, None)
        if question is not None:
            question.withdraw("twin")
        return question is not None

    def give_way(self, question: OpenQuestion) -> None:
        """End a question, so that another one has its place."""
        self._open = {base: one for base, one in self._open.items() if one is not question}
        question.withdraw("room")

    @contextmanager
    def question(self, base: bytes, now: float) -> Iterator[OpenQuestion]:
        """Hold a question open."""
        question = OpenQuestion(now)
        self._open[base] = question
        try:
            yield question
        finally:
            if self._open.get(base) is question:
                del self._open[base]
