"""The HTML part: the only thing of a mail that is changed, and every removal is told.

nh3 parses as a browser does. Its first run balances the markup and keeps all style, so that
hidden text can be told and taken out; its second run keeps what is on the lists. What a
reader sees is read off the final markup and must be what was seen before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from html import escape
from typing import NamedTuple

import nh3

from mcp_serverkit.errors import ToolFailure
from smtp_mcp.message.html_lists import (
    ATTRIBUTES,
    SCHEMES,
    TAGS,
    WITH_CONTENT,
    permitted,
    told,
)
from smtp_mcp.message.html_text import Link
from smtp_mcp.message.html_tokenizer import Token, tokens
from smtp_mcp.message.html_visibility import CID, Concealed, Walk
from smtp_mcp.message.inline_style import declarations
from smtp_mcp.message.style_rules import judge

REPORTED = 40
"""Kinds of removed items that are named."""

_FONTS = (6.0, 16.0, 48.0, 200.0)
_JUDGED_ATTRIBUTES = {"hidden", "open", "style", "dir", "lang", "bgcolor"}
_UNNAMEABLE = {"html", "head", "body", "plaintext", *WITH_CONTENT}


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
        words: Its visible words alone.
        links: Its links, each pair of text and target once.
        concealed: Hidden text that was taken out, and hardly visible text that is sent.
    """

    html: str
    removed: tuple[str, ...]
    cids: frozenset[str]
    text: str
    words: str
    links: tuple[Link, ...]
    concealed: tuple[Concealed, ...]


def clean_html(html: str) -> Cleaned:
    """Remove what loads, runs or hides, and report it.

    Raises:
        HTMLRefused: Something forbidden survived, nothing did, or it cannot be told what a
            reader would see.
    """
    given = list(tokens(html))
    balanced = _balanced(_framed(html, given), given)
    seen = Walk(balanced)
    output = nh3.clean(
        seen.html,
        tags=TAGS,
        clean_content_tags=WITH_CONTENT,
        attributes=ATTRIBUTES,
        attribute_filter=_filter,
        url_schemes=SCHEMES,
        url_relative="deny",
        link_rel=None,
    )
    after = _items(tokens(output))
    if any(not permitted(*item) for item in after):
        raise HTMLRefused("something forbidden survived the cleaning; simplify the markup")
    final = Walk(output)
    if not final.shows_something:
        raise HTMLRefused("nothing is left of it that a reader could see")
    hidden = any(not concealed.sent for concealed in final.concealed)
    if hidden or seen.reading.text.split() != final.reading.text.split():
        raise HTMLRefused("it cannot be told what a reader would see; simplify the markup")
    return Cleaned(
        output,
        _removed(_items(given) - after - seen.gone, seen.missed),
        frozenset(final.cids),
        final.reading.text,
        final.reading.plain,
        tuple(dict.fromkeys(final.reading.links)),
        tuple(seen.concealed),
    )


def quoted_html(quote: str) -> str:
    """Put quoted text into a block of its own."""
    return f"<blockquote>{escape(quote, quote=False).replace(chr(10), '<br>')}</blockquote>"


def markdown_html(source: str) -> str:
    """Render Markdown; HTML inside it becomes text, and a line break stays one."""
    import mistune

    # Where a link may lead is decided by the cleaner's list alone.
    renderer = mistune.HTMLRenderer(escape=True, allow_harmful_protocols=True)
    rendered = mistune.create_markdown(
        renderer=renderer, hard_wrap=True, plugins=["table", "strikethrough", "url"]
    )(source)
    return rendered if isinstance(rendered, str) else ""


def _framed(html: str, given: list[Token]) -> str:
    """Let what `html` and `body` say hold for a block around the whole."""
    attributes: dict[str, str] = {}
    styles: list[str] = []
    for tag in ("html", "body"):
        first = next((t for t in given if t.kind == "start" and t.data == tag), None)
        own = dict(reversed(first.attributes)) if first else {}
        attributes |= {name: own[name] for name in reversed(own) if name in {"lang", "dir"}}
        styles += [f"background-color: {own['bgcolor']}"] if "bgcolor" in own else []
        styles += [f"color: {own['text']}"] if "text" in own else []
        styles += [own["style"]] if "style" in own else []
    if styles:
        attributes["style"] = ";".join(styles)
    if not attributes:
        return html
    words = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    return f"<div{words}>{html}</div>"


def _balanced(html: str, given: list[Token]) -> str:
    """Let nh3 parse and balance it, with the names and the style of all elements."""
    named = {token.data for token in given if token.kind == "start"}
    attributes = {**ATTRIBUTES, "*": ATTRIBUTES["*"] | _JUDGED_ATTRIBUTES}
    return nh3.clean(
        html,
        tags=(TAGS | named) - _UNNAMEABLE,
        clean_content_tags=WITH_CONTENT,
        attributes=attributes,
        url_schemes=SCHEMES,
        url_relative="deny",
        link_rel=None,
    )


def _filter(tag: str, attribute: str, value: str) -> str | None:
    if attribute == "style":
        # Sizes were judged where the font was known; here the kind of value is looked at again.
        kept = [
            str(declaration)
            for declaration in declarations(value)
            if any(judge(declaration, font)[0] in {"keep", "thin"} for font in _FONTS)
        ]
        return "; ".join(kept) or None
    if tag == "img" and attribute == "src":
        return value if CID.fullmatch(value) else None
    return value


def _items(found: Iterable[Token]) -> Counter[tuple[str, str]]:
    items: Counter[tuple[str, str]] = Counter()
    for token in found:
        if token.kind == "start":
            items[token.data, ""] += 1
            items.update((token.data, name) for name, _ in token.attributes)
        elif token.kind == "unclosed":
            items["#unclosed", ""] += 1
        elif token.kind == "comment" and _holds_something(token.data):
            items["#comment", ""] += 1
    return items


def _holds_something(comment: str) -> bool:
    """Tell whether Outlook would show what stands in a comment."""
    found = re.match(r"(?:--)?\s*\[if\b[^\]]*\]>(.*)", comment, re.DOTALL | re.IGNORECASE)
    return found is not None and bool(re.sub(r"<!(?:\[endif\])?-*>?|-+$", "", found[1]).strip())


def _removed(missing: Counter[tuple[str, str]], style: Counter[tuple[str, str]]) -> tuple[str, ...]:
    counted = Counter({item: n for item, n in missing.items() if told(*item)}) + style
    named = [_describe(tag, attribute, count) for (tag, attribute), count in counted.items()]
    if len(named) > REPORTED:
        named = [*named[:REPORTED], f"{len(named) - REPORTED} more kinds"]
    return tuple(named)


def _describe(tag: str, attribute: str, count: int) -> str:
    name = _quotable(tag)
    if tag.startswith("#"):
        what = {"#comment": "conditional comment", "#unclosed": "unclosed tag"}[tag]
    elif attribute:
        what = f"{_quotable(attribute)} of <{name}>"
    else:
        what = f"<{name}>{' with its content' if tag in WITH_CONTENT else ''}"
    return f"{what} ({count} times)" if count > 1 else what


def _quotable(name: str) -> str:
    return name if re.fullmatch(r"[a-z0-9: -]{1,40}", name) else "(an odd name)"
