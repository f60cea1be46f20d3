"""Which value could pass for a line of the dialog it stands in.

Some clients drop the line ends of a message, and then nothing but the words tells one
line from the next.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

DETAILS_HEADING = "Values below are supplied by the caller, not by this server:"
FINDINGS_HEADING = "Noted by this server:"
NOT_SHOWN = "Not shown below"
ASKED_AGAIN = "Asked again"

_BEGINNINGS = (
    "This will",
    ASKED_AGAIN,
    FINDINGS_HEADING.rstrip(":"),
    NOT_SHOWN,
    "Values below are supplied by",
    "Confirmation needed.",
    "To go on, call",
)

_COLONS = re.compile(
    "[:\u02d0\u02f8\u0589\u05c3\u0703\u0704\u0903\u0a83\u1361\u16ec\u1803\u1809\u205a\u2236\u2982"
    "\ua4fd\ua789\ufe13\ufe30\ufe55\uff1a]"
)
"""The colon, and what is drawn like one."""

_TAIL = re.compile(r"(?:\s*\([^()]*\)|\s+[0-9]+(?:/[0-9]+)?)+$")


def base_label(label: str) -> str:
    """A label without the numbers and brackets behind its words."""
    return _TAIL.sub("", label) or label


class Lookalikes:
    """The beginnings of the lines of one question."""

    def __init__(self, labels: Iterable[str]) -> None:
        words = sorted({_folded(base_label(label)) for label in labels} - {""})
        begins = "|".join(re.escape(_folded(words)) for words in _BEGINNINGS)
        named = "|".join(map(re.escape, words))
        behind = r"s?(?: ?\([^()]*+\)| ?[0-9]++(?:/[0-9]++)?)*+ ?:"
        line = f"(?:{named}){behind}" if named else "(?!)"
        self._pattern = re.compile(rf"{begins}|(?<!\w){line}")

    def __contains__(self, value: str) -> bool:
        return self._pattern.search(_folded(value)) is not None


def _folded(text: str) -> str:
    # Colons first: one of them would become two dots.
    return " ".join(unicodedata.normalize("NFKC", _COLONS.sub(":", text)).casefold().split())
