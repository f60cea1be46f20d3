"""What was written, and whether it could be read back."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import NamedTuple

from mcp_serverkit.errors import UpstreamFailure
from mcp_serverkit.http.json_fields import Document


class Written(NamedTuple):
    """An object after a write that Woodpecker accepted.

    Attributes:
        document: The object as it is stored; as it was sent when that could not be read.
        trouble: Why it could not be read back; empty when it was.
    """

    document: Document
    trouble: str = ""

    @property
    def notes(self) -> Document:
        """Fields for a result: nothing when it was read back."""
        if not self.trouble:
            return {}
        note = (
            "It was sent and accepted, but could not be read back, so what is shown is what was "
            f"sent: {self.trouble}"
        )
        return {"verified": False, "note": note}


async def read_back(reading: Awaitable[Document], sent: Document) -> Written:
    """Read what was written; a failure of that never hides the write."""
    try:
        return Written(await reading)
    except UpstreamFailure as failure:
        return Written(sent, failure.text)
