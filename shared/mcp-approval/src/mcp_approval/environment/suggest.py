"""Mistyped names."""

from __future__ import annotations

from collections.abc import Sequence


def nearest(name: str, known: Sequence[str], distance: int = 2) -> str | None:
    """Return the known name nearest to a mistyped one, within some typing errors."""
    ranked = sorted((_edit_distance(name, candidate, distance), candidate) for candidate in known)
    return ranked[0][1] if ranked and ranked[0][0] <= distance else None


def _edit_distance(left: str, right: str, most: int) -> int:
    if abs(len(left) - len(right)) > most:
        return most + 1
    previous = list(range(len(right) + 1))
    for row, character in enumerate(left, 1):
        current = [row]
        for column, other in enumerate(right, 1):
            substituted = previous[column - 1] + (character != other)
            current.append(min(substituted, previous[column] + 1, current[-1] + 1))
        previous = current
    return previous[-1]
