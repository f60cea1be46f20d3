"""The one type that crosses the package's border unexamined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

JSONValue: TypeAlias = (
    "None | bool | int | float | str | Sequence[JSONValue] | Mapping[str, JSONValue]"
)
"""Anything that JSON can say."""
