"""What a mail server says."""

from __future__ import annotations

import re
from typing import NamedTuple

from mcp_serverkit.text.sanitize import clean_text

# RFC 5321, 4.5.3.1.5: a reply line has 512 octets, code and line end included.
WORDS_CHARS = 500


class Reply(NamedTuple):
    """A server's reply."""

    code: int
    words: str

    @property
    def ok(self) -> bool:
        """Whether it is a positive completion."""
        return 200 <= self.code < 300

    @property
    def temporary(self) -> bool:
        """Whether it says that the same may work later."""
        return 400 <= self.code < 500

    @property
    def enhanced(self) -> str:
        """The enhanced status code (RFC 3463), if it begins with one."""
        found = re.match(r"[245]\.[0-9]{1,3}\.[0-9]{1,3}(?= |$)", self.words)
        return found[0] if found else ""

    @property
    def about_size(self) -> bool:
        """Whether it says that the message is too large."""
        if self.enhanced:
            return self.enhanced in {"5.3.4", "5.2.3"}
        return self.code == 552

    @property
    def about_name(self) -> bool:
        """Whether it is about how this client named itself."""
        return self.code == 504 or re.search(r"\b(?:HELO|EHLO)\b", self.words, re.I) is not None

    @property
    def shown(self) -> str:
        """The words, cleaned and cut; a page of HTML is not repeated."""
        if re.search(r"<(?:html|body|!doctype)", self.words, re.IGNORECASE):
            return "(an HTML page)"
        return clean_text(self.words)[:WORDS_CHARS]


class Rejection(NamedTuple):
    """A recipient that the server did not take."""

    address: str
    reply: Reply
