"""The decision whether one guarded call may go on."""

from __future__ import annotations

from collections.abc import Callable

from mcp_approval import messages
from mcp_approval.asking_call import ApproverState, Beside, read
from mcp_approval.asking_client import ROWS, Answer, AskingClient, Prompt, Way
from mcp_approval.exceptions import AlreadyBeingAsked, Asked, NotApproved, Unreached
from mcp_approval.keys import TargetKeys
from mcp_approval.pushing import NothingShown, by_push
from mcp_approval.rendering import render
from mcp_approval.two_calls import by_token
from mcp_approval.typing import Told
from mcp_approval.verdict import (
    Approval,
    Ask,
    AskSource,
    BeforeAsking,
    OnePlace,
    Outcome,
    Reservation,
    Verdict,
    no_limit,
)


class CallApproval:
    """The approvals of one tool call."""

    def __init__(
        self, approver: ApproverState, client: AskingClient, tool: str, token: object
    ) -> None:
        self.approver = approver
        self.client = client
        self.tool = tool
        self.token = token
        self._acting: TargetKeys | None = None
        self._since = 0.0
        self._ended: Callable[[Outcome], None] = lambda _: None

    @property
    def way(self) -> Way:
        """How this call's client would be asked, the switch considered."""
        return self.client.way if self.approver.dialog else "none"

    @property
    def how(self) -> str:
        """How a person would be asked about this call; empty where nobody would be."""
        outside = self.approver.how_outside
        if outside and (self.approver.instead or self.way == "none"):
            return outside
        if self.approver.beside:
            return f"through the client and {outside}"
        return "through the client" if self.way != "none" else ""

    async def require(self, ask: AskSource, before_asking: BeforeAsking = no_limit) -> Approval:
        """Return when a person, or the two-call token, has allowed exactly this.

        Args:
            ask: Question and target. A function is called anew for each reading of the
                facts: on every call, and after a yes that took its time.
            before_asking: Awaited once answer and token were looked at, before a
                question, a token prompt or a token's redemption.

        Raises:
            CallEnded: The call must not go on; the exception holds its answer.
            TooMuchToShowError: The question does not fit a dialog.
        """
        current = await read(ask)
        if self.approver.asks_outside and (self.approver.instead or self.way == "none"):
            return await self._outside(ask, current, before_asking)
        prompt = self.prompt(current)
        keys = self.approver.keys(current)
        await self.refuse_if_acting(keys)
        answer, reason = await self._sealed_answer(keys)
        if self.approver.beside:
            return await self._beside(ask, current, answer, reason, before_asking)
        if answer is not None:
            await self.settle(answer, keys, Verdict(answered=True))
            return Approval(current, "dialog", Verdict(answered=True))
        if self.way == "none":
            return await by_token(self, current, prompt, keys, before_asking)
        if self.way == "retry":
            return await self._by_retry(current, keys, reason, before_asking)
        try:
            return await by_push(self, ask, current, before_asking)
        except NothingShown:
            return await self._outside(ask, current, before_asking)

    async def finish(self, outcome: Outcome) -> None:
        """Say how the call ended, if it was allowed to act, and give up what it held."""
        keys = self._acting
        self.release()
        if keys is not None:
            await self._note(outcome, keys)
            self._ended(outcome)

    async def leave_unused(self, keys: TargetKeys) -> None:
        """Give up a yes that is not good for what would be done now."""
        await self._note("unused", keys)
        self.release()

    def release(self) -> None:
        """Give up what this call was allowed to do."""
        self._acting = None
        self.approver.in_flight.release(self)

    def prompt(self, ask: Ask, reason: str = "", *, outside: bool = False) -> Prompt:
        """Compose the question, after a line on why it is asked again."""
        hint = ask.question.hint
        where = " at ".join(filter(None, [self.approver.server, self.approver.instance]))
        rows = None if outside or self.way == "none" else ROWS.get(self.client.name)
        message = render(ask.question, self.approver.limits._replace(rows=rows), reason)
        return Prompt(message, ask.question.title, f"{hint} ({where})")

    async def refuse_if_acting(self, keys: TargetKeys) -> None:
        """Keep off a target that another call has its yes for."""
        if self.approver.in_flight.acts_for_another(keys.full, self):
            await self.tell("refused", keys, reason="busy")
            raise AlreadyBeingAsked(messages.ALREADY_ACTING.format(nothing=self.approver.nothing))

    async def reserve(self, keys: TargetKeys, before_asking: BeforeAsking) -> Reservation:
        """Wait for the limiter, and look again whether another call acts meanwhile."""
        reservation = await before_asking()
        try:
            # The wait may have let another call have its yes.
            await self.refuse_if_acting(keys)
        except AlreadyBeingAsked:
            reservation.release()
            raise
        return reservation

    async def settle(
        self, answer: Answer, keys: TargetKeys, verdict: Verdict, waited: float | None = None
    ) -> None:
        """Return for a yes, and end the call for anything else."""
        told = {"way": "dialog", "proof": "client said so"}
        if waited is not None:
            told["waited_ms"] = str(round(waited * 1_000))
        if answer.approves:
            self.approver.in_flight.act(keys.full, self)
            self.approver.in_flight.withdraw(keys.base)
            await self.act(keys, "approved", **told)
            return
        await self.tell(messages.DECISIONS[answer.action], keys, **told)
        costs = "" if answer.action == "unsupported" else self.approver.after_no
        text = messages.not_approved(answer, " ".join(filter(None, [self.approver.nothing, costs])))
        raise NotApproved(text, answer, verdict)

    async def act(self, keys: TargetKeys, by: str, **extra: Told) -> None:
        """From now on this call carries the target out, once that is on record."""
        self.approver.in_flight.act(keys.full, self)
        try:
            await self.approver.allow(by, self.tool, keys.full, **extra)
        except BaseException:
            self.approver.in_flight.release(self)
            raise
        self._acting, self._since = keys, self.approver.clock()

    async def tell(self, decision: str, keys: TargetKeys, **extra: Told) -> None:
        """Keep account of a decision."""
        await self.approver.tell(decision, self.tool, keys.full, **extra)

    async def show(self, decision: str, keys: TargetKeys, message: str, **extra: Told) -> None:
        """Keep account of a text that is about to be shown."""
        client = " ".join(filter(None, [self.client.name, self.client.version]))
        told = {**extra, "protocol": self.client.protocol, "client": client}
        await self.approver.show(decision, self.tool, keys.full, message, **told)

    async def _note(self, outcome: str, keys: TargetKeys) -> None:
        took = round((self.approver.clock() - self._since) * 1_000)
        await self.approver.note(outcome, self.tool, keys.full, ms=str(took))

    async def _by_retry(
        self, current: Ask, keys: TargetKeys, reason: str, before_asking: BeforeAsking
    ) -> Approval:
        reservation = await self.reserve(keys, before_asking)
        try:
            reason = reason or self._still_open(keys)
            prompt = self.prompt(current, reason)
            if reason == messages.CALLED_AGAIN:
                await self.approver.note("superseded", self.tool, keys.full, way="dialog")
            await self.show("asked", keys, prompt.message, way="dialog")
        except BaseException:
            reservation.release()
            raise
        reservation.commit()
        raise Asked(prompt, self.approver.seal.issue(keys))

    async def _outside(self, ask: AskSource, current: Ask, before: BeforeAsking) -> Approval:
        reach = await self.approver.reach()
        approval, self._ended = await reach.require(self, ask, current, before)
        return approval

    async def _beside(
        self,
        ask: AskSource,
        current: Ask,
        answer: Answer | None,
        reason: str,
        before_asking: BeforeAsking,
    ) -> Approval:
        """Ask the client and outside it; where no channel shows it, the client alone."""
        unanswered = self.client.state is not None and self.client.answer is None
        beside = Beside(self.way, answer, answer is not None or unanswered, reason)
        place, reach = OnePlace(before_asking), await self.approver.reach()
        try:
            approval, self._ended = await reach.require(self, ask, current, place, beside)
        except Unreached as nobody:
            return await self._by_dialog_alone(ask, nobody, reason, place)
        finally:
            place.give_back()
        return approval

    async def _by_dialog_alone(
        self, ask: AskSource, nobody: Unreached, reason: str, before_asking: BeforeAsking
    ) -> Approval:
        current = await read(ask)
        keys = self.approver.keys(current)
        if self.way == "retry":
            return await self._by_retry(current, keys, reason, before_asking)
        try:
            return await by_push(self, ask, current, before_asking)
        except NothingShown:
            await self.tell("unreached", keys, reason=nobody.reasons)
            raise nobody from None

    async def _sealed_answer(self, keys: TargetKeys) -> tuple[Answer | None, str]:
        """The answer that came with a good state; otherwise why the question is asked again."""
        answer, state = self.client.answer, self.client.state
        if answer is None and state is None:
            return None, ""
        if answer is None:
            await self.tell("state_refused", keys, reason="unanswered")
            return None, ""
        seal = self.approver.seal
        refusal = seal.redeem(state, keys)
        if refusal is None:
            return answer, ""
        await self.tell("state_refused", keys, reason=refusal)
        earlier = seal.earlier(state, keys) if state is not None else None
        if earlier is None:
            return None, ""
        if refusal == "expired":
            return None, messages.NOT_IN_TIME
        return None, messages.facts_changed(keys.changed(earlier.facts))

    def _still_open(self, keys: TargetKeys) -> str:
        """Say that an earlier question waits, where this call is no answer to any."""
        fresh = self.client.state is None and self.client.answer is None
        return messages.CALLED_AGAIN if fresh and self.approver.seal.waits(keys) else ""
