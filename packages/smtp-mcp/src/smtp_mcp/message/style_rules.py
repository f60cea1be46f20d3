"""What may stay of inline style, and what of it hides text.

A rule looks at one declaration. Text that a dropped declaration no longer hides is visible
and is read like all other text; text that the author hid goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal

from smtp_mcp.message.inline_style import Declaration, Value, declarations, pixels

Fate = Literal["keep", "thin", "drop", "report"]
"""`thin`: stays on an element without text. `report`: dropped, and what it did is missed."""

LONGEST = 2_000.0  # pixels; more is only meant to push text out of sight
FAR_OUTSIDE = -200.0  # pixels; a hanging indent is never this far out
SMALLEST_TEXT = 5.0  # pixels; smaller letters are a line of dust
THIN = 3.0  # pixels; a smaller box shows nothing of a letter
CLOSED = 2.0  # pixels; a box that is cut off and this small is shut
LEAST_OPACITY = 0.1  # a tenth is as good as invisible

# fmt: off
VISIBLE_DISPLAYS = {
    "block", "inline", "inline-block", "list-item", "table", "inline-table", "table-row",
    "table-cell", "table-caption", "table-column", "table-column-group", "table-row-group",
    "table-header-group", "table-footer-group",
}
_OTHER_DISPLAYS = {
    "flex", "inline-flex", "grid", "inline-grid", "contents", "flow-root", "run-in", "ruby",
    "-webkit-box", "-webkit-flex", "-webkit-inline-box", "-ms-flexbox", "initial", "inherit",
    "unset", "revert",
}
_WORDS = {
    "border-collapse", "border-style", "border-top-style", "border-right-style",
    "border-bottom-style", "border-left-style", "clear", "float", "font-style", "font-weight",
    "list-style-type", "text-align", "text-decoration", "text-decoration-line", "text-transform",
    "white-space", "word-break",
}
_COLOURS = {
    "background-color", "border-color", "border-top-color", "border-right-color",
    "border-bottom-color", "border-left-color",
}
_BORDERS = {"border", "border-top", "border-right", "border-bottom", "border-left"}
_SIZES = {
    "border-radius", "border-spacing", "border-width", "border-top-width", "border-right-width",
    "border-bottom-width", "border-left-width", "min-height", "min-width",
}
_BOXES = {"height", "width", "max-width"}
_SPACES = {
    "margin", "margin-top", "margin-right", "margin-bottom", "margin-left", "padding",
    "padding-top", "padding-right", "padding-bottom", "padding-left",
}
_SIZE_WORDS = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0,
    "x-large": 24.0, "xx-large": 32.0,
}
# fmt: on

INHERITED = {"inherit", "currentcolor"}
"""Words for the colour of the parent."""

SMALLER = 0.83  # the steps of CSS's relative sizes
LARGER = 1.2  # as browsers take them


def winners(style: str) -> dict[str, Declaration]:
    """Find the declaration of each property that a browser would follow.

    Shorthands stand under the names of the properties that are judged here. A value that is
    none for its property does not count.
    """
    given = [single for whole in declarations(style) for single in _apart(whole)]
    found: dict[str, Declaration] = {}
    for important in (False, True):
        for declaration in given:
            if declaration.important is important and _counts(declaration):
                found[declaration.name] = declaration
    return found


def font_pixels(values: Sequence[Value], parent: float) -> float | None:
    """Work out the size that a value of `font-size` means."""
    if len(values) != 1:
        return None
    word = values[0].text
    if values[0].kind == "word":
        relative = {"smaller": parent * SMALLER, "larger": parent * LARGER, "inherit": parent}
        return {**_SIZE_WORDS, **relative, "initial": _SIZE_WORDS["medium"]}.get(word)
    return pixels(values[0], parent, parent)


def judge(declaration: Declaration, font: float) -> tuple[Fate, Declaration]:
    """Decide on one declaration.

    Args:
        declaration: As the author wrote it.
        font: Pixels of the element's font.

    Returns:
        What becomes of it, and in which form it stays.
    """
    if declaration.name == "background":
        return _background(declaration)
    fate = _fate(declaration, font)
    if declaration.name == "font" and fate == "drop" and (size := font_size_of(declaration)):
        return "keep", Declaration("font-size", (size,), declaration.important)
    missed = any(value.kind == "loads" for value in declaration.values)
    return ("report" if fate == "drop" and missed else fate), declaration


def closed_box(won: dict[str, Declaration], font: float) -> bool:
    """Tell whether a box is cut off and too small to show anything."""
    cuts = {"hidden", "clip", "scroll", "auto"}
    names = ("overflow", "overflow-x", "overflow-y")
    cut = any(value.text in cuts for n in names if n in won for value in won[n].values)
    boxes = ("height", "max-height", "width", "max-width")
    sizes = [_single(won, name, font) for name in boxes]
    return cut and any(size is not None and size <= CLOSED for size in sizes)


def far_away(won: dict[str, Declaration], font: float) -> bool:
    """Tell whether an element is placed outside of what anybody looks at."""
    placed = won.get("position")
    if placed is None or placed.word not in {"absolute", "fixed", "relative", "sticky"}:
        return False
    offsets = [_single(won, side, font, 800.0) for side in ("left", "top", "right", "bottom")]
    return any(offset is not None and offset < FAR_OUTSIDE for offset in offsets)


def far_indented(won: dict[str, Declaration], font: float) -> bool | None:
    """Tell whether first lines begin outside; nothing where the element says nothing."""
    indent = _single(won, "text-indent", font, 800.0)
    return None if indent is None else indent < FAR_OUTSIDE


def _single(
    won: dict[str, Declaration], name: str, font: float, whole: float = LONGEST
) -> float | None:
    declaration = won.get(name)
    if declaration is None or len(declaration.values) != 1:
        return None
    return pixels(declaration.values[0], font, whole)


def _apart(declaration: Declaration) -> tuple[Declaration, ...]:
    name, values, important = declaration
    if name == "background":
        return (Declaration("background-color", _colours(values), important),)
    if name == "font" and (size := font_size_of(declaration)) is not None:
        return (declaration, Declaration("font-size", (size,), important))
    return (declaration,)


def _counts(declaration: Declaration) -> bool:
    word = declaration.word
    match declaration.name:
        case "display":
            return word == "none" or word in VISIBLE_DISPLAYS | _OTHER_DISPLAYS
        case "visibility":
            return word in {"visible", "hidden", "collapse", "inherit", "initial", "unset"}
        case "color" | "background-color":
            single = len(declaration.values) == 1
            return single and (declaration.values[0].kind == "colour" or word in INHERITED)
        case "font-size":
            return _font_size(declaration.values, 1.0)
    return bool(declaration.values)


def font_size_of(declaration: Declaration) -> Value | None:
    """Find the size in a `font` shorthand."""
    for value in declaration.values:
        sized = value.kind in {"length", "percent"} or (value.kind == "number" and not value.number)
        if sized or (value.kind == "word" and value.text in {*_SIZE_WORDS, "smaller", "larger"}):
            return value
    return None


def _colours(values: Sequence[Value]) -> tuple[Value, ...]:
    return tuple(value for value in values if value.kind == "colour")[-1:]


def _background(declaration: Declaration) -> tuple[Fate, Declaration]:
    colours = _colours(declaration.values)
    plain = all(value.kind == "colour" or value.text == "none" for value in declaration.values)
    kept = Declaration("background-color", colours, declaration.important)
    if not plain and any(value.kind in {"loads", "other"} for value in declaration.values):
        return "report", kept
    return ("keep" if colours else "drop"), kept


def _fate(declaration: Declaration, font: float) -> Fate:
    name, values, _ = declaration
    if name in _BOXES:
        return _box(values, font)
    rule = _RULES.get(name)
    return "keep" if values and rule is not None and rule(values, font) else "drop"


def _box(values: Sequence[Value], font: float) -> Fate:
    if len(values) != 1:
        return "drop"
    if values[0].text in {"auto", "none"} or (values[0].kind == "percent" and values[0].number > 0):
        return "keep"
    size = pixels(values[0], font, LONGEST)
    if size is None or not 0 <= size <= LONGEST:
        return "drop"
    return "thin" if size < THIN else "keep"


_Test = Callable[[Sequence[Value], float], bool]


def _between(low: float, high: float, *words: str) -> _Test:
    def test(values: Sequence[Value], font: float) -> bool:
        for value in values:
            size = pixels(value, font, 800.0)
            if value.text not in words and (size is None or not low <= size <= high):
                return False
        return len(values) <= 4

    return test


def _only(*kinds: str) -> _Test:
    return lambda values, _font: len(values) <= 12 and all(value.kind in kinds for value in values)


def _among(*words: str) -> _Test:
    return lambda values, _font: len(values) == 1 and values[0].text in words


def _letter_spacing(values: Sequence[Value], font: float) -> bool:
    size = 0.0 if values[0].text == "normal" else pixels(values[0], font)
    return len(values) == 1 and size is not None and -0.1 * font <= size <= font


def _line_height(values: Sequence[Value], font: float) -> bool:
    if len(values) != 1:
        return False
    if values[0].text == "normal":
        return True
    if values[0].kind == "number":
        return 0.7 <= values[0].number <= 20
    size = pixels(values[0], font, font)
    return size is not None and 0.7 * font <= size <= LONGEST


def _font(values: Sequence[Value], font: float) -> bool:
    kinds = {"word", "number", "length", "percent", "string", "mark"}
    heights = [after for mark, after in pairwise(values) if mark.text == "/"]
    return (
        len(values) <= 20
        and all(value.kind in kinds for value in values)
        and all(_line_height([value], font) for value in heights)
    )


def _font_size(values: Sequence[Value], font: float) -> bool:
    size = font_pixels(values, font)
    return size is not None and 0 <= size <= LONGEST


def _border(values: Sequence[Value], font: float) -> bool:
    lengths = [value for value in values if value.kind in {"length", "number", "percent"}]
    return _only("word", "colour", "length", "number")(values, font) and (
        not lengths or _between(0, LONGEST)(lengths, font)
    )


def _colour(values: Sequence[Value], _font: float) -> bool:
    return len(values) == 1 and (values[0].kind == "colour" or values[0].text in INHERITED)


def _opacity(values: Sequence[Value], _font: float) -> bool:
    return len(values) == 1 and values[0].kind in {"number", "percent"}


_RULES: dict[str, _Test] = {
    **dict.fromkeys(_WORDS, _only("word", "colour")),
    **dict.fromkeys(_COLOURS, _only("colour")),
    **dict.fromkeys(_BORDERS, _border),
    **dict.fromkeys(_SIZES, _between(0, LONGEST, "auto", "thin", "medium", "thick", "/")),
    **dict.fromkeys(_SPACES, _between(0, 400, "auto")),
    "color": _colour,
    "display": lambda values, _font: len(values) == 1 and values[0].text in VISIBLE_DISPLAYS,
    "font": _font,
    "font-family": _only("word", "string", "mark"),
    "font-size": _font_size,
    "letter-spacing": _letter_spacing,
    "line-height": _line_height,
    "opacity": _opacity,
    "text-indent": _between(-100, 400),
    "vertical-align": _between(
        -100, 100, "baseline", "sub", "super", "top", "text-top", "middle", "bottom", "text-bottom"
    ),
    "visibility": _among("visible"),
}
