"""How much a dialog may hold; apart from the rest, since a server states it at start."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Bounds of a dialog.

    Attributes:
        lines: Labelled lines.
        value_chars: Characters of one value, counted after cleaning.
        total_chars: Characters of the whole message.
        rows: Rows of 80 columns that the client's window holds; texts in blocks yield
            to it. None where no such bound is known.
    """

    lines: int = 20
    value_chars: int = 200
    total_chars: int = 4_000
    rows: int | None = None
