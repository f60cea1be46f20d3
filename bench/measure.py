"""One run of one server, measured from outside."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mcp_serverkit.catalogue import EMPTY_LISTS

CALLS = 30

TOKENS_PER_BYTE = 1 / 4
"""The usual estimate for JSON and English."""


@dataclass(frozen=True)
class Subject:
    """What is measured.

    Attributes:
        name: Name in the table.
        arguments: Arguments of the program.
        call: A read tool and its arguments; none for a bare interpreter.
        environ: Variables added to a small clean environment.
        program: What is started; empty for the interpreter.
    """

    name: str
    arguments: tuple[str, ...]
    call: tuple[str, Mapping[str, object]] | None = None
    environ: Mapping[str, str] = field(default_factory=dict)
    program: str = ""


@dataclass(frozen=True)
class Figures:
    """Figures of one run; seconds, MiB and bytes."""

    initialized: float
    ready: float
    memory: float
    cpu: float
    listing: float
    first_call: float
    call: float
    exit: float


def clean_environment() -> dict[str, str]:
    """What every measured process starts with."""
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}


def run(subject: Subject, *, interpreter: str = sys.executable, calls: int = CALLS) -> Figures:
    """Start, list, call, end; with the interpreter of another tree, if one is given."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [subject.program or interpreter, *subject.arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**clean_environment(), **subject.environ},
    )
    with process:
        try:
            return (
                _bare(process, started)
                if subject.call is None
                else _served(process, started, subject.call, calls)
            )
        finally:
            process.kill()


def _bare(process: subprocess.Popen[bytes], started: float) -> Figures:
    assert process.stdout is not None
    process.stdout.readline()
    ready = time.perf_counter() - started
    resident, cpu = _family(process.pid, memory), _family(process.pid, _cpu)
    return Figures(ready, ready, resident, cpu, 0, 0, 0, _leave(process))


def _served(
    process: subprocess.Popen[bytes],
    started: float,
    call: tuple[str, Mapping[str, object]],
    calls: int,
) -> Figures:
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    }
    _exchange(process, 1, "initialize", hello)
    initialized = time.perf_counter() - started
    _send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    listing = _exchange(process, 2, "tools/list", {})
    for number, method in enumerate(("prompts/list", *EMPTY_LISTS), 3):
        _ask(process, number, method)
    ready = time.perf_counter() - started
    resident, cpu = _family(process.pid, memory), _family(process.pid, _cpu)
    durations = []
    for number in range(calls):
        before = time.perf_counter()
        _exchange(process, 10 + number, "tools/call", {"name": call[0], "arguments": call[1]})
        durations.append(time.perf_counter() - before)
    return Figures(
        initialized=initialized,
        ready=ready,
        memory=resident,
        cpu=cpu,
        listing=len(listing),
        first_call=ready + durations[0],
        call=statistics.median(durations[1:]),
        exit=_leave(process),
    )


def _ask(process: subprocess.Popen[bytes], request_id: int, method: str) -> None:
    """Ask for what may not be there, as several clients do; an error is an answer too."""
    _send(process, {"jsonrpc": "2.0", "id": request_id, "method": method, "params": {}})
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["id"] == request_id


def _exchange(
    process: subprocess.Popen[bytes], request_id: int, method: str, params: Mapping[str, object]
) -> bytes:
    _send(process, {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
    assert process.stdout is not None
    line = process.stdout.readline()
    answer = json.loads(line)
    assert answer["id"] == request_id, line
    assert not answer["result"].get("isError"), line
    return line


def _send(process: subprocess.Popen[bytes], message: Mapping[str, object]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def _leave(process: subprocess.Popen[bytes]) -> float:
    assert process.stdin is not None
    before = time.perf_counter()
    process.stdin.close()
    process.wait(timeout=30)
    return time.perf_counter() - before


def _family(pid: int, measured: Callable[[int], float]) -> float:
    """Sum a figure up over a process and what it started: uvx stays beside the server."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
        return measured(pid) + sum(
            _family(int(child), measured) for child in children.read().split()
        )


def memory(pid: int, kind: str = "VmRSS") -> float:
    """Resident memory in MiB: now, or its peak (`VmHWM`)."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith(f"{kind}:"))
    return int(line.split()[1]) / 1024


def _cpu(pid: int) -> float:
    """User and system time in seconds."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
