"""Whether a call may go on, where a person is asked outside the client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mcp_approval import messages
from mcp_approval.asking_call import ALONE, REASK_LIMIT, AskingCall, Beside, read
from mcp_approval.exceptions import FactsKeptChanging, NotRecorded, Unreached
from mcp_approval.keys import TargetKeys
from mcp_approval.reach import words
from mcp_approval.reach.acting import Acting, Allowed
from mcp_approval.reach.beside import DISPLACED, TIME_IS_UP, Dialog, offered
from mcp_approval.reach.channel import Channel
from mcp_approval.reach.ends import Ends
from mcp_approval.reach.ignored import Ignored
from mcp_approval.reach.putting import Putting
from mcp_approval.reach.questions import Questions, Sleep
from mcp_approval.reach.setting import ReachSettings, Tell
from mcp_approval.reach.standing import Question
from mcp_approval.verdict import Ask, AskSource, BeforeAsking, Verdict

CLOSING_SECONDS = 1.0
"""How long the end of the process waits for the endings to leave."""


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
        self._putting = Putting(
            channels=self.channels,
            settings=self.settings,
            server=self.server,
            instance=self.instance,
            nothing=self.nothing,
            random_bytes=self.random_bytes,
            questions=self.questions,
            tell=self.tell,
            ignored=Ignored(self.log, self.clock),
            wall=self.wall,
        )
        self._acting = Acting(self.questions, self._putting, self._ends)

    async def require(
        self,
        call: AskingCall,
        ask: AskSource,
        current: Ask,
        before_asking: BeforeAsking,
        beside: Beside = ALONE,
    ) -> Allowed:
        """Return when a person has allowed exactly this.

        Raises:
            CallEnded: The call must not go on.
        """
        if beside.answer is not None:
            allowed = await self._acting.brought(call, current, beside.answer)
            if allowed is not None:
                return allowed
        raised, reason = False, beside.reason
        for _ in range(1 + REASK_LIMIT):
            keys = call.approver.keys(current)
            try:
                question, fresh = await self._putting.standing(
                    call, current, keys, before_asking, reason
                )
            except Unreached as nobody:
                await self._unreached(call, keys, beside, nobody.reasons)
                raise
            raised, dialog = raised or fresh, None
            try:
                # An answer may come before the wait for it begins; facts are read again then too.
                if fresh or question.standing == "asked":
                    dialog = await self._answer(call, current, question, raised, beside, fresh)
                    current = await read(ask)
                    keys = call.approver.keys(current)
                    await call.refuse_if_acting(keys)
            except BaseException as error:
                if dialog is not None:
                    await dialog.over("withdrawn")
                if isinstance(error, asyncio.CancelledError | NotRecorded):
                    # Also between the yes and the act: nobody waits for it any more.
                    self.questions.withdraw(question)
                    self._putting.void_forms(question, call.approver.seal)
                raise
            allowed = await self._allowed(call, question, keys, current, raised, dialog)
            if allowed is not None:
                return allowed
            await call.tell("facts_changed", question.keys)
            reason = messages.facts_changed(keys.changed(question.keys.facts))
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

    async def _unreached(
        self, call: AskingCall, keys: TargetKeys, beside: Beside, reasons: str
    ) -> None:
        """Say that no channel showed the question; the dialog may still do so."""
        if beside.way == "none":
            await call.tell("unreached", keys, reason=reasons)
        else:
            self.log(f"decision=unreached tool={call.tool} reason={json.dumps(reasons)}")

    async def _answer(
        self,
        call: AskingCall,
        current: Ask,
        question: Question,
        raised: bool,
        beside: Beside,
        fresh: bool,
    ) -> Dialog | None:
        """Wait until somebody has said yes.

        Returns:
            The dialog, where that came in the client.

        Raises:
            CallEnded: Nobody has, or not yet; or the question goes to the client now.
        """
        if question.standing != "asked":
            self._ends.refuse_no(question, raised)
            return None
        if beside.way == "retry" and (fresh or not beside.waits):
            raise await offered(call, current, question)
        dialog = None
        # What is taken back at once is shown to nobody.
        if beside.way == "push" and self.settings.wait_seconds:
            dialog = Dialog(call, question, self.settings.wait_seconds)
        why = await self._wait(call, current, question, dialog)
        if dialog is not None and (said := await dialog.take_back(why)) is not None:
            if not said.approves:
                self._acting.answered_in_client(question, said)
                verdict = Verdict(raised=raised, answered=True)
                await call.settle(said, question.keys, verdict, dialog.seconds)
            return dialog
        self._ends.refuse_no(question, raised)
        if why == DISPLACED or question.standing == "asked":
            raise self._ends.awaiting(call.tool, question, raised)
        if question.standing != "yes":
            raise self._ends.over(question, raised)
        return None

    async def _wait(
        self, call: AskingCall, current: Ask, question: Question, dialog: Dialog | None
    ) -> str:
        """Wait for the answer; whoever waited before stops.

        Returns:
            Why the wait is over.
        """
        question.wake(DISPLACED)
        answered: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        question.waiter = answered
        said = f"waiting for {self.settings.approver} ({question.channel.word})"
        progress = asyncio.create_task(call.client.waiting(said))
        try:
            if dialog is not None:
                await dialog.show(current, answered)
            async with asyncio.timeout(self.settings.wait_seconds):
                return await answered
        except TimeoutError:
            return TIME_IS_UP
        except BaseException:
            if dialog is not None:
                await dialog.abandon()
            raise
        finally:
            if question.waiter is answered:
                question.waiter, question.attended = None, False
            progress.cancel()
            # A client that is gone fails the report of progress, and that decides nothing.
            await asyncio.gather(progress, return_exceptions=True)

    async def _allowed(
        self,
        call: AskingCall,
        question: Question,
        keys: TargetKeys,
        current: Ask,
        raised: bool,
        dialog: Dialog | None,
    ) -> Allowed | None:
        """Act on the yes, if it is good for what would be done now."""
        asked, same = question.standing == "asked", question.keys.full == keys.full
        if dialog is not None and not (asked and same):
            await dialog.over("replaced" if asked else "elsewhere")
        if question.standing == "no":
            raise self._ends.declined_before(question)
        if same and question.standing == "yes":
            return await self._acting.by_channel(call, question, current, raised)
        if same and question.standing == "asked" and dialog is not None:
            return await self._acting.by_client(call, question, current, raised, dialog)
        if question.standing not in {"asked", "yes"}:
            raise self._ends.over(question, raised)
        return None

    async def _decided(self, question: Question, decision: str) -> None:
        told = question.told(self.settings.approver)
        if decision == "unused":
            await self.tell("approved", question.tool, question.keys.full, **told)
            unused = round((self.clock() - question.answered) * 1_000)
            told = {name: told[name] for name in ("way", "approver", "question")}
            told["ms"] = str(unused)
        await self.tell(decision, question.tool, question.keys.full, **told)
