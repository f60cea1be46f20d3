"""Reading what a question quotes. What only informs may fail and is then unknown.

A reading that decides whether to ask is awaited plainly: its failure ends the call.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import TypeVar

from mcp_serverkit.errors import Refused, UpstreamFailure

HOPELESS = frozenset({401, 403, 404})
"""Statuses of a reading that prove the call itself hopeless: no login, no right, no target."""

ResultT = TypeVar("ResultT")


async def read_fact(
    reading: Awaitable[ResultT], *, hopeless: Collection[int] = HOPELESS
) -> ResultT | None:
    """Read something that a question quotes.

    Args:
        reading: The reading.
        hopeless: Statuses that end the call before anybody is asked; none of them for
            what only informs.

    Returns:
        What was read; nothing when the service failed to tell.

    Raises:
        Refused: With one of those statuses.
    """
    try:
        return await reading
    except Refused as refusal:
        if refusal.status in hopeless:
            raise
        return None
    except UpstreamFailure:
        return None


def fresh_after_first(
    first: ResultT, read: Callable[[], Awaitable[ResultT]]
) -> Callable[[], Awaitable[ResultT]]:
    """Give a reading that was made already, and read anew from the second time on."""
    made = [first]

    async def give() -> ResultT:
        return made.pop() if made else await read()

    return give
