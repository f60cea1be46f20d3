"""A copy of a sent message in the Sent folder, by IMAP.

Whatever happens here, the mail has been sent: a failure is a remark about the copy, and is
never repeated.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcp_serverkit.errors import ToolFailure
from smtp_mcp.api.imap_account import Errand, ImapAccount, LoginRefusedError, NotSavedError

_COPY = Errand("copy", rb"\sent", "Sent", r"(\Seen)")


@dataclass(frozen=True, slots=True)
class Copy:
    """What became of a copy.

    Attributes:
        folder: Where it lies; nothing when it was not saved.
        reason: Why it was not saved.
    """

    folder: str | None = None
    reason: str = ""


class SentFolder:
    """Saves copies.

    Args:
        account: Whose folder it is.
        folder: Name of the folder; nothing for the one that is marked as it.
    """

    def __init__(self, account: ImapAccount, folder: str | None) -> None:
        self._account = account
        self._errand = _COPY._replace(folder=folder)

    async def save(self, raw: bytes) -> Copy:
        """Save the bytes of a message that was sent. Never raises but when it is cancelled."""
        try:
            return Copy(folder=await self._account.visit(self._errand, raw))
        except LoginRefusedError as refusal:
            return Copy(reason=f"{refusal}; no copies are tried until this server is restarted")
        except (NotSavedError, ToolFailure) as failure:
            return Copy(reason=str(failure))

    async def check(self) -> str:
        """Log in and name the folder, in words; nothing is saved."""
        return await self._account.check(self._errand, "copies")
