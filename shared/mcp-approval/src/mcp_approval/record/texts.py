"""Shown texts, kept beside a record where the operator wants that; deleting one erases it."""

from __future__ import annotations

import os
import re

from mcp_approval.record import system
from mcp_approval.record.chain import QUESTIONS, Record, text_digest
from mcp_approval.record.lines import FaultFound, Line

TEXT_BYTES = 1_000_000
"""No question is nearly as long; what is longer was not written here."""

_DIGEST = re.compile("[0-9a-f]{64}")


def folder_of(path: str) -> str:
    """Where the texts of a record lie."""
    return f"{path}.texts"


def keep(path: str, digest: str, text: str) -> None:
    """Write a text, on disk before anybody sees it.

    Raises:
        OSError: It is not there, or was there before.
    """
    folder = folder_of(path)
    system.make_private_folder(folder)
    system.write_new(os.path.join(folder, digest), text.encode("utf-8", "replace"))


def kept_text(path: str, record: Record) -> str | None:
    """Read the text of a question; nothing where it is not there, or not what was shown."""
    content = _content(path, record)
    return None if content is None or not _is_that_of(record, content) else content.decode()


class KeptTexts:
    """Holds what is kept against what was recorded.

    Attributes:
        kept: Texts that are there.
        deleted: Texts that were kept once.
    """

    def __init__(self, path: str) -> None:
        self.kept = 0
        self.deleted = 0
        self._path = path
        self._keeping: set[str] = set()

    def check(self, line: Line, record: Record) -> None:
        """Look for the text of one more event.

        Raises:
            FaultFound: It is there and is another one.
        """
        if record.event == "started" and record.get("texts") is True:
            self._keeping.add(record.text("process"))
        if record.event not in QUESTIONS:
            return
        content = _content(self._path, record)
        if content is None:
            self.deleted += record.text("process") in self._keeping
        elif _is_that_of(record, content):
            self.kept += 1
        else:
            raise FaultFound(f"{line.place}: the kept text of record {record.seq} was changed")


def _content(path: str, record: Record) -> bytes | None:
    name = record.text("text")
    place = os.path.join(folder_of(path), name)
    # What a record says is no path until it looks like what was written.
    if _DIGEST.fullmatch(name) is None or not os.path.isfile(place):
        return None
    with open(place, "rb") as file:
        return file.read(TEXT_BYTES)


def _is_that_of(record: Record, content: bytes) -> bool:
    try:
        return text_digest(bytes.fromhex(record.text("salt")), content.decode()) == record["text"]
    except ValueError:
        return False
