"""Lines of JSON-RPC on stdio, as far as they can be handled before the SDK is there."""

from __future__ import annotations

import json
import os
import select
import sys

from mcp_serverkit.text.surrogates import replace_surrogates

MAX_LINE_BYTES = 32 * 1024 * 1024
"""A longer line is skipped and answered with an error."""

# What a pipe holds on Linux.
CHUNK_BYTES = 65_536

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602

ID_IN_USE = "Invalid request: the id belongs to a request that is still open"

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Some shells put it before the first line of what they pipe."""


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


def without_cancelled(waiting: bytes) -> tuple[bytes, list[bytes]]:
    """Take out the requests that were cancelled before anything looked at them.

    Returns:
        What is left, and answers to requests that came under the id of one of them while
        that was still open: those start nothing either.
    """
    if b"notifications/cancelled" not in waiting:
        return waiting, []
    lines = waiting.split(b"\n")
    taken_out: set[int] = set()
    refusals: list[bytes] = []
    open_ids: dict[tuple[type, object], list[int]] = {}
    for position, message in enumerate(map(_parsed, lines)):
        cancelled = _cancelled(message)
        if cancelled is not None:
            same = open_ids.pop(cancelled, [])
            taken_out.update(same)
            refusals += [invalid_request(cancelled[1], ID_IN_USE) for _ in same[1:]]
        elif "method" in message and (asked := _plain_id(message.get("id"))) is not None:
            open_ids.setdefault(asked, []).append(position)
    kept = (line for position, line in enumerate(lines) if position not in taken_out)
    return b"\n".join(kept), refusals


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


def invalid_request(request_id: object, text: str) -> bytes:
    """Compose the refusal of a request under its own id."""
    named = replace_surrogates(request_id) if isinstance(request_id, str) else request_id
    return _error(named if isinstance(named, str | int) else None, INVALID_REQUEST, text)


def _error(request_id: str | int | None, code: int, text: str) -> bytes:
    document = {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
