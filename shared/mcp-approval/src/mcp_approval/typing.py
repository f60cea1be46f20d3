"""Types that several modules share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

JSONValue: TypeAlias = (
    "None | bool | int | float | str | Sequence[JSONValue] | Mapping[str, JSONValue]"
)
"""Anything that JSON can say, which crosses the package's border unexamined."""

Told: TypeAlias = str | Mapping[str, str]
"""What an account of a decision may hold beside what it is about."""
