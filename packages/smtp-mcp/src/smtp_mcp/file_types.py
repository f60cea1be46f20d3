"""File kinds: what an extension travels as, and what its first bytes must be.

Known kinds can be allowed; a file of an unknown kind never leaves.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mmap import mmap
    from typing import TypeAlias

    Content: TypeAlias = bytes | mmap
    """The bytes of a file, where they lie; they may be too many for a second copy."""


class Kind:
    """A kind of file. No tuple with names: making such a class takes time at each start.

    Attributes:
        content_type: What it travels as.
        signatures: Beginnings that its content may have; empty when any will do.
    """

    __slots__ = ("content_type", "signatures")

    def __init__(self, content_type: str, signatures: tuple[bytes, ...] = ()) -> None:
        self.content_type = content_type
        self.signatures = signatures


_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"

KINDS: dict[str, Kind] = {
    "pdf": Kind("application/pdf", (b"%PDF-",)),
    "json": Kind("application/json"),
    "xml": Kind("application/xml"),
    "zip": Kind("application/zip", _ZIP),
    "rtf": Kind("application/rtf", (b"{\\rtf",)),
    "odt": Kind(f"{_OPEN}.text", _ZIP),
    "ods": Kind(f"{_OPEN}.spreadsheet", _ZIP),
    "docx": Kind(f"{_OFFICE}.wordprocessingml.document", _ZIP),
    "xlsx": Kind(f"{_OFFICE}.spreadsheetml.sheet", _ZIP),
    "pptx": Kind(f"{_OFFICE}.presentationml.presentation", _ZIP),
    "png": Kind("image/png", (b"\x89PNG\r\n\x1a\n",)),
    "jpg": Kind("image/jpeg", (b"\xff\xd8\xff",)),
    "jpeg": Kind("image/jpeg", (b"\xff\xd8\xff",)),
    "gif": Kind("image/gif", (b"GIF87a", b"GIF89a")),
    "webp": Kind("image/webp", (b"RIFF",)),
    "txt": Kind("text/plain"),
    "md": Kind("text/plain"),
    "log": Kind("text/plain"),
    "csv": Kind("text/csv"),
    "html": Kind("text/html"),
    "htm": Kind("text/html"),
    "ics": Kind("text/calendar"),
    "eml": Kind("message/rfc822"),
}

OPT_IN = frozenset({"text/html", "application/zip", "message/rfc822"})
"""Types that must be listed to be allowed: they can carry scripts, programs, whole mails."""

KNOWN_TYPES = frozenset(kind.content_type for kind in KINDS.values())
DEFAULT_TYPES = tuple(sorted(KNOWN_TYPES - OPT_IN))

# fmt: off
EXECUTABLE_EXTENSIONS = frozenset({
    "apk", "app", "bat", "bin", "cmd", "com", "cpl", "dll", "dmg", "elf", "exe", "hta", "jar",
    "js", "jse", "lnk", "msi", "msp", "pif", "ps1", "py", "reg", "scr", "sh", "so", "vb", "vbe",
    "vbs", "wsf", "wsh",
})
# fmt: on

EXECUTABLE_SIGNATURES = (
    b"MZ",
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"#!",
)

OFFICE_EXTENSIONS = frozenset({"docx", "xlsx", "pptx"})


def extensions_of(types: tuple[str, ...]) -> list[str]:
    """List the extensions whose type is allowed."""
    return sorted(name for name, kind in KINDS.items() if kind.content_type in types)


UNKNOWN_BYTES = "application/octet-stream"
"""No claim is better than a false one."""

_TEXTS = frozenset({"text/plain", "text/csv", "text/html", "text/calendar"})
# RFC 5322, 2.1.1: characters of a line, CRLF left out.
LONGEST_LINE = 998
# Between two characters of a folded line; possessive, since going back finds nothing else.
_FOLD = rb"(?:\r?\n[ \t])"
_METHOD = b"".join(_FOLD + b"*+%c" % letter for letter in b"METHOD") + (
    rb"%(fold)b*+(?:;(?:[^:\r\n]|%(fold)b)*+)?:((?:%(fold)b*+[A-Za-z0-9-]){1,64})"
    rb"(?:[ \t]|%(fold)b)*+\r?%(fold)b*+(?=\n|\Z)" % {b"fold": _FOLD}
)
_HEADER_FIELD = rb"[!-9;-~]+:"
# What is decoded at a time.
_SLICE_BYTES = 65_536


def travels_as(extension: str, content: Content) -> tuple[str, dict[str, str]]:
    """Say what a file of an allowed kind travels as, by its content.

    Returns:
        Content type and parameters.
    """
    content_type = KINDS[extension].content_type
    if content_type == "message/rfc822":
        return (content_type if _is_plain_mail(content) else UNKNOWN_BYTES), {}
    if content_type not in _TEXTS:
        return content_type, {}
    charset = _charset(content)
    if charset is None:
        return UNKNOWN_BYTES, {}
    method = _method(content) if content_type == "text/calendar" else None
    return content_type, {"charset": charset, **({"method": method} if method else {})}


def _slices(content: Content) -> Iterator[bytes]:
    for start in range(0, len(content), _SLICE_BYTES):
        yield content[start : start + _SLICE_BYTES]


def _charset(content: Content) -> str | None:
    if content.find(b"\x00") >= 0:
        return None
    if all(piece.isascii() for piece in _slices(content)):
        return "us-ascii"
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for piece in _slices(content):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return None
    return "utf-8"


def _method(content: Content) -> str | None:
    first = re.match(rb"(?i)" + _METHOD, content)
    values = [*([first[1]] if first else []), *re.findall(rb"(?i)\n" + _METHOD, content)]
    found = {re.sub(_FOLD, b"", value).upper() for value in values}
    return found.pop().decode("ascii") if len(found) == 1 else None


def has_mail_lines(content: Content) -> bool:
    """Tell whether no line is longer than mail allows, without holding the lines."""
    start = 0
    while len(content) - start > LONGEST_LINE:
        end = content.rfind(b"\n", start, start + LONGEST_LINE + 1)
        if end < 0:
            end = start + LONGEST_LINE + 1
            if content[end - 1 : end + 1] != b"\r\n":
                return False
        start = end + 1
    return True


def _is_plain_mail(content: Content) -> bool:
    return (
        _charset(content) == "us-ascii"
        and re.search(rb"\r(?!\n)", content) is None
        and has_mail_lines(content)
        and re.match(_HEADER_FIELD, content) is not None
    )


_NAMES = {
    "application/pdf": "PDF",
    "application/json": "JSON",
    "application/xml": "XML",
    "application/zip": "ZIP",
    "application/rtf": "RTF",
    f"{_OPEN}.text": "OpenDocument text",
    f"{_OPEN}.spreadsheet": "OpenDocument table",
    f"{_OFFICE}.wordprocessingml.document": "Word document",
    f"{_OFFICE}.spreadsheetml.sheet": "Excel table",
    f"{_OFFICE}.presentationml.presentation": "PowerPoint slides",
    "image/png": "PNG image",
    "image/jpeg": "JPEG image",
    "image/gif": "GIF image",
    "image/webp": "WebP image",
    "text/html": "HTML page",
    "text/calendar": "calendar",
    "message/rfc822": "mail",
}


def described(content_type: str, parameters: Mapping[str, str]) -> str:
    """Name a type for people, by what a file travels as."""
    name = _NAMES.get(content_type)
    if name is None:
        name = "text" if content_type.startswith("text/") else "unknown bytes"
    if content_type == "text/calendar":
        return f"calendar {parameters['method']}" if "method" in parameters else name
    charset = {"utf-8": "UTF-8", "us-ascii": "ASCII"}.get(parameters.get("charset", ""))
    return f"{name} {charset}" if name == "text" and charset else name
