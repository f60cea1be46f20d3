"""Leaving a mail server: politely where it can still be spoken to.

Firewalls ban clients that drop the line after a refused login.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

import aiosmtplib

QUIT_SECONDS = 2.0
PARTING_SECONDS = 0.2
"""How long the end of this process waits for goodbyes."""


class Leaving:
    """Says goodbye to servers without anybody waiting for it."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def leave(self, client: aiosmtplib.SMTP) -> None:
        """Send QUIT in the background, then close."""
        if not client.is_connected:
            drop(client)
            return
        task = asyncio.create_task(_quit(client))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def aclose(self) -> None:
        """Let connections that say goodbye finish, for a moment."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=PARTING_SECONDS)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def drop(client: aiosmtplib.SMTP) -> None:
    """Cut a connection at once, whatever is still waiting to be written."""
    if isinstance(client.transport, asyncio.WriteTransport):
        client.transport.abort()
    client.close()


async def _quit(client: aiosmtplib.SMTP) -> None:
    try:
        with suppress(aiosmtplib.SMTPException, OSError):
            await client.quit(timeout=QUIT_SECONDS)
    finally:
        drop(client)
