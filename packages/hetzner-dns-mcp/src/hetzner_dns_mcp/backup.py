"""Zone files kept on disk before a zone is deleted or replaced."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import time
from collections.abc import Callable

from mcp_serverkit.errors import ToolFailure


class Backups:
    """Stores zone files in the operator's directory, if there is one.

    Args:
        directory: Where; nothing is stored without it.
        now: Unix time, for the names of the files.
    """

    def __init__(self, directory: str | None, now: Callable[[], float] = time.time) -> None:
        self._directory = directory
        self._now = now

    async def store(self, zone: str, text: str | None) -> str | None:
        """Store a zone file, readable by this user only.

        Returns:
            Its path; nothing when no directory was set.

        Raises:
            ToolFailure: It could not be stored, so what would follow must not happen.
        """
        if self._directory is None:
            return None
        if text is None:
            raise ToolFailure(
                "HETZNER_BACKUP_DIR is set and the zone could not be exported, so there would be "
                "no backup. Nothing was changed."
            )
        try:
            return await asyncio.to_thread(self._write, self._directory, zone, text)
        except OSError as error:
            raise ToolFailure(
                f"HETZNER_BACKUP_DIR: the backup could not be written ({error.strerror}). "
                "Nothing was changed."
            ) from None

    def _write(self, directory: str, zone: str, text: str) -> str:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(self._now()))
        name = f"{re.sub(r'[^a-z0-9.-]', '_', zone)}-{stamp}-{secrets.token_hex(4)}.zone"
        path = os.path.join(directory, name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        with open(os.open(path, flags, 0o600), "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return path
