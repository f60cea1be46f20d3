"""A value in words that hold nothing of its text."""

from __future__ import annotations

from mcp_approval.wording import counted


def describe_value(value: object) -> str:
    """Describe a field by switch, number or size."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return counted(len(value), "entry", "entries")
    return counted(len(str(value)), "character")
