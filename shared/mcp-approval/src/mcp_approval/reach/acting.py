"""Acting on a yes, once, wherever it was said; the other side is taken back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

from mcp_approval.asking_call import AskingCall
from mcp_approval.asking_client import Answer
from mcp_approval.keys import TargetKeys
from mcp_approval.reach import words
from mcp_approval.reach.beside import YES, Dialog, decides, told_without_deciding
from mcp_approval.reach.ends import Ends
from mcp_approval.reach.putting import Putting
from mcp_approval.reach.questions import Questions
from mcp_approval.reach.standing import Question
from mcp_approval.verdict import Approval, Ask, Outcome, Verdict

Allowed: TypeAlias = tuple[Approval, Callable[[Outcome], None]]


class Acting(NamedTuple):
    """Takes the yes to a question, and a no as well.

    Attributes:
        questions: The questions of the process.
        putting: What put them.
        ends: Words for calls that do not go on.
    """

    questions: Questions
    putting: Putting
    ends: Ends

    async def brought(self, call: AskingCall, current: Ask, answer: Answer) -> Allowed | None:
        """Act on the yes or no that came with a call; an answer that is neither decides nothing."""
        keys = call.approver.keys(current)
        question = self.questions.standing(keys.full) or self.questions.older(keys)
        if question is None:
            return await self._settled(call, current, keys, answer)
        if not decides(answer):
            await told_without_deciding(call, keys, answer)
            return None
        same = question.keys.full == keys.full
        if question.standing == "no" or (question.standing == "yes" and answer.approves and same):
            # The channel's came first, and is acted on next.
            await call.tell("elsewhere", keys, way="dialog")
            return None
        self.answered_in_client(question, answer)
        return await self._settled(call, current, keys, answer)

    def answered_in_client(self, question: Question, answer: Answer) -> None:
        """End a question on its channel, unless it ended there before."""
        said = words.answered_yes() if answer.approves else words.answered_no(self.ends.nothing)
        self.questions.end(question, "elsewhere", said)

    async def _settled(
        self, call: AskingCall, current: Ask, keys: TargetKeys, answer: Answer
    ) -> Allowed:
        verdict = Verdict(answered=True)
        await call.settle(answer, keys, verdict)
        return Approval(current, "dialog", verdict), lambda _: None

    async def by_channel(
        self, call: AskingCall, question: Question, current: Ask, raised: bool
    ) -> Allowed:
        """Act on the yes, once: it is taken before anything is awaited."""
        self.questions.use(question)
        call.approver.in_flight.act(question.keys.full, call)
        self.putting.void_forms(question, call.approver.seal)
        ended = partial(self._ended, question)
        try:
            await self.questions.recorded()
            await call.act(question.keys, "approved", **question.told(self.ends.who))
        except BaseException:
            call.approver.in_flight.release(call)
            ended("failed")
            raise
        by, verdict = question.channel.word, Verdict(raised=raised, answered=True)
        return Approval(current, by, verdict), ended

    async def by_client(
        self, call: AskingCall, question: Question, current: Ask, raised: bool, dialog: Dialog
    ) -> Allowed:
        """Act on the yes of the dialog; from now on nothing on the channel is one."""
        call.approver.in_flight.act(question.keys.full, call)
        self.answered_in_client(question, YES)
        call.approver.seal.settle(question.keys.base)
        verdict = Verdict(raised=raised, answered=True)
        try:
            await self.questions.recorded()
            await call.settle(YES, question.keys, verdict, dialog.seconds)
        except BaseException:
            call.approver.in_flight.release(call)
            raise
        return Approval(current, "dialog", verdict), lambda _: None

    def _ended(self, question: Question, outcome: Outcome) -> None:
        self.questions.tell(question, words.CARRIED_OUT[outcome])
