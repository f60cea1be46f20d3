"""The HTML part: the only thing of a mail that is changed, and every removal is told.

nh3 parses as a browser does and keeps what is on the lists. What went missing is found by
walking over input and output and comparing.
"""

from __future__ import annotations

import re
from collections import Counter
from html import escape
from typing import NamedTuple

import nh3

from mcp_serverkit.errors import ToolFailure
from smtp_mcp.message.html_tokenizer import Token, tokens

# fmt: off
_TAGS = {
    "a", "abbr", "address", "article", "aside", "b", "bdi", "bdo", "blockquote", "br", "caption",
    "center", "cite", "code", "col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt",
    "em", "figcaption", "figure", "font", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header",
    "hr", "i", "img", "ins", "kbd", "li", "main", "mark", "nav", "ol", "p", "pre", "q", "s",
    "samp", "section", "small", "span", "strike", "strong", "sub", "summary", "sup", "table",
    "tbody", "td", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var", "wbr",
}
_WITH_CONTENT = {
    "applet", "audio", "button", "canvas", "embed", "form", "frameset", "iframe", "math",
    "noembed", "noframes", "noscript", "object", "script", "select", "style", "svg", "template",
    "textarea", "title", "video", "xmp",
}
_ATTRIBUTES = {
    "*": {"align", "bgcolor", "class", "dir", "height", "id", "lang", "style", "title", "valign",
          "width"},
    "a": {"href", "name"},
    "blockquote": {"cite"},
    "col": {"span"},
    "colgroup": {"span"},
    "font": {"color", "face", "size"},
    "img": {"alt", "border", "src"},
    "ol": {"start", "type"},
    "table": {"border", "cellpadding", "cellspacing"},
    "td": {"colspan", "rowspan", "nowrap"},
    "th": {"colspan", "rowspan", "nowrap", "scope"},
}
_PROPERTIES = {
    "background-color", "border", "border-bottom", "border-collapse", "border-color", "border-left",
    "border-radius", "border-right", "border-spacing", "border-style", "border-top",
    "border-width", "color", "display", "font", "font-family", "font-size", "font-style",
    "font-weight", "height", "letter-spacing", "line-height", "list-style-type", "margin",
    "margin-bottom", "margin-left", "margin-right", "margin-top", "max-width", "min-width",
    "padding", "padding-bottom", "padding-left", "padding-right", "padding-top", "text-align",
    "text-decoration", "text-indent", "text-transform", "vertical-align", "white-space", "width",
    "word-break",
}
# fmt: on

_VOID = {"embed"}
_SCHEMES = {"http", "https", "mailto", "tel", "cid"}
_STYLE_VALUE = re.compile(r"(?:rgba?|hsla?)\([0-9.,%/ ]{1,60}\)|[-#A-Za-z0-9.,%'\"! ]")
_CID = re.compile(r"cid:([A-Za-z0-9._-]{1,64})")
_BLOCKS = _TAGS - {"a", "abbr", "b", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "font", "i"}
_INLINE = {"img", "ins", "kbd", "mark", "q", "s", "samp", "small", "span", "strike", "strong"}
_BREAKING = _BLOCKS - _INLINE - {"sub", "sup", "td", "th", "time", "tt", "u", "var", "wbr"}

REPORTED = 40
"""Kinds of removed items that are named."""


