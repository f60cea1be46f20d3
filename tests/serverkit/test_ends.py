"""However a process is asked to end, and whatever stderr is: it ends, with code 0.

`make fuzz` tries all of it; otherwise some of each kind.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import re
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from mcp_serverkit.definition import Definition
from mcp_serverkit.runtime.stderr import MAX_LINES
from scripts.definitions import DEFINITIONS
from tests.support.process import PATIENCE_SECONDS, ServerProcess, spawn

MODULE = "tests.serverkit.ending_server"
SETTINGS = {"KIT_URL": "http://kit.example"}

CALLS = MAX_LINES + 100

STDERR = ("read", "not read", "4 KiB not read", "closed", "full device")
ENDS = ("EOF", "SIGTERM", "SIGINT", "SIGHUP")
STATES = ("starting", "idle", "dialog open", "write in flight", "loop stuck")


class Cell(NamedTuple):
    """One way to end."""

    stderr: str
    end: str
    state: str


GRID = [Cell._make(cell) for cell in product(STDERR, ENDS, STATES)]
SOME = [
    Cell(stderr, ENDS[(row + turn) % len(ENDS)], STATES[(row + 2 * turn) % len(STATES)])
    for row, stderr in enumerate(STDERR)
    for turn in (0, 1)
]
STUCK = [Cell("read", "EOF", "loop stuck"), Cell("not read", "EOF", "loop stuck")]
CELLS = GRID if "FUZZ_EXAMPLES" in os.environ else [*SOME, *STUCK]


@contextmanager
def unread(size: int) -> Iterator[int]:
    """A pipe of a size that is full already and that nobody reads."""
    read_end, write_end = os.pipe()
    try:
        fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, size)
        os.write(write_end, b"x" * size)
        yield write_end
    finally:
        os.close(read_end)
        os.close(write_end)


@contextmanager
def full_device() -> Iterator[int]:
    """A device that takes nothing."""
    descriptor = os.open("/dev/full", os.O_WRONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@asynccontextmanager
async def started(module: str, cell: Cell, environ: dict[str, str]) -> AsyncIterator[ServerProcess]:
    """Run a server with one kind of stderr."""
    match cell.stderr:
        case "not read" | "4 KiB not read":
            with unread(4_096 if cell.stderr.startswith("4") else 65_536) as stderr:
                async with spawn(module, environ, stderr=stderr) as server:
                    yield server
        case "full device":
            with full_device() as stderr:
                async with spawn(module, environ, stderr=stderr) as server:
                    yield server
        case "closed":
            async with spawn(module, environ, stderr=None) as server:
                yield server
        case _:
            async with spawn(module, environ) as server:
                yield server


def until(holds: Callable[[], bool]) -> None:
    """Look until something holds."""
    given_up = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < given_up
        time.sleep(0.005)


async def handlers_stand(process: int) -> None:
    """Wait until a process catches signals: before that the interpreter itself is starting."""

    def stand() -> bool:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
        (caught,) = re.findall(r"^SigCgt:\s*(\w+)$", status, re.MULTILINE)
        return bool(int(caught, 16) >> (signal.SIGHUP - 1) & 1)

    await asyncio.to_thread(until, stand)


async def appears(mark: Path) -> None:
    """Wait until a tool is under way."""
    await asyncio.to_thread(until, mark.exists)


async def call(server: ServerProcess, tool: str) -> None:
    params = {"name": tool, "arguments": {}}
    await server.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})


async def brought_to(server: ServerProcess, state: str, mark: Path) -> None:
    """Bring a server into a state."""
    await handlers_stand(server.process.pid)
    if state == "starting":
        return
    await server.initialize(capabilities={"elicitation": {}})
    match state:
        case "idle":
            await call(server, "at_once")
            await server.answer_to(7)
        case "loop stuck":
            await call(server, "block")
            await appears(mark)
        case _:
            await call(server, "write_for_ever")
            question = await server.receive()
            assert question["method"] == "elicitation/create"
            if state == "write in flight":
                accepted = {"action": "accept", "content": {"confirm": True}}
                await server.send({"jsonrpc": "2.0", "id": question["id"], "result": accepted})
                await appears(mark)


async def end(server: ServerProcess, how: str) -> None:
    if how == "EOF":
        await server.close_stdin()
    else:
        server.signal(signal.Signals[how])


@pytest.mark.requirement("R-68", "C-1", "C-2")
@pytest.mark.parametrize("cell", CELLS, ids=" / ".join)
async def test_a_process_ends_with_code_zero(cell: Cell, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    async with started(MODULE, cell, {**SETTINGS, "KIT_NAME": str(mark)}) as server:
        await brought_to(server, cell.state, mark)
        await end(server, cell.end)
        assert await server.exit_code() == 0
        if cell.stderr == "read" and cell.state == "write in flight":
            assert "its outcome is unknown" in await server.errors()


@pytest.mark.requirement("C-2")
@pytest.mark.parametrize("how", ["SIGHUP", "SIGTERM", "EOF"])
async def test_what_became_of_a_write_in_flight_is_told(how: str, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    cell = Cell("read", how, "write in flight")
    async with started(MODULE, cell, {**SETTINGS, "KIT_NAME": str(mark)}) as server:
        await brought_to(server, cell.state, mark)
        await end(server, how)
        assert await server.exit_code() == 0
        assert "a write was cut short: its outcome is unknown" in await server.errors()


def cells_of(definition: Definition) -> list[Cell]:
    """Of each kind of stderr the end of input, and a signal that differs between servers.

    Without settings each server logs a line at its start, so there is something to write.
    """
    turn = DEFINITIONS.index(definition)
    cells = []
    for row, stderr in enumerate(STDERR):
        name = ENDS[1 + (row + turn) % 3]
        cells += [Cell(stderr, "EOF", "idle"), Cell(stderr, name, ("starting", "idle")[turn % 2])]
    return cells


@pytest.mark.requirement("C-2")
@pytest.mark.parametrize(
    ("definition", "cell"),
    [(definition, cell) for definition in DEFINITIONS for cell in cells_of(definition)],
    ids=lambda value: value.name if isinstance(value, Definition) else " / ".join(value),
)
async def test_each_server_ends_with_code_zero(definition: Definition, cell: Cell) -> None:
    async with started(definition.package, cell, {}) as server:
        await handlers_stand(server.process.pid)
        if cell.state == "idle":
            await server.initialize()
        await end(server, cell.end)
        assert await server.exit_code() == 0
        if cell == Cell("read", "EOF", "idle"):
            assert f"{definition.name}: " in await server.errors()


@pytest.mark.requirement("R-68", "C-1")
async def test_a_stderr_that_nobody_reads_keeps_no_call_waiting() -> None:
    """Each of these calls logs a line; pipe and queue are full long before the last one."""
    cell = Cell("4 KiB not read", "EOF", "idle")
    async with started(MODULE, cell, SETTINGS) as server:
        await server.initialize()
        params: dict[str, object] = {"name": "write_for_ever", "arguments": {}}
        for first in range(0, CALLS, 50):
            for number in range(first, first + 50):
                sent = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
                await server.send(sent)
            for _ in range(50):
                assert "confirm_token" in str((await server.receive())["result"])
        assert "result" in await server.request("ping", "ping", {})
        await server.close_stdin()
        assert await server.exit_code() == 0
