"""One question that stands outside the client, and how far it came."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Literal

from mcp_approval.keys import TargetKeys
from mcp_approval.reach.channel import Channel, Said, Shown
from mcp_approval.typing import Told

Standing = Literal[
    "asked", "yes", "no", "used", "unused", "expired", "withdrawn", "replaced", "elsewhere"
]

AFTER_ANSWER_SECONDS = 300.0
"""How long a yes can be used, and a no is remembered, after it came."""


@dataclass(eq=False)
class Question:
    """One question on a channel.

    Attributes:
        shown: What is shown.
        keys: What its answer is bound to.
        tool: Which tool asks.
        channel: Where it stands.
        asked: Monotonic seconds of its showing.
        asked_wall: Unix time of it.
        expires: How long it stays open.
        standing: How far it came.
        said: What was answered.
        reason: Why it is asked again; empty when it is not.
        attended: Whether the call that asked is still there to act on the answer.
        counted: Whether it was shown, and so is one of those within the hour.
    """

    shown: Shown
    keys: TargetKeys
    tool: str
    channel: Channel
    asked: float
    asked_wall: float
    expires: float
    reason: str = ""
    standing: Standing = "asked"
    said: Said | None = None
    answered: float = 0.0
    answered_wall: float = 0.0
    attended: bool = False
    counted: bool = False
    waiter: asyncio.Future[str] | None = field(default=None, repr=False)
    telling: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    @property
    def until(self) -> float:
        """Unix time of its end."""
        return self.asked_wall + self.expires

    @property
    def usable_until(self) -> float:
        """Unix time until which a yes can be used."""
        return max(self.until, self.answered_wall + AFTER_ANSWER_SECONDS)

    def wake(self, why: str) -> bool:
        """Tell the call that waits, if one does."""
        if self.waiter is None or self.waiter.done():
            return False
        self.waiter.set_result(why)
        return True

    def told(self, approver: str) -> dict[str, Told]:
        """What log and record are told of it, and of its answer if there is one."""
        told: dict[str, Told] = {
            "way": self.channel.word,
            "approver": approver,
            "question": self.shown.question[:8],
        }
        if self.said is None:
            return told
        told["proof"] = self.said.proof
        told["waited_ms"] = str(round((self.answered - self.asked) * 1_000))
        if self.said.evidence:
            told["evidence"] = self.said.evidence
        return told
