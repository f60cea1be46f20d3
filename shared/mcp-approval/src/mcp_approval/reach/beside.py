"""The client's dialog about a question that a channel shows as well; one answer settles both."""

from __future__ import annotations

import asyncio
from typing import TypeGuard

from mcp_approval import messages
from mcp_approval.asking_call import AskingCall
from mcp_approval.asking_client import Answer, Prompt
from mcp_approval.exceptions import Asked
from mcp_approval.in_flight import OpenQuestion
from mcp_approval.keys import TargetKeys
from mcp_approval.reach.standing import Question
from mcp_approval.verdict import Ask

IN_CLIENT = "answered in the client"
"""Why a call stops waiting for a channel: its client said yes or no."""

YES = Answer("accept", ticked=True)

TIME_IS_UP = "time is up"
DISPLACED = "displaced"

_ENDS = {TIME_IS_UP: "timed_out", DISPLACED: "superseded", "answered": "elsewhere"}
"""What became of a dialog, by why its call waits no longer; otherwise that word itself."""


def decides(answer: Answer | None) -> TypeGuard[Answer]:
    """Whether an answer is a yes or a no; a client may cancel what nobody saw."""
    return answer is not None and (answer.approves or answer.action == "decline")


async def told_without_deciding(
    call: AskingCall, keys: TargetKeys, answer: Answer, seconds: float | None = None
) -> None:
    """Keep account of an answer that leaves the question to the channel."""
    waited = {} if seconds is None else {"waited_ms": str(round(seconds * 1_000))}
    decision = messages.DECISIONS[answer.action]
    await call.tell(decision, keys, way="dialog", proof="client said so", **waited)


async def offered(call: AskingCall, ask: Ask, question: Question) -> Asked:
    """Show the question in the client too, by ending the call with it."""
    prompt, keys = call.prompt(ask, question.reason), question.keys
    seal = call.approver.seal
    question.attended = False
    if seal.waits(keys):
        await call.approver.note("superseded", call.tool, keys.full, way="dialog")
    await call.show("asked", keys, prompt.message, way="dialog")
    return Asked(prompt, seal.issue(keys))


class Dialog:
    """One pushed dialog.

    Args:
        call: Whose client shows it.
        question: What a channel shows at the same time.
        wait_seconds: How long it may stand.

    Attributes:
        seconds: How long it stood until something came back.
    """

    def __init__(self, call: AskingCall, question: Question, wait_seconds: float) -> None:
        self._call = call
        self._question = question
        self._wait_seconds = wait_seconds
        self._asked = call.approver.clock()
        self._open = OpenQuestion(self._asked, quiet=True)
        self._asking: asyncio.Task[Answer]
        # Before it is shown there is nothing to tell of it.
        self._told = True
        self.seconds = 0.0

    async def show(self, ask: Ask, answered: asyncio.Future[str]) -> None:
        """Put it to the client, beside everything else.

        Args:
            ask: What is asked.
            answered: Told of a yes and of a no, and of nothing else.

        Raises:
            NotRecorded: It may not be shown.
        """
        call, keys = self._call, self._question.keys
        prompt = call.prompt(ask, self._question.reason)
        call.approver.in_flight.withdraw(keys.base)
        await call.show("asked", keys, prompt.message, way="dialog")
        self._told = False
        self._asking = asyncio.create_task(self._ask(prompt, answered))

    async def take_back(self, why: str) -> Answer | None:
        """End it, and give back the yes or no that may have come all the same.

        Args:
            why: Why its call waits no longer.
        """
        self._open.withdraw("elsewhere")
        answer = await self._asking
        if decides(answer):
            return answer
        if answer.action == "withdrawn":
            await self.over(_ENDS.get(why, why))
        return None

    async def abandon(self) -> None:
        """End it for a call that nobody waits for any more."""
        if not self._told:
            self._open.withdraw("elsewhere")
            question = self._question
            await self._call.approver.note(
                "withdrawn", question.tool, question.keys.full, way="dialog"
            )

    async def over(self, decision: str) -> None:
        """Keep account of how it ended."""
        await self._call.tell(decision, self._question.keys, way="dialog")

    async def _ask(self, prompt: Prompt, answered: asyncio.Future[str]) -> Answer:
        answer = await self._call.client.push(prompt, self._wait_seconds, self._open)
        self.seconds = self._call.approver.clock() - self._asked
        if decides(answer):
            if not answered.done():
                answered.set_result(IN_CLIENT)
        elif answer.action != "withdrawn":
            self._told = True
            keys = self._question.keys
            await told_without_deciding(self._call, keys, answer, self.seconds)
        return answer
