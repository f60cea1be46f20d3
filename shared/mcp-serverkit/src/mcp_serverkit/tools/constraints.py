"""Words for the arguments of a tool, used inside `Annotated`.

    topic: Annotated[Topic | None, "Topic to read; default: the first allowed one"] = None

A plain text is the description. The classes here are rules; pydantic finds them by
their hook when a tool's model is built, at its first call, so declaring a tool loads
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


class _Checked:
    """A rule that is checked after the type.

    One with `listed=False` stays out of the schema: its bounds cost a listing more than
    they tell a model, and the error names them.
    """

    __slots__ = ()

    def check(self, value: object) -> object:
        """Return the value, or raise `ValueError` with words for the caller."""
        raise NotImplementedError

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(self.check, handler(source))


class Pattern(_Checked):
    """Text that a pattern matches as a whole.

    Args:
        pattern: Regular expression.
        words: The rule in words, for the error text.
    """

    __slots__ = ("_compiled", "listed", "pattern", "words")

    def __init__(self, pattern: str, words: str, *, listed: bool = True) -> None:
        self.listed = listed
        self.pattern = pattern
        self.words = words
        self._compiled = re.compile(pattern)

    def check(self, value: object) -> object:
        """Match the whole text; the text is not repeated, it may be a secret."""
        if isinstance(value, str) and self._compiled.fullmatch(value) is None:
            raise ValueError(f"must be {self.words}")
        return value


class Length(_Checked):
    """Bounds of the length of a text in characters, or of a list in entries."""

    __slots__ = ("high", "listed", "low")

    def __init__(self, low: int, high: int | None = None, *, listed: bool = True) -> None:
        self.listed = listed
        self.low = low
        self.high = high

    def check(self, value: object) -> object:
        """Compare the length with the bounds."""
        if not isinstance(value, str | list | dict):
            return value
        unit = "characters" if isinstance(value, str) else "entries"
        if len(value) < self.low:
            raise ValueError(f"needs at least {self.low} {unit}, has {len(value)}")
        if self.high is not None and len(value) > self.high:
            raise ValueError(f"may have at most {self.high} {unit}, has {len(value)}")
        return value


class Range(_Checked):
    """Bounds of a whole number."""

    __slots__ = ("high", "listed", "low")

    def __init__(self, low: int, high: int | None = None, *, listed: bool = True) -> None:
        self.listed = listed
        self.low = low
        self.high = high

    def check(self, value: object) -> object:
        """Compare the number with the bounds."""
        if not isinstance(value, int) or isinstance(value, bool):
            return value
        if value < self.low or (self.high is not None and value > self.high):
            upper = "" if self.high is None else f" and at most {self.high}"
            raise ValueError(f"must be at least {self.low}{upper}")
        return value


class Bytes(_Checked):
    """Upper bound of the size of a text in bytes of UTF-8."""

    __slots__ = ("high",)

    def __init__(self, high: int) -> None:
        self.high = high

    def check(self, value: object) -> object:
        """Compare the encoded size with the bound."""
        if isinstance(value, str) and (size := len(value.encode("utf-8", "replace"))) > self.high:
            raise ValueError(f"is {size} bytes of UTF-8 long; at most {self.high} are possible")
        return value


class Validator(_Checked):
    """A rule with a function of its own.

    Args:
        function: Returns the value, possibly in its normal form, or raises `ValueError`.
    """

    __slots__ = ("_function",)

    def __init__(self, function: Callable[[object], object]) -> None:
        self._function = function

    def check(self, value: object) -> object:
        """Apply the function."""
        return self._function(value)


class Sketched:
    """An object whose fields are checked and not listed: its description names them."""

    __slots__ = ()
