"""Putting a question on a channel, for somebody who has not too many before them."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from weakref import WeakValueDictionary

from mcp_approval import messages
from mcp_approval.asking_call import AskingCall
from mcp_approval.asking_client import Prompt
from mcp_approval.exceptions import AlreadyBeingAsked, Unreached
from mcp_approval.in_flight import OPEN_LIMIT
from mcp_approval.keys import TargetKeys
from mcp_approval.reach import words
from mcp_approval.reach.channel import Channel, NotReached, Said, Shown
from mcp_approval.reach.ignored import Ignored
from mcp_approval.reach.questions import HOURLY_LIMIT, Questions
from mcp_approval.reach.setting import ReachSettings, Tell
from mcp_approval.reach.standing import Question
from mcp_approval.seal import Seal
from mcp_approval.verdict import Ask, BeforeAsking

# 96 bits, so that no two questions share a name; base64 without a filler.
_QUESTION_BYTES = 12


@dataclass
class Putting:
    """Puts questions on channels, in the operator's order.

    Attributes:
        channels: Where a person may be asked.
        settings: Who, and how long.
        server: Name used in titles.
        instance: Where calls act.
        nothing: The server's sentence for "it did not happen".
        random_bytes: Source of the names of questions.
        questions: Where they are kept.
        tell: Keeps account of answers that no call sees.
        ignored: Takes an answer that was not taken.
        wall: Unix time.
    """

    channels: Sequence[Channel]
    settings: ReachSettings
    server: str
    instance: str
    nothing: str
    random_bytes: Callable[[int], bytes]
    questions: Questions
    tell: Tell
    ignored: Ignored
    wall: Callable[[], float]
    _one_at_a_time: WeakValueDictionary[bytes, asyncio.Lock] = field(
        default_factory=WeakValueDictionary, init=False, repr=False
    )

    async def standing(
        self,
        call: AskingCall,
        ask: Ask,
        keys: TargetKeys,
        before_asking: BeforeAsking,
        reason: str = "",
    ) -> tuple[Question, bool]:
        """Find the question that stands, or put it; tell whether it is new.

        Raises:
            CallEnded: It may not be put.
            Unreached: No channel showed it.
        """
        # One at a time, so that a call that comes meanwhile joins what is then shown.
        async with self._one_at_a_time.setdefault(keys.base, asyncio.Lock()):
            await call.refuse_if_acting(keys)
            standing = self.questions.standing(keys.full)
            if standing is not None:
                return standing, False
            return await self._put(call, ask, keys, before_asking, reason), True

    async def _put(
        self,
        call: AskingCall,
        ask: Ask,
        keys: TargetKeys,
        before_asking: BeforeAsking,
        reason: str,
    ) -> Question:
        older = self.questions.older(keys)
        reason = reason or self._why_again(keys, older)
        await self._require_room(call, keys)
        prompt = call.prompt(ask, reason, outside=True)
        reservation = await call.reserve(keys, before_asking)
        try:
            # The wait may have let other calls ask.
            await self._require_room(call, keys)
            if older is not None:
                self.questions.end(older, "replaced", words.replaced(self.nothing))
            question = await self._shown(call, keys, prompt, reason)
        except BaseException:
            # Also on cancellation: what was not shown does not count.
            reservation.release()
            raise
        reservation.commit()
        return question

    async def _require_room(self, call: AskingCall, keys: TargetKeys) -> None:
        """Ask nobody who has as many questions before them, or had as many within an hour."""
        # What gives way to this question makes room for it.
        replaces = self.questions.older(keys) is not None
        if call.approver.in_flight.open - replaces >= OPEN_LIMIT:
            await call.tell("refused", keys, reason="too_many_open")
            raise AlreadyBeingAsked(messages.too_many_open(OPEN_LIMIT, self.nothing))
        if self.questions.asked_too_often:
            await call.tell("refused", keys, reason="too_often")
            text = words.too_often(self.settings.approver, HOURLY_LIMIT, self.nothing)
            raise AlreadyBeingAsked(text)

    async def _shown(
        self, call: AskingCall, keys: TargetKeys, prompt: Prompt, reason: str
    ) -> Question:
        reasons: dict[str, str] = {}
        for channel in self.channels:
            shown = self._composed(prompt)
            question = self.questions.file(shown, keys, call.tool, channel, reason)
            question.attended = True
            told = question.told(self.settings.approver)
            try:
                await self.questions.recorded()
                await call.show("asked", keys, prompt.message, **told)
                await channel.put(shown, partial(self._heard, question, call.approver.seal))
            except NotReached as why:
                reasons[channel.word] = str(why)
                self.questions.drop(question)
                await call.tell("withdrawn", keys, **told, reason=str(why))
            except BaseException:
                self.questions.withdraw(question)
                raise
            else:
                self.questions.count(question)
                return question
        raise Unreached(words.unreached(reasons, self.nothing), words.ways(reasons))

    def _composed(self, prompt: Prompt) -> Shown:
        where = " at ".join(filter(None, [self.server, self.instance]))
        return Shown(
            question=base64.urlsafe_b64encode(self.random_bytes(_QUESTION_BYTES)).decode(),
            title=f"{where}: {prompt.title}",
            message=prompt.message,
            where=where,
            approver=self.settings.approver,
            until=self.wall() + self.settings.expires_seconds,
        )

    def _heard(self, question: Question, seal: Seal, said: Said) -> None:
        reason = self.questions.heard(question, said)
        if reason:
            self.ignored(question.channel.word, reason)
        elif said.verb == "decline":
            self.void_forms(question, seal)

    def void_forms(self, question: Question, seal: Seal) -> None:
        """Let no form that a client still shows be a yes to what was settled outside it."""
        keys = question.keys
        if seal.waits(keys):
            self.questions.keep_account(
                self.tell("elsewhere", question.tool, keys.full, way="dialog")
            )
        seal.settle(keys.base)

    def _why_again(self, keys: TargetKeys, older: Question | None) -> str:
        if older is not None:
            return messages.facts_changed(keys.changed(older.keys.facts))
        if self.questions.expired_before(keys.full):
            return messages.not_in_time(self.settings.expires_seconds)
        return ""
