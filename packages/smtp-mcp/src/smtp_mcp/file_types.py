"""File kinds: what an extension travels as, and what its first bytes must be.

Known kinds can be allowed; a file of an unknown kind never leaves.
"""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of file.

    Attributes:
        content_type: What it travels as.
        signatures: Beginnings that its content may have; empty when any will do.
    """

    content_type: str
    signatures: tuple[bytes, ...] = ()


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
