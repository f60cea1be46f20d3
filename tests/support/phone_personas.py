"""What may come back from a phone when a guarded tool asks; only the first tap counts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from mcp.server import Server

from mcp_approval.reach import loading
from mcp_approval.reach.asking import Reach
from tests.approval.broker import Broker, broker, until
from tests.support.clients import Arguments, Era, call, connect, text

TOKEN_PROMPT = 'confirm_token="'


@dataclass(frozen=True)
class Case:
    """A guarded call, and what it leads to.

    Attributes:
        make: Builds a server with these further variables.
        tool: The tool.
        arguments: Its arguments.
        writes: What has reached the service.
    """

    make: Callable[[Mapping[str, str]], Server[object]]
    tool: str
    arguments: Arguments
    writes: Callable[[], list[str]]


@dataclass
class Hand:
    """The person's phone, and what else may write to the topic of answers."""

    at: Broker
    later: float = 0.0

    @property
    def answers(self) -> tuple[str, str]:
        """What the two buttons of the newest question would send."""
        found = self.at.buttons()
        return str(found["Approve"]["body"]), str(found["Decline"]["body"])

    @property
    def count(self) -> int:
        return len(self.at.shown())

    async def told(self) -> str:
        """How the newest question ended, once it has."""
        await until(lambda: "actions" not in self.at.shown()[-1])
        return str(self.at.shown()[-1]["title"]).partition(": ")[2]


@contextmanager
def hand(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hand]:
    """Stand in for the instance, and for the clocks of the questions."""
    with broker() as at:
        found = Hand(at)

        def reach(**given: Any) -> Reach:
            clocks = {
                "clock": lambda: time.monotonic() + found.later,
                "wall": lambda: time.time() + found.later,
            }
            return Reach(**{**given, **clocks})

        monkeypatch.setattr(loading, "Reach", reach)
        yield found


def forgeries(approve: str, decline: str) -> list[str]:
    """Answers that nobody's button sends."""
    version, process, question, _, capability = approve.split(".")
    made_up, other = "A" * len(capability), "0" * 8
    no_capability = decline.rpartition(".")[2]
    return [
        "yes",
        f"{version}.{process}.{question}.approve",
        f"{version}.{process}.{question}.approve.{made_up}",
        f"{version}.{process}.{question}.approve.{no_capability}",
        f"{version}.{process}.{question[::-1]}.approve.{capability}",
        f"{version}.{other}.{question}.approve.{capability}",
        f"v2.{process}.{question}.approve.{capability}",
    ]


async def play_no(case: Case, hand: Hand, era: Era) -> None:
    """Forged, expired, of a process that is gone, of a call that is gone, after a no: nothing."""
    async with connect(case.make(hand.at.environ(0)), era) as client:
        said = text(await call(client, case.tool, case.arguments))
        assert said.startswith("Awaiting a person: anna was asked by phone"), said
        approve, decline = hand.answers
        for forged in forgeries(approve, decline):
            await hand.at.say(forged)
        token = {**case.arguments, "confirm_token": "0" * 32}
        assert text(await call(client, case.tool, token)) == said
        assert TOKEN_PROMPT not in said
        assert hand.count == 1
        hand.later += 900
        await hand.at.say(approve)
        assert (await hand.told()).startswith("Not answered in time.")
        assert "Awaiting" in text(await call(client, case.tool, case.arguments))
        assert str(hand.at.shown()[-1]["message"]).startswith("Asked again: no answer came")
        of_another_process, _ = hand.answers
    async with connect(case.make(hand.at.environ(45)), era) as client:
        calling = asyncio.create_task(call(client, case.tool, case.arguments))
        await until(lambda: hand.count == 3)
        of_a_cancelled_call, _ = hand.answers
        await hand.at.say(of_another_process)
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        assert (await hand.told()).startswith("Withdrawn.")
        calling = asyncio.create_task(call(client, case.tool, case.arguments))
        await until(lambda: hand.count == 4)
        approve, decline = hand.answers
        for answer in (of_a_cancelled_call, decline, approve):
            await hand.at.say(answer)
        assert "Not approved: anna declined by phone." in text(await calling)
        assert (await hand.told()).startswith("Declined.")
        again = text(await call(client, case.tool, case.arguments))
        assert "Not approved: anna declined by phone at" in again
    assert case.writes() == []


async def play_yes(case: Case, hand: Hand, era: Era) -> list[str]:
    """A tap after the call ended lets the same call act, once; a second tap changes nothing.

    Returns:
        What was written.
    """
    async with connect(case.make(hand.at.environ(0)), era) as client:
        await call(client, case.tool, case.arguments)
        approve, decline = hand.answers
        for answer in (approve, decline, approve):
            await hand.at.say(answer)
        assert (await hand.told()).startswith("Approved. It happens when the agent repeats")
        assert case.writes() == []
        result = await call(client, case.tool, case.arguments)
        assert not result.is_error, text(result)
        await until(lambda: "carried out" in str(hand.at.shown()[-1]["title"]))
        written = case.writes()
        await hand.at.say(approve)
        again = text(await call(client, case.tool, case.arguments))
        if "Awaiting" in again:
            for answer in (approve, hand.answers[1]):
                await hand.at.say(answer)
            assert (await hand.told()).startswith("Declined.")
            assert "declined by phone" in text(await call(client, case.tool, case.arguments))
        assert case.writes() == written
    return written
