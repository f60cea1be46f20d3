"""A walk over balanced markup that tells what a reader sees from what is hidden.

What is hidden goes, what is hardly visible is named, and what stays is written out again
with the style that may stay.
"""

from __future__ import annotations

import re
from collections import Counter
from html import escape
from typing import NamedTuple

from smtp_mcp.message.html_lists import BLOCK_ALIASES, PLAIN_ALIAS, TAGS, VOID, permitted
from smtp_mcp.message.html_state import Judged, State, enter
from smtp_mcp.message.html_text import Closing, Reading
from smtp_mcp.message.html_tokenizer import Token, tokens
from smtp_mcp.message.inline_style import parse_colour

CID = re.compile(r"cid:([A-Za-z0-9._-]{1,64})")


class Concealed(NamedTuple):
    """Text that a reader does not see, or hardly.

    Attributes:
        text: The text.
        how: What hides it.
        sent: Whether it is sent all the same.
    """

    text: str
    how: str
    sent: bool


class Walk:
    """What one walk found.

    Attributes:
        reading: What a reader sees.
        cids: Content ids of the images that are shown.
        gone: Elements and attributes that went with hidden text.
        missed: Style whose loss is told.
    """

    def __init__(self, html: str) -> None:
        self.reading = Reading()
        self._concealed: list[tuple[str, bool, list[str]]] = []
        self.cids: set[str] = set()
        self.gone: Counter[tuple[str, str]] = Counter()
        self.missed: Counter[tuple[str, str]] = Counter()
        self._out: list[str] = []
        self._frames = [_Frame("", "", State(), None, 0, 0)]
        self._visible = 0
        self._hidden = 0
        found = list(tokens(html))
        self._items = _counted_items(found)
        for token in found:
            self._take(token)

    @property
    def html(self) -> str:
        """The markup without what is hidden."""
        return "".join(self._out)

    @property
    def concealed(self) -> tuple[Concealed, ...]:
        """What a reader does not see, in order."""
        return tuple(Concealed(" ".join(words), how, sent) for how, sent, words in self._concealed)

    @property
    def shows_something(self) -> bool:
        """Whether a reader sees a word or an image."""
        return bool(self.reading.text) or bool(self.cids)

    def _take(self, token: Token) -> None:
        if token.kind == "text":
            self._text(token.data)
        elif token.kind == "start":
            self._start(token.data, dict(token.attributes))
        elif token.kind == "end":
            self._end(token.data)

    def _text(self, text: str) -> None:
        state = self._frames[-1].state
        if how := state.hidden:
            self._conceal(text, how, sent=False)
            return
        self._out.append(escape(text, quote=False))
        if not text.strip():
            self.reading.write(text, preformatted=state.preformatted)
            return
        self._visible += 1
        if state.faint:
            self._conceal(text, "colour", sent=True)
            self.reading.faint(text)
        else:
            self.reading.write(state.read(text), preformatted=state.preformatted)

    def _conceal(self, text: str, how: str, *, sent: bool) -> None:
        words = " ".join(text.split())
        if not words:
            return
        if not sent:
            self._hidden += 1
        if not self._concealed or self._concealed[-1][:2] != (how, sent):
            self._concealed.append((how, sent, []))
        self._concealed[-1][2].append(words)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        parent = self._frames[-1].state
        judged = enter(tag, attributes, parent)
        state = judged.state
        image_hidden = tag == "img" and (not state.shown or state.indented)
        if state.gone or image_hidden:
            self._hidden += tag == "img"
            self._count_gone(tag, attributes)
            if tag not in VOID:
                self._frames.append(_Frame(tag, "", state, None, len(self._out), 0))
            return
        written = tag if tag in TAGS else _alias(tag, judged.style, attributes)
        closing = self._read(written, attributes, judged)
        self.missed.update((tag, f"style {name}") for name in judged.missed)
        self._note_image(tag, attributes)
        start = _start_tag(written, attributes, judged.style)
        self._out.append(start)
        if tag not in VOID:
            frame = _Frame(tag, written, state, closing, len(self._out) - 1, self._visible)
            frame.hidden = self._hidden
            if judged.thin_style != judged.style:
                frame.thin = _start_tag(written, attributes, judged.thin_style)
            self._frames.append(frame)

    def _read(self, tag: str, attributes: dict[str, str], judged: Judged) -> Closing | None:
        if not tag:
            return None
        if judged.struck and judged.block is None and tag in {"span", "font"}:
            return self.reading.struck()
        items = self._items.pop(0) if tag == "ol" and "reversed" in attributes else 0
        return self.reading.start(tag, attributes, block=judged.block, items=items)

    def _end(self, tag: str) -> None:
        if len(self._frames) < 2 or self._frames[-1].tag != tag:
            return
        frame = self._frames.pop()
        if not frame.written:
            return
        shows = self._visible > frame.visible
        if tag == "a" and not shows and self._hidden > frame.hidden:
            self._out[frame.index] = ""
            self.gone.update([("a", ""), ("a", "href")])
            return
        self.reading.end(frame.written, frame.closing)
        if frame.thin and not shows:
            self._out[frame.index] = frame.thin
        self._out.append(f"</{frame.written}>")

    def _note_image(self, tag: str, attributes: dict[str, str]) -> None:
        if tag != "img":
            return
        self._visible += 1
        if found := CID.fullmatch(attributes.get("src", "")):
            self.cids.add(found[1])

    def _count_gone(self, tag: str, attributes: dict[str, str]) -> None:
        self.gone[tag, ""] += 1
        self.gone.update((tag, name) for name in attributes)


