"""Lines of JSON-RPC on stdio, as far as they can be handled before the SDK is there."""

from __future__ import annotations

import json
import os
import select
import sys

from mcp_serverkit.text.sanitize import replace_surrogates

MAX_LINE_BYTES = 32 * 1024 * 1024
"""A longer line is skipped and answered with an error."""

CHUNK_BYTES = 65_536

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602


def claim_stdio() -> tuple[int, int]:
    """Take stdin and stdout for the protocol.

    What else reads or prints in this process finds the null device and stderr there.

    Returns:
        Private descriptors for reading and for writing.
    """
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return source, sink


def read_chunk(descriptor: int) -> bytes:
    """Read what is there, waiting for it; nothing at the end of input."""
    while True:
        try:
            return os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:  # whoever started us made it so
            select.select([descriptor], [], [])
        except OSError:
            return b""


def write_all(descriptor: int, data: bytes) -> bool:
    """Write a whole line while nothing else runs; false when the reader is gone."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:  # whoever started us made it so
            select.select([], [descriptor], [])
        except OSError:
            return False
    return True


def drain(descriptor: int) -> bytes:
    """Read what has arrived by now, without waiting, up to one over-long line."""
    arrived = bytearray()
    while sys.platform != "win32" and len(arrived) <= MAX_LINE_BYTES:
        try:
            if not select.select([descriptor], [], [], 0)[0]:
                break
            chunk = os.read(descriptor, CHUNK_BYTES)
        except (OSError, ValueError):
            break
        if not chunk:
            break
        arrived += chunk
    return bytes(arrived)


def without_cancelled(waiting: bytes) -> bytes:
    """Take out the requests that were cancelled before anything looked at them."""
    if b"notifications/cancelled" not in waiting:
        return waiting
    lines = [(line, _parsed(line)) for line in waiting.split(b"\n")]
    cancelled = {_cancelled(message) for _, message in lines} - {None}
    kept = [
        line
        for line, message in lines
        if "method" not in message or _plain_id(message.get("id")) not in cancelled
    ]
    return b"\n".join(kept)


def _cancelled(message: dict[str, object]) -> tuple[type, object] | None:
    params = message.get("params")
    if message.get("method") != "notifications/cancelled" or not isinstance(params, dict):
        return None
    return _plain_id(params.get("requestId"))


def _plain_id(value: object) -> tuple[type, object] | None:
    """Return an id that can be compared without 1 being true, or nothing."""
    return (type(value), value) if type(value) in {str, int} else None


def _parsed(line: bytes) -> dict[str, object]:
    try:
        message = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def complaint(line: bytes | None) -> bytes | None:
    """Compose the answer to a line that the SDK cannot take and would pass over.

    Returns:
        The answer, or nothing where JSON-RPC wants none: notifications and responses.
    """
    if line is None:
        return _error(None, PARSE_ERROR, f"a line is longer than {MAX_LINE_BYTES} bytes")
    if not line.strip():
        return None
    try:
        message = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, "Parse error")
    if not isinstance(message, dict):
        what = "batches are not served" if isinstance(message, list) else "not an object"
        return _error(None, INVALID_REQUEST, f"Invalid request: {what}")
    if "id" not in message or ("method" not in message and message.keys() & {"result", "error"}):
        return None
    request_id = message["id"]
    if isinstance(request_id, bool) or not isinstance(request_id, str | int):
        return _error(None, INVALID_REQUEST, "Invalid request: the id is no text or integer")
    if replace_surrogates(dumped := json.dumps(message, ensure_ascii=False)) != dumped:
        return _error(
            replace_surrogates(request_id) if isinstance(request_id, str) else request_id,
            INVALID_PARAMS,
            "a text holds half of a surrogate pair (U+D800 to U+DFFF)",
        )
    return _error(request_id, INVALID_REQUEST, "Invalid request")


def _error(request_id: str | int | None, code: int, text: str) -> bytes:
    document = {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
