"""Text that a client may render as Markdown or HTML, made to show itself.

Exactly what CommonMark or GitHub's dialect would act on gets a backslash; all other text
stays as it is, so what people see in plain text is what was written. The whole message
is looked at, since all its lines are one paragraph to a renderer. Linear time.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterator

_PUNCTUATION = frozenset(string.punctuation)
_RUN = re.compile(r"\*+|_+|~+|\$+|`+")
_RUN_CHARACTERS = "*_~$`"
_BACKSLASH = re.compile(r"\\(?=[!-/:-@\[-`{-~]|$)", re.MULTILINE)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_REFERENCE = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|([A-Za-z][A-Za-z0-9]{0,40}));")
_LINK = re.compile(r"(?<=\])\(")
_RULE = re.compile(r"^[|: ]*(-)[-|: ]*$", re.MULTILINE)
_ADDRESS = re.compile(r"(?:https?|ftp)(:)//|www(\.)", re.IGNORECASE)
_WORD = re.compile(r"\S+")


def escape_markup(message: str) -> str:
    """Put a backslash before each character that a renderer would act on."""
    escaped = {match.start() for match in _BACKSLASH.finditer(message)}
    escaped.update(_runs(message))
    escaped.update(match.start() for match in _TAG.finditer(message))
    escaped.update(_mail_links(message))
    escaped.update(_references(message))
    escaped.update(match.start() for match in _LINK.finditer(message))
    escaped.update(match.start(1) for match in _RULE.finditer(message))
    escaped.update(_addresses(message, escaped))
    if not escaped:
        return message
    return "".join(
        "\\" + character if index in escaped else character
        for index, character in enumerate(message)
    )


def _runs(message: str) -> Iterator[int]:
    """Places of the runs that begin and end something: emphasis, strokes, code, formulas."""
    runs: dict[str, list[range]] = {}
    opened: set[str] = set()
    active: set[str] = set()
    for match in _RUN.finditer(message):
        character, span = match.group()[0], range(*match.span())
        runs.setdefault(character, []).append(span)
        opens, closes = _can(message, character, span)
        if closes and character in opened:
            active.add(character)
        if opens:
            opened.add(character)
    for character in active:
        for span in runs[character]:
            yield from span


def _can(message: str, character: str, span: range) -> tuple[bool, bool]:
    """Whether a run can open, and whether it can close."""
    before = message[span.start - 1] if span.start else " "
    after = message[span.stop] if span.stop < len(message) else " "
    if character == "`" or before in _RUN_CHARACTERS or after in _RUN_CHARACTERS:
        return True, True
    opens, closes = _flanks(before, after), _flanks(after, before)
    if character == "_":
        return (
            opens and (not closes or _is_punctuation(before)),
            closes and (not opens or _is_punctuation(after)),
        )
    return opens, closes


def _flanks(outside: str, inside: str) -> bool:
    """Whether a run leans on the text inside: what CommonMark calls flanking."""
    if inside.isspace():
        return False
    # Dialects do not agree whether a symbol is punctuation; where it matters, it leans.
    return (unicodedata.category(inside)[0] != "P" and inside not in _PUNCTUATION) or (
        outside.isspace() or _is_punctuation(outside)
    )


def _is_punctuation(character: str) -> bool:
    return character in _PUNCTUATION or unicodedata.category(character)[0] in "PS"


def _mail_links(message: str) -> Iterator[int]:
    closed = mail = False
    for index in range(len(message) - 1, -1, -1):
        if message[index] == ">":
            closed, mail = True, False
        elif message[index] == "@":
            mail = closed
        elif message[index] == "<" and mail:
            yield index


def _references(message: str) -> Iterator[int]:
    for match in _REFERENCE.finditer(message):
        name = match.group(1)
        if name is None or _is_named(name):
            yield match.start()


def _is_named(name: str) -> bool:
    from html.entities import html5

    return f"{name};" in html5


def _addresses(message: str, escaped: set[int]) -> Iterator[int]:
    """Where a bare address starts that holds a backslash: no backslash is read inside one."""
    for word in _WORD.finditer(message):
        last = max(filter(escaped.__contains__, range(*word.span())), default=-1)
        for match in _ADDRESS.finditer(message, *word.span()):
            if match.start() < last:
                yield match.start(match.lastindex or 0)
