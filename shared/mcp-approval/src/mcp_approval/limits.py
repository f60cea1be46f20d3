"""How much a dialog may hold; apart from the rest, since a server states it at start."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Bounds of a dialog.

    Attributes:
        lines: Labelled lines.
        value_chars: Characters of one value, counted after cleaning.
        total_chars: Characters of the whole message.
    """

    lines: int = 20
    value_chars: int = 200
    total_chars: int = 4_000
