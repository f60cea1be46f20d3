"""What a way to a person outside the client must be able to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

Verb = Literal["approve", "decline"]


class NotReached(Exception):  # noqa: N818 (a reason to try the next channel)
    """Nobody was shown the question; the text is the reason, a few words."""


class Unsafe(NotReached):
    """Nobody may be asked here before the operator has mended something."""


class Shown(NamedTuple):
    """What a channel must show, whole and character for character.

    Attributes:
        question: Names the question towards this channel.
        title: Which server asks, where it acts, and what is to be allowed.
        message: The text of the question.
        where: Server and instance.
        approver: Who is asked.
        until: Unix time at which the question ends.
    """

    question: str
    title: str
    message: str
    where: str
    approver: str
    until: float


@dataclass(frozen=True, slots=True)
class Said:
    """What came back from a person.

    Attributes:
        verb: What they chose.
        proof: What stands behind it, in a word or two.
        evidence: What may be kept of it beside the word.
    """

    verb: Verb
    proof: str
    evidence: Mapping[str, str] = field(default_factory=dict)


class Channel(Protocol):
    """A way to a person. It knows neither what a question is bound to nor the process's key."""

    @property
    def word(self) -> str:
        """Its name among the settings, such as `window`."""

    @property
    def how(self) -> str:
        """How a person is asked, such as `in a window`."""

    async def put(self, shown: Shown, heard: Callable[[Said], None]) -> None:
        """Show a question; returns once it is shown.

        Args:
            shown: The question.
            heard: Takes what came back, at any time, also late or twice.

        Raises:
            NotReached: It is shown nowhere.
        """

    async def end(self, question: str, words: str, *, final: bool) -> None:
        """Tell whoever saw the question what became of it; never raises.

        Args:
            question: Which one.
            words: What became of it.
            final: Whether nothing more will be told.
        """

    async def check(self) -> list[str]:
        """Try the channel without asking anything, and say what was found.

        Raises:
            NotReached: It does not work.
            Unsafe: It must not be used as it is set up.
        """

    async def aclose(self) -> None:
        """Let go of everything that is still shown."""
