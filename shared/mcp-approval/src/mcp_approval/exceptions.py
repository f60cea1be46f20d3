"""The ways in which a guarded call ends without going on.

    CallEnded
    ├── Asked               a question is on its way (2026-07-28); not an error
    ├── TokenNeeded         the first of two calls
    ├── TokenRefused        the second call's token is no good
    ├── NotApproved         an answer came, or failed to, and it is not a yes
    ├── AlreadyBeingAsked   the same target is carried out, or too many others are open
    ├── Superseded          the question went to the same call made again, or made room
    ├── FactsKeptChanging   what the question quotes changed with every answer
    ├── Awaiting            a person was asked outside the client and has not answered yet
    ├── DeclinedOutside     a person said no there
    ├── Unreached           no person could be asked there
    └── NotRecorded         what cannot be recorded does not happen

Each carries the words for the caller. They are raised, so no tool can forget to look.
"""

from __future__ import annotations

from collections.abc import Mapping

from mcp_approval.asking_client import Answer, Prompt
from mcp_approval.verdict import Verdict


class CallEnded(Exception):  # noqa: N818 (an end, not always an error)
    """Ends a tool call before it acts."""

    def __init__(self, text: str, verdict: Verdict | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.verdict = verdict or Verdict()


class Asked(CallEnded):
    """The call ends with a question; a retry may bring the answer."""

    def __init__(self, prompt: Prompt, state: str) -> None:
        super().__init__("a question was raised", Verdict(raised=True))
        self.prompt = prompt
        self.state = state


class TokenNeeded(CallEnded):
    """The call must be repeated with a token."""


class TokenRefused(CallEnded):
    """The token is unknown, expired, used or another call's: the words are the same."""


class NotApproved(CallEnded):
    """The answer is not a yes."""

    def __init__(self, text: str, answer: Answer, verdict: Verdict) -> None:
        super().__init__(text, verdict)
        self.answer = answer


class AlreadyBeingAsked(CallEnded):
    """Asking once more would put the same question twice, or one too many."""


class Superseded(CallEnded):
    """The question was taken back: a newer call has it, or needed its place."""


class FactsKeptChanging(CallEnded):
    """The state of things changed while the person was reading, again and again."""


class Awaiting(CallEnded):
    """A person was asked outside the client; the same call learns the answer later.

    Attributes:
        told: Way, time of asking and end of the question, for programs.
    """

    def __init__(self, text: str, told: Mapping[str, str], verdict: Verdict) -> None:
        super().__init__(text, verdict)
        self.told = told


class DeclinedOutside(CallEnded):
    """A person said no outside the client, now or a short while ago."""


class Unanswered(CallEnded):
    """Nobody answered outside the client before the question's time was up."""


class Unreached(CallEnded):
    """No channel could show the question to anybody.

    Attributes:
        reasons: Why not, for each way to a person.
    """

    def __init__(self, text: str, reasons: str) -> None:
        super().__init__(text)
        self.reasons = reasons


class NotRecorded(CallEnded):
    """The operator asked for a record, and it cannot be written."""
