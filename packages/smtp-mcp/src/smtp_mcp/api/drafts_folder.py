"""A draft in the Drafts folder, by IMAP, where a mail program finds it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from typing import NamedTuple

from mcp_serverkit.errors import ToolFailure
from smtp_mcp.api.imap_account import Errand, ImapAccount, LoginRefusedError, NotSavedError

_DRAFT = Errand("draft", rb"\drafts", "Drafts", r"(\Draft)")

REMEMBER_SECONDS = 900.0
"""As long as a message that was sent is remembered: a repeat within it adds no second draft."""

# Far more than one conversation saves in that time.
REMEMBERED = 100


class Kept(NamedTuple):
    """Where a draft lies.

    Attributes:
        place: Folder or path.
        new: Whether this call put it there.
    """

    place: str
    new: bool


class DraftsFolder:
    """Saves drafts, each once.

    Args:
        account: Whose folder it is.
        clock: Monotonic seconds.
    """

    def __init__(self, account: ImapAccount, clock: Callable[[], float]) -> None:
        self._account = account
        self._clock = clock
        self._kept: dict[bytes, tuple[float, str]] = {}
        self._turn = asyncio.Lock()

    async def save(self, raw: bytes) -> Kept:
        """Save a draft.

        Raises:
            ToolFailure: It was not saved, with the reason.
        """
        async with self._turn:
            return await self._save(raw)

    async def _save(self, raw: bytes) -> Kept:
        digest = hashlib.sha256(raw).digest()
        until, folder = self._kept.get(digest, (0.0, ""))
        if folder and until > self._clock():
            return Kept(folder, new=False)
        try:
            folder = await self._account.visit(_DRAFT, raw)
        except LoginRefusedError as refusal:
            raise not_written(f"{refusal}; none is tried until this server is restarted") from None
        except NotSavedError as failure:
            raise not_written(str(failure)) from None
        while len(self._kept) >= REMEMBERED:
            del self._kept[next(iter(self._kept))]
        self._kept[digest] = (self._clock() + REMEMBER_SECONDS, folder)
        return Kept(folder, new=True)

    async def check(self) -> str:
        """Log in and name the folder, in words; nothing is saved."""
        return await self._account.check(_DRAFT, "drafts")


def not_written(reason: str) -> ToolFailure:
    """Say that no draft was saved, and why."""
    return ToolFailure(f"The draft was not saved: {reason}.", code="draft_not_written")
