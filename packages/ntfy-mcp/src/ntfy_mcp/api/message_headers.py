"""A message as headers, for a request whose body is a file."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping

WORD_BYTES = 45
"""What one encoded word carries: with its frame it has 72 characters, of at most 75."""


def message_headers(message: Mapping[str, object]) -> dict[str, str]:
    """Compose the headers for the fields of a message, apart from its topic."""
    values = {name: _text(value) for name, value in message.items() if name != "topic"}
    named = {f"x-{name}": _encoded(value) for name, value in values.items() if value}
    return {"content-type": "text/plain; charset=utf-8", **named}


def headers_size(headers: Mapping[str, str]) -> int:
    """Count the bytes of headers on the wire."""
    return sum(len(f"{name}: {value}\r\n") for name, value in headers.items())


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, list):
        texts = all(isinstance(item, str) for item in value)
        return ",".join(value) if texts else json.dumps(value, separators=(",", ":"))
    return str(value)


def _encoded(value: str) -> str:
    """Write a value that cannot stand in a header as encoded words (RFC 2047)."""
    if value.isascii() and value.isprintable() and "=?" not in value and value == value.strip():
        return value
    words, word = [], b""
    for character in value:
        encoded = character.encode("utf-8")
        if len(word) + len(encoded) > WORD_BYTES:
            words.append(word)
            word = b""
        word += encoded
    return " ".join(
        f"=?UTF-8?B?{base64.b64encode(word).decode('ascii')}?=" for word in (*words, word)
    )
