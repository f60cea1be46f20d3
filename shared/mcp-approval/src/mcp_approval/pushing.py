"""Asking by a request of our own, while the call waits (handshake versions)."""

from __future__ import annotations

from math import ceil
from typing import NoReturn

from mcp_approval import messages
from mcp_approval.asking_call import REASK_LIMIT, AskingCall, read
from mcp_approval.asking_client import Answer, Prompt
from mcp_approval.exceptions import AlreadyBeingAsked, FactsKeptChanging, Superseded
from mcp_approval.in_flight import OPEN_LIMIT, OpenQuestion, Withdrawn
from mcp_approval.keys import TargetKeys
from mcp_approval.verdict import Approval, Ask, AskSource, BeforeAsking, Reservation, Verdict
from mcp_approval.wording import counted


class NothingShown(Exception):  # noqa: N818 (no error: another way may be open)
    """The client announced dialogs and does not know them."""


async def by_push(
    call: AskingCall, ask: AskSource, current: Ask, before_asking: BeforeAsking
) -> Approval:
    """Ask until the facts that the question quotes are still those of the answer.

    Raises:
        CallEnded: No yes.
        NothingShown: Nobody saw the question, and there is another way.
    """
    nothing, reason = call.approver.nothing, ""
    for _ in range(1 + REASK_LIMIT):
        keys = call.approver.keys(current)
        verdict = await _push(call, current, keys, reason, before_asking)
        fresh = await read(ask)
        now = call.approver.keys(fresh)
        if now.full == keys.full:
            return Approval(fresh, "dialog", verdict)
        await call.tell("facts_changed", keys)
        await call.leave_unused(keys)
        reason = messages.facts_changed(now.changed(keys.facts))
        current = fresh
    text = messages.FACTS_CHANGED.format(times=1 + REASK_LIMIT, nothing=nothing)
    raise FactsKeptChanging(text, Verdict(raised=True, answered=True))


async def _push(
    call: AskingCall, ask: Ask, keys: TargetKeys, reason: str, before_asking: BeforeAsking
) -> Verdict:
    approver = call.approver
    await _require_room(call, keys)
    reservation = await call.reserve(keys, before_asking)
    try:
        again = await _open(call, keys)
        prompt = call.prompt(ask, reason or again)
        await call.show("asked", keys, prompt.message, way="dialog")
    except BaseException:
        reservation.release()
        raise
    asked = approver.clock()
    with approver.in_flight.question(keys.base, asked) as question:
        try:
            answer = await _commit_when_shown(call, prompt, reservation, question)
        except BaseException:
            # The call is gone, and with it whoever waited for the answer.
            await approver.note("withdrawn", call.tool, keys.full, way="dialog")
            raise
    verdict = Verdict(
        raised=answer.action != "unsupported",
        answered=answer.action in {"accept", "decline", "cancel"},
    )
    if question.withdrawn is not None:
        await _superseded(call, question.withdrawn, keys, Verdict(raised=verdict.raised))
    if answer.action == "timeout":
        approver.timeouts.note(keys.base)
    if answer.action == "unsupported" and approver.asks_outside:
        await call.tell("client_unsupported", keys, way="dialog")
        raise NothingShown
    await call.settle(answer, keys, verdict, approver.clock() - asked)
    return verdict


async def _open(call: AskingCall, keys: TargetKeys) -> str:
    """Make way for a question, and say why it comes again if it does."""
    approver = call.approver
    if approver.in_flight.withdraw(keys.base):
        return messages.CALLED_AGAIN
    oldest = await _require_room(call, keys)
    if oldest is not None:
        approver.in_flight.give_way(oldest)
    return messages.NOT_IN_TIME if approver.timeouts.take(keys.base) else ""


async def _require_room(call: AskingCall, keys: TargetKeys) -> OpenQuestion | None:
    """Find the question that must give way, if one must; it may once it had its time."""
    approver = call.approver
    if approver.in_flight.asks(keys.base) or not approver.in_flight.full:
        return None
    wait, oldest = "", approver.in_flight.oldest
    if oldest is not None:
        left = approver.yield_seconds - (approver.clock() - oldest.opened)
        if left <= 0:
            return oldest
        wait = counted(ceil(left), "second")
    await call.tell("refused", keys, reason="too_many_open")
    raise AlreadyBeingAsked(messages.too_many_open(OPEN_LIMIT, approver.nothing, wait))


async def _superseded(
    call: AskingCall, why: Withdrawn, keys: TargetKeys, verdict: Verdict
) -> NoReturn:
    await call.tell("superseded", keys, way="dialog")
    text = messages.TAKEN_OVER if why == "twin" else messages.MADE_ROOM
    raise Superseded(text.format(nothing=call.approver.nothing), verdict)


async def _commit_when_shown(
    call: AskingCall, prompt: Prompt, reservation: Reservation, question: OpenQuestion
) -> Answer:
    shown = True
    try:
        answer = await call.client.push(prompt, call.approver.wait_seconds, question)
        shown = answer.action != "unsupported"
    finally:
        # Also on cancellation: the question was on its way, so it counts.
        if shown:
            reservation.commit()
        else:
            reservation.release()
    return answer