class HTMLRefused(ToolFailure):
    """The HTML part cannot be made safe, or names images that are not there."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"html: {reason}. Nothing was sent.", code="html_refused")


class Cleaned(NamedTuple):
    """An HTML part as it will be sent.

    Attributes:
        html: The markup.
        removed: What is no longer in it, in words.
        cids: Content ids of the images that it shows.
        text: How it reads.
    """

    html: str
    removed: tuple[str, ...]
    cids: frozenset[str]
    text: str


def clean_html(html: str) -> Cleaned:
    """Remove what loads, runs or hides, and report it.

    Raises:
        HTMLRefused: Something forbidden survived, or nothing did.
    """
    output = nh3.clean(
        html,
        tags=_TAGS,
        clean_content_tags=_WITH_CONTENT,
        attributes=_ATTRIBUTES,
        attribute_filter=_filter,
        url_schemes=_SCHEMES,
        url_relative="deny",
        link_rel=None,
    )
    before, after = _walk(html), _walk(output)
    if any(not _permitted(*item) for item in after.items):
        raise HTMLRefused("something forbidden survived the cleaning; simplify the markup")
    if not output.strip():
        raise HTMLRefused("nothing is left of it after the cleaning")
    missing = before.items - after.items
    named = [_describe(tag, attribute, count) for (tag, attribute), count in missing.items()]
    if len(named) > REPORTED:
        named = [*named[:REPORTED], f"{len(named) - REPORTED} more kinds"]
    return Cleaned(output, tuple(named), frozenset(after.cids), after.text)


def quoted_html(quote: str) -> str:
    """Put quoted text into a block of its own."""
    return f"<blockquote>{escape(quote, quote=False).replace(chr(10), '<br>')}</blockquote>"


def markdown_html(source: str) -> str:
    """Render Markdown; HTML inside it becomes text."""
    import mistune

    rendered = mistune.create_markdown(escape=True, plugins=["table", "strikethrough", "url"])(
        source
    )
    return rendered if isinstance(rendered, str) else ""


def _filter(tag: str, attribute: str, value: str) -> str | None:
    if attribute == "style":
        return _clean_style(value)
    if tag == "img" and attribute == "src":
        return value if _CID.fullmatch(value) else None
    return value


def _clean_style(value: str) -> str | None:
    kept = [
        f"{name}: {given}"
        for declaration in value.split(";")
        for name, colon, given in [_declaration(declaration)]
        if colon and name in _PROPERTIES and not _STYLE_VALUE.sub("", given)
    ]
    return "; ".join(kept) or None


def _declaration(text: str) -> tuple[str, str, str]:
    name, colon, given = text.partition(":")
    return name.strip().lower(), colon, given.strip()


def _permitted(tag: str, attribute: str) -> bool:
    if tag == "#comment" or tag not in _TAGS:
        return False
    plain = attribute.partition(" ")[0]
    return not plain or plain in _ATTRIBUTES["*"] or plain in _ATTRIBUTES.get(tag, set())


def _describe(tag: str, attribute: str, count: int) -> str:
    name = _quotable(tag)
    if tag == "#comment":
        what = "comment or unclosed tag"
    elif attribute:
        what = f"{_quotable(attribute)} of <{name}>"
    else:
        what = f"<{name}>{' with its content' if tag in _WITH_CONTENT else ''}"
    return f"{what} ({count} times)" if count > 1 else what


def _quotable(name: str) -> str:
    return name if re.fullmatch(r"[a-z0-9: -]{1,40}", name) else "(an odd name)"


def _walk(html: str) -> _Walk:
    walk = _Walk()
    for token in tokens(html):
        walk.take(token)
    return walk


class _Walk:
    """Counts elements, attributes and style properties, and collects the text."""

    def __init__(self) -> None:
        self.items: Counter[tuple[str, str]] = Counter()
        self.cids: set[str] = set()
        self._pieces: list[str] = []
        self._muted = 0

    @property
    def text(self) -> str:
        lines = "".join(self._pieces).split("\n")
        shown = "\n".join(re.sub(r"\s+", " ", line).strip() for line in lines)
        return re.sub(r"\n{3,}", "\n\n", shown).strip()

    def take(self, token: Token) -> None:
        if token.kind == "start":
            self._start(token)
        elif token.kind == "comment":
            self.items["#comment", ""] += 1
        elif token.kind == "end":
            self._end(token.data)
        elif not self._muted:
            self._pieces.append(token.data.replace("\n", " "))

    def _start(self, token: Token) -> None:
        tag = token.data
        self.items[tag, ""] += 1
        for name, value in token.attributes:
            self._note_attribute(tag, name, value)
        if tag in _WITH_CONTENT - _VOID:
            self._muted += 1
        elif tag in _BREAKING:
            self._pieces.append("\n")
        elif tag in {"td", "th"}:
            self._pieces.append(" ")
        elif tag == "img":
            self._pieces.append(dict(token.attributes).get("alt", ""))

    def _end(self, tag: str) -> None:
        if tag in _WITH_CONTENT:
            self._muted = max(0, self._muted - 1)
        elif tag in _BREAKING:
            self._pieces.append("\n")

    def _note_attribute(self, tag: str, name: str, value: str) -> None:
        if name == "style":
            for declaration in value.split(";"):
                prop, colon, _ = _declaration(declaration)
                if colon:
                    self.items[tag, f"style {prop}"] += 1
            return
        self.items[tag, name] += 1
        if name == "src" and (found := _CID.fullmatch(value)):
            self.cids.add(found[1])
