"""The questions that stand outside the client, from asking to their end.

A question is open until somebody answers or its time is up. A yes can be used once, by a
call with the same target key, until the question's end or five minutes after the yes,
whichever is later. A no answers identical calls for five minutes. A restart forgets all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from mcp_approval.keys import TargetKeys
from mcp_approval.reach import words
from mcp_approval.reach.channel import Channel, Said, Shown
from mcp_approval.reach.standing import AFTER_ANSWER_SECONDS, Question, Standing

HOURLY_LIMIT = 30
"""A person who is rung for ever taps yes."""

# The window in which questions are counted, and the time an answer is kept after it.
HOUR_SECONDS = 3_600.0
# Telling how it ended is a courtesy, and must not hold the call.
ENDING_SECONDS = 10.0

Sleep = Callable[[float], Awaitable[object]]


class Questions:
    """The questions of one process.

    Args:
        nothing: The server's sentence for "it did not happen".
        expires: Seconds for which a question stays open.
        clock: Monotonic seconds.
        wall: Unix time.
        decided: Keeps account of every end that no call sees.
        sleep: Waits until a question is looked at again.
    """

    def __init__(
        self,
        *,
        nothing: str,
        expires: float,
        clock: Callable[[], float],
        wall: Callable[[], float],
        decided: Callable[[Question, str], Awaitable[None]],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._nothing = nothing
        self._expires = expires
        self._clock = clock
        self._wall = wall
        self._decided = decided
        self._sleep = sleep
        self._by_key: dict[bytes, Question] = {}
        self._by_base: dict[bytes, Question] = {}
        self._raised: list[float] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._telling: set[asyncio.Task[None]] = set()
        self._deciding: set[asyncio.Task[None]] = set()

    @property
    def open(self) -> int:
        """How many wait for an answer."""
        self._sweep()
        return sum(question.standing == "asked" for question in self._by_key.values())

    @property
    def asked_too_often(self) -> bool:
        """Whether one more would be too many within an hour, those on their way included."""
        since = self._clock() - HOUR_SECONDS
        self._raised = [asked for asked in self._raised if asked > since]
        open_ones = [each for each in self._by_key.values() if each.standing == "asked"]
        return len(self._raised) + sum(not each.counted for each in open_ones) >= HOURLY_LIMIT

    def standing(self, key: bytes) -> Question | None:
        """Find the question of a target that still matters: open, or answered and not stale."""
        self._sweep()
        question = self._by_key.get(key)
        return question if question and question.standing in {"asked", "yes", "no"} else None

    def expired_before(self, key: bytes) -> bool:
        """Whether the last question of a target ended without an answer."""
        question = self._by_key.get(key)
        return question is not None and question.standing == "expired"

    def older(self, keys: TargetKeys) -> Question | None:
        """Find an open question about the same call that quotes other facts."""
        self._sweep()
        question = self._by_base.get(keys.base)
        if question is None or question.keys.full == keys.full:
            return None
        return question if question.standing in {"asked", "yes"} else None

    def file(
        self, shown: Shown, keys: TargetKeys, tool: str, channel: Channel, reason: str = ""
    ) -> Question:
        """Keep a question that a channel is about to show."""
        question = Question(
            shown,
            keys,
            tool,
            channel,
            asked=self._clock(),
            asked_wall=self._wall(),
            expires=self._expires,
            reason=reason,
        )
        self._by_key[keys.full] = self._by_base[keys.base] = question
        return question

    def count(self, question: Question) -> None:
        """A channel shows it: from now on it counts, and ends by itself."""
        question.counted = True
        self._raised.append(self._clock())
        self._start(self._watch(question), self._tasks)

    def drop(self, question: Question) -> None:
        """No channel showed it."""
        keys = question.keys
        for filed, name in ((self._by_key, keys.full), (self._by_base, keys.base)):
            if filed.get(name) is question:
                del filed[name]

    def heard(self, question: Question, said: Said) -> str:
        """Take an answer; only the first one within its time counts.

        Returns:
            Why it was not taken; empty when it was.
        """
        self._sweep()
        if question.standing != "asked":
            return "late" if question.standing == "expired" else "used"
        question.said = said
        question.answered, question.answered_wall = self._clock(), self._wall()
        question.standing = "yes" if said.verb == "approve" else "no"
        waits = question.wake("answered") or question.attended
        if question.standing == "no":
            self._decide(question, "declined")
            self.tell(question, words.said_no(self._nothing))
        elif not waits:
            self.tell(question, words.waits_for_the_call(question.usable_until), final=False)
        return ""

    def end(self, question: Question, standing: Standing, said: str) -> None:
        """End a question, unless it ended before."""
        if question.standing not in {"asked", "yes"}:
            return
        question.standing = standing
        self._decide(question, standing)
        question.wake(standing)
        self.tell(question, said)

    def withdraw(self, question: Question) -> None:
        """Nobody waits for the answer any more; a yes that was not used is void as well."""
        self.end(question, "withdrawn", words.withdrawn(self._nothing))

    def use(self, question: Question) -> None:
        """A call acts on the yes: nobody else can."""
        question.standing = "used"

    def tell(self, question: Question, said: str, *, final: bool = True) -> None:
        """Tell the person, beside everything else."""
        self._start(self._tell(question, said, final), self._telling)

    async def close(self, seconds: float) -> None:
        """Withdraw what is open, and let the endings out for so long."""
        for question in list(self._by_key.values()):
            self.withdraw(question)
        await self.recorded()
        if self._telling:
            await asyncio.wait(self._telling, timeout=seconds)
        for task in self._tasks | self._telling:
            task.cancel()

    def keep_account(self, telling: Awaitable[None]) -> None:
        """Have a decision told beside everything else, and before anything that follows it."""
        self._start(telling, self._deciding)

    async def recorded(self) -> None:
        """Wait until every decision so far is on record, so that their order stays."""
        while self._deciding:
            deciding = set(self._deciding)
            await asyncio.gather(*deciding)
            # From Python 3.12 on this awaits nothing where all are done: no callback ran.
            self._deciding -= deciding

    async def _tell(self, question: Question, said: str, final: bool) -> None:
        # One after the other, and on record first: the last one told is the end, with the head
        # that covers it. What cannot be delivered is the channel's line in the log and changes
        # no call.
        await self.recorded()
        try:
            async with question.telling, asyncio.timeout(ENDING_SECONDS):
                await question.channel.end(question.shown.question, said, final=final)
        except TimeoutError:
            return

    async def _watch(self, question: Question) -> None:
        while question.standing in {"asked", "yes"}:
            await self._sleep(max(self._left(question), 0.05))
            self._sweep()

    def _left(self, question: Question) -> float:
        mono, wall = self._clock() - question.asked, self._wall() - question.asked_wall
        left = question.expires - max(mono, wall)
        if question.standing == "yes":
            since = max(self._clock() - question.answered, self._wall() - question.answered_wall)
            left = max(left, AFTER_ANSWER_SECONDS - since)
        return left

    def _sweep(self) -> None:
        """End what is over: either clock may say so, since a laptop sleeps."""
        for question in list(self._by_key.values()):
            if question.standing in {"asked", "yes"} and self._left(question) <= 0:
                if question.standing == "asked":
                    self.end(question, "expired", words.expired(self._nothing))
                else:
                    self.end(question, "unused", words.unused(self._nothing))
            elif question.standing == "no" and self._no_is_over(question):
                self.drop(question)
        self._forget()

    def _no_is_over(self, question: Question) -> bool:
        return self._clock() - question.answered >= AFTER_ANSWER_SECONDS

    def _forget(self) -> None:
        """Keep what ended for as long as its end may be told to a caller, and no longer."""
        for question in list(self._by_key.values()):
            if question.standing in {"asked", "yes", "no"}:
                continue
            if self._clock() - question.asked >= question.expires + HOUR_SECONDS:
                self.drop(question)

    def _decide(self, question: Question, decision: str) -> None:
        self.keep_account(self._decided(question, decision))

    @staticmethod
    def _start(work: Awaitable[None], among: set[asyncio.Task[None]]) -> None:
        async def run() -> None:
            await work

        task = asyncio.get_running_loop().create_task(run())
        among.add(task)
        task.add_done_callback(among.discard)
