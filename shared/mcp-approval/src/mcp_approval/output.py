"""Lines for people on stderr and stdout: clean, whole, and in UTF-8 whatever the locale."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TextIO


def write_stderr(line: str) -> None:
    """Write one line to stderr."""
    write_line(sys.stderr, line)


def write_stdout(line: str) -> None:
    """Write one line to stdout, for a command that does not serve."""
    write_line(sys.stdout, line)


def write_line(stream: TextIO | None, line: str) -> None:
    """Write one line, free of control characters; a closed stream is no reason to fail."""
    write_text(stream, _cleaned(line) + "\n")


def write_text(stream: TextIO | None, text: str) -> None:
    """Write text of our own as it is; a closed stream is no reason to fail."""
    data = text.encode("utf-8", "replace")
    with suppress(OSError, ValueError):
        buffer = getattr(stream, "buffer", None)
        if buffer is not None:
            buffer.write(data)
        elif stream is not None:
            stream.write(data.decode("utf-8"))
        if stream is not None:
            stream.flush()


def _cleaned(line: str) -> str:
    if line.isascii() and line.isprintable() and "  " not in line and line == line.strip():
        return line
    from mcp_approval.sanitize import clean_line  # most lines at the start do without it

    return clean_line(line).text
