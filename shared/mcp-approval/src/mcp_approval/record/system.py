"""Opening, locking and syncing files, on POSIX systems and on Windows."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from mcp_approval.environment.private_file import problem_of_file, problem_of_folder

LOCK_SECONDS = 2.0
"""How long one append waits for another; a disk that is slower than that is in trouble."""

# A line is written in less, so the lock is free at the next look.
_POLL_SECONDS = 0.01
# Read and written by its owner alone.
_PRIVATE = 0o600


def _flags(*names: str) -> int:
    """Those of some flags that this system has."""
    found = 0
    for name in names:
        found |= getattr(os, name, 0)
    return found


class BusyError(OSError):
    """Another process holds the lock."""


def open_to_append(path: str) -> int:
    """Open a file that only this user may write, making it if need be.

    Raises:
        OSError: It is no such file, or cannot be opened.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
    flags |= _flags("O_CLOEXEC", "O_NOFOLLOW", "O_BINARY", "O_NOINHERIT")
    descriptor = os.open(path, flags, _PRIVATE)
    problem = problem_of_file(os.fstat(descriptor))
    if problem:
        os.close(descriptor)
        raise OSError(0, f"it {problem}")
    return descriptor


def make_private_folder(path: str) -> None:
    """Make a folder for this user alone, or find it so.

    Raises:
        OSError: It cannot be made, or others may write there.
    """
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)
    if problem := problem_of_folder(os.lstat(path)):
        raise OSError(0, f"the folder of texts {problem}")


def write_new(path: str, content: bytes) -> None:
    """Write a file that was not there, whole and on disk.

    Raises:
        OSError: It was there, or is not whole.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _flags("O_CLOEXEC", "O_BINARY", "O_NOINHERIT")
    descriptor = os.open(path, flags, _PRIVATE)
    try:
        if os.write(descriptor, content) != len(content):
            raise OSError(0, "only a part of a text could be written")
        sync(descriptor)
    finally:
        os.close(descriptor)


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
