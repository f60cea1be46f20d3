"""Where drafts go: to the mailbox that sent mail is copied to, else into a directory."""

from __future__ import annotations

from mcp_serverkit.errors import ToolFailure
from smtp_mcp.api.drafts_folder import DraftsFolder, Kept
from smtp_mcp.message.draft_directory import DraftDirectory


class Drafts:
    """Saves drafts where the operator wants them.

    Args:
        folder: The folder of a mailbox, which comes first.
        directory: The directory.
    """

    def __init__(self, folder: DraftsFolder | None, directory: DraftDirectory | None) -> None:
        self._folder = folder
        self._directory = directory

    @property
    def enabled(self) -> bool:
        """Whether there is a place for them."""
        return self._folder is not None or self._directory is not None

    @property
    def in_mailbox(self) -> bool:
        """Whether that is a folder of a mailbox."""
        return self._folder is not None

    async def save(self, raw: bytes, subject: str) -> Kept:
        """Save a draft.

        Raises:
            ToolFailure: It was not saved, with the reason.
        """
        self.require()
        if self._folder is not None:
            return await self._folder.save(raw)
        assert self._directory is not None  # noqa: S101 (checked above)
        return await self._directory.save(raw, subject)

    def require(self) -> None:
        """Check that there is a place for drafts.

        Raises:
            ToolFailure: There is none.
        """
        if not self.enabled:
            raise ToolFailure(
                "SMTP_DRAFT_DIR is not set, and neither is SMTP_SENT_IMAP_HOST, so there is no "
                "place for a draft. Nothing was saved.",
                code="not_configured",
            )

    async def check(self) -> list[str]:
        """Say where drafts go; a mailbox is logged in to."""
        if self._folder is not None:
            return [await self._folder.check()]
        return [] if self._directory is None else [self._directory.check()]
