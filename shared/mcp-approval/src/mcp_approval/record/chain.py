"""The lines of a record: each holds the digest of the one before it.

A line is canonical JSON, so that its digest covers every byte of it and a changed one is
found even where the changed text would mean the same.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping

from mcp_approval.keys import canonical
from mcp_approval.typing import JSONValue

VERSION = 1
FIRST_PREVIOUS = "0" * 64
"""What the first line names as the one before it."""

LINE_BYTES = 2_048
"""Most that one line may hold: a reader needs no more memory than that."""

HEAD_DIGITS = 16
"""Short enough to read out, long enough that no other file can be made to match."""

_LINE_DOMAIN = b"mcp-approval/record\x00"
_TEXT_DOMAIN = b"mcp-approval/text\x00"

ENDS = frozenset(
    {
        "approved",
        "declined",
        "not_ticked",
        "cancelled",
        "timed_out",
        "client_error",
        "client_unsupported",
        "expired",
        "withdrawn",
        "superseded",
        "replaced",
        "elsewhere",
        "token_accepted",
    }
)
"""Events that end a question or spend a token."""

QUESTIONS = frozenset({"asked", "token_issued"})
APPROVALS = frozenset({"approved", "token_accepted"})
OUTCOMES = frozenset({"done", "failed", "unknown", "unused"})


class BrokenLineError(ValueError):
    """A line that is no whole record; the text says what is wrong with it."""


class Record(dict[str, JSONValue]):
    """One line, read and found whole."""

    @property
    def seq(self) -> int:
        """Its number, from 1."""
        value = self.get("seq")
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    @property
    def hash(self) -> str:
        """Its digest, in hex."""
        return self.text("hash")

    @property
    def event(self) -> str:
        """What happened."""
        return self.text("event")

    def text(self, field: str) -> str:
        """Read a text field; empty when it is absent or no text."""
        value = self.get(field)
        return value if isinstance(value, str) else ""

    def number(self, field: str) -> int | None:
        """Read the number of another line, or nothing."""
        value = self.get(field)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    @property
    def head(self) -> str:
        """The first digits of its digest, by which the end of a file is witnessed."""
        return self.hash[:HEAD_DIGITS]

    def line(self) -> bytes:
        """Write it as a line of the file."""
        return canonical(self).encode("utf-8") + b"\n"


def chained(event: Mapping[str, JSONValue], seq: int, previous: str) -> Record:
    """Make the next line of a chain.

    Raises:
        OSError: The event is too large for a line.
    """
    record = Record({**event, "v": VERSION, "seq": seq, "prev": previous})
    record["hash"] = _digest(record)
    if len(record.line()) > LINE_BYTES + 1:
        raise OSError(0, "the event is too large for a line")
    return record


def read_line(line: bytes) -> Record:
    """Read one line, without its newline.

    Raises:
        BrokenLineError: It is not whole.
    """
    if len(line) > LINE_BYTES:
        raise BrokenLineError("no record")
    try:
        value = json.loads(line.decode("utf-8"))
        text = canonical(value)
    except (ValueError, RecursionError):
        raise BrokenLineError("no record") from None
    if not isinstance(value, dict):
        raise BrokenLineError("no record")
    record = Record(value)
    if text.encode("utf-8", "surrogatepass") != line:
        raise BrokenLineError("not in canonical form")
    version = record.number("v")
    if version is not None and version > VERSION:
        raise BrokenLineError("written by a newer version")
    if not hmac.compare_digest(record.hash.encode(), _digest(record).encode()):
        raise BrokenLineError("altered")
    return record


def text_digest(salt: bytes, text: str) -> str:
    """Condense a shown text; the salt keeps short texts from being guessed at leisure."""
    return hashlib.sha256(_TEXT_DOMAIN + salt + text.encode("utf-8", "replace")).hexdigest()


def torn(content: bytes) -> dict[str, JSONValue]:
    """Name what an interrupted write left behind."""
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _digest(record: Record) -> str:
    content = canonical({name: value for name, value in record.items() if name != "hash"})
    return hashlib.sha256(_LINE_DOMAIN + content.encode("utf-8", "surrogatepass")).hexdigest()
