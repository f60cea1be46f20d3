"""JSON bodies read the way ntfy's Go structures read them.

Keys match in any case, unknown keys and nulls are passed over, trailing data is not looked at, and
a value of another type refuses the whole body.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NoReturn

from .errors import NtfyError

if TYPE_CHECKING:
    from collections.abc import Mapping

_LARGEST_INT = 2**63 - 1


class _Pairs(list[tuple[str, object]]):
    """A JSON object with its keys in the order sent, repeats included."""


def _refuse(_: str) -> NoReturn:
    raise ValueError


_DECODER = json.JSONDecoder(object_pairs_hook=_Pairs, parse_constant=_refuse)


class Fields:
    """One JSON object; every reader below raises 40024 for a wrong type."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        self._values: dict[str, object] = {}
        for key, value in pairs:
            if value is not None:
                self._values[key.lower()] = value

    def text(self, name: str) -> str:
        """A string, empty when absent."""
        return _text(self._values.get(name, ""))

    def integer(self, name: str) -> int:
        """A whole number, zero when absent."""
        value = self._values.get(name, 0)
        if type(value) is not int or not -_LARGEST_INT - 1 <= value <= _LARGEST_INT:
            raise NtfyError(40024)
        return value

    def optional_integer(self, name: str) -> int | None:
        """A whole number, or None when absent."""
        return self.integer(name) if name in self._values else None

    def flag(self, name: str) -> bool:
        """A boolean, false when absent."""
        value = self._values.get(name, False)
        if not isinstance(value, bool):
            raise NtfyError(40024)
        return value

    def texts(self, name: str) -> list[str]:
        """A list of strings, empty when absent."""
        return ["" if item is None else _text(item) for item in self._items(name)]

    def objects(self, name: str) -> list[Fields]:
        """A list of objects, empty when absent."""
        return [as_fields(item) for item in self._items(name)]

    def text_map(self, name: str) -> dict[str, str]:
        """An object of strings, empty when absent."""
        value = self._values.get(name, _Pairs())
        if not isinstance(value, _Pairs):
            raise NtfyError(40024)
        return {_text(key): "" if item is None else _text(item) for key, item in value}

    def _items(self, name: str) -> list[object]:
        value = self._values.get(name, [])
        if not isinstance(value, list) or isinstance(value, _Pairs):
            raise NtfyError(40024)
        return value


def as_fields(value: object) -> Fields:
    """A decoded JSON value as an object; null counts as an empty one."""
    if value is None:
        return Fields([])
    if not isinstance(value, _Pairs):
        raise NtfyError(40024)
    return Fields(value)


def decode(body: bytes, *, whole: bool = False) -> object:
    """The first JSON value of a body; with `whole` nothing may follow it."""
    text = body.decode("utf-8", errors="replace").lstrip(" \t\r\n")
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        raise NtfyError(40024) from None
    if whole and text[end:].strip(" \t\r\n"):
        raise NtfyError(40024)
    return value


def read_fields(body: bytes, *, limit: int, allow_empty: bool = False) -> Fields:
    """A request body as an object; a body that fills the limit is refused with 41303."""
    if len(body) >= limit:
        raise NtfyError(41303)
    if allow_empty and not body.strip():
        return Fields([])
    return as_fields(decode(body))


def dump(document: Mapping[str, object] | list[dict[str, object]]) -> bytes:
    """A document as one line of JSON."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise NtfyError(40024)
    # A lone surrogate cannot be encoded; ntfy puts the replacement character in its place.
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
