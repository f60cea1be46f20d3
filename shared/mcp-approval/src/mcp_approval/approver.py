"""The decision whether a guarded call may go on."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from mcp_approval import texts
from mcp_approval.client import Answer, AskingClient, Prompt, Way
from mcp_approval.ended import (
    AlreadyBeingAsked,
    Asked,
    FactsKeptChanging,
    NotApproved,
    TokenNeeded,
    TokenRefused,
)
from mcp_approval.keys import log_digest, target_key
from mcp_approval.question import Limits, checked, render
from mcp_approval.seal import Seal
from mcp_approval.switch import write_stderr
from mcp_approval.tokens import TokenStore
from mcp_approval.verdict import (
    Approval,
    Ask,
    AskSource,
    BeforeAsking,
    Reservation,
    Verdict,
)

WAIT_SECONDS = 900.0
"""How long a pushed question waits for its answer."""

OPEN_LIMIT = 8
"""Pushed questions that may be open at once; a person reads one at a time."""

REASK_LIMIT = 2
"""How often one call may ask again because the facts changed under the question."""

_PROCESS_KEY_BYTES = 32
_INSTANCE_PATTERN = r"[A-Za-z0-9 ._@:\[\]+-]{1,300}"


@dataclass(frozen=True, slots=True)
class _Unlimited:
    def commit(self) -> None:
        pass

    def release(self) -> None:
        pass


async def _no_limit() -> Reservation:
    return _Unlimited()


@dataclass
class Approver:
    """Asks for one server process; holds its key, its pending states and its tokens.

    Attributes:
        server: Name used in texts and log lines.
        dialog: Whether dialogs are on; off means the two-call token for everybody.
        nothing: The server's sentence for "it did not happen".
        after_no: What an answer that is no yes costs, as a sentence; empty when nothing.
        instance: Where the call acts, as the operator configured it; ends the
            description of the tick box, so two instances can be told apart.
        limits: How much a dialog may hold.
        wait_seconds: How long a pushed question waits.
        clock: Monotonic seconds.
        random_bytes: Source of key, nonces and tokens.
        log: Receives one line per decision.
    """

    server: str
    dialog: bool = True
    nothing: str = "Nothing was changed."
    after_no: str = ""
    instance: str = ""
    limits: Limits = field(default_factory=Limits)
    wait_seconds: float = WAIT_SECONDS
    clock: Callable[[], float] = time.monotonic
    random_bytes: Callable[[int], bytes] = secrets.token_bytes
    log: Callable[[str], None] = write_stderr

    def __post_init__(self) -> None:
        if self.instance:
            checked(self.instance, _INSTANCE_PATTERN)
        self._process_key = self.random_bytes(_PROCESS_KEY_BYTES)
        self.seal = Seal(self._process_key, clock=self.clock, random_bytes=self.random_bytes)
        self.tokens = TokenStore(clock=self.clock, random_bytes=self.random_bytes)
        self._busy: set[bytes] = set()
        self._open = 0

    @contextmanager
    def call(self, client: AskingClient, tool: str, token: object = None) -> Iterator[CallApproval]:
        """Accompany one tool call: what it asks about stays claimed until the call ends.

        Args:
            client: The client behind the call.
            tool: Name of the tool.
            token: The `confirm_token` argument, in whatever shape it came.
        """
        approval = CallApproval(self, client, tool, token)
        try:
            yield approval
        finally:
            approval.release()

    def key(self, ask: Ask) -> bytes:
        """Compute the target key of a question in this process."""
        return target_key(self._process_key, self.server, ask.target)

    def record(self, decision: str, tool: str, key: bytes, **extra: str) -> None:
        """Write one structured line about a decision; never a value from the call."""
        fields = {
            "decision": decision,
            "tool": tool,
            "target": log_digest(self._process_key, key),
            **extra,
        }
        line = " ".join(f"{name}={_plain(value)}" for name, value in fields.items())
        self.log(f"{self.server}: approval {line}")


class CallApproval:
    """The approvals of one tool call."""

    def __init__(self, approver: Approver, client: AskingClient, tool: str, token: object) -> None:
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
        self._approver._busy -= self._claimed
        self._claimed.clear()

    def _prompt(self, ask: Ask) -> Prompt:
        hint = ask.question.hint
        where = " at ".join(filter(None, [self._approver.server, self._approver.instance]))
        message = render(ask.question, self._approver.limits)
        return Prompt(message, ask.question.title, f"{hint} ({where})")

    def _claim(self, ask: Ask) -> bytes:
        key = self._approver.key(ask)
        busy = self._approver._busy
        if key in busy and key not in self._claimed:
            self._record("refused", key, reason="busy")
            raise AlreadyBeingAsked(texts.ALREADY_ASKED.format(nothing=self._approver.nothing))
        busy.add(key)
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
        text = texts.not_approved(answer, " ".join(filter(None, [self._approver.nothing, costs])))
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
        text = texts.FACTS_CHANGED.format(times=1 + REASK_LIMIT, nothing=self._approver.nothing)
        raise FactsKeptChanging(text, Verdict(raised=True, answered=True))

    async def _push(self, prompt: Prompt, key: bytes, before_asking: BeforeAsking) -> Verdict:
        approver = self._approver
        if approver._open >= OPEN_LIMIT:
            self._record("refused", key, reason="too_many_open")
            text = texts.TOO_MANY_OPEN.format(limit=OPEN_LIMIT, nothing=approver.nothing)
            raise AlreadyBeingAsked(text)
        approver._open += 1
        try:
            reservation = await before_asking()
            self._record("asked", key)
            answer = await self._commit_when_shown(prompt, reservation)
        finally:
            approver._open -= 1
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
            note = texts.token_note(approver.server, dialog=approver.dialog)
            raise TokenNeeded(
                texts.token_prompt(
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
        text = texts.REFUSED.format(nothing=approver.nothing, tool=self._tool)
        raise TokenRefused(text)

    def _record(self, decision: str, key: bytes, **extra: str) -> None:
        self._approver.record(decision, self._tool, key, **extra)


_AUDIT_WORDS = {
    "accept": "not_ticked",
    "decline": "declined",
    "cancel": "cancelled",
    "timeout": "timed_out",
    "failed": "client_error",
    "unsupported": "client_unsupported",
}


async def _read(ask: AskSource) -> Ask:
    if isinstance(ask, Ask):
        return ask
    source: Callable[[], Awaitable[Ask]] = ask
    return await source()


def _plain(value: str) -> str:
    return value if re.fullmatch(r"[A-Za-z0-9_.-]+", value) else json.dumps(value)
