"""What a client is told at the start, worked out from the tools on offer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_WORDS = (
    *("no", "one", "two", "three", "four", "five", "six", "seven"),
    *("eight", "nine", "ten", "eleven", "twelve"),
)


class Offered(NamedTuple):
    """A tool on offer.

    Attributes:
        name: Its name.
        read_only: Whether it changes nothing.
        asks: Empty when it never asks; else when it does, in words.
    """

    name: str
    read_only: bool
    asks: str


def asking_tools(offered: Sequence[Offered], dialog: bool) -> str:
    """Say how many tools ask first, without a full stop; empty when none does.

    Args:
        offered: The tools on offer.
        dialog: Whether dialogs are on; if not, a second call takes their place.
    """
    count = sum(bool(tool.asks) for tool in offered)
    if not count:
        return ""
    one = count == 1
    number = _WORDS[count] if count < len(_WORDS) else str(count)
    who = f"{number.capitalize()} {'tool' if one else 'tools'}"
    return f"{who} {asking(dialog, one=one)}"


def asking(dialog: bool, *, one: bool = False) -> str:
    """Say what asking means to a client: the verb of a sentence about tools that ask."""
    before = f"before {'it acts' if one else 'they act'}"
    if dialog:
        return f"{'asks' if one else 'ask'} a person through the client {before}"
    return f"{'needs' if one else 'need'} a second call with a confirm_token {before}"


def outside_the_client(said: str) -> str:
    """Say the same where the operator named a way to a person outside the client."""
    return (
        f'{said.replace(" through the client", "")} A result that begins with "Awaiting a '
        'person" means that a person was asked: make the same call again later.'
    )
