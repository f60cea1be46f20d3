"""What is asked, and what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from mcp_approval.keys import Target
from mcp_approval.question import Question


@dataclass(frozen=True, slots=True)
class Ask:
    """Question and target, side by side: what is shown and what is bound."""

    question: Question
    target: Target


Outcome: TypeAlias = Literal["done", "failed", "unknown"]
"""How a call that was allowed ended: well, without an effect, or nobody knows."""

AskSource: TypeAlias = Ask | Callable[[], Awaitable[Ask]]
"""An `Ask`, or a function that reads the facts anew and composes it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What happened to the question in this call, for whoever keeps account.

    Attributes:
        raised: Whether a dialog was raised by this call.
        answered: Whether this call carried or received a person's answer.
    """

    raised: bool = False
    answered: bool = False


@dataclass(frozen=True, slots=True)
class Approval:
    """A call that may go on: what was approved, and how.

    Attributes:
        ask: What was approved.
        by: `dialog`, `token`, or the word of a channel.
        verdict: What happened to the question in this call.
    """

    ask: Ask
    by: str
    verdict: Verdict


class Reservation(Protocol):
    """A place that a limiter holds for one question."""

    def commit(self) -> None:
        """The place is used up."""

    def release(self) -> None:
        """Nobody was asked and nothing was done: the place is free again."""


BeforeAsking: TypeAlias = Callable[[], Awaitable[Reservation]]
"""Awaited when a question, a token prompt or a token's redemption is next.

It may raise to end the call; then nobody is asked and no token is spent.
"""


@dataclass(frozen=True, slots=True)
class _Unlimited:
    def commit(self) -> None:
        pass

    def release(self) -> None:
        pass


async def no_limit() -> Reservation:
    """Let every question through."""
    return _Unlimited()


class OnePlace:
    """One place of the limiter for a question that is put in more than one way.

    Args:
        source: What a place is asked of; not before it is needed.
    """

    def __init__(self, source: BeforeAsking) -> None:
        self._source = source
        self._held: Reservation = _Unlimited()

    async def __call__(self) -> Reservation:
        """Hold the place, once."""
        if isinstance(self._held, _Unlimited):
            self._held = await self._source()
        return self

    def commit(self) -> None:
        """Somebody was shown the question; another one has a place of its own."""
        self._held.commit()
        self._held = _Unlimited()

    def release(self) -> None:
        """Nobody was, in this way; another way may do better."""

    def give_back(self) -> None:
        """Nobody was, in any way."""
        self._held.release()
        self._held = _Unlimited()
