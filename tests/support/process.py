"""A server as a real process, spoken to in raw lines."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import cast

PATIENCE_SECONDS = 30.0
"""Bound of every wait here; nothing is measured by it."""

Message = dict[str, object]


class ServerProcess:
    """One server process; lines go in, parsed messages come out."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.received: list[Message] = []

    async def send(self, message: Message) -> None:
        await self.send_raw(json.dumps(message).encode() + b"\n")

    async def send_raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        await self.process.stdin.drain()

    async def receive(self) -> Message:
        """The next message; every line on stdout must be JSON-RPC."""
        assert self.process.stdout is not None
        async with asyncio.timeout(PATIENCE_SECONDS):
            line = await self.process.stdout.readline()
        assert line, "stdout ended: " + (await self.errors())
        message = cast("Message", json.loads(line))
        assert message["jsonrpc"] == "2.0"
        self.received.append(message)
        return message

    async def answer_to(self, request_id: object) -> Message:
        """The response to one request, past whatever comes before it."""
        while True:
            message = await self.receive()
            if message.get("id") == request_id and "method" not in message:
                return message

    async def request(self, request_id: object, method: str, params: Message) -> Message:
        await self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        return await self.answer_to(request_id)

    async def initialize(
        self, version: str = "2025-11-25", capabilities: Message | None = None
    ) -> Message:
        answer = await self.request(
            "init",
            "initialize",
            {
                "protocolVersion": version,
                "capabilities": capabilities or {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        )
        await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    async def close_stdin(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    async def exit_code(self) -> int:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await self.process.wait()

    async def rest(self) -> bytes:
        """What is left on stdout, to its end."""
        assert self.process.stdout is not None
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await self.process.stdout.read()

    async def errors(self) -> str:
        """All of stderr, to its end."""
        assert self.process.stderr is not None
        async with asyncio.timeout(PATIENCE_SECONDS):
            return (await self.process.stderr.read()).decode("utf-8")


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """A small clean environment, with what coverage needs to follow into children."""
    kept = {name: value for name, value in os.environ.items() if name.startswith("COV")}
    return {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        **kept,
        **(extra or {}),
    }


@asynccontextmanager
async def spawn(
    module: str,
    environ: Mapping[str, str] | None = None,
    *,
    arguments: tuple[str, ...] = (),
    stdin: int = asyncio.subprocess.PIPE,
    stderr: int | None = asyncio.subprocess.PIPE,
) -> AsyncIterator[ServerProcess]:
    """Run a server's module; whatever is left of it at the end is killed.

    Without a stderr that descriptor is closed in the process.
    """
    closing = ("sh", "-c", 'exec "$@" 2>&-', "sh") if stderr is None else ()
    process = await asyncio.create_subprocess_exec(
        *closing,
        sys.executable,
        "-m",
        module,
        *arguments,
        stdin=stdin,
        stdout=asyncio.subprocess.PIPE,
        stderr=stderr,
        env=environment(environ),
        limit=64 * 1024 * 1024,
    )
    try:
        yield ServerProcess(process)
    finally:
        if process.returncode is None:
            process.kill()
        if process.stdin is not None:
            process.stdin.close()
        await process.communicate()
