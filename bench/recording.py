"""What a record costs: a guarded call with and without one, taken in turns."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.measure import clean_environment
from bench.subjects import ntfy

CALLS = 200
"""Enough that a disk that is busy for a moment does not decide."""

CALL = {"name": "delete_messages", "arguments": {"topic": "alerts", "sequence_ids": ["nightly"]}}
YES = {"action": "accept", "content": {"confirm": True}}


@dataclass
class Asked:
    """A server whose client says yes to each question."""

    process: subprocess.Popen[bytes]
    last: int = 0

    def request(self, method: str, params: Mapping[str, object]) -> None:
        """Make a request, answer what is asked, and wait for its result."""
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        while (message := self.receive()).get("id") != self.last or "method" in message:
            if message.get("method") == "elicitation/create":
                self.send({"id": message["id"], "result": YES})
        result = message["result"]
        assert isinstance(result, dict)
        assert not result.get("isError"), result

    def send(self, message: Mapping[str, object]) -> None:
        """Write a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, object]:
        """Read a line."""
        assert self.process.stdout is not None
        message = json.loads(self.process.stdout.readline())
        assert isinstance(message, dict)
        return message


@contextmanager
def asked(environ: Mapping[str, str]) -> Iterator[Asked]:
    """Start a server and shake hands with it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ntfy_mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**clean_environment(), **environ},
    )
    with process:
        try:
            server = Asked(process)
            server.request(
                "initialize",
                {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"elicitation": {}},
                    "clientInfo": {"name": "bench", "version": "1"},
                },
            )
            server.send({"method": "notifications/initialized"})
            yield server
        finally:
            process.kill()


def durations(calls: int = CALLS) -> tuple[float, float]:
    """Seconds of a guarded call without a record and with one: medians of calls in turns."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ntfy() as (_, environ),
        asked(environ) as plain,
        asked({**environ, "APPROVAL_RECORD": str(Path(folder) / "record.jsonl")}) as recorded,
    ):
        taken: tuple[list[float], list[float]] = ([], [])
        for _ in range(calls):
            for server, seconds in zip((plain, recorded), taken, strict=True):
                before = time.perf_counter()
                server.request("tools/call", CALL)
                seconds.append(time.perf_counter() - before)
        assert (Path(folder) / "record.jsonl").stat().st_size > calls
    return statistics.median(taken[0]), statistics.median(taken[1])


def row() -> str:
    """One line for the table."""
    plain, recorded = durations()
    return (
        f"a guarded call: {plain * 1_000:.1f} ms without a record, {recorded * 1_000:.1f} ms "
        f"with one ({recorded / plain:.2f} times that)"
    )
