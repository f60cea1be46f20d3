"""Names of IMAP folders: modified UTF-7, as RFC 3501, 5.1.3 says."""

from __future__ import annotations

import base64
import binascii
import re

_OTHER = re.compile(r"[^\x20-\x7e]+")
_SHIFTED = re.compile(r"&([A-Za-z0-9+,]*)-")


def quoted(name: str) -> str:
    """Write an encoded name as a quoted string."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def unquoted(name: str) -> str:
    """Read an encoded name out of a quoted string; without quotation marks it is an atom."""
    if len(name) > 1 and name[0] == name[-1] == '"':
        return re.sub(r"\\(.)", r"\1", name[1:-1])
    return name


def encode_name(name: str) -> str:
    """Write a folder name for the wire."""
    return _OTHER.sub(_encoded, name.replace("&", "&-"))


def decode_name(wire: str) -> str:
    """Read a folder name from the wire; what is no modified UTF-7 stays as it is."""
    try:
        return _SHIFTED.sub(_decoded, wire)
    except (binascii.Error, UnicodeDecodeError):
        return wire


def _encoded(match: re.Match[str]) -> str:
    encoded = base64.b64encode(match[0].encode("utf-16-be")).decode("ascii").rstrip("=")
    return f"&{encoded.replace('/', ',')}-"


def _decoded(match: re.Match[str]) -> str:
    if not match[1]:
        return "&"
    encoded = match[1].replace(",", "/")
    return base64.b64decode(encoded + "=" * (-len(encoded) % 4)).decode("utf-16-be")
