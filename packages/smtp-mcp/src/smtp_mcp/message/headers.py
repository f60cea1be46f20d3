"""Header fields whose wire form is exactly what it should be.

The standard library loses or adds blanks when it folds non-ASCII text and turns message
ids beyond 78 columns into encoded words (CPython 3.11 to 3.14), which changes subjects and
breaks threads. A `Field` carries its own folded form; everything else stays the library's.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from email.policy import SMTP

from smtp_mcp.mailbox import Mailbox, Sender

# RFC 2047, 2: a line with an encoded word has at most 76 characters.
LINE_COLUMNS = 76
# RFC 2047, 2: an encoded word has at most 75.
_WORD_COLUMNS = 75
_WORD_FRAME = len("=?utf-8?b??=")

POLICY = SMTP.clone(cte_type="7bit", max_line_length=LINE_COLUMNS)
"""Seven-bit output needs no server extension, so preview and wire are the same everywhere."""

_ATOMS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_WORDS = re.compile(r" *[^ ]+(?: +$)?|^ +$")
LONGEST_WORD = 900
"""A longer one would not fit a line of mail, whose limit is 998."""


class Field(str):
    """A header value that the email package takes and emits as it is."""

    __slots__ = ("_wire", "name")
    name: str
    _wire: str

    def __new__(cls, name: str, value: str, wire: str) -> Field:
        """Make a field from its value and its folded form, name included."""
        field = super().__new__(cls, value)
        field.name = name
        field._wire = wire
        return field

    def fold(self, *, policy: object) -> str:  # noqa: ARG002 (the library's signature)
        """Return the wire form; its bytes are UTF-8, as only SMTPUTF8 addresses show."""
        return self._wire.encode("utf-8").decode("ascii", "surrogateescape")


def text_field(name: str, value: str) -> Field:
    """Encode free text; decoded by any RFC 2047 decoder, it is the input again."""
    return Field(name, value, f"{name}: {encode_text(value, len(name) + 2)}\r\n")


def sender_field(name: str, sender: Sender) -> Field:
    """Encode one mailbox with its display name; the address itself is never encoded."""
    address = f"<{sender.mailbox}>" if sender.name else str(sender.mailbox)
    phrase = encode_phrase(sender.name, len(name) + 2)
    fits = _last_line(f"{name}: {phrase}") + 1 + len(address) <= LINE_COLUMNS
    separator = " " if fits else "\r\n "
    wire = f"{phrase}{separator}{address}" if phrase else address
    shown = f"{sender.name} {address}" if sender.name else address
    return Field(name, shown, f"{name}: {wire}\r\n")


def address_field(name: str, mailboxes: Sequence[Mailbox]) -> Field:
    """List bare addresses, folded behind commas."""
    parts = [f"{mailbox}," for mailbox in mailboxes[:-1]] + [str(mailboxes[-1])]
    return Field(name, " ".join(parts), _folded(name, parts))


def id_field(name: str, ids: Sequence[str]) -> Field:
    """List message ids, folded between them and nowhere else."""
    return Field(name, " ".join(ids), _folded(name, ids))


def parameter_field(name: str, value: str, parameters: Mapping[str, str]) -> Field:
    """Write a value with parameters, one a line.

    A value beyond ASCII is an encoded word in quotes: RFC 2231 is the better form and stands
    in another field; some readers know only this one.
    """
    lines = [f"{name}: {value}"]
    for key, given in parameters.items():
        plain = given.isascii() and "=?" not in given
        shown = given if plain else _encoded_words(given, len(key) + 3)
        escaped = shown.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'{key}="{escaped}"')
    folded = ";\r\n ".join(lines)
    return Field(name, folded.replace("\r\n", ""), f"{folded}\r\n")


def encode_text(value: str, used: int) -> str:
    """Encode text for a header.

    ASCII stays as it is: filters take encoded words for what needs none for a disguise.

    Args:
        value: The text, without line breaks.
        used: Columns taken by the name of the field.
    """
    if _stays(value):
        return _fold(value, used)
    return _encoded_words(value, used) if value else ""


def encode_phrase(name: str, used: int) -> str:
    """Encode a display name: as atoms, quoted, or in encoded words."""
    if not name:
        return ""
    if not _stays(name):
        return _encoded_words(name, used)
    if _ATOMS.fullmatch(name):
        return _fold(name, used)
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return _fold(f'"{escaped}"', used)


def _stays(value: str) -> bool:
    """Tell whether text may stand in a header as it is."""
    longest = max(map(len, value.split(" ")))
    return value.isascii() and value.isprintable() and "=?" not in value and longest < LONGEST_WORD


def _fold(value: str, used: int) -> str:
    """Break in front of blanks, which begin the next line; no word is broken.

    No line is blank, and none begins a field without a word; blanks at the end stay behind
    the last word.
    """
    lines, line, columns = [], "", used
    for part in _WORDS.findall(value):
        if line.strip() and columns + len(part) > LINE_COLUMNS:
            lines.append(line)
            line, columns = "", 0
        line += part
        columns += len(part)
    return "\r\n".join([*lines, line])


def _encoded_words(value: str, used: int) -> str:
    words: list[str] = []
    chunk = ""
    room = _bytes_in_word(LINE_COLUMNS - used)
    size = 0
    for character in value:
        width = len(character.encode("utf-8"))
        if size + width > room:
            words.append(chunk)
            chunk, size = "", 0
            room = _bytes_in_word(_WORD_COLUMNS)
        chunk += character
        size += width
    words.append(chunk)
    return "\r\n ".join(
        f"=?utf-8?b?{base64.b64encode(word.encode('utf-8')).decode('ascii')}?=" for word in words
    )


def _bytes_in_word(columns: int) -> int:
    return (min(columns, _WORD_COLUMNS) - _WORD_FRAME) // 4 * 3


def _folded(name: str, parts: Iterable[str]) -> str:
    line = f"{name}:"
    lines = []
    for part in parts:
        if len(line) + 1 + len(part) > LINE_COLUMNS and line != f"{name}:":
            lines.append(line)
            line = ""
        line += f" {part}"
    lines.append(line)
    return "\r\n".join(lines) + "\r\n"


def _last_line(text: str) -> int:
    return len(text.rpartition("\r\n")[2])
