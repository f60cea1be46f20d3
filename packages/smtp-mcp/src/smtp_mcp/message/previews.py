"""What the last previews showed, part by part, so that a question can say what changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from mcp_approval.keys import canonical
from mcp_approval.typing import JSONValue

# As long as a question may stay open.
REMEMBER_SECONDS = 900.0
# More drafts than one conversation has at once.
REMEMBERED = 32

_NAMES = {
    "subject": "subject",
    "body": "body",
    "html": "HTML part",
    "to": "To",
    "cc": "Cc",
    "bcc": "Bcc",
    "attachments": "attachments",
    "images": "inline images",
    "quote": "quoted original",
    "original": "original",
    "in_reply_to": "thread",
    "references": "thread",
    "markdown": "format",
    "event": "event",
}
_LEADING = ("subject", "body")


class Changes(NamedTuple):
    """How a message differs from a preview.

    Attributes:
        since: When the preview was made.
        parts: What changed, in words.
    """

    since: datetime
    parts: tuple[str, ...]


class _Preview(NamedTuple):
    until: float
    made: datetime
    digests: dict[str, bytes]


class Previews:
    """Keeps digests of the parts of previews; no text of them.

    Args:
        clock: Monotonic seconds.
        now: The present moment.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._clock = clock
        self._now = now
        self._kept: list[_Preview] = []

    def remember(self, content: dict[str, JSONValue]) -> None:
        """File what a preview showed."""
        kept = _Preview(self._clock() + REMEMBER_SECONDS, self._now(), _digests(content))
        self._kept = [*self._kept[-(REMEMBERED - 1) :], kept]

    def changes(self, content: dict[str, JSONValue]) -> Changes | None:
        """Tell what changed since the latest preview with the same subject or body."""
        digests = _digests(content)
        for preview in reversed(self._kept):
            alike = [n for n in _LEADING if content[n] and preview.digests[n] == digests[n]]
            if preview.until > self._clock() and alike:
                differing = [n for n in _NAMES if preview.digests[n] != digests[n]]
                parts = tuple(dict.fromkeys(_NAMES[name] for name in differing))
                return Changes(preview.made, parts) if parts else None
        return None


def _digests(content: dict[str, JSONValue]) -> dict[str, bytes]:
    return {
        name: hashlib.sha256(canonical(content[name]).encode("utf-8", "surrogatepass")).digest()
        for name in _NAMES
    }
