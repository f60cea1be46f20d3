"""What an approver needs to know of the client behind one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from mcp_approval.in_flight import OpenQuestion

Way = Literal["retry", "push", "none"]
"""How this call's client can be asked: by ending the call, by a pushed question, not at all."""


Action = Literal["accept", "decline", "cancel", "timeout", "failed", "unsupported", "withdrawn"]


ROWS = {
    "claude-code": 30,  # anthropics/claude-code#69087
}
"""Rows that a client's window holds, by the name it announces, with the public report.

A form that is taller is clipped and its buttons are out of reach. A row goes when its report
is closed.
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back from the client.

    Attributes:
        action: The client's word, or what happened instead of one: `timeout`, `failed`
            (an error or a wrong shape), `unsupported` (it does not know the request, so
            nothing was shown), `withdrawn` (this server took its question back).
        ticked: Whether the content held `confirm` as exactly true.
    """

    action: Action
    ticked: bool = False

    @property
    def approves(self) -> bool:
        """Only an accepted form with its box ticked is a yes."""
        return self.action == "accept" and self.ticked


@dataclass(frozen=True, slots=True)
class Prompt:
    """A composed question: message, and label and description of its one tick box."""

    message: str
    title: str
    hint: str


class AskingClient(Protocol):
    """The client side of one call."""

    @property
    def name(self) -> str:
        """The name that the client announces; empty when it announces none."""

    @property
    def version(self) -> str:
        """The version that it announces; empty when it announces none."""

    @property
    def protocol(self) -> str:
        """The protocol version of this call."""

    @property
    def way(self) -> Way:
        """How it can be asked."""

    @property
    def answer(self) -> Answer | None:
        """The answer that this call carries, if any; worth nothing without its state."""

    @property
    def state(self) -> str | None:
        """The state that this call carries, unverified."""

    async def push(self, prompt: Prompt, wait_seconds: float, question: OpenQuestion) -> Answer:
        """Put a question to the client and wait for what comes back.

        Args:
            prompt: What is asked.
            wait_seconds: How long to wait.
            question: May be withdrawn meanwhile; then the client is told so, and the
                wait ends.
        """

    async def waiting(self, said: str) -> None:
        """Report progress until cancelled, where the client asked for it."""
