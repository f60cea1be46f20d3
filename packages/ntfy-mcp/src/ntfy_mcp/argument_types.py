"""The argument types that several tools share."""

from __future__ import annotations

import re
from typing import Annotated, Literal, TypeAlias
from urllib.parse import urlsplit

from mcp_serverkit.tools.constraints import Length, Pattern, Range, Validator
from ntfy_mcp.settings import TOPIC
from ntfy_mcp.since import check_since

TOPIC_WORDS = "1 to 64 letters, digits, - and _"
PRIORITIES = {"min": 1, "low": 2, "default": 3, "high": 4, "max": 5, "urgent": 5}
PERMISSIONS = {
    "read_write": "read-write",
    "read_only": "read-only",
    "write_only": "write-only",
    "deny": "deny-all",
}


def check_url(value: object) -> object:
    """Accept an absolute http(s) URL, its scheme in lower case as ntfy tests it."""
    if not isinstance(value, str):
        return value
    problem = "must be an absolute http:// or https:// URL with a host"
    try:
        parts = urlsplit(value)
        host = parts.hostname
    except ValueError:
        raise ValueError(problem) from None
    if parts.scheme not in {"http", "https"} or not host or re.search(r"\s", value):
        raise ValueError(problem)
    return parts.scheme + value[len(parts.scheme) :]


def check_tag(value: object) -> object:
    """Accept one tag: ntfy splits at commas."""
    if isinstance(value, str) and "," in value:
        raise ValueError("must be one tag, without a comma")
    return value


def check_label(value: object) -> object:
    """Accept the label of an answer: something to see, on one line."""
    if isinstance(value, str) and (not value.strip() or re.search(r"[\x00-\x1f\x7f-\x9f]", value)):
        raise ValueError("must be visible text without control characters")
    return value


def check_filename(value: object) -> object:
    """Accept a bare file name."""
    if isinstance(value, str) and (re.search(r"[/\\\t\r\n]", value) or value in {".", ".."}):
        raise ValueError("must be a bare file name without / or \\")
    return value


Topic = Annotated[str, Pattern(TOPIC, TOPIC_WORDS)]
TopicPattern = Annotated[
    str, Pattern(r"[-_A-Za-z0-9*]{1,64}", "1 to 64 letters, digits, -, _ and * as wildcard")
]
MessageId = Annotated[str, Pattern(r"[A-Za-z0-9]{12}", "a message id: 12 letters and digits")]
SequenceId = Annotated[str, Pattern(TOPIC, f"a sequence id: {TOPIC_WORDS}")]
Username = Annotated[
    str, Pattern(r"[-_.+@A-Za-z0-9]{1,64}", "1 to 64 letters, digits, -, _, ., + and @")
]
Tier = Annotated[str, Pattern(TOPIC, f"a tier code: {TOPIC_WORDS}")]
URL = Annotated[str, Length(1, 2048), Validator(check_url)]
Tag = Annotated[str, Length(1, 64), Validator(check_tag)]
Since = Annotated[str, Validator(check_since)]
Filename = Annotated[str, Length(1, 255), Validator(check_filename)]
PriorityNumber = Annotated[int, Range(1, 5)]
PriorityName: TypeAlias = Literal["min", "low", "default", "high", "max", "urgent"]
Priority = PriorityNumber | PriorityName
AccessAction: TypeAlias = Literal["read_write", "read_only", "write_only", "deny", "revoke"]


def priority_number(priority: int | str) -> int:
    """Translate a name: ntfy's JSON field takes only the number."""
    return priority if isinstance(priority, int) else PRIORITIES[priority]
