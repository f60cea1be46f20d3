"""A linear walk over HTML, for telling what a cleaner removed.

The standard library's parser takes minutes for a few ten thousand unclosed tags; this one
follows the tokenizer of the HTML standard as far as names, attributes and text go and
reads each character once. It reports; what leaves is decided by nh3.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from html import unescape
from typing import Literal, NamedTuple

RAW_TEXT = frozenset(
    {"iframe", "noembed", "noframes", "noscript", "script", "style", "textarea", "title", "xmp"}
)
"""Elements whose content holds no tags."""


class Token(NamedTuple):
    """One piece: a tag with its attributes, a comment, a tag that is never closed, or text."""

    kind: Literal["start", "end", "comment", "unclosed", "text"]
    data: str
    attributes: tuple[tuple[str, str], ...] = ()


SPACES = r"\t\n\f\r "
"""The white space of HTML, for use between the brackets of a pattern."""

_NAME = re.compile(rf"[A-Za-z][^{SPACES}/>]*")
_GAP = re.compile(rf"[{SPACES}/]*")
_ATTRIBUTE = re.compile(rf"=?[^{SPACES}/>=]*")
_EQUALS = re.compile(rf"[{SPACES}]*=[{SPACES}]*")
_QUOTED = {'"': re.compile(r'"([^"]*)"'), "'": re.compile(r"'([^']*)'")}
_BARE = re.compile(rf"[^{SPACES}>]*")
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def tokens(html: str) -> Iterator[Token]:
    """Walk over a fragment; browsers drop a tag at its end that is never closed."""
    position = 0
    while position < len(html):
        opening = html.find("<", position)
        if opening < 0:
            yield Token("text", unescape(html[position:]))
            return
        if opening > position:
            yield Token("text", unescape(html[position:opening]))
        token, position = _markup(html, opening)
        if token is None:
            yield Token("unclosed", "")
            return
        yield token
        if token.kind == "start" and token.data in RAW_TEXT:
            position = _end_of_raw(html, token.data, position)


def _markup(html: str, start: int) -> tuple[Token | None, int]:
    following = html[start + 1 : start + 2]
    if following in {"!", "?"}:
        return _comment(html, start)
    if following == "/":
        name = _NAME.match(html, start + 2)
        if name is None:
            return _comment(html, start)
        end = html.find(">", name.end())
        return (None, end) if end < 0 else (Token("end", name[0].translate(_LOWER)), end + 1)
    name = _NAME.match(html, start + 1)
    if name is None:
        return Token("text", "<"), start + 1
    attributes: list[tuple[str, str]] = []
    end = _attributes(html, name.end(), attributes)
    if end < 0:
        return None, end
    return Token("start", name[0].translate(_LOWER), tuple(attributes)), end


def _comment(html: str, start: int) -> tuple[Token, int]:
    closing = "-->" if html.startswith("<!--", start) else ">"
    end = html.find(closing, start + 2)
    content = html[start + 2 : len(html) if end < 0 else end]
    return Token("comment", content), len(html) if end < 0 else end + len(closing)


def _attributes(html: str, position: int, found: list[tuple[str, str]]) -> int:
    """Read attributes up to the end of a tag; -1 when the tag is never closed."""
    while True:
        position = _end(_GAP, html, position)
        if position >= len(html):
            return -1
        if html[position] == ">":
            return position + 1
        end = _end(_ATTRIBUTE, html, position)
        name = html[position:end].translate(_LOWER)
        position, value = end, ""
        equals = _EQUALS.match(html, position)
        if equals is not None:
            position = equals.end()
            quoted = _QUOTED.get(html[position : position + 1])
            match = (quoted or _BARE).match(html, position)
            if match is None:
                return -1
            value, position = match[1] if quoted else match[0], match.end()
        found.append((name, unescape(value)))


def _end(pattern: re.Pattern[str], html: str, position: int) -> int:
    match = pattern.match(html, position)
    return position if match is None else match.end()


def _end_of_raw(html: str, tag: str, position: int) -> int:
    closing = re.compile(rf"</{tag}(?=[{SPACES}/>])", re.IGNORECASE).search(html, position)
    return len(html) if closing is None else closing.start()
