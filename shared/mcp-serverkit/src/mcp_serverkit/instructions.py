"""What a client is told at the start, worked out from the tools on offer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

Asking: TypeAlias = Literal["dialog", "reach", "token"]
"""How a tool asks: a person through the client, or outside it, or nobody by a second call."""

AWAITED = (
    'A result that begins with "Awaiting a person" means that a person was asked: make the same '
    "call again later."
)

_WORDS = (
    *("no", "one", "two", "three", "four", "five", "six", "seven"),
    *("eight", "nine", "ten", "eleven", "twelve"),
)


class Offered:
    """A tool on offer. No tuple with names: making such a class takes time at each start.

    Attributes:
        name: Its name.
        read_only: Whether it changes nothing.
        asks: Empty when it never asks; else when it does, in words.
    """

    __slots__ = ("asks", "name", "read_only")

    def __init__(self, name: str, read_only: bool, asks: str) -> None:
        self.name = name
        self.read_only = read_only
        self.asks = asks


def asking_tools(offered: Sequence[Offered], how: Asking) -> str:
    """Say how many tools ask first, without a full stop; empty when none does.

    Args:
        offered: The tools on offer.
        how: How they ask.
    """
    count = sum(bool(tool.asks) for tool in offered)
    if not count:
        return ""
    one = count == 1
    number = _WORDS[count] if count < len(_WORDS) else str(count)
    who = f"{number.capitalize()} {'tool' if one else 'tools'}"
    return f"{who} {asking(how, one=one)}"


def asking(how: Asking, *, one: bool = False) -> str:
    """Say what asking means to a client: the verb of a sentence about tools that ask."""
    before = f"before {'it acts' if one else 'they act'}"
    if how == "token":
        return f"{'needs' if one else 'need'} a second call with a confirm_token {before}"
    whom = "a person through the client" if how == "dialog" else "a person"
    return f"{'asks' if one else 'ask'} {whom} {before}"