class _Frame:
    """An open element."""

    __slots__ = ("closing", "hidden", "index", "state", "tag", "thin", "visible", "written")

    def __init__(
        self,
        tag: str,
        written: str,
        state: State,
        closing: Closing | None,
        index: int,
        visible: int,
    ) -> None:
        self.tag = tag
        self.written = written
        self.state = state
        self.closing = closing
        self.index = index
        self.visible = visible
        self.hidden = 0
        self.thin = ""


def _counted_items(found: list[Token]) -> list[int]:
    """Count the items of each list that counts down, in the order of the lists."""
    counts: list[int] = []
    open_lists: list[int | None] = []
    for token in found:
        which = open_lists[-1] if open_lists else None
        if token.data in {"ol", "ul"} and token.kind == "end" and open_lists:
            open_lists.pop()
        elif token.data in {"ol", "ul"} and token.kind == "start":
            down = token.data == "ol" and "reversed" in dict(token.attributes)
            open_lists.append(len(counts) if down else None)
            counts += [0] if down else []
        elif token.data == "li" and token.kind == "start" and which is not None:
            counts[which] += 1
    return counts


def _alias(tag: str, style: str, attributes: dict[str, str]) -> str:
    """Give an element that may not stay the name of one that may, if it carries anything."""
    if tag in BLOCK_ALIASES:
        return "div"
    if tag == "bdo":
        attributes.pop("dir", None)
    return PLAIN_ALIAS if style or attributes.keys() & {"lang", "bgcolor"} else ""


def _start_tag(tag: str, attributes: dict[str, str], style: str) -> str:
    if not tag:
        return ""
    given = {name: value for name, value in attributes.items() if permitted(tag, name)}
    given.pop("style", None)
    for name in ("color", "bgcolor"):
        if name in given and not _plain_colour(given, name):
            del given[name]
    if style:
        given["style"] = style
    if tag == "details":
        given["open"] = ""
    words = "".join(f' {name}="{escape(value)}"' for name, value in given.items())
    return f"<{tag}{words}>" + ("\n" if tag == "pre" else "")


def _plain_colour(given: dict[str, str], name: str) -> bool:
    value = given[name].strip()
    if parse_colour(value) is None:
        return False
    bare = len(value) == 6 and not value.startswith("#") and not value.isalpha()
    given[name] = f"#{value}" if bare else value
    return True
