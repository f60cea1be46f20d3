"""Opening, locking and syncing files, on POSIX systems and on Windows."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mcp_approval.environment.private_file import problem_of_file

LOCK_SECONDS = 2.0
"""How long one append waits for another; a disk that is slower than that is in trouble."""

# A line is written in less, so the lock is free at the next look.
_POLL_SECONDS = 0.01
# Read and written by its owner alone.
_PRIVATE = 0o600


class BusyError(OSError):
    """Another process holds the lock."""


def open_to_append(path: str) -> int:
    """Open a file that only this user may write, making it if need be.

    Raises:
        OSError: It is no such file, or cannot be opened.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
    for name in ("O_CLOEXEC", "O_NOFOLLOW", "O_BINARY", "O_NOINHERIT"):
        flags |= getattr(os, name, 0)
    descriptor = os.open(path, flags, _PRIVATE)
    problem = problem_of_file(os.fstat(descriptor))
    if problem:
        os.close(descriptor)
        raise OSError(0, f"it {problem}")
    return descriptor


def sync(descriptor: int) -> None:
    """Wait until what was written is on disk."""
    getattr(os, "fdatasync", os.fsync)(descriptor)


@contextmanager
def locked(
    path: str,
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[None]:
    """Hold a file of its own as a lock: what it guards may be renamed under it.

    Raises:
        BusyError: Somebody else held it for two seconds.
        OSError: It cannot be opened.
    """
    descriptor = open_to_append(path)
    try:
        until = clock() + LOCK_SECONDS
        while not _try_lock(descriptor):
            if clock() >= until:
                raise BusyError(0, "it is busy")
            sleep(_POLL_SECONDS)
        try:
            yield
        finally:
            _unlock(descriptor)
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
