"""Which characters draw nothing, and where such a character belongs all the same.

Dialogs and results ask this module, so both drop the same. Its table is loaded with the
first character that is not plain ASCII.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

_FLAG = "\U0001f3f4"
_FLAGS = tuple(
    _FLAG + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
"""England, Scotland and Wales: the only tag sequences that are registered."""

_FLAG_CHARS = len(_FLAGS[0])
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe0e\ufe0f"
_KEYCAP = "\u20e3"
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_ARABIC = range(0x620, 0x700)


def is_invisible(text: str, index: int) -> bool:
    """Tell whether the character at a place of a text draws nothing there.

    Blanks of category Zs are seen, so they are not invisible; tab and line ends are. A
    selector or joiner that belongs to its neighbours is not.
    """
    code = ord(text[index])
    if code < 0xA0:
        return code < 0x20 or code >= 0x7F
    return _within(_table().INVISIBLE, code) and not _belongs(text, index)


def is_mark(character: str) -> bool:
    """Tell whether a character stands on the one before it."""
    code = ord(character)
    return code >= 0x300 and _within(_table().MARKS, code)


def without_invisible(text: str, kept: str) -> str:
    """Take out what draws nothing, apart from the characters in `kept`; linear time."""

    def seen(match: re.Match[str]) -> str:
        character = match.group()
        return character if character in kept or not is_invisible(text, match.start()) else ""

    return (_ASCII if text.isascii() else _candidates()).sub(seen, text)


_ASCII = re.compile("[\x00-\x1f\x7f]")


@cache
def _table() -> ModuleType:
    from mcp_approval import invisible_table

    return invisible_table


@cache
def _candidates() -> re.Pattern[str]:
    row: tuple[int, ...] = _table().INVISIBLE
    pairs = zip(row[::2], row[1::2], strict=True)
    return re.compile("[" + "".join(f"{chr(low)}-{chr(high - 1)}" for low, high in pairs) + "]")


def _within(row: tuple[int, ...], code: int) -> bool:
    return bisect_right(row, code) % 2 == 1


def _belongs(text: str, index: int) -> bool:
    character = text[index]
    before, after = text[max(index - 1, 0) : index], text[index + 1 : index + 2]
    if character in _SELECTORS:
        return _is_emoji(before) or (_is_key(before) and after == _KEYCAP)
    if character in _JOINERS:
        return (
            _is_virama(before)
            or (character == "\u200d" and _is_emoji(after) and _ends_emoji(text, index))
            or (character == "\u200c" and _is_arabic(before) and _is_arabic(after))
        )
    return _in_flag(text, index)


def _is_emoji(character: str) -> bool:
    return character != "" and _within(_table().EMOJI, ord(character))


def _ends_emoji(text: str, end: int) -> bool:
    """Whether an emoji ends there, one selector or skin tone behind it considered."""
    before = text[max(end - 1, 0) : end]
    if before == "\ufe0f" or (before and ord(before) in _SKIN_TONES):
        return _is_emoji(text[max(end - 2, 0) : end - 1])
    return _is_emoji(before)


def _is_key(character: str) -> bool:
    return character != "" and character in "0123456789#*"


def _is_virama(character: str) -> bool:
    return character != "" and _within(_table().VIRAMAS, ord(character))


def _is_arabic(character: str) -> bool:
    return (
        character != ""
        and ord(character) in _ARABIC
        and unicodedata.category(character).startswith("L")
    )


def _in_flag(text: str, index: int) -> bool:
    start = text.rfind(_FLAG, max(index - _FLAG_CHARS + 1, 0), index)
    return start >= 0 and any(text.startswith(flag, start) for flag in _FLAGS)
