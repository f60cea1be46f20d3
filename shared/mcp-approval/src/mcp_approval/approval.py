"""The decision whether one guarded call may go on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from math import ceil
from typing import NoReturn

from mcp_approval import messages
from mcp_approval.approver_state import ApproverState
from mcp_approval.asking_client import ROWS, Answer, AskingClient, Prompt, Way
from mcp_approval.exceptions import (
    AlreadyBeingAsked,
    Asked,
    FactsKeptChanging,
    NotApproved,
    Superseded,
    TokenNeeded,
    TokenRefused,
)
from mcp_approval.in_flight import OPEN_LIMIT, OpenQuestion, Withdrawn
from mcp_approval.keys import TargetKeys
from mcp_approval.rendering import render
from mcp_approval.verdict import (
    Approval,
    Ask,
    AskSource,
    BeforeAsking,
    Reservation,
    Verdict,
    no_limit,
)
from mcp_approval.wording import counted

REASK_LIMIT = 2
"""How often one call may ask again because the facts changed under the question."""


class CallApproval:
    """The approvals of one tool call."""

    def __init__(
        self, approver: ApproverState, client: AskingClient, tool: str, token: object
    ) -> None:
        self._approver = approver
        self._client = client
        self._tool = tool
        self._token = token

    @property
    def way(self) -> Way:
        """How this call's client would be asked, the switch considered."""
        return self._client.way if self._approver.dialog else "none"

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
        current = await _read(ask)
        prompt = self._prompt(current)
        keys = self._approver.keys(current)
        self._refuse_if_acting(keys)
        answer, reason = self._sealed_answer(keys)
        if answer is not None:
            self._settle(answer, keys, Verdict(answered=True))
            return Approval(current, "dialog", Verdict(answered=True))
        if self.way == "none":
            return await self._by_token(current, prompt, keys, before_asking)
        if self.way == "retry":
            (await self._reserve(keys, before_asking)).commit()
            reason = reason or self._still_open(keys)
            self._record("asked", keys)
            raise Asked(self._prompt(current, reason), self._approver.seal.issue(keys))
        return await self._by_push(ask, current, before_asking)

    def release(self) -> None:
        """Give up what this call was allowed to do."""
        self._approver.in_flight.release(self)

    def _prompt(self, ask: Ask, reason: str = "") -> Prompt:
        hint = ask.question.hint
        where = " at ".join(filter(None, [self._approver.server, self._approver.instance]))
        rows = None if self.way == "none" else ROWS.get(self._client.name)
        limits = self._approver.limits._replace(rows=rows)
        message = render(ask.question, limits, reason)
        return Prompt(message, ask.question.title, f"{hint} ({where})")

    def _refuse_if_acting(self, keys: TargetKeys) -> None:
        if self._approver.in_flight.acts_for_another(keys.full, self):
            self._record("refused", keys, reason="busy")
            raise AlreadyBeingAsked(messages.ALREADY_ACTING.format(nothing=self._approver.nothing))

    async def _reserve(self, keys: TargetKeys, before_asking: BeforeAsking) -> Reservation:
        reservation = await before_asking()
        try:
            # The wait may have let another call have its yes.
            self._refuse_if_acting(keys)
        except AlreadyBeingAsked:
            reservation.release()
            raise
        return reservation

    def _sealed_answer(self, keys: TargetKeys) -> tuple[Answer | None, str]:
        """The answer that came with a good state; otherwise why the question is asked again."""
        answer, state = self._client.answer, self._client.state
        if answer is None and state is None:
            return None, ""
        if answer is None:
            self._record("state_refused", keys, reason="unanswered")
            return None, ""
        seal = self._approver.seal
        refusal = seal.redeem(state, keys)
        if refusal is None:
            return answer, ""
        self._record("state_refused", keys, reason=refusal)
        earlier = seal.earlier(state, keys) if state is not None else None
        if earlier is None:
            return None, ""
        if refusal == "expired":
            return None, messages.NOT_IN_TIME
        return None, messages.facts_changed(keys.changed(earlier.facts))

    def _still_open(self, keys: TargetKeys) -> str:
        """Say that an earlier question waits, where this call is no answer to any."""
        fresh = self._client.state is None and self._client.answer is None
        return messages.CALLED_AGAIN if fresh and self._approver.seal.waits(keys) else ""

    def _settle(self, answer: Answer, keys: TargetKeys, verdict: Verdict) -> None:
        if answer.approves:
            self._approver.in_flight.act(keys.full, self)
            self._approver.in_flight.withdraw(keys.base)
            self._record("approved", keys)
            return
        self._record(messages.DECISIONS[answer.action], keys)
        costs = "" if answer.action == "unsupported" else self._approver.after_no
        text = messages.not_approved(
            answer, " ".join(filter(None, [self._approver.nothing, costs]))
        )
        raise NotApproved(text, answer, verdict)

    async def _by_push(self, ask: AskSource, current: Ask, before_asking: BeforeAsking) -> Approval:
        reason = ""
        for _ in range(1 + REASK_LIMIT):
            keys = self._approver.keys(current)
            verdict = await self._push(current, keys, reason, before_asking)
            fresh = await _read(ask)
            now = self._approver.keys(fresh)
            if now.full == keys.full:
                return Approval(fresh, "dialog", verdict)
            self._record("facts_changed", keys)
            self.release()
            reason = messages.facts_changed(now.changed(keys.facts))
            current = fresh
        text = messages.FACTS_CHANGED.format(times=1 + REASK_LIMIT, nothing=self._approver.nothing)
        raise FactsKeptChanging(text, Verdict(raised=True, answered=True))

    async def _push(
        self, ask: Ask, keys: TargetKeys, reason: str, before_asking: BeforeAsking
    ) -> Verdict:
        approver = self._approver
        self._require_room(keys)
        reservation = await self._reserve(keys, before_asking)
        try:
            again = self._open(keys)
            prompt = self._prompt(ask, reason or again)
        except Exception:
            reservation.release()
            raise
        with approver.in_flight.question(keys.base, approver.clock()) as question:
            self._record("asked", keys)
            answer = await self._commit_when_shown(prompt, reservation, question)
        verdict = Verdict(
            raised=answer.action != "unsupported",
            answered=answer.action in {"accept", "decline", "cancel"},
        )
        if question.withdrawn is not None:
            self._superseded(question.withdrawn, keys, Verdict(raised=verdict.raised))
        if answer.action == "timeout":
            approver.timeouts.note(keys.base)
        self._settle(answer, keys, verdict)
        return verdict

    def _open(self, keys: TargetKeys) -> str:
        """Make way for a question, and say why it comes again if it does."""
        approver = self._approver
        if approver.in_flight.withdraw(keys.base):
            return messages.CALLED_AGAIN
        if self._require_room(keys):
            approver.in_flight.make_room()
        return messages.NOT_IN_TIME if approver.timeouts.take(keys.base) else ""

    def _require_room(self, keys: TargetKeys) -> bool:
        """Whether the oldest question must give way, which it may once it had its time."""
        approver = self._approver
        if approver.in_flight.asks(keys.base) or not approver.in_flight.full:
            return False
        age = approver.clock() - approver.in_flight.oldest.opened
        if age >= approver.yield_seconds:
            return True
        self._record("refused", keys, reason="too_many_open")
        raise AlreadyBeingAsked(
            messages.TOO_MANY_OPEN.format(
                limit=OPEN_LIMIT,
                nothing=approver.nothing,
                wait=counted(ceil(approver.yield_seconds - age), "second"),
            )
        )

    def _superseded(self, why: Withdrawn, keys: TargetKeys, verdict: Verdict) -> NoReturn:
        self._record("superseded", keys)
        text = messages.TAKEN_OVER if why == "twin" else messages.MADE_ROOM
        raise Superseded(text.format(nothing=self._approver.nothing), verdict)

    async def _commit_when_shown(
        self, prompt: Prompt, reservation: Reservation, question: OpenQuestion
    ) -> Answer:
        shown = True
        try:
            answer = await self._client.push(prompt, self._approver.wait_seconds, question)
            shown = answer.action != "unsupported"
        finally:
            # Also on cancellation: the question was on its way, so it counts.
            if shown:
                reservation.commit()
            else:
                reservation.release()
        return answer

    async def _by_token(
        self, ask: Ask, prompt: Prompt, keys: TargetKeys, before_asking: BeforeAsking
    ) -> Approval:
        approver = self._approver
        if self._token is None:
            (await before_asking()).release()
            self._record("token_issued", keys)
            note = messages.token_note(approver.server, dialog=approver.dialog)
            raise TokenNeeded(
                messages.token_prompt(
                    prompt.message,
                    self._tool,
                    approver.tokens.issue(keys.full),
                    nothing=approver.nothing,
                    unbound=ask.question.unbound,
                    note=note,
                )
            )
        token = self._token if isinstance(self._token, str) else ""
        if approver.tokens.matches(keys.full, token):
            reservation = await self._reserve(keys, before_asking)
            # The wait may have let it expire or another call spend it.
            if approver.tokens.redeem(keys.full, token):
                reservation.commit()
                approver.in_flight.act(keys.full, self)
                self._record("token_accepted", keys)
                return Approval(ask, "token", Verdict())
            reservation.release()
        self._record("token_refused", keys)
        text = messages.REFUSED.format(nothing=approver.nothing, tool=self._tool)
        raise TokenRefused(text)

    def _record(self, decision: str, keys: TargetKeys, **extra: str) -> None:
        self._approver.record(decision, self._tool, keys.full, **extra)


async def _read(ask: AskSource) -> Ask:
    if isinstance(ask, Ask):
        return ask
    source: Callable[[], Awaitable[Ask]] = ask
    return await source()
