"""Files from the one directory that the operator opened for attachments.

A name is looked up through a descriptor of the directory and never followed through a link.
Where the platform lacks these calls, the real path decides instead.

A file is checked as a whole, and read again in slices when its message is written. Its digest
is bound in between: the bytes that were checked and approved are those that are sent, or
nothing is.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import mmap
import os
import stat
import unicodedata
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcp_serverkit.errors import ToolFailure
from smtp_mcp.file_types import (
    EXECUTABLE_EXTENSIONS,
    EXECUTABLE_SIGNATURES,
    KINDS,
    OFFICE_EXTENSIONS,
    travels_as,
)
from smtp_mcp.message.transfer import SLICE_BYTES, encoded_size

if TYPE_CHECKING:
    from smtp_mcp.file_types import Content

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
    """A file as it will be sent, but for its bytes.

    Attributes:
        name: Its name, NFC.
        content_type: What it travels as.
        size: How many bytes it has.
        encoded_size: How many of them a message has.
        sha256: Digest of its bytes, hexadecimal.
        given: The name by which it is found again.
        parameters: What else its content type says.
    """

    name: str
    content_type: str
    size: int
    encoded_size: int
    sha256: str
    given: str
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
        """Look at files in the order given.

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
            left -= file.size
            if left < 0:
                raise AttachmentRefused(name, "the files together exceed SMTP_MAX_MESSAGE_BYTES")
            files.append(file)
        return tuple(files)

    def read(self, name: str) -> File:
        """Look at one file: check it, and tell what it will be sent as.

        Raises:
            AttachmentRefused: It may not leave.
        """
        if self._path is None:
            raise AttachmentRefused(name, "attachments are off: SMTP_ATTACHMENT_DIR is not set")
        extension = self._admit_name(name)
        with self._descriptor(name) as descriptor, _content(name, descriptor) as content:
            self._admit_content(name, extension, content)
            content_type, parameters = travels_as(extension, content)
            return File(
                name=unicodedata.normalize("NFC", name),
                content_type=content_type,
                size=len(content),
                encoded_size=encoded_size(content_type, content),
                sha256=hashlib.sha256(content).hexdigest(),
                given=name,
                parameters=parameters,
            )

    def slices(self, file: File) -> Iterator[bytes]:
        """Read a file again, of which this gives all or an error at its end.

        Raises:
            AttachmentRefused: It is not what it was when it was looked at.
        """
        digest, left = hashlib.sha256(), file.size
        with (
            self._descriptor(file.given) as descriptor,
            open(descriptor, "rb", closefd=False) as content,
        ):
            while left >= 0 and (piece := content.read(SLICE_BYTES)):
                digest.update(piece)
                left -= len(piece)
                yield piece
        if digest.hexdigest() != file.sha256:
            raise AttachmentRefused(file.name, "changed after it was looked at")

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

    @contextlib.contextmanager
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

    def _admit_content(self, name: str, extension: str, content: Content) -> None:
        beginning = content[:_BEGINNING]
        if beginning.startswith(EXECUTABLE_SIGNATURES):
            raise AttachmentRefused(name, "holds a program")
        signatures = KINDS[extension].signatures
        if beginning and signatures and not beginning.startswith(signatures):
            raise AttachmentRefused(name, f"is no .{extension} file by its content")
        if not signatures and beginning.startswith(_TELLING):
            raise AttachmentRefused(name, f"is no .{extension} file by its content")
        if extension in OFFICE_EXTENSIONS and _holds_macros(content):
            raise AttachmentRefused(name, "holds macros, or cannot be checked for them")


class _Memory(mmap.mmap):
    """Memory that goes back to the system at once, which that of `bytes` may not."""

    def seek(self, position: int, whence: int = os.SEEK_SET) -> int:  # type: ignore[override]
        """Go to a place; one that is none is told as a file tells it, for `zipfile`."""
        try:
            super().seek(position, whence)  # type: ignore[arg-type]  # an int is a place as well
        except ValueError:
            raise OSError(errno.EINVAL, "no such place") from None
        return self.tell()


@contextlib.contextmanager
def _content(name: str, descriptor: int) -> Iterator[Content]:
    """Hold the bytes of a file while they are looked at."""
    size = os.fstat(descriptor).st_size
    with (
        contextlib.closing(_Memory(-1, size or 1)) as memory,
        open(descriptor, "rb", closefd=False) as file,
    ):
        content = memory if size else b""
        if (size and file.readinto(memory) != size) or file.read(1):
            raise AttachmentRefused(name, "changed while it was being read")
        yield content


# As long as the longest of the signatures.
_BEGINNING = 16
_TELLING = (b"%PDF-", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"PK\x03\x04")


def _spelling_on_disk(folder: int, name: str) -> str:
    """Find a name whose accents are composed another way on disk."""
    if name.isascii():
        return name
    wanted = unicodedata.normalize("NFC", name)
    with os.scandir(folder) as entries:
        spellings = [e.name for e in entries if unicodedata.normalize("NFC", e.name) == wanted]
    return spellings[0] if len(spellings) == 1 else name


def _holds_macros(content: Content) -> bool:
    if not isinstance(content, _Memory):
        return False
    try:
        with zipfile.ZipFile(content) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        return True
    return any(name.lower().endswith("vbaproject.bin") for name in names)
