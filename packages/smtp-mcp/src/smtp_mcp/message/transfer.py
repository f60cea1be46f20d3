"""How the content of files travels: as base64, or a plain mail as it is.

Both are made slice by slice, and byte for byte what the email package makes of the whole.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from smtp_mcp.file_types import Content

MAIL = "message/rfc822"
"""What may not be base64; only its line ends change, to those of mail."""

# RFC 2045, 6.8: 76 columns of base64.
_LINE_BYTES = 57
_LINE_SIZE = len(base64.b64encode(bytes(_LINE_BYTES))) + len("\r\n")

SLICE_BYTES = 1_024 * _LINE_BYTES
"""What is held of a file at a time; a whole number of encoded lines."""


def encoded(content_type: str, slices: Iterable[bytes]) -> Iterator[bytes]:
    """Encode a file.

    Args:
        content_type: What it travels as.
        slices: Its bytes, each slice but the last of `SLICE_BYTES`.
    """
    for piece in slices:
        if content_type == MAIL:
            # A plain mail has no carriage return but in front of a line feed.
            yield piece.replace(b"\r", b"").replace(b"\n", b"\r\n")
        else:
            yield base64.encodebytes(piece).replace(b"\n", b"\r\n")


def encoded_size(content_type: str, content: Content) -> int:
    """Count the bytes that a file takes in a message."""
    size = len(content)
    if content_type == MAIL:
        pieces = (content[at : at + SLICE_BYTES] for at in range(0, size, SLICE_BYTES))
        return size + sum(piece.count(b"\n") - piece.count(b"\r") for piece in pieces)
    lines, rest = divmod(size, _LINE_BYTES)
    return lines * _LINE_SIZE + (len(base64.b64encode(bytes(rest))) + len("\r\n") if rest else 0)
