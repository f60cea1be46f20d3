"""Log lines on stderr: one line each, no control characters, no values from exceptions."""

from __future__ import annotations

import logging
import traceback

from mcp_approval.output import write_stderr

SILENT = ("httpx", "httpcore", "httpx2", "httpcore2")
"""Loggers that write URLs and headers, which hold topic names and credentials."""


class _LineHandler(logging.Handler):
    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record as one line."""
        try:
            message = record.getMessage()
        except Exception:  # noqa: BLE001 (whatever a value's own text does, logging goes on)
            message = "(a message that cannot be formatted)"
        if record.name == "asyncio":
            message = message.partition("\n")[0]  # what follows quotes exceptions
        line = f"{self._name}: {record.levelname.lower()} {message}"
        if record.exc_info and record.exc_info[1] is not None:
            line = f"{line}: {where(record.exc_info[1])}"
        write_stderr(line)


def configure(name: str, level: str) -> None:
    """Send all logging of the process to stderr in one form."""
    root = logging.getLogger()
    root.handlers[:] = [_LineHandler(name)]
    root.setLevel(level.upper())
    logging.captureWarnings(True)
    # Below warnings the SDK writes whole messages, arguments included.
    logging.getLogger("mcp").setLevel(logging.WARNING)
    for noisy in SILENT:
        logging.getLogger(noisy).setLevel(logging.CRITICAL)


def where(error: BaseException) -> str:
    """Name an exception's type and places, without its text: that may quote a secret."""
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    places = " < ".join(
        f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}"
        for frame in reversed(frames)
    )
    return f"{type(error).__name__} at {places}" if places else type(error).__name__
