"""The entries of a zone file: one directive or record each, as words.

A line without quotes, brackets, escapes and comments is split at its blanks; dnspython
reads the others, which may go on over several lines.
"""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import dns.exception
import dns.tokenizer

from hetzner_dns_mcp.zonefile.content import UnreadableZoneError

_SPECIAL = re.compile(r'["();\\]')
_STOP_EVERY = 256
"""Entries between two looks at whether anybody still waits."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry.

    Attributes:
        line: Number of its first line, from 1.
        indented: Whether it begins with a blank, so that the name before holds.
        words: Its words.
        comment: What stands behind its semicolon.
    """

    line: int
    indented: bool
    words: list[dns.tokenizer.Token]
    comment: str = ""


def entries(text: str, stop: threading.Event | None = None) -> Iterator[Entry]:
    """Split a zone file into its entries; blank and comment lines are left out.

    Raises:
        UnreadableZoneError: Quotes or brackets do not end, or nobody waits any more.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    file = io.StringIO(text)
    position = count = 0
    number = 1
    while position < len(text):
        count += 1
        if count % _STOP_EVERY == 1 and stop is not None and stop.is_set():
            raise UnreadableZoneError("nobody waits for it any more")
        start = position
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        line = text[position:end]
        if _SPECIAL.search(line) is None:
            entry = _plain(line, number)
            position = end + 1
        else:
            entry, position = _lexed(file, position, number)
        number += text.count("\n", start, position)
        if entry.words:
            yield entry


def _plain(line: str, number: int) -> Entry:
    words = [
        dns.tokenizer.Token(dns.tokenizer.IDENTIFIER, word)
        for word in line.replace("\t", " ").split(" ")
        if word
    ]
    return Entry(number, line[:1] in {" ", "\t"}, words)


def _lexed(file: io.StringIO, position: int, number: int) -> tuple[Entry, int]:
    file.seek(position)
    tokens = dns.tokenizer.Tokenizer(file, "line")
    words: list[dns.tokenizer.Token] = []
    try:
        token = tokens.get(want_leading=True)
        indented = token.is_whitespace()
        if indented:
            token = tokens.get()
        while not token.is_eol_or_eof():
            words.append(token)
            token = tokens.get()
    except dns.exception.DNSException as error:
        raise UnreadableZoneError(str(error) or type(error).__name__, number) from None
    return Entry(number, indented, words, token.comment or ""), file.tell()
