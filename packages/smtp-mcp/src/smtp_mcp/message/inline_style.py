"""Inline style taken apart: declarations and values as tinycss2 reads them.

It knows escapes, comments, `!important` and colours; it is loaded at the first HTML part.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Literal, NamedTuple, Protocol, TypeAlias, cast

STYLE_CHARS = 8_000
"""A longer style attribute is dropped: reading one takes time and depth."""

# The size that readers give the root where nothing else is said.
ROOT_PIXELS = 16.0

Colour: TypeAlias = tuple[float, float, float, float]
"""Red, green, blue and alpha, each from 0 to 1."""

Kind = Literal["word", "number", "length", "percent", "colour", "string", "mark", "loads", "other"]


class Value(NamedTuple):
    """One part of a declaration's value.

    Attributes:
        kind: What it is; `loads` is a URL or another function that may fetch or run something.
        text: As it is written out again; words in lower case.
        number: Of a number, a length or a percentage.
        unit: Of a length, in lower case.
        colour: Of a colour.
    """

    kind: Kind
    text: str
    number: float = 0.0
    unit: str = ""
    colour: Colour | None = None


class Declaration(NamedTuple):
    """A property with its values.

    Attributes:
        name: In lower case.
        values: In their order.
        important: Whether it wins over what is not.
    """

    name: str
    values: tuple[Value, ...]
    important: bool = False

    @property
    def word(self) -> str:
        """The one word that it says, or an empty text."""
        single = len(self.values) == 1 and self.values[0].kind == "word"
        return self.values[0].text if single else ""

    def __str__(self) -> str:
        text = ""
        for value in self.values:
            tight = not text or value.text in {",", "/"} or text.endswith("/")
            text += value.text if tight else f" {value.text}"
        return f"{self.name}: {text}{' !important' if self.important else ''}"


class _Node(Protocol):
    type: str
    value: object
    lower_value: str
    lower_name: str
    lower_unit: str
    important: bool


class _Color(Protocol):
    alpha: float

    def to(self, space: str) -> Sequence[float]: ...


class _TinyCSS(Protocol):
    def parse_declaration_list(
        self, text: str, skip_comments: bool, skip_whitespace: bool
    ) -> Sequence[_Node]: ...

    def serialize(self, nodes: Sequence[_Node]) -> str: ...


class _Colors(Protocol):
    def parse_color(self, value: object) -> _Color | str | None: ...


@cache
def _library() -> _TinyCSS:
    return cast("_TinyCSS", import_module("tinycss2"))


@cache
def _colors() -> _Colors:
    return cast("_Colors", import_module("tinycss2.color4"))


@lru_cache(maxsize=512)
def declarations(style: str) -> tuple[Declaration, ...]:
    """Read a style attribute; what is no declaration is left out, as browsers do."""
    if len(style) > STYLE_CHARS:
        return ()
    found = []
    for node in _library().parse_declaration_list(style, True, True):
        if node.type == "declaration":
            values = tuple(_values(cast("Sequence[_Node]", node.value)))
            found.append(Declaration(node.lower_name, values, node.important))
    return tuple(found)


def parse_colour(text: str) -> Colour | None:
    """Read the colour of an attribute: a name or hexadecimal digits."""
    bare = text.strip().lower()
    if len(bare) == 6 and not bare.startswith("#") and all(c in "0123456789abcdef" for c in bare):
        bare = f"#{bare}"
    if not bare.isascii() or not (bare[1:].isalnum() and (bare[0] == "#" or bare[0].isalpha())):
        return None
    if bare[0] == "#" and len(bare) not in {4, 7}:
        return None
    return _colour(bare)


def pixels(value: Value, font: float, whole: float | None = None) -> float | None:
    """Bring a length into pixels.

    Args:
        value: The length.
        font: Pixels of the font that it is relative to.
        whole: What 100 % is; nothing where a percentage has no meaning.
    """
    if value.kind == "number":
        return 0.0 if value.number == 0 else None
    if value.kind == "percent":
        return None if whole is None else whole * value.number / 100
    if value.kind != "length":
        return None
    unit = {**_UNITS, "em": font, "ex": font / 2, "ch": font / 2}.get(value.unit)
    return None if unit is None else value.number * unit


_UNITS = {
    "px": 1.0,
    "pt": 4 / 3,
    "pc": 16.0,
    "in": 96.0,
    "cm": 96 / 2.54,
    "mm": 9.6 / 2.54,
    "q": 2.4 / 2.54,
    "rem": ROOT_PIXELS,
}
_COLOUR_FUNCTIONS = {"rgb", "rgba", "hsl", "hsla"}
_MARKS = {",", "/"}


def _values(nodes: Sequence[_Node]) -> list[Value]:
    return [_value(node) for node in nodes if node.type not in {"whitespace", "comment"}]


def _value(node: _Node) -> Value:
    if node.type == "ident":
        word = node.lower_value
        colour = _colour(word) if word.isascii() and word.isalpha() else None
        kind: Kind = "word" if colour is None else "colour"
        return Value(kind if _safe_word(word) else "other", word, colour=colour)
    if node.type == "number":
        return Value("number", _library().serialize([node]), float(cast("float", node.value)))
    if node.type == "percentage":
        return Value("percent", _library().serialize([node]), float(cast("float", node.value)))
    if node.type == "dimension":
        number = float(cast("float", node.value))
        return Value("length", _library().serialize([node]), number, node.lower_unit)
    if node.type == "hash":
        colour = _colour(node)
        return Value("other" if colour is None else "colour", f"#{node.value}", colour=colour)
    if node.type == "string":
        plain = all(letter.isalnum() or letter in " -_." for letter in str(node.value))
        return Value("string" if plain else "other", f"'{node.value}'" if plain else "")
    if node.type == "literal":
        mark = str(node.value)
        return Value("mark" if mark in _MARKS else "other", mark)
    if node.type == "function":
        return _function(node)
    return Value("loads" if node.type == "url" else "other", "")


def _function(node: _Node) -> Value:
    if node.lower_name in _COLOUR_FUNCTIONS:
        colour = _colour(node)
        if colour is not None:
            return Value("colour", _library().serialize([node]), colour=colour)
    plain = node.lower_name in {*_COLOUR_FUNCTIONS, "calc", "min", "max", "clamp", "var", "env"}
    return Value("other" if plain else "loads", "")


def _colour(value: object) -> Colour | None:
    found = _colors().parse_color(value)
    if found is None or isinstance(found, str):
        return None
    red, green, blue = [min(1.0, max(0.0, float(part or 0))) for part in list(found.to("srgb"))[:3]]
    return red, green, blue, float(found.alpha)


def _safe_word(word: str) -> bool:
    return word.isascii() and all(letter.isalnum() or letter in "-_" for letter in word)
