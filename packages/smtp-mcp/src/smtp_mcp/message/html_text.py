"""HTML as it reads in plain text: for the text part, and for a person who is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from smtp_mcp.message.html_tokenizer import SPACES
from smtp_mcp.message.text_blocks import Block, ItemList

DEEPEST = 40
"""Blocks within blocks that are set apart; deeper ones keep their lines and lose their marks."""

# The text of one link; a whole page inside a link is no link text.
LINK_CHARS = 2_000

# fmt: off
_PARAGRAPHS = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "figure", "dl"}
_LINES = {
    "address", "article", "aside", "caption", "center", "dd", "details", "div", "dt", "figcaption",
    "footer", "header", "li", "main", "nav", "ol", "section", "summary", "table", "tbody", "tfoot",
    "thead", "tr", "ul",
}
# fmt: on
_STRUCK = {"del", "s", "strike"}
_BLANKS = re.compile(rf"[{SPACES}]+")
_SCHEME = re.compile(r"^(?:https?://|mailto:|tel:)?(?:www\.)?", re.IGNORECASE)

Closing: TypeAlias = tuple[Literal["block", "row", "cell", "link", "after", "line"], str]
"""What the end of an element does, and with which text."""


class Link(NamedTuple):
    """A link of the HTML part.

    Attributes:
        text: What is visible of it.
        target: Where it leads.
    """

    text: str
    target: str


class Reading:
    """Collects what is visible of an HTML part, in its order.

    Attributes:
        links: Links with their visible text, in order.
    """

    def __init__(self) -> None:
        self.links: list[Link] = []
        self._blocks = [Block()]
        self._rows: list[list[str]] = []
        self._lists: list[ItemList] = []
        self._plain: list[str] = []
        self._link_from = 0
        self._link_text: list[str] = []

    @property
    def text(self) -> str:
        """All of it, with marks and the targets of links."""
        lines = "\n".join(self._blocks[0].finished()).replace("\xa0", " ")
        return re.sub(r"\n{3,}", "\n\n", lines).strip("\n")

    @property
    def plain(self) -> str:
        """The visible words alone, without a mark or a target."""
        return "".join(self._plain).replace("\xa0", " ")

    def write(self, text: str, *, preformatted: bool = False) -> None:
        """Add visible text."""
        self._plain.append(text)
        self._link_text.append(text)
        if preformatted:
            self._write_lines(text)
        else:
            self._write_flowing(text)

    def faint(self, text: str) -> None:
        """Note text that only names a link, since it is hardly visible."""
        self._link_text.append(text)

    def start(
        self, tag: str, attributes: Mapping[str, str], *, block: bool | None, items: int = 0
    ) -> Closing | None:
        """Begin an element; what is returned goes to `end`.

        Args:
            tag: Its name.
            attributes: Its attributes.
            block: Whether its style sets it apart; nothing if it does not say.
            items: Items of a list that counts down.
        """
        if tag in {"img", "br", "hr"}:
            self._void(tag, attributes, block)
            return None
        if tag == "a" and attributes.get("href"):
            self._link_from, self._link_text = len(self._plain), []
            if self._now.ends_in_word:
                self._now.blank()
            return "link", attributes["href"]
        if tag in {"ul", "ol"}:
            self._lists.append(ItemList(tag, attributes, items))
        elif tag == "tr":
            self._part(1)
            self._rows.append([])
            return "row", ""
        elif tag in {"td", "th"}:
            return self._cell()
        else:
            return self._other(tag, attributes, block)
        return self._lines(tag, block)

    def end(self, tag: str, closing: Closing | None) -> None:
        """End an element."""
        if tag in {"ul", "ol"}:
            self._lists.pop()
        if closing is None:
            return
        kind, text = closing
        if kind == "link":
            self._end_link(text)
        elif kind == "after":
            self._mark(text)
        elif kind == "block":
            block = self._blocks.pop()
            self._now.insert(block)
            self._part(int(text))
        elif kind == "cell":
            self._end_cell()
        elif kind == "row":
            self._end_row()
        else:
            self._part(int(text))

    @property
    def _now(self) -> Block:
        return self._blocks[-1]

    def _part(self, lines: int) -> None:
        self._now.part(lines)
        self._plain.append("\n")

    def _mark(self, text: str) -> None:
        self._now.write(text)

    def _write_flowing(self, text: str) -> None:
        words = _BLANKS.split(text)
        for number, word in enumerate(words):
            if number:
                self._now.blank()
            if word:
                self._now.write(word)

    def _write_lines(self, text: str) -> None:
        for number, line in enumerate(text.split("\n")):
            if number:
                self._now.end_line()
            if line:
                self._now.write(line, indented=True)

    def _void(self, tag: str, attributes: Mapping[str, str], block: bool | None) -> None:
        if tag == "br":
            self._now.end_line()
            self._plain.append("\n")
            return
        alt = " ".join(attributes.get("alt", "").split())
        shown = "---" if tag == "hr" else f"[image: {alt}]" if alt else ""
        if tag == "hr" or block:
            self._part(1)
        if shown:
            self._now.write(shown)
        if tag == "hr" or block:
            self._part(1)
        else:
            self._link_text.append(shown)

    def _other(self, tag: str, attributes: Mapping[str, str], block: bool | None) -> Closing | None:
        deep = len(self._blocks) > DEEPEST
        if tag == "li":
            mark = self._lists[-1].mark(attributes) if self._lists else "- "
            return self._set_apart(mark, "  ", 1) if not deep else self._lines(tag, block)
        if tag == "blockquote" and not deep:
            return self._set_apart("> ", "> ", 2)
        if tag in _STRUCK:
            return self._around("~~", "~~")
        if tag == "q":
            return self._around("“", "”")
        if tag == "sup":
            self._mark("^")
            return None
        return self._lines(tag, block)

    def struck(self) -> Closing:
        """Begin text that a line goes through by its style."""
        return self._around("~~", "~~")

    def _around(self, before: str, after: str) -> Closing:
        self._mark(before)
        return "after", after

    def _set_apart(self, first: str, rest: str, lines: int) -> Closing:
        self._part(lines)
        self._blocks.append(Block(first, rest))
        return "block", str(lines)

    def _lines(self, tag: str, block: bool | None) -> Closing | None:
        lines = 2 if tag in _PARAGRAPHS else 1
        if block is False or (block is None and tag not in _PARAGRAPHS | _LINES):
            return None
        if tag in {"ul", "ol"} and len(self._lists) > 1:
            lines = 1
        self._part(lines)
        return "line", str(lines)

    def _cell(self) -> Closing | None:
        if not self._rows or len(self._blocks) > DEEPEST:
            return self._lines("div", None)
        self._blocks.append(Block())
        return "cell", ""

    def _end_cell(self) -> None:
        lines = self._blocks.pop().finished()
        self._plain.append("\n")
        if self._rows:
            self._rows[-1].append("\n".join(lines))

    def _end_row(self) -> None:
        cells = self._rows.pop()
        while cells and not cells[-1]:
            cells.pop()
        while cells and not cells[0]:
            del cells[0]
        flat = all("\n" not in cell for cell in cells)
        whole = " | ".join(cells) if flat else "\n".join(cell for cell in cells if cell)
        block = Block()
        block.lines = whole.split("\n") if whole else []
        self._part(1)
        self._now.insert(block)
        self._part(1)

    def _end_link(self, target: str) -> None:
        text = " ".join("".join(self._link_text).split())[:LINK_CHARS]
        self.links.append(Link(text, target))
        if _bare(text) != _bare(target):
            self._now.blank()
            self._now.write(f"<{target}>")
        self._link_text = []


def _bare(address: str) -> str:
    return _SCHEME.sub("", address, count=1).rstrip("/").casefold()
