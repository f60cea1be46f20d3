"""Files from the one directory that the operator opened for attachments.

A name is looked up through a descriptor of the directory, never followed through a link
and read once: the bytes that are checked are the bytes that are shown, approved and sent.
Where the platform lacks these calls, the real path decides instead.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import unicodedata
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from mcp_serverkit.errors import ToolFailure
from smtp_mcp.file_types import (
    EXECUTABLE_EXTENSIONS,
    EXECUTABLE_SIGNATURES,
    KINDS,
    OFFICE_EXTENSIONS,
    travels_as,
)

_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_CAREFUL = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_AT = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd

_UNAVAILABLE = "is no regular file in SMTP_ATTACHMENT_DIR"
_OTHER = {stat.S_IFLNK: "is a symbolic link", stat.S_IFDIR: "is a directory"}


class AttachmentRefused(ToolFailure):
    """A file may not leave; the whole message is refused."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(
            f"Attachment {name!r}: {reason}. Nothing was sent.", code="attachment_refused"
        )


@dataclass(frozen=True, slots=True)
class File:
    """A file as it will be sent.

    Attributes:
        name: Its name, NFC.
        content_type: What it travels as.
        content: Its bytes.
        sha256: Their digest, hexadecimal.
        parameters: What else its content type says.
    """

    name: str
    content_type: str
    content: bytes = field(repr=False)
    sha256: str
    parameters: Mapping[str, str] = field(default_factory=dict)


class AttachmentDirectory:
    """Reads files that may be attached.

    Args:
        path: Real path of the directory; nothing when attachments are off.
        types: Allowed content types.
        max_bytes: Largest file.
    """

    def __init__(self, path: str | None, types: Sequence[str], max_bytes: int) -> None:
        self._path = path
        self._types = frozenset(types)
        self._max_bytes = max_bytes

    def read_all(self, names: Sequence[str], max_total: int) -> tuple[File, ...]:
        """Read files in the order given.

        Args:
            names: Plain file names.
            max_total: Bytes that all of them together may have.

        Raises:
            AttachmentRefused: The first file that may not leave.
        """
        files: list[File] = []
        left = max_total
        for name in names:
            file = self.read(name)
            left -= len(file.content)
            if left < 0:
                raise AttachmentRefused(name, "the files together exceed SMTP_MAX_MESSAGE_BYTES")
            files.append(file)
        return tuple(files)

    def read(self, name: str) -> File:
        """Read one file.

        Raises:
            AttachmentRefused: It may not leave.
        """
        if self._path is None:
            raise AttachmentRefused(name, "attachments are off: SMTP_ATTACHMENT_DIR is not set")
        extension = self._admit_name(name)
        with self._descriptor(name) as descriptor:
            content = self._content(name, descriptor)
        self._admit_content(name, extension, content)
        content_type, parameters = travels_as(extension, content)
        return File(
            unicodedata.normalize("NFC", name),
            content_type,
            content,
            hashlib.sha256(content).hexdigest(),
            parameters,
        )

    def _admit_name(self, name: str) -> str:
        if "/" in name or "\\" in name or name.startswith(".") or not name.isprintable():
            raise AttachmentRefused(name, "must be a plain file name without a leading dot")
        extension = name.rpartition(".")[2].lower() if "." in name else ""
        if not extension:
            raise AttachmentRefused(name, "has no extension")
        if extension in EXECUTABLE_EXTENSIONS:
            raise AttachmentRefused(name, "is a program by its extension")
        if extension not in KINDS or KINDS[extension].content_type not in self._types:
            raise AttachmentRefused(name, "is of a type that SMTP_ATTACHMENT_TYPES does not allow")
        return extension

    @contextmanager
    def _descriptor(self, name: str) -> Iterator[int]:
        opened: list[int] = []
        try:
            found, descriptor = self._open_at(name, opened) if _AT else self._open_real(name)
            opened.append(descriptor)
            self._require_same_file(name, found, descriptor)
            yield descriptor
        except (OSError, ValueError):
            raise AttachmentRefused(name, _UNAVAILABLE) from None
        finally:
            for number in opened:
                os.close(number)

    def _open_at(self, name: str, opened: list[int]) -> tuple[os.stat_result, int]:
        assert self._path is not None  # noqa: S101 (checked by read)
        folder = os.open(self._path, os.O_RDONLY | _DIRECTORY)
        opened.append(folder)
        name = _spelling_on_disk(folder, name)
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        self._require_regular(name, found)
        return found, os.open(name, os.O_RDONLY | _CAREFUL, dir_fd=folder)

    def _open_real(self, name: str) -> tuple[os.stat_result, int]:
        assert self._path is not None  # noqa: S101 (checked by read)
        path = os.path.join(self._path, name)
        if os.path.realpath(path) != path:
            raise AttachmentRefused(name, _UNAVAILABLE)
        found = os.lstat(path)
        self._require_regular(name, found)
        return found, os.open(path, os.O_RDONLY | _CAREFUL)

    def _require_regular(self, name: str, found: os.stat_result) -> None:
        if not stat.S_ISREG(found.st_mode):
            raise AttachmentRefused(name, _OTHER.get(stat.S_IFMT(found.st_mode), _UNAVAILABLE))
        if found.st_size > self._max_bytes:
            raise AttachmentRefused(
                name,
                f"has {found.st_size} bytes; SMTP_MAX_ATTACHMENT_BYTES is {self._max_bytes}",
            )

    def _require_same_file(self, name: str, found: os.stat_result, descriptor: int) -> None:
        held = os.fstat(descriptor)
        self._require_regular(name, held)
        if (held.st_dev, held.st_ino, held.st_size) != (found.st_dev, found.st_ino, found.st_size):
            raise AttachmentRefused(name, "changed while it was being opened")

    def _content(self, name: str, descriptor: int) -> bytes:
        size = os.fstat(descriptor).st_size
        with open(descriptor, "rb", closefd=False) as file:
            content = file.read(size + 1)
        if len(content) != size:
            raise AttachmentRefused(name, "changed while it was being read")
        return content

    def _admit_content(self, name: str, extension: str, content: bytes) -> None:
        if content.startswith(EXECUTABLE_SIGNATURES):
            raise AttachmentRefused(name, "holds a program")
        signatures = KINDS[extension].signatures
        if content and signatures and not content.startswith(signatures):
            raise AttachmentRefused(name, f"is no .{extension} file by its content")
        if not signatures and any(content.startswith(known) for known in _TELLING):
            raise AttachmentRefused(name, f"is no .{extension} file by its content")
        if extension in OFFICE_EXTENSIONS and _holds_macros(content):
            raise AttachmentRefused(name, "holds macros, or cannot be checked for them")


_TELLING = (b"%PDF-", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"PK\x03\x04")


def _spelling_on_disk(folder: int, name: str) -> str:
    """Find a name whose accents are composed another way on disk."""
    if name.isascii():
        return name
    wanted = unicodedata.normalize("NFC", name)
    with os.scandir(folder) as entries:
        spellings = [e.name for e in entries if unicodedata.normalize("NFC", e.name) == wanted]
    return spellings[0] if len(spellings) == 1 else name


def _holds_macros(content: bytes) -> bool:
    if not content:
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        return True
    return any(name.lower().endswith("vbaproject.bin") for name in names)
