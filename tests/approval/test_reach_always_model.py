"""Whatever comes in whatever order, on both sides: one act a question, and none after a no."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mcp_approval.asking_client import Answer
from mcp_approval.exceptions import Asked, CallEnded
from mcp_approval.reach.asking import Reach
from mcp_approval.record.verify import verify
from mcp_approval.verdict import Approval
from tests.approval.outside import Stand, settle
from tests.approval.scripted import Journal, ScriptedClient, require
from tests.approval.test_reach_always import always

YES, NO, CANCEL = Answer("accept", ticked=True), Answer("decline"), Answer("cancel")
STEPS = 100


@dataclass
class Person:
    """Somebody who calls, answers forms and taps, as chance has it.

    Attributes:
        acts: How often a call was let through.
        spent: How often, since the newest question was put.
        answers: How often somebody said yes, on either side.
        forms: States of the forms that were shown, oldest first.
        refused: Whether nothing was asked since the last no.
    """

    at: Stand
    chance: random.Random
    acts: int = 0
    spent: int = 0
    answers: int = 0
    forms: list[str] = field(default_factory=list)
    refused: bool = False

    async def call(self, state: str | None = None, answer: Answer | None = None) -> None:
        shown = len(self.at.window.shown)
        self.refused = self.refused or await self.declined()
        client = ScriptedClient(Journal(), "retry", answer=answer, state=state)
        ended: Approval | CallEnded = await require(self.at.approver, client)
        if isinstance(ended, Approval):
            self.acts, self.spent = self.acts + 1, self.spent + 1
            assert not self.refused, "a no was given, and nothing asked since"
        if isinstance(ended, Asked):
            self.forms.append(ended.state)
        if answer is NO and isinstance(ended, CallEnded) and "decline" in ended.text:
            self.refused = True
        if len(self.at.window.shown) > shown:
            self.refused, self.spent = False, 0

    async def declined(self) -> bool:
        """Whether somebody tapped Decline and that is remembered."""
        reach = await self.at.approver.reach()
        assert isinstance(reach, Reach)
        return any(each.standing == "no" for each in reach.questions._by_key.values())

    async def step(self) -> None:
        what = self.chance.choice(["call", "yes", "no", "cancel", "tap", "tap", "refuse", "wait"])
        state = self.chance.choice([None, *self.forms[-4:]])
        if what == "call":
            await self.call()
        elif what in {"yes", "no", "cancel"}:
            self.answers += what == "yes"
            await self.call(state, {"yes": YES, "no": NO, "cancel": CANCEL}[what])
        elif what == "wait":
            self.at.advance(self.chance.choice([1, 301, 301, 901]))
        elif self.at.window.shown:
            number = self.chance.choice(range(len(self.at.window.shown))[-3:])
            self.answers += what == "tap"
            self.at.window.say("approve" if what == "tap" else "decline", number)
        await settle()


@pytest.mark.requirement("A-5")
@pytest.mark.parametrize("seed", range(30))
def test_at_most_one_act_a_question_and_none_after_a_no(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seed: int
) -> None:
    monkeypatch.setattr("mcp_approval.reach.questions.HOURLY_LIMIT", 1_000)

    async def live() -> None:
        at = always(monkeypatch, tmp_path, APPROVAL_WAIT_SECONDS="0")
        person = Person(at, random.Random(seed))
        for _ in range(STEPS):
            await person.step()
            assert person.spent <= 1
            assert person.acts <= person.answers
        await at.approver.aclose()

    asyncio.run(live())
    assert verify(str(tmp_path / "record.jsonl")).open == 0
