"""Words that more than one module of a dialog needs."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun; the plural where it is no plain `s`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
