"""TXT values: from plain text to quoted strings of at most 255 bytes, and back.

A value that begins with a double quote is taken as zone-file text and must consist of
quoted strings only. Anything else is plain text: it is escaped, split and quoted, so
that `parse_txt(format_txt(text)) == text.encode()`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

STRING_BYTES = 255
"""Size limit of one string of a TXT record (RFC 1035, 3.3)."""

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\([0-9]{3})|\\(.)|([^\\])", re.DOTALL)


TXT_POLICIES: Mapping[str, str] = {"v=spf1": "SPF", "v=dmarc1": "DMARC"}
"""How a policy begins that may stand only once at a name."""


class _Unit(NamedTuple):
    """The smallest part that must stay whole: a character, as written and as bytes."""

    written: str
    data: bytes


def format_txt(value: str) -> str:
    """Bring a value to the form that the API takes.

    Raises:
        ValueError: It begins with a quote and is not made of quoted strings.
    """
    stripped = value.strip(" ")
    if stripped.startswith('"'):
        strings = [list(_units(string)) for string in _quoted_strings(stripped)]
    else:
        strings = [[_Unit(_escaped(character), character.encode()) for character in value]]
    pieces = [piece for string in strings for piece in _split(string)]
    return " ".join(f'"{piece}"' for piece in pieces)


def parse_txt(value: str) -> bytes:
    """Return the content of quoted strings, joined as a reader of the record joins them.

    Raises:
        ValueError: It is not made of quoted strings.
    """
    return b"".join(strings_of(value))


def strings_of(value: str) -> list[bytes]:
    """Return the content of each quoted string.

    Raises:
        ValueError: It is not made of quoted strings.
    """
    return [b"".join(unit.data for unit in _units(string)) for string in _quoted_strings(value)]


def content_of(value: str) -> str:
    """Return the content of a value as text; what cannot be read stands for itself."""
    try:
        return parse_txt(value).decode("latin-1")
    except ValueError:
        return value


def policy_of(content: str) -> str:
    """Return the beginning of the policy that a text is, or nothing."""
    word = content[:9].lower()
    for policy in TXT_POLICIES:
        if word.startswith(policy) and word[len(policy) : len(policy) + 1] in {"", " ", ";"}:
            return policy
    return ""


def _quoted_strings(value: str) -> list[str]:
    strings = []
    position = 0
    while position < len(value):
        found = _STRING.match(value, position)
        if found is None:
            raise ValueError(
                "begins with a double quote but is not made of quoted strings only; quote all of "
                "it, or give the plain text and it is quoted for you"
            )
        strings.append(found[1])
        position = found.end()
        while position < len(value) and value[position] == " ":
            position += 1
    return strings


def _units(string: str) -> Iterator[_Unit]:
    pending: _Unit | None = None
    for found in _ESCAPE.finditer(string):
        decimal, escaped, plain = found.groups()
        if decimal is not None and int(decimal) > 255:
            raise ValueError(f"holds the escape \\{decimal}; three digits end at \\255")
        data = bytes([int(decimal)]) if decimal else (escaped or plain).encode()
        unit = _Unit(found[0], data)
        # A character may be written as several byte escapes; they stay together.
        if pending is not None and 0x80 <= data[0] < 0xC0 and len(pending.data) < 4:
            pending = _Unit(pending.written + unit.written, pending.data + data)
            continue
        if pending is not None:
            yield pending
        pending = unit
    if pending is not None:
        yield pending


def _escaped(character: str) -> str:
    return f"\\{character}" if character in '"\\' else character


def _split(units: list[_Unit]) -> list[str]:
    pieces: list[list[str]] = [[]]
    used = 0
    for unit in units:
        if used + len(unit.data) > STRING_BYTES:
            pieces.append([])
            used = 0
        pieces[-1].append(unit.written)
        used += len(unit.data)
    return ["".join(piece) for piece in pieces]
