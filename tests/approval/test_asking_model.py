"""Calls, twins, answers, cancels, time-outs and changes in any order keep three promises."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mcp_approval.approver import Approver
from mcp_approval.asking_client import Action, Answer, Prompt, Way
from mcp_approval.exceptions import CallEnded
from mcp_approval.in_flight import OPEN_LIMIT, OpenQuestion
from mcp_approval.keys import Target
from mcp_approval.question import Question
from mcp_approval.verdict import Ask
from tests.support.time import FakeClock, FakeRandom

TARGETS = st.integers(0, OPEN_LIMIT + 1)


@dataclass
class Caller:
    """One call and the client behind it."""

    target: int
    name: str = "model"
    version: str = ""
    way: Way = "push"
    protocol: str = "2025-11-25"
    answer: Answer | None = None
    state: str | None = None
    asked: list[asyncio.Future[Answer]] = field(default_factory=list)
    yes: int = 0
    wrote: bool = False
    task: asyncio.Task[None] | None = None

    async def waiting(self, said: str) -> None:
        return None

    async def push(self, prompt: Prompt, wait_seconds: float, question: OpenQuestion) -> Answer:
        waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.asked.append(waiting)
        question.when_withdrawn(lambda: _say(waiting, Answer("withdrawn")))
        return await waiting

    @property
    def open(self) -> bool:
        return bool(self.asked) and not self.asked[-1].done()


def _say(waiting: asyncio.Future[Answer], answer: Answer) -> None:
    if not waiting.done():
        waiting.set_result(answer)


class Asking(RuleBasedStateMachine):
    """All that may happen around pushed questions."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.clock = FakeClock()
        self.approver = Approver(
            "shop-mcp", clock=self.clock, random_bytes=FakeRandom(), log=lambda _line: None
        )
        self.callers: list[Caller] = []
        self.facts = 0

    def teardown(self) -> None:
        for caller in self.callers:
            assert caller.task is not None
            caller.task.cancel()
        self._settle()
        self.loop.close()

    def _settle(self) -> None:
        for _ in range(20):
            self.loop.run_until_complete(asyncio.sleep(0))

    async def _call(self, caller: Caller) -> None:
        async def ask() -> Ask:
            return Ask(
                Question("do it", "It is done."),
                Target.ordered("do", ("target", caller.target), facts={"number": self.facts}),
            )

        async with self.approver.call(caller, "do") as approval:
            try:
                await approval.require(ask)
            except CallEnded:
                return
            assert not caller.open
            caller.wrote = True

    @rule(item=TARGETS)
    def call(self, item: int) -> None:
        caller = Caller(item)
        self.callers.append(caller)
        caller.task = self.loop.create_task(self._call(caller))
        self._settle()

    @precondition(lambda self: self.callers)
    @rule(item=TARGETS)
    def call_twice_at_once(self, item: int) -> None:
        for _ in "ab":
            caller = Caller(item)
            self.callers.append(caller)
            caller.task = self.loop.create_task(self._call(caller))
        self._settle()

    @precondition(lambda self: self.callers)
    @rule(
        data=st.data(),
        action=st.sampled_from(["accept", "decline", "cancel", "timeout", "failed"]),
        ticked=st.booleans(),
    )
    def answer(self, data: st.DataObject, action: Action, ticked: bool) -> None:
        """Answer any question that was ever shown, the open ones and the old."""
        caller = data.draw(st.sampled_from(self.callers))
        if caller.open and action == "accept" and ticked:
            caller.yes += 1
        for waiting in caller.asked[-1:]:
            _say(waiting, Answer(action, ticked))
        self._settle()

    @precondition(lambda self: self.callers)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        caller = data.draw(st.sampled_from(self.callers))
        assert caller.task is not None
        caller.task.cancel()
        self._settle()

    @rule(seconds=st.sampled_from([1.0, 61.0, 1_000.0]))
    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @rule()
    def change(self) -> None:
        self.facts += 1

    @invariant()
    def one_open_question_a_target(self) -> None:
        asked = [caller.target for caller in self.callers if caller.open and not _over(caller)]
        assert len(asked) == len(set(asked))
        assert len(asked) <= OPEN_LIMIT

    @invariant()
    def no_write_without_a_yes_to_the_open_question(self) -> None:
        assert all(caller.yes >= 1 for caller in self.callers if caller.wrote)
        assert all(caller.yes <= 3 for caller in self.callers)

    @invariant()
    def no_call_unanswered_for_ever(self) -> None:
        assert all(caller.open for caller in self.callers if not _over(caller))


def _over(caller: Caller) -> bool:
    assert caller.task is not None
    return caller.task.done()


Asking.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestAsking = Asking.TestCase
