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

from mcp_serverkit.runtime.jsonrpc_lines import BYTE_ORDER_MARK, MAX_LINE_BYTES, read_chunk
from mcp_serverkit.text.surrogates import replace_surrogates


class LineSource:
    """Reads lines from a descriptor without blocking the event loop.

    A pipe, socket or terminal is watched by the loop. Anything else, a file or the null
    device, cannot be watched, so a thread reads it.

    Args:
        descriptor: Where to read.
        pending: What was read from it before.
        begun: Whether the beginning of the input was read, and its byte order mark skipped.
    """

    def __init__(self, descriptor: int, pending: bytes = b"", *, begun: bool = False) -> None:
        self._descriptor = descriptor
        self._pending = pending
        self._read = self._watched if _is_watchable(descriptor) else self._threaded
        self._skipping = False
        self._first_line = not begun

    async def lines(self) -> AsyncIterator[bytes | None]:
        """Yield each line without its end; `None` stands for one that was too long."""
        pending = bytearray()
        while chunk := self._left_over() or await self._read():
            start = len(pending)
            pending += chunk
            if self._first_line and pending.startswith(BYTE_ORDER_MARK):
                del pending[: len(BYTE_ORDER_MARK)]
                self._first_line, start = False, 0
            while (end := pending.find(b"\n", start)) >= 0:
                self._first_line = False
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

    def _left_over(self) -> bytes:
        left, self._pending = self._pending, b""
        return left

    async def _watched(self) -> bytes:
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        loop.add_reader(self._descriptor, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._descriptor)
        return read_chunk(self._descriptor)

    async def _threaded(self) -> bytes:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[bytes] = loop.create_future()

        def read() -> None:
            chunk = read_chunk(self._descriptor)
            with suppress(RuntimeError):  # the loop is gone: so is whoever waited
                loop.call_soon_threadsafe(lambda: None if done.done() else done.set_result(chunk))

        # A daemon: a read that never returns must not keep the process.
        threading.Thread(target=read, daemon=True).start()
        return await done


class LineSink:
    """Writes lines to a descriptor, in order, waiting where the reader is slow."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = asyncio.Lock()
        self.broken = asyncio.Event()
        # Not for a terminal: whoever has it next would find it changed.
        if _is_watchable(descriptor) and not os.isatty(descriptor):
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
        ready = asyncio.Event()
        loop.add_writer(self._descriptor, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_writer(self._descriptor)


def decode(line: bytes) -> SessionMessage | None:
    """Parse a line; `None` means that the SDK could not take it."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return _failed_answer(line)
    # A request whose id is no id, null for one, passes for a notification there.
    if isinstance(message, types.JSONRPCNotification) and b'"id"' in line:
        return None if "id" in json.loads(line) else SessionMessage(message)
    return SessionMessage(message)


def _failed_answer(line: bytes) -> SessionMessage | None:
    """Make an error of an answer that cannot be read: whoever asked must not wait for ever."""
    try:
        message = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or "method" in message:
        return None
    answered = message.get("id")
    if type(answered) not in {str, int} or not message.keys() & {"result", "error"}:
        return None
    error = types.ErrorData(code=types.INTERNAL_ERROR, message="malformed response")
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=answered, error=error))


def encode(message: SessionMessage) -> bytes:
    """Serialise a message; half a surrogate pair becomes U+FFFD."""
    try:
        text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
    except (PydanticSerializationError, UnicodeError):
        document = message.message.model_dump(by_alias=True, exclude_unset=True)
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        text = replace_surrogates(text)
    return text.encode("utf-8")


def _is_watchable(descriptor: int) -> bool:
    if sys.platform == "win32":
        return False
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)
