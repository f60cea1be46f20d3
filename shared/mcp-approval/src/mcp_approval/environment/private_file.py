"""Whether a path can hold what only this user may write, found out by looking only."""

from __future__ import annotations

import os
import stat


def problem_with(path: str) -> str:
    """Say why a path cannot hold a record, by looking only; empty when it can.

    The path is never repeated: it may be something else in the wrong place.
    """
    if not os.path.isabs(path):
        return "must be an absolute path"
    folder = os.path.dirname(path)
    try:
        place = os.stat(folder)
    except OSError:
        return "lies in a folder that is not there"
    if not stat.S_ISDIR(place.st_mode):
        return "lies in a folder that is not there"
    if _others_may_write(place) and not place.st_mode & stat.S_ISVTX:
        return "lies in a folder in which anybody may write"
    try:
        present = os.lstat(path)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"cannot be looked at: {(error.strerror or 'error').lower()}"
    return problem_of_file(present)


def problem_of_file(present: os.stat_result) -> str:
    """Say why a file cannot hold a record; empty when it can."""
    if stat.S_ISLNK(present.st_mode):
        return "is a link"
    if not stat.S_ISREG(present.st_mode):
        return "is no regular file"
    return _problem_of_owner(present)


def problem_of_folder(present: os.stat_result) -> str:
    """Say why a folder cannot hold what only this user may write; empty when it can."""
    if not stat.S_ISDIR(present.st_mode):
        return "is no folder"
    return _problem_of_owner(present)


def _problem_of_owner(present: os.stat_result) -> str:
    if os.name != "nt":
        if present.st_uid != os.geteuid():
            return "belongs to another user"
        if present.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return "may be written by others"
    return ""


def _others_may_write(place: os.stat_result) -> bool:
    return os.name != "nt" and bool(place.st_mode & stat.S_IWOTH)
