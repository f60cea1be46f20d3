"""The `ELICITATION` variable, the start line, and lines on stderr."""

from __future__ import annotations

import sys
from contextlib import suppress

from mcp_approval.text import clean_line

VARIABLE = "ELICITATION"


def parse_elicitation(value: str | None) -> bool:
    """Read the switch: unset or blank is true.

    Raises:
        ValueError: Neither `true` nor `false`; the value itself is not repeated.
    """
    word = (value or "").strip().lower()
    if word in {"", "true"}:
        return True
    if word == "false":
        return False
    raise ValueError(f"must be true or false, not a value of {len(word)} characters")


def start_line(server: str, who: str = "guarded tools", remark: str = "") -> str:
    """Compose the line that a server prints at start when its dialogs are off."""
    line = f"{server}: {VARIABLE}=false — {who} fall back to the two-call token"
    return f"{line}, {remark}" if remark else line


def write_stderr(line: str) -> None:
    """Write one line of UTF-8 to stderr, whatever the locale, free of control characters."""
    flat, _ = clean_line(line)
    data = flat.encode("utf-8", "replace") + b"\n"
    # A closed or full stderr must not end a server that is otherwise well.
    with suppress(OSError, ValueError):
        stream = getattr(sys.stderr, "buffer", None)
        if stream is None:
            sys.stderr.write(data.decode("utf-8"))
        else:
            stream.write(data)
        sys.stderr.flush()
