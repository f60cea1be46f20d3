"""The decision whether one guarded call may go on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from mcp_approval import messages
from mcp_approval.asking_client import Answer, AskingClient, Prompt, Way
from mcp_approval.exceptions import (
    AlreadyBeingAsked,
    Asked,
    FactsKeptChanging,
    NotApproved,
    TokenNeeded,
    TokenRefused,
)
from mcp_approval.in_flight import OPEN_LIMIT, InFlight
from mcp_approval.limits import Limits
from mcp_approval.rendering import render
from mcp_approval.seal import Seal
from mcp_approval.tokens import TokenStore
from mcp_approval.verdict import (
    Approval,
    Ask,
    AskSource,
    BeforeAsking,
    Reservation,
    Verdict,
)


class Office(Protocol):
    """What an approval needs of the one approver of its process."""

    @property
    def server(self) -> str:
        """Name used in texts and log lines."""

    @property
    def dialog(self) -> bool:
        """Whether dialogs are on."""

    @property
    def nothing(self) -> str:
        """The sentence for "it did not happen"."""

    @property
    def after_no(self) -> str:
        """What an answer that is no yes costs."""

    @property
    def instance(self) -> str:
        """Where the call acts."""

    @property
    def limits(self) -> Limits:
        """How much a dialog may hold."""

    @property
    def wait_seconds(self) -> float:
        """How long a pushed question waits."""

    @property
    def seal(self) -> Seal:
        """States that wait for an answer."""

    @property
    def tokens(self) -> TokenStore:
        """Tokens that wait for their second call."""

    @property
    def claims(self) -> InFlight:
        """What is being asked about or carried out."""

    def key(self, ask: Ask) -> bytes:
        """Compute the target key of a question."""

    def record(self, decision: str, tool: str, key: bytes, **extra: str) -> None:
        """Write one line about a decision."""


REASK_LIMIT = 2
"""How often one call may ask again because the facts changed under the question."""

_AUDIT_WORDS = {
    "accept": "not_ticked",
    "decline": "declined",
    "cancel": "cancelled",
    "timeout": "timed_out",
    "failed": "client_error",
    "unsupported": "client_unsupported",
}


@dataclass(frozen=True, slots=True)
class _Unlimited:
    def commit(self) -> None:
        pass

    def release(self) -> None:
        pass


async def _no_limit() -> Reservation:
    return _Unlimited()


class CallApproval:
    """The approvals of one tool call."""

    def __init__(self, approver: Office, client: AskingClient, tool: str, token: object) -> None:
        self._approver = approver
        self._client = client
        self._tool = tool
        self._token = token
        self._claimed: set[bytes] = set()

    @property
    def way(self) -> Way:
        """How this call's client would be asked, the switch considered."""
        return self._client.way if self._approver.dialog else "none"

    async def require(self, ask: AskSource, before_asking: BeforeAsking = _no_limit) -> Approval:
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
        key = self._claim(current)
        answer = self._sealed_answer(key)
        if answer is not None:
            self._settle(answer, key, Verdict(answered=True))
            return Approval(current, "dialog", Verdict(answered=True))
        if self.way == "none":
            return await self._by_token(current, prompt, key, before_asking)
        if self.way == "retry":
            (await before_asking()).commit()
            self._record("asked", key)
            raise Asked(prompt, self._approver.seal.issue(key))
        return await self._by_push(ask, current, before_asking)

    def release(self) -> None:
        """Give up the claims of this call."""
        self._approver.claims.release(self._claimed)
        self._claimed.clear()

    def _prompt(self, ask: Ask) -> Prompt:
        hint = ask.question.hint
        where = " at ".join(filter(None, [self._approver.server, self._approver.instance]))
        message = render(ask.question, self._approver.limits)
        return Prompt(message, ask.question.title, f"{hint} ({where})")

    def _claim(self, ask: Ask) -> bytes:
        key = self._approver.key(ask)
        if key not in self._claimed and not self._approver.claims.take(key):
            self._record("refused", key, reason="busy")
            raise AlreadyBeingAsked(messages.ALREADY_ASKED.format(nothing=self._approver.nothing))
        self._claimed.add(key)
        return key

    def _sealed_answer(self, key: bytes) -> Answer | None:
        if self._client.answer is None and self._client.state is None:
            return None
        if self._client.answer is None:
            self._record("state_refused", key, reason="unanswered")
            return None
        refusal = self._approver.seal.redeem(self._client.state, key)
        if refusal is not None:
            self._record("state_refused", key, reason=refusal)
            return None
        return self._client.answer

    def _settle(self, answer: Answer, key: bytes, verdict: Verdict) -> None:
        if answer.approves:
            self._record("approved", key)
            return
        self._record(_AUDIT_WORDS[answer.action], key)
        costs = "" if answer.action == "unsupported" else self._approver.after_no
        text = messages.not_approved(
            answer, " ".join(filter(None, [self._approver.nothing, costs]))
        )
        raise NotApproved(text, answer, verdict)

    async def _by_push(self, ask: AskSource, current: Ask, before_asking: BeforeAsking) -> Approval:
        for _ in range(1 + REASK_LIMIT):
            key = self._claim(current)
            verdict = await self._push(self._prompt(current), key, before_asking)
            fresh = await _read(ask)
            if self._approver.key(fresh) == key:
                return Approval(fresh, "dialog", verdict)
            self._record("facts_changed", key)
            current = fresh
        text = messages.FACTS_CHANGED.format(times=1 + REASK_LIMIT, nothing=self._approver.nothing)
        raise FactsKeptChanging(text, Verdict(raised=True, answered=True))

    async def _push(self, prompt: Prompt, key: bytes, before_asking: BeforeAsking) -> Verdict:
        approver = self._approver
        if approver.claims.full:
            self._record("refused", key, reason="too_many_open")
            text = messages.TOO_MANY_OPEN.format(limit=OPEN_LIMIT, nothing=approver.nothing)
            raise AlreadyBeingAsked(text)
        with approver.claims.question():
            reservation = await before_asking()
            self._record("asked", key)
            answer = await self._commit_when_shown(prompt, reservation)
        verdict = Verdict(
            raised=answer.action != "unsupported",
            answered=answer.action in {"accept", "decline", "cancel"},
        )
        self._settle(answer, key, verdict)
        return verdict

    async def _commit_when_shown(self, prompt: Prompt, reservation: Reservation) -> Answer:
        shown = True
        try:
            answer = await self._client.push(prompt, self._approver.wait_seconds)
            shown = answer.action != "unsupported"
        finally:
            # Also on cancellation: the question was on its way, so it counts.
            if shown:
                reservation.commit()
            else:
                reservation.release()
        return answer

    async def _by_token(
        self, ask: Ask, prompt: Prompt, key: bytes, before_asking: BeforeAsking
    ) -> Approval:
        approver = self._approver
        if self._token is None:
            (await before_asking()).release()
            self._record("token_issued", key)
            note = messages.token_note(approver.server, dialog=approver.dialog)
            raise TokenNeeded(
                messages.token_prompt(
                    prompt.message,
                    self._tool,
                    approver.tokens.issue(key),
                    nothing=approver.nothing,
                    unbound=ask.question.unbound,
                    note=note,
                )
            )
        token = self._token if isinstance(self._token, str) else ""
        if approver.tokens.matches(key, token):
            reservation = await before_asking()
            # The wait may have let it expire or another call spend it.
            if approver.tokens.redeem(key, token):
                reservation.commit()
                self._record("token_accepted", key)
                return Approval(ask, "token", Verdict())
            reservation.release()
        self._record("token_refused", key)
        text = messages.REFUSED.format(nothing=approver.nothing, tool=self._tool)
        raise TokenRefused(text)

    def _record(self, decision: str, key: bytes, **extra: str) -> None:
        self._approver.record(decision, self._tool, key, **extra)


async def _read(ask: AskSource) -> Ask:
    if isinstance(ask, Ask):
        return ask
    source: Callable[[], Awaitable[Ask]] = ask
    return await source()
