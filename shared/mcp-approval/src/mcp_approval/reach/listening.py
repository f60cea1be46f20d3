"""Hearing what comes back on the topic of answers, over a line that may break."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from mcp_approval.reach.channel import NotReached
from mcp_approval.reach.ntfy_instance import FAILURES, NtfyInstance

LINE_BYTES = 8_192
"""A longer line is no answer and is dropped unread."""

SILENCE_SECONDS = 150.0
"""ntfy says that it is there every 45 seconds; after three of those the line is dead."""

BACKOFF_SECONDS = (0.5, 1.0, 2.0, 5.0, 10.0)


class Listening:
    """Hears a topic while somebody wants to.

    Args:
        instance: Where.
        topic: What.
        hear: Takes the text of each message.
        seconds: How long the line may take to stand.
    """

    def __init__(
        self,
        instance: NtfyInstance,
        topic: str,
        hear: Callable[[object], None],
        seconds: float,
    ) -> None:
        self._instance = instance
        self._topic = topic
        self._hear = hear
        self._seconds = seconds
        self._task: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()
        self._since = "none"

    async def start(self) -> None:
        """Listen, and return once nothing that is said from now on can be missed.

        Raises:
            NotReached: The line does not stand in time.
        """
        if self._task is None or self._task.done():
            self._since = "none"
            self._ready.clear()
            self._task = asyncio.create_task(self._keep_listening())
        try:
            async with asyncio.timeout(self._seconds):
                await self._ready.wait()
        except TimeoutError:
            raise NotReached("answers cannot be heard") from None

    def stop(self) -> None:
        """Hang up."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self._ready.clear()

    async def _keep_listening(self) -> None:
        tries = 0
        while True:
            with suppress(*FAILURES, NotReached):
                async for line in self._lines():
                    tries = 0
                    self._take(line)
            # Nothing is asked while answers would come late or never.
            self._ready.clear()
            await asyncio.sleep(BACKOFF_SECONDS[min(tries, len(BACKOFF_SECONDS) - 1)])
            tries += 1

    async def _lines(self) -> AsyncIterator[bytes]:
        async with self._instance.stream(self._topic, self._since) as pieces:
            rest, dropping = b"", False
            while True:
                async with asyncio.timeout(SILENCE_SECONDS):
                    piece = await anext(pieces, None)
                if piece is None:
                    return
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    if not dropping and len(line) <= LINE_BYTES:
                        yield line
                    dropping = False
                if len(rest) > LINE_BYTES:
                    rest, dropping = b"", True

    def _take(self, line: bytes) -> None:
        try:
            event = json.loads(line)
        except ValueError:
            return
        if not isinstance(event, dict):
            return
        match event.get("event"):
            case "open":
                if self._since == "none":
                    self._since = str(event.get("time", "none"))
                self._ready.set()
            case "message":
                self._since = str(event.get("id", self._since))
                self._hear(event.get("message"))
