"""Drafts as files, in the one directory that the operator opened for them.

A file is written beside its place and linked into it as a whole; no other file is replaced.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import re
import secrets
import threading
import unicodedata

from mcp_serverkit.errors import ToolFailure
from smtp_mcp.api.drafts_folder import Kept, not_written

MOST_FILES = 200
"""More drafts than anybody looks through: whoever writes them has stopped reading them."""

# As many as a file manager shows.
SUBJECT_CHARS = 40
# Of the digest: the shortest that is free, or holds this very draft.
_DIGITS = (8, 16, 64)

_NEW = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)


class DraftDirectory:
    """Writes drafts into a directory.

    Args:
        path: Its real path.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = threading.Lock()

    async def save(self, raw: bytes, subject: str) -> Kept:
        """Write a draft, unless the same one is there. A cancelled call leaves no file behind.

        Raises:
            ToolFailure: It was not written, with the reason.
        """
        writing = _Writing(self._path, raw, subject)
        try:
            return await asyncio.to_thread(self._write, writing)
        except asyncio.CancelledError:
            writing.cancel()
            raise
        except OSError as error:
            raise not_written((error.strerror or "error").lower()) from None

    def check(self) -> str:
        """Say where drafts go, in words."""
        return f"drafts are written into {self._path}"

    def _write(self, writing: _Writing) -> Kept:
        with self._lock:
            return writing.run()


class _Writing:
    """One file under way, written in a thread and called off from the loop."""

    def __init__(self, folder: str, raw: bytes, subject: str) -> None:
        self._folder = folder
        self._raw = raw
        self._stem = file_stem(subject)
        self._digest = hashlib.sha256(raw).hexdigest()
        self._state = threading.Lock()
        self._cancelled = False
        self._made = ""

    def cancel(self) -> None:
        """Take the file away, or see to it that none is made."""
        with self._state:
            self._cancelled = True
            if self._made:
                _remove(self._made)

    def run(self) -> Kept:
        place, there = self._place()
        if there:
            return Kept(place, new=False)
        self._require_room()
        beside = os.path.join(self._folder, f".smtp-mcp-{secrets.token_hex(8)}.tmp")
        try:
            self._fill(beside)
            with self._state:
                if not self._cancelled:
                    _put(beside, place)
                    self._made = place
        finally:
            _remove(beside)
        return Kept(place, new=True)

    def _place(self) -> tuple[str, bool]:
        """Find a name that is free, or that holds this very draft."""
        for digits in _DIGITS:
            name = f"{self._stem}-{self._digest[:digits]}.eml"
            place = os.path.join(self._folder, name)
            if not os.path.lexists(place):
                return place, False
            if _holds(place, self._raw):
                return place, True
        raise not_written("files with all of its names are there, and hold something else")

    def _require_room(self) -> None:
        with os.scandir(self._folder) as entries:
            count = sum(entry.name.lower().endswith(".eml") for entry in entries)
        if count >= MOST_FILES:
            raise ToolFailure(
                f"SMTP_DRAFT_DIR holds {count} drafts; {MOST_FILES} are possible. Nothing was "
                "saved. Somebody must send or delete some.",
                code="draft_dir_full",
            )

    def _fill(self, beside: str) -> None:
        descriptor = os.open(beside, _NEW, 0o600)
        with open(descriptor, "wb") as file:
            file.write(self._raw)
            file.flush()
            os.fsync(file.fileno())


def file_stem(subject: str) -> str:
    """Make the readable part of a file name."""
    plain = unicodedata.normalize("NFKD", subject).encode("ascii", "ignore").decode().lower()
    stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:SUBJECT_CHARS].rstrip("-")
    return stem or "draft"


def _put(beside: str, place: str) -> None:
    """Give a file its name without replacing another.

    Raises:
        OSError: It cannot be done, or something is there.
    """
    try:
        os.link(beside, place)
    except FileExistsError:
        raise
    except OSError:
        # A file system without links: the name is taken first, then the file put in its place.
        os.close(os.open(place, _NEW, 0o600))
        try:
            os.replace(beside, place)
        except OSError:
            _remove(place)
            raise


def _holds(place: str, raw: bytes) -> bool:
    try:
        with open(place, "rb") as file:
            return file.read(len(raw) + 1) == raw
    except OSError:
        return False


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
