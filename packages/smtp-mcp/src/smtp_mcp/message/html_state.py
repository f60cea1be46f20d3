"""What one element's style and attributes do to the text inside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from smtp_mcp.message import style_rules
from smtp_mcp.message.contrast import BLACK, WHITE, hardly_visible, over
from smtp_mcp.message.inline_style import (
    ROOT_PIXELS,
    Colour,
    Declaration,
    declarations,
    parse_colour,
)

# fmt: off
_TAG_SIZES = {
    "h1": 2.0, "h2": 1.5, "h3": 1.17, "h5": 0.83, "h6": 0.67, "small": 0.83, "sub": 0.83,
    "sup": 0.83,
}
_FONT_SIZES = (10.0, 10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0)
_NEVER_SHOWN = {"area", "datalist", "rp"}
_TELLING_TAGS = {*_TAG_SIZES, *_NEVER_SHOWN, "a", "dialog", "font", "mark", "pre"}
_TELLING_ATTRIBUTES = {"style", "hidden", "bgcolor"}
_INLINE_DISPLAYS = {"inline", "inline-block", "inline-table"}
# fmt: on
_LINK: Colour = (0.0, 0.0, 238 / 255, 1.0)
_MARKED: Colour = (1.0, 1.0, 0.0, 1.0)


class State(NamedTuple):
    """How text stands inside an element.

    Attributes:
        gone: Why nothing inside can be seen, whatever it says itself; empty when it can.
        shown: Whether `visibility` shows it.
        font: Pixels of its font.
        indented: Whether its lines begin far outside.
        opacity: Product of all opacities.
        colour: Colour of its text.
        background: What it stands on.
        preformatted: Whether white space counts.
        case: How its letters are changed.
    """

    gone: str = ""
    shown: bool = True
    font: float = ROOT_PIXELS
    indented: bool = False
    opacity: float = 1.0
    colour: Colour = BLACK
    background: Colour = WHITE
    preformatted: bool = False
    case: str = ""

    @property
    def hidden(self) -> str:
        """Why text cannot be seen, or an empty text when it can."""
        if self.gone:
            return self.gone
        if not self.shown:
            return "visibility"
        if self.font < style_rules.SMALLEST_TEXT:
            return "font size"
        return "indent" if self.indented else ""

    @property
    def faint(self) -> bool:
        """Whether a reader would miss text for its colour."""
        return hardly_visible(self.colour, self.background)

    def read(self, text: str) -> str:
        """Change the case of letters as the style says."""
        if self.case == "uppercase":
            return text.upper()
        if self.case == "lowercase":
            return text.lower()
        if self.case == "capitalize":
            return " ".join(word[:1].upper() + word[1:] for word in text.split(" "))
        return text


class Judged(NamedTuple):
    """An element after its style was judged.

    Attributes:
        state: What holds inside.
        style: The style that stays.
        thin_style: What stays of it where there is no text inside.
        missed: Properties whose loss is told.
        block: Whether it stands on lines of its own; nothing if its style does not say.
        struck: Whether a line goes through its text.
    """

    state: State
    style: str
    thin_style: str
    missed: tuple[str, ...]
    block: bool | None
    struck: bool


def enter(tag: str, attributes: Mapping[str, str], parent: State) -> Judged:
    """Work out what holds inside an element."""
    if tag not in _TELLING_TAGS and attributes.keys().isdisjoint(_TELLING_ATTRIBUTES):
        return Judged(parent, "", "", (), None, False)
    style = attributes.get("style", "")
    won = style_rules.winners(style)
    font = _font(tag, attributes, won, parent)
    kept: list[Declaration] = []
    thin: list[Declaration] = []
    missed: list[str] = []
    for declaration in declarations(style):
        fate, judged = style_rules.judge(declaration, font)
        if fate == "report":
            missed.append(declaration.name)
        if judged.values and (fate == "keep" or (fate == "report" and judged is not declaration)):
            kept.append(judged)
        if judged.values and fate in {"keep", "thin"}:
            thin.append(judged)
    return Judged(
        _state(tag, attributes, won, font, parent),
        "; ".join(map(str, kept)),
        "; ".join(map(str, thin)),
        tuple(missed),
        _block(won),
        any("line-through" in str(won[n]) for n in won if n.startswith("text-decoration")),
    )


def _state(
    tag: str,
    attributes: Mapping[str, str],
    won: Mapping[str, Declaration],
    font: float,
    parent: State,
) -> State:
    opacity = parent.opacity * _share(won)
    indented = style_rules.far_indented(dict(won), font)
    visibility = won["visibility"].word if "visibility" in won else "inherit"
    white_space = won["white-space"].word if "white-space" in won else ""
    case = won["text-transform"].word if "text-transform" in won else parent.case
    preformatted = parent.preformatted or tag == "pre"
    if white_space:
        preformatted = white_space in {"pre", "pre-wrap", "break-spaces"}
    colour, background = _colours(tag, attributes, won, parent)
    return State(
        gone=parent.gone or _gone(tag, attributes, won, font, opacity),
        shown=parent.shown
        if visibility in {"inherit", "unset"}
        else visibility in {"visible", "initial"},
        font=font,
        indented=parent.indented if indented is None else indented,
        opacity=opacity,
        colour=colour,
        background=background,
        preformatted=preformatted,
        case=case,
    )


def _gone(
    tag: str,
    attributes: Mapping[str, str],
    won: Mapping[str, Declaration],
    font: float,
    opacity: float,
) -> str:
    display = won["display"].word if "display" in won else ""
    if display == "none":
        return "display"
    if "hidden" in attributes:
        return "hidden attribute"
    if "mso-hide" in won and won["mso-hide"].word == "all":
        return "mso-hide"
    if tag in _NEVER_SHOWN or (tag == "dialog" and "open" not in attributes):
        return "element"
    if opacity <= style_rules.LEAST_OPACITY:
        return "opacity"
    if style_rules.closed_box(dict(won), font):
        return "size of the box"
    return "position" if style_rules.far_away(dict(won), font) else ""


def _share(won: Mapping[str, Declaration]) -> float:
    if "opacity" not in won or len(won["opacity"].values) != 1:
        return 1.0
    value = won["opacity"].values[0]
    if value.kind not in {"number", "percent"}:
        return 1.0
    return min(1.0, max(0.0, value.number / (100 if value.kind == "percent" else 1)))


def _font(
    tag: str, attributes: Mapping[str, str], won: Mapping[str, Declaration], parent: State
) -> float:
    if "font-size" in won:
        size = style_rules.font_pixels(won["font-size"].values, parent.font)
        if size is not None:
            return size
    if tag == "font" and (size := _font_attribute(attributes.get("size", ""))) is not None:
        return size
    return parent.font * _TAG_SIZES.get(tag, 1.0)


def _font_attribute(text: str) -> float | None:
    digits = text.strip().lstrip("+-")
    if not (digits.isascii() and digits.isdigit()):
        return None
    step = min(int(digits[:3]), 99)
    number = {"+": 3 + step, "-": 3 - step}.get(text.strip()[0], step)
    return _FONT_SIZES[min(7, max(1, number))]


def _colours(
    tag: str, attributes: Mapping[str, str], won: Mapping[str, Declaration], parent: State
) -> tuple[Colour, Colour]:
    colour, background = parent.colour, parent.background
    if tag == "a" and attributes.get("href"):
        colour = _LINK
    if tag == "mark":
        colour, background = BLACK, _MARKED
    if tag == "font" and (given := parse_colour(attributes.get("color", " "))) is not None:
        colour = given
    if (given := parse_colour(attributes.get("bgcolor", " "))) is not None:
        background = over(given, background)
    if "color" in won:
        colour = won["color"].values[0].colour or parent.colour
    if "background-color" in won and (own := won["background-color"].values[0].colour) is not None:
        background = over(own, parent.background)
    return colour, background


def _block(won: Mapping[str, Declaration]) -> bool | None:
    if "float" in won and won["float"].word in {"left", "right"}:
        return True
    display = won["display"].word if "display" in won else ""
    if display not in style_rules.VISIBLE_DISPLAYS:
        return None
    return display not in _INLINE_DISPLAYS
