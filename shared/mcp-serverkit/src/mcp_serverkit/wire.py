"""The two ends of stdio: lines of JSON-RPC in, lines of JSON-RPC out.

Ours rather than the SDK's, because there a lone surrogate in a result ends the process,
one in a request gets no answer, and the read side hangs on some kinds of stdin.
"""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import suppress

import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic_core import PydanticSerializationError

from mcp_serverkit.cleaning import replace_surrogates

MAX_LINE_BYTES = 32 * 1024 * 1024
"""A longer line is skipped and answered with an error."""

_CHUNK_BYTES = 65_536


class LineSource:
    """Reads lines from a descriptor without blocking the event loop.

    A pipe, socket or terminal is watched by the loop. Anything else, a file or the null
    device, cannot be watched, so a thread reads it.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._read = self._watched if _is_watchable(descriptor) else self._threaded
        self._skipping = False

    async def lines(self) -> AsyncIterator[bytes | None]:
        """Yield each line without its end; `None` stands for one that was too long."""
        pending = bytearray()
        while chunk := await self._read():
            start = len(pending)
            pending += chunk
            while (end := pending.find(b"\n", start)) >= 0:
                line = bytes(pending[:end])
                del pending[: end + 1]
                start = 0
                yield None if self._skipping or len(line) > MAX_LINE_BYTES else line
                self._skipping = False
            if len(pending) > MAX_LINE_BYTES:
                self._skipping = True
                pending.clear()
        if self._skipping:
            yield None
        elif pending:
            yield bytes(pending)

    async def _watched(self) -> bytes:
        loop = asyncio.get_running_loop()
        ready = loop.create_future()
        loop.add_reader(self._descriptor, _resolve, ready)
        try:
            await ready
        finally:
            loop.remove_reader(self._descriptor)
        return self._chunk()

    async def _threaded(self) -> bytes:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[bytes] = loop.create_future()

        def read() -> None:
            chunk = self._chunk()
            with suppress(RuntimeError):  # the loop is gone: so is whoever waited
                loop.call_soon_threadsafe(lambda: None if done.done() else done.set_result(chunk))

        # A daemon: a read that never returns must not keep the process.
        threading.Thread(target=read, daemon=True).start()
        return await done

    def _chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, _CHUNK_BYTES)
        except OSError:
            return b""


class LineSink:
    """Writes lines to a descriptor, in order, waiting where the reader is slow."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = asyncio.Lock()
        self.broken = asyncio.Event()
        if _is_watchable(descriptor):
            os.set_blocking(descriptor, False)

    async def write(self, line: bytes) -> None:
        """Write one line; once the reader is gone, do nothing."""
        async with self._lock:
            rest = memoryview(line + b"\n")
            while rest and not self.broken.is_set():
                try:
                    rest = rest[os.write(self._descriptor, rest) :]
                except BlockingIOError:
                    await self._writable()
                except OSError:
                    self.broken.set()

    async def _writable(self) -> None:
        loop = asyncio.get_running_loop()
        ready = loop.create_future()
        loop.add_writer(self._descriptor, _resolve, ready)
        try:
            await ready
        finally:
            loop.remove_writer(self._descriptor)


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


def decode(line: bytes) -> SessionMessage | None:
    """Parse a line; `None` means that the SDK could not take it."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return None
    # A request whose id is no id, null for one, passes for a notification there.
    if isinstance(message, types.JSONRPCNotification) and b'"id"' in line:
        return None if "id" in json.loads(line) else SessionMessage(message)
    return SessionMessage(message)


def encode(message: SessionMessage) -> bytes:
    """Serialise a message; half a surrogate pair becomes U+FFFD."""
    try:
        text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
    except (PydanticSerializationError, UnicodeError):
        document = message.message.model_dump(by_alias=True, exclude_unset=True)
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        text = replace_surrogates(text)
    return text.encode("utf-8")


def complaint(line: bytes | None) -> bytes | None:
    """Compose the answer to a line that the SDK cannot take and would pass over.

    Returns:
        The answer, or nothing where JSON-RPC wants none: notifications and responses.
    """
    if line is None:
        return _error(None, types.PARSE_ERROR, f"a line is longer than {MAX_LINE_BYTES} bytes")
    if not line.strip():
        return None
    try:
        message = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return _error(None, types.PARSE_ERROR, "Parse error")
    if not isinstance(message, dict):
        what = "batches are not served" if isinstance(message, list) else "not an object"
        return _error(None, types.INVALID_REQUEST, f"Invalid request: {what}")
    if "id" not in message or ("method" not in message and message.keys() & {"result", "error"}):
        return None
    request_id = message["id"]
    if isinstance(request_id, bool) or not isinstance(request_id, str | int):
        return _error(None, types.INVALID_REQUEST, "Invalid request: the id is no text or integer")
    if replace_surrogates(dumped := json.dumps(message, ensure_ascii=False)) != dumped:
        return _error(
            replace_surrogates(request_id) if isinstance(request_id, str) else request_id,
            types.INVALID_PARAMS,
            "a text holds half of a surrogate pair (U+D800 to U+DFFF)",
        )
    return _error(request_id, types.INVALID_REQUEST, "Invalid request")


def _error(request_id: str | int | None, code: int, text: str) -> bytes:
    document = {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def _is_watchable(descriptor: int) -> bool:
    if sys.platform == "win32":
        return False
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def start_deadline(seconds: float) -> threading.Timer:
    """Make sure that the process ends with code 0, whatever is still busy in it."""
    timer = threading.Timer(seconds, os._exit, [0])
    timer.daemon = True
    timer.start()
    return timer
