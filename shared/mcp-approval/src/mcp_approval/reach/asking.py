"""Whether a call may go on, where a person is asked outside the client."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from weakref import WeakValueDictionary

from mcp_approval import messages
from mcp_approval.asking_call import REASK_LIMIT, AskingCall, read
from mcp_approval.asking_client import Prompt
from mcp_approval.exceptions import (
    AlreadyBeingAsked,
    FactsKeptChanging,
    Unreached,
)
from mcp_approval.in_flight import OPEN_LIMIT
from mcp_approval.keys import TargetKeys
from mcp_approval.reach import words
from mcp_approval.reach.channel import Channel, NotReached, Said, Shown
from mcp_approval.reach.ends import Ends
from mcp_approval.reach.ignored import Ignored
from mcp_approval.reach.questions import (
    HOURLY_LIMIT,
    Question,
    Questions,
    Sleep,
)
from mcp_approval.reach.setting import ReachSettings, Tell
from mcp_approval.typing import Told
from mcp_approval.verdict import Approval, Ask, AskSource, BeforeAsking, Outcome, Verdict

CLOSING_SECONDS = 1.0
"""How long the end of the process waits for the endings to leave."""

# 96 bits, so that no two questions share a name; base64 without a filler.
_QUESTION_BYTES = 12


@dataclass
class Reach:
    """Asks on channels, in the operator's order, for one process.

    Attributes:
        channels: Where a person may be asked.
        settings: Who, and how long.
        server: Name used in titles.
        instance: Where calls act.
        nothing: The server's sentence for "it did not happen".
        after_no: What a no costs, as a sentence; empty when nothing.
        random_bytes: Source of the names of questions.
        tell: Keeps account of answers and ends that no call sees.
        log: Takes a line about an answer that was not taken.
        clock: Monotonic seconds.
        wall: Unix time.
        sleep: Waits until a question is looked at again.
    """

    channels: Sequence[Channel]
    settings: ReachSettings
    server: str
    instance: str
    nothing: str
    after_no: str
    random_bytes: Callable[[int], bytes]
    tell: Tell
    log: Callable[[str], None]
    clock: Callable[[], float]
    wall: Callable[[], float]
    sleep: Sleep = asyncio.sleep

    def __post_init__(self) -> None:
        self.questions = Questions(
            nothing=self.nothing,
            expires=self.settings.expires_seconds,
            clock=self.clock,
            wall=self.wall,
            decided=self._decided,
            sleep=self.sleep,
        )
        self._ends = Ends(self.settings.approver, self.nothing, self.after_no)
        self._ignored = Ignored(self.log, self.clock)
        self._putting: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()

    async def require(
        self, call: AskingCall, ask: AskSource, current: Ask, before_asking: BeforeAsking
    ) -> tuple[Approval, Callable[[Outcome], None]]:
        """Return when a person has allowed exactly this.

        Raises:
            CallEnded: The call must not go on.
        """
        raised = False
        for _ in range(1 + REASK_LIMIT):
            keys = call.approver.keys(current)
            question, fresh = await self._standing(call, current, keys, before_asking)
            raised = raised or fresh
            try:
                # An answer may come before the wait for it begins; facts are read again then too.
                if fresh or question.standing == "asked":
                    await self._wait(call, question, raised)
                    current = await read(ask)
                    keys = call.approver.keys(current)
                    await call.refuse_if_acting(keys)
            except asyncio.CancelledError:
                # Also between the yes and the act: nobody waits for it any more.
                self.questions.withdraw(question)
                raise
            if question.standing == "no":
                raise self._ends.declined_before(question)
            if question.standing == "yes" and question.keys.full == keys.full:
                return await self._used(call, question, current, raised), partial(
                    self._ended, question
                )
            await call.tell("facts_changed", question.keys)
            self.questions.end(question, "replaced", words.replaced(self.nothing))
        text = messages.FACTS_CHANGED.format(times=1 + REASK_LIMIT, nothing=self.nothing)
        raise FactsKeptChanging(text, Verdict(raised=raised, answered=True))

    @property
    def open(self) -> int:
        """How many questions wait for an answer."""
        return self.questions.open

    async def aclose(self) -> None:
        """Withdraw what is open and let go of all channels."""
        await self.questions.close(CLOSING_SECONDS)
        await asyncio.gather(*(channel.aclose() for channel in self.channels))

    async def _used(
        self, call: AskingCall, question: Question, current: Ask, raised: bool
    ) -> Approval:
        """Act on the yes, once: it is taken before anything is awaited."""
        self.questions.use(question)
        call.approver.in_flight.act(question.keys.full, call)
        try:
            await self.questions.recorded()
            await call.act(question.keys, "approved", **self._told(question))
        except BaseException:
            call.approver.in_flight.release(call)
            self._ended(question, "failed")
            raise
        return Approval(current, question.channel.word, Verdict(raised=raised, answered=True))

    def _ended(self, question: Question, outcome: Outcome) -> None:
        self.questions.tell(question, words.CARRIED_OUT[outcome])

    async def _standing(
        self, call: AskingCall, ask: Ask, keys: TargetKeys, before_asking: BeforeAsking
    ) -> tuple[Question, bool]:
        """Find the question that stands, or put it; tell whether it is new."""
        # One at a time, so that a call that comes meanwhile joins what is then shown.
        async with self._putting.setdefault(keys.base, asyncio.Lock()):
            await call.refuse_if_acting(keys)
            standing = self.questions.standing(keys.full)
            if standing is not None:
                return standing, False
            return await self._put(call, ask, keys, before_asking), True

    async def _put(
        self, call: AskingCall, ask: Ask, keys: TargetKeys, before_asking: BeforeAsking
    ) -> Question:
        older = self.questions.older(keys)
        reason = self._why_again(keys, older)
        await self._require_room(call, keys)
        prompt = call.prompt(ask, reason, outside=True)
        reservation = await call.reserve(keys, before_asking)
        try:
            # The wait may have let other calls ask.
            await self._require_room(call, keys)
            if older is not None:
                self.questions.end(older, "replaced", words.replaced(self.nothing))
            question = await self._shown(call, keys, prompt)
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

    async def _shown(self, call: AskingCall, keys: TargetKeys, prompt: Prompt) -> Question:
        reasons: dict[str, str] = {}
        for channel in self.channels:
            shown = self._composed(prompt)
            question = self.questions.file(shown, keys, call.tool, channel)
            question.attended = True
            told = self._told(question)
            try:
                await self.questions.recorded()
                await call.show("asked", keys, prompt.message, **told)
                await channel.put(shown, partial(self._heard, question))
            except NotReached as reason:
                reasons[channel.word] = str(reason)
                self.questions.drop(question)
                await call.tell("withdrawn", keys, **told, reason=str(reason))
            except BaseException:
                self.questions.withdraw(question)
                raise
            else:
                self.questions.count(question)
                return question
        await call.tell("unreached", keys, reason=words.ways(reasons))
        raise Unreached(words.unreached(reasons, self.nothing))

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

    def _heard(self, question: Question, said: Said) -> None:
        reason = self.questions.heard(question, said)
        if reason:
            self._ignored(question.channel.word, reason)

    def _told(self, question: Question) -> dict[str, Told]:
        """What log and record are told of a question, and of its answer if there is one."""
        told: dict[str, Told] = {
            "way": question.channel.word,
            "approver": self.settings.approver,
            "question": question.shown.question[:8],
        }
        if question.said is None:
            return told
        told["proof"] = question.said.proof
        told["waited_ms"] = str(round((question.answered - question.asked) * 1_000))
        if question.said.evidence:
            told["evidence"] = question.said.evidence
        return told

    async def _decided(self, question: Question, decision: str) -> None:
        told = self._told(question)
        if decision == "unused":
            await self.tell("approved", question.tool, question.keys.full, **told)
            unused = round((self.clock() - question.answered) * 1_000)
            told = {name: told[name] for name in ("way", "approver", "question")}
            told["ms"] = str(unused)
        await self.tell(decision, question.tool, question.keys.full, **told)

    def _why_again(self, keys: TargetKeys, older: Question | None) -> str:
        if older is not None:
            return messages.facts_changed(keys.changed(older.keys.facts))
        if self.questions.expired_before(keys.full):
            return messages.not_in_time(self.settings.expires_seconds)
        return ""

    async def _wait(self, call: AskingCall, question: Question, raised: bool) -> None:
        """Wait for the answer; whoever waited before stops."""
        if question.standing != "asked":
            self._ends.refuse_no(question, raised)
            return
        question.wake("displaced")
        answered: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        question.waiter = answered
        said = f"waiting for {self.settings.approver} ({question.channel.word})"
        progress = asyncio.create_task(call.client.waiting(said))
        try:
            async with asyncio.timeout(self.settings.wait_seconds):
                why = await answered
        except TimeoutError:
            why = "time is up"
        finally:
            if question.waiter is answered:
                question.waiter, question.attended = None, False
            progress.cancel()
            # A client that is gone fails the report of progress, and that decides nothing.
            await asyncio.gather(progress, return_exceptions=True)
        self._ends.refuse_no(question, raised)
        if why == "displaced" or question.standing == "asked":
            raise self._ends.awaiting(call.tool, question, raised)
        if question.standing != "yes":
            raise self._ends.over(question, raised)
