"""An approver whose client answers what it is told to, and a journal of all that happened."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from mcp_approval.approver import Approver
from mcp_approval.asking_client import Answer, Prompt, Way
from mcp_approval.exceptions import CallEnded
from mcp_approval.in_flight import OpenQuestion
from mcp_approval.keys import Target, TargetKeys
from mcp_approval.question import Question
from mcp_approval.verdict import Approval, Ask, Reservation
from tests.support.time import FakeClock, FakeRandom

ASK = Ask(Question("send it", "It is gone."), Target.ordered("send", ("to", "a")))


@dataclass
class Journal:
    """Everything that happened, in order: hook, slot, question, log."""

    events: list[str] = field(default_factory=list)

    async def hook(self) -> Reservation:
        self.events.append("hook")
        return self

    def commit(self) -> None:
        self.events.append("commit")

    def release(self) -> None:
        self.events.append("release")

    def log(self, line: str) -> None:
        self.events.append(line.partition("decision=")[2].partition(" ")[0])


@dataclass
class ScriptedClient:
    """A client that answers what it is told to."""

    journal: Journal
    way: Way
    reply: Answer | None = None
    answer: Answer | None = None
    state: str | None = None
    shown: asyncio.Event = field(default_factory=asyncio.Event)
    name: str = "scripted"
    version: str = "1"
    protocol: str = "2025-11-25"

    async def push(self, prompt: Prompt, wait_seconds: float, question: OpenQuestion) -> Answer:
        self.journal.events.append("question")
        self.shown.set()
        if self.reply is None:
            await asyncio.Event().wait()
        assert self.reply is not None
        return self.reply

    async def waiting(self, said: str) -> None:
        self.journal.events.append(said)
        await asyncio.Event().wait()


def keys(key: bytes, base: bytes | None = None) -> TargetKeys:
    """The keys of a target without facts."""
    return TargetKeys(key, key if base is None else base, {})


def make_approver(journal: Journal, *, dialog: bool = True) -> Approver:
    return Approver(
        "shop-mcp",
        dialog=dialog,
        clock=FakeClock(),
        random_bytes=FakeRandom(),
        log=journal.log,
    )


async def require(
    approver: Approver, client: ScriptedClient, token: object = None
) -> Approval | CallEnded:
    async with approver.call(client, "send", token) as approval:
        try:
            return await approval.require(ASK, client.journal.hook)
        except CallEnded as ended:
            return ended
