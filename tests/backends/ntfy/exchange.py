"""One request being answered, and the values ntfy reads from headers or query."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote_to_bytes

from .errors import NtfyError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from .accounts import User
    from .limits import Visitor
    from .wire import Request

_ENCODED_WORD = re.compile(r"=\?([^?]+)\?([qQbB])\?([^?]*)\?=")
_BETWEEN_WORDS = re.compile(r"(\?=)\s+(=\?)")
_CHARSETS = {"utf-8": "utf-8", "iso-8859-1": "latin-1", "us-ascii": "ascii"}
# The HTTP header of RFC 9218 has the same name as ntfy's.
_URGENCY = re.compile(r"u=\d,\s*(i|\d)|u=\d", re.ASCII)
_PRIORITIES = {
    "": 0,
    "1": 1,
    "min": 1,
    "2": 2,
    "low": 2,
    "3": 3,
    "default": 3,
    "4": 4,
    "high": 4,
    "5": 5,
    "max": 5,
    "urgent": 5,
}


@dataclass(slots=True)
class Reply:
    """A whole answer."""

    body: bytes
    status: int = 200
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Stream:
    """An answer that goes on."""

    chunks: AsyncGenerator[bytes]
    content_type: str


class Exchange:
    """A request with its parsed path and query, and who sent it."""

    def __init__(self, request: Request) -> None:
        self.request = request
        raw_path, _, raw_query = request.target.partition("?")
        self.path = unquote_to_bytes(raw_path).decode("utf-8", "replace")
        self._query = parse_qs(raw_query, keep_blank_values=True)
        self._headers = dict(request.headers)
        self.user: User | None = None
        self._visitor: Visitor | None = None

    @property
    def visitor(self) -> Visitor:
        """The rate-limited party; known once the login was looked at."""
        if self._visitor is None:
            raise RuntimeError("the login was not looked at yet")
        return self._visitor

    def belongs_to(self, user: User | None, visitor: Visitor) -> None:
        """Settle who sent the request."""
        self.user, self._visitor = user, visitor

    def override_header(self, name: str, value: str) -> None:
        """Put a value where a header would be, as a JSON publish does."""
        self._headers[name] = value

    def text(self, *names: str) -> str:
        """The first non-empty header of these names, else the first such query value."""
        for name in names:
            value = _decode_words(self._headers.get(name, "")).strip()
            if name == "priority" and _URGENCY.fullmatch(value):
                continue
            if value:
                return value
        return self.query(*names)

    def query(self, *names: str) -> str:
        """The first non-empty query value of these names."""
        for name in names:
            value = self._query.get(name, [""])[0].strip()
            if value:
                return value
        return ""

    def flag(self, *names: str, default: bool) -> bool:
        """A switch; every word other than 1, yes and true turns it off."""
        value = self.text(*names).lower()
        return value in {"1", "yes", "true"} if value else default

    def listed(self, *names: str) -> list[str]:
        """The entries of a comma list, empty ones left out."""
        return [part for part in self.text(*names).split(",") if part]

    def authorization(self) -> str:
        """The login value, from the header or hidden in the query."""
        hidden = self.query("authorization", "auth")
        if not hidden:
            return self._headers.get("authorization", "").strip()
        try:
            padded = hidden + "=" * (-len(hidden) % 4)
            return base64.b64decode(padded, altchars=b"-_", validate=True).decode().strip()
        except (binascii.Error, ValueError):
            raise NtfyError(50001) from None


def parse_priority(text: str) -> int:
    """A priority by number or name; raises 40007."""
    word = text.strip().lower()
    if word not in _PRIORITIES:
        raise NtfyError(40007)
    return _PRIORITIES[word]


def _decode_words(text: str) -> str:
    """A header value with its RFC 2047 words decoded; left alone when one is broken."""
    if "=?" not in text:
        return text
    try:
        return _ENCODED_WORD.sub(_decode_word, _BETWEEN_WORDS.sub(r"\1\2", text))
    except (LookupError, ValueError):
        return text


def _decode_word(found: re.Match[str]) -> str:
    charset = _CHARSETS[found[1].lower()]
    if found[2] in "bB":
        return base64.b64decode(found[3], validate=True).decode(charset)
    raw = found[3].replace("_", " ").encode("ascii")
    return re.sub(rb"=([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), raw).decode(charset)
