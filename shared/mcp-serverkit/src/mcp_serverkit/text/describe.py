"""Values in words, and names that nobody knows: nothing is repeated that may be a secret."""

from __future__ import annotations

import re

from mcp_approval.wording import counted

_NAME = r"[A-Za-z0-9_.-]{1,64}"


def describe_value(value: object) -> str:
    """Describe a field by switch, number or size."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return counted(len(value), "entry", "entries")
    return counted(len(str(value)), "character")


def name_or_not(text: str, what: str) -> str:
    """Repeat a name that is not known, if it looks like one.

    Args:
        text: What was given as a name.
        what: What it is not else, such as "a tool name".
    """
    return text if re.fullmatch(_NAME, text) else f"(not {what})"
