"""Cleaning of foreign text on its way to a model or a log."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mcp_approval.invisible import without_invisible
from mcp_serverkit.text.surrogates import replace_surrogates

MAX_DEPTH = 12
MAX_NODES = 20_000
"""Bounds for documents whose shape nobody promised."""

_ESCAPE_SEQUENCES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029\x85]")


class WireText(str):
    """Text of a protocol whose lines end in CRLF: cleaned line by line, the ends stay."""

    __slots__ = ()


def clean_text(text: str) -> str:
    """Remove what draws nothing or steers a terminal; tab and newline stay.

    Lone surrogates, which no encoder takes, become U+FFFD. Linear time.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _ESCAPE_SEQUENCES.sub("", text)
    text = _LINE_ENDS.sub("\n", text)
    return without_invisible(replace_surrogates(text), kept="\t\n")


def clean(value: object) -> object:
    """Clean every text of a JSON-like document, keys included, within bounds."""
    budget = [MAX_NODES]
    return _clean(value, MAX_DEPTH, budget)


def _clean(value: object, depth: int, budget: list[int]) -> object:
    budget[0] -= 1
    if isinstance(value, WireText):
        return "\r\n".join(map(clean_text, value.split("\r\n")))
    if isinstance(value, str):
        return clean_text(value)
    if value is None or isinstance(value, bool | int | float):
        return _finite(value)
    if depth == 0 or budget[0] < 0:
        return "(left out: nested too deeply or too large)"
    if isinstance(value, Mapping):
        return {
            clean_text(str(key)): _clean(item, depth - 1, budget) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_clean(item, depth - 1, budget) for item in value]
    raise TypeError(f"{type(value).__name__} is no part of a result")


def _finite(value: None | bool | int | float) -> object:
    if isinstance(value, float) and (value != value or value in {float("inf"), float("-inf")}):
        return None
    return value
