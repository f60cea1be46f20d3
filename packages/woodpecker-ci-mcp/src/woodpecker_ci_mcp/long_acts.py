"""Acts that take minutes: a client is told that they go on."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Coroutine
from typing import TypeVar

REPORT_SECONDS = 10
"""How often a client that asked for progress is told."""

ResultT = TypeVar("ResultT")


async def reported(
    act: Coroutine[object, object, ResultT], report: Callable[[int, str], Awaitable[None]]
) -> ResultT:
    """Wait for an act, and report now and then that it goes on.

    A call that is cancelled takes the request with it; what the service has begun goes on.
    """
    doing = asyncio.create_task(act)
    try:
        for beat in itertools.count(1):
            done, _ = await asyncio.wait({doing}, timeout=REPORT_SECONDS)
            if done:
                break
            await report(beat, "Woodpecker is at work")
        return await doing
    finally:
        doing.cancel()
