"""The words about a question outside the client: for the caller, and for the person."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Literal

Outcome = Literal["done", "failed", "unknown"]

CARRIED_OUT: dict[Outcome, str] = {
    "done": "Approved and carried out.",
    "failed": "Approved, but the call failed.",
    "unknown": "Approved; whether it happened is unknown.",
}


def clock_time(wall: float) -> str:
    """A time of day as texts give it, in UTC."""
    return time.strftime("%H:%M", time.gmtime(wall))


def iso_time(wall: float) -> str:
    """A time as programs read it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(wall))


def awaiting(who: str, how: str, asked: float, until: float, tool: str, nothing: str) -> str:
    """Say that a person was asked and has not answered yet."""
    return (
        f"Awaiting a person: {who} was asked {how} at {clock_time(asked)} UTC. {nothing} Call "
        f"{tool} again with the same arguments to learn the answer; the question stays open "
        f"until {clock_time(until)} UTC. Only the person can answer: no argument can."
    )


def declined(who: str, how: str, nothing: str, costs: str) -> str:
    """Say that a person said no."""
    said = f"Not approved: {who} declined {how}. {nothing}"
    return f"{said} {costs}" if costs else said


def declined_before(who: str, how: str, asked: float, again: float, nothing: str) -> str:
    """Say that a person said no to this very call a short while ago."""
    return (
        f"Not approved: {who} declined {how} at {clock_time(asked)} UTC. {nothing} It can be "
        f"asked again from {clock_time(again)} UTC."
    )


def not_answered(who: str, how: str, asked: float, nothing: str) -> str:
    """Say that the time was up while the call waited."""
    return (
        f"Not approved: {who} was asked {how} at {clock_time(asked)} UTC and did not answer in "
        f"time. {nothing} Calling again asks again."
    )


def ways(reasons: Mapping[str, str]) -> str:
    """List each way to a person with the reason why it was none."""
    return "; ".join(f"{word}: {reason}" for word, reason in reasons.items())


def unreached(reasons: Mapping[str, str], nothing: str) -> str:
    """Say why nobody could be asked."""
    return f"Not approved: no person could be reached ({ways(reasons)}). {nothing}"


def too_often(who: str, limit: int, nothing: str) -> str:
    """Say that somebody was asked as often as anybody may be."""
    return f"Not approved: {limit} questions were put to {who} within an hour. {nothing}"


def waits_for_the_call(until: float) -> str:
    """Tell the person that their yes still needs the agent."""
    return f"Approved. It happens when the agent repeats the call, until {clock_time(until)} UTC."


def unused(nothing: str) -> str:
    """Tell the person that nothing came of their yes."""
    return f"Approved, but the call was not repeated in time. {nothing}"


def said_no(nothing: str) -> str:
    """Confirm a no to the person."""
    return f"Declined. {nothing}"


def expired(nothing: str) -> str:
    """Tell the person that the time is up."""
    return f"Not answered in time. {nothing}"


def answered_yes() -> str:
    """Tell the person that the yes came in the client's dialog."""
    return "Answered in the client: yes."


def answered_no(nothing: str) -> str:
    """Tell the person that the no came in the client's dialog."""
    return f"Answered in the client: no. {nothing}"


def withdrawn(nothing: str) -> str:
    """Tell the person that nobody waits for the answer any more."""
    return f"Withdrawn. {nothing}"


def replaced(nothing: str) -> str:
    """Tell the person that a newer question stands for this one."""
    return f"Replaced: what it quotes has changed. {nothing} A new question follows."
