"""Patterns of names: the strict ones stand in dialogs, the wide ones reach what exists."""

from __future__ import annotations

import re

SECRET = r"[A-Za-z0-9_.-]{1,100}"  # noqa: S105 (a pattern)
LOGIN = r"[A-Za-z0-9._-]{1,200}"
FULL_NAME = r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)+"
ORG_NAME = r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*"
ADDRESS = r"[A-Za-z0-9][A-Za-z0-9._-]*(?::[0-9]{1,5})?(?:/[A-Za-z0-9._-]+)*"
URL = r"https?://[A-Za-z0-9.:\[\]_-]+(?:/[A-Za-z0-9._~/%+-]*)?"
WORD = r"[a-z_]{1,40}"

_DOTS = frozenset({"", ".", ".."})


def is_strict(name: str, pattern: str) -> bool:
    """Tell whether a name may stand in a sentence of this server."""
    return re.fullmatch(pattern, name) is not None and not _DOTS & set(name.split("/"))


def check_full_name(value: object) -> object:
    """Accept `owner/name`, and deeper paths as GitLab's groups have them."""
    if isinstance(value, str) and (len(value) > 200 or not is_strict(value, FULL_NAME)):
        raise ValueError("must be owner/name, at least two parts of letters, digits, ., _ and -")
    return value


def check_org_name(value: object) -> object:
    """Accept a name, or a path of names."""
    if isinstance(value, str) and (len(value) > 200 or not is_strict(value, ORG_NAME)):
        raise ValueError("must be a name of letters, digits, ., _ and -, parts separated by /")
    return value


def check_segment(value: object) -> object:
    """Accept any name that can be one part of a path."""
    if isinstance(value, str) and (
        value in _DOTS or len(value) > 500 or re.search(r"[\x00-\x1f\x7f-\x9f]", value)
    ):
        raise ValueError('must be 1 to 500 characters without line breaks, and not "." or ".."')
    return value
