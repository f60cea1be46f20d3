"""A finished message: its header and texts, and the places where the content of files stands.

The content itself is read when the message is written out, into the one buffer that holds it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from smtp_mcp.file_types import LONGEST_LINE, has_mail_lines
from smtp_mcp.message.attachments import File
from smtp_mcp.message.message import OutgoingMessage
from smtp_mcp.message.transfer import SLICE_BYTES, encoded

_ONCE = ("subject", "mime-version", "content-type")
_OF_MAIL = ("to", "date", "message-id")
_OF_DRAFTS = ("x-unsent",)
_AT_MOST_ONCE = ("from", "to", "cc", "bcc")


def place_of(number: int) -> str:
    """Name the place of a file; "=_" begins no line of quoted-printable or of a header."""
    return f"=_file_{number}"


@dataclass(frozen=True, slots=True)
class Composed:
    """A finished message.

    Attributes:
        pieces: Its bytes in their order; a file stands for its content.
        text: The text part.
        html: The HTML part, if any.
    """

    pieces: tuple[bytes | File, ...]
    text: str
    html: str | None

    @classmethod
    def of(cls, skeleton: bytes, files: Sequence[File], text: str, html: str | None) -> Composed:
        """Put files into their places.

        Args:
            skeleton: The message, a line with its place instead of each file.
            files: The files.
            text: The text part.
            html: The HTML part, if any.

        Raises:
            ValueError: Files and places are not the same; a defect, never a caller's doing.
        """
        places = re.split(rb"(?<=\r\n\r\n)=_file_([0-9]+)\r\n", skeleton)
        if sorted(map(int, places[1::2])) != list(range(len(files))):
            raise ValueError("a file has no place, or two")
        pieces = [files[int(one)] if n % 2 else one for n, one in enumerate(places)]
        return cls(tuple(pieces), text, html)

    @property
    def headers(self) -> str:
        """The header block as it stands on the wire."""
        return self.frame.partition(b"\r\n\r\n")[0].decode("utf-8")

    @property
    def frame(self) -> bytes:
        """Everything but the content of files."""
        return b"".join(piece for piece in self.pieces if isinstance(piece, bytes))

    @property
    def size(self) -> int:
        """How many bytes it has, the content of files among them."""
        return sum(
            len(piece) if isinstance(piece, bytes) else piece.encoded_size for piece in self.pieces
        )

    def written(self, read: Callable[[File], Iterable[bytes]]) -> bytes:
        """Write it out: as it stands between DATA and the final dot, before dot stuffing.

        Args:
            read: Reads a file in slices.

        Raises:
            ValueError: It came out in another size; a defect, never a caller's doing.
        """
        whole = io.BytesIO()
        whole.seek(self.size)
        # Room for all of it at once: growing would hold it twice for a moment.
        whole.write(b"\n")
        whole.seek(0)
        for piece in self.pieces:
            if isinstance(piece, bytes):
                whole.write(piece)
            else:
                whole.writelines(encoded(piece.content_type, read(piece)))
        if whole.tell() != self.size:
            raise ValueError("a message has not the size that was told")
        whole.truncate()
        return whole.getvalue()


def require_correct(raw: bytes, outgoing: OutgoingMessage, *, unsent: bool = False) -> None:
    """Check finished bytes once more, independently of how they came about.

    Raises:
        ValueError: They are not what this server promises.
    """
    end = raw.find(b"\r\n\r\n")
    head, body = (raw[:end], end) if end >= 0 else (raw, len(raw))
    names = [
        line.partition(b":")[0].decode().lower()
        for line in head.split(b"\r\n")
        if line[:1] not in b" \t"
    ]
    once = (*_ONCE, *(_OF_DRAFTS if unsent else _OF_MAIL))
    never = ("date", "message-id") if unsent else ("bcc", *_OF_DRAFTS)
    if (
        any(names.count(name) != 1 for name in once)
        or any(names.count(name) > 1 for name in _AT_MOST_ONCE)
        or any(name in names for name in never)
    ):
        raise ValueError("a header field is missing, doubled or out of place")
    breaks = {raw.count(b"\r\n"), raw.count(b"\r"), raw.count(b"\n")}
    if len(breaks) != 1 or b"\x00" in raw:
        raise ValueError("a line does not end in CRLF")
    if not has_mail_lines(raw):
        raise ValueError(f"a line is longer than {LONGEST_LINE} bytes")
    slices = (raw[at : at + SLICE_BYTES] for at in range(body, len(raw), SLICE_BYTES))
    if not all(map(bytes.isascii, slices)) or not (head.isascii() or _wide(outgoing)):
        raise ValueError("a byte is not ASCII")


def _wide(outgoing: OutgoingMessage) -> bool:
    return any(mailbox.needs_smtputf8 for mailbox in outgoing.envelope)
