"""What a message looks like to somebody whose client renders it, by GitHub's own renderer."""

from __future__ import annotations

import html
import re
from urllib.parse import unquote

import cmarkgfm  # type: ignore[import-untyped]

_PLAIN = re.compile(r"</?p>|<br />|</a>")
_LINK = re.compile(r'<a href="[^"]*">')
_LINKED = re.compile(r'<a href="([^"]*)">([^<]*)</a>')


def collapsed(message: str) -> str:
    """A message on one line, as a client shows it that drops line ends."""
    return " ".join(message.split())


def rendered(message: str) -> str:
    """The HTML that GitHub makes of a message."""
    return str(cmarkgfm.github_flavored_markdown_to_html(message))


def read_by_eye(message: str) -> str:
    """What is seen of a rendered message, on one line.

    Raises:
        AssertionError: Something was made of it that is no paragraph, line break or link
            of an address to itself.
    """
    page = rendered(message)
    for target, shown in _LINKED.findall(page):
        address = html.unescape(shown)
        assert _same_address(html.unescape(target), address), f"{address!r} opens {target!r}"
    seen = _LINK.sub("", _PLAIN.sub("", page))
    assert "<" not in seen, seen
    return collapsed(html.unescape(seen))


def _same_address(target: str, shown: str) -> bool:
    known = ("", "mailto:", "http://", "xmpp:")
    return any(unquote(target) == unquote(begin + shown) for begin in known)
