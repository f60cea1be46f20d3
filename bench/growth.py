"""How time, memory and the longest stay of the event loop grow with an answer.

python -m bench.growth PREFIX TOOL ARGUMENTS ERA     one measurement, in this process
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from bench import subjects
from bench.measure import clean_environment, memory
from mcp_serverkit.config.settings import read_settings
from mcp_serverkit.definition import Definition
from mcp_serverkit.server import build_server
from scripts.definitions import DEFINITIONS
from tests.support.clients import Era, call, connect, text
from tests.support.person import Person

Environ = Mapping[str, str]


@dataclass(frozen=True)
class Growth:
    """One tool on an answer of some size.

    Attributes:
        name: What grows.
        prefix: Prefix of the server's variables.
        tool: The tool and its arguments.
        size: The full size, in `unit`.
        unit: What is counted.
        stand: Sets up a backend with a size.
        megabytes: The data at full size.
        era: Protocol era of the client, whose person says yes to what is asked.
    """

    name: str
    prefix: str
    tool: tuple[str, Mapping[str, object]]
    size: int
    unit: str
    stand: Callable[[int], AbstractContextManager[Environ]]
    megabytes: float
    era: Era = "2025-11-25"


class _Environ(AbstractContextManager[Environ]):
    """Keeps only the environment of a stand."""

    def __init__(self, stand: AbstractContextManager[tuple[object, Environ]]) -> None:
        self._stand = stand

    def __enter__(self) -> Environ:
        return self._stand.__enter__()[1]

    def __exit__(self, *details: object) -> None:
        self._stand.__exit__(None, None, None)


def _stand(
    make: Callable[[int], AbstractContextManager[tuple[object, Environ]]], size: int
) -> AbstractContextManager[Environ]:
    return _Environ(make(size))


LOG = {"repo_id": 21, "number": 1, "step": "test"}
MAIL = {"to": ["a@example.test"], "subject": "s", "body": "b", "attachments": ["file.pdf"]}

SENDING = Growth(
    "sending a 5 MB attachment",
    "SMTP",
    ("send_mail", MAIL),
    subjects.ATTACHMENT_BYTES,
    "bytes",
    subjects.smtp,
    5,
)

GROWTHS = (
    Growth(
        "a topic of 10,000 messages",
        "NTFY",
        ("list_messages", {"since": "all"}),
        subjects.MESSAGES,
        "messages",
        partial(_stand, subjects.ntfy),
        1.7,
    ),
    Growth(
        "a preview with a 5 MB attachment",
        "SMTP",
        ("preview_mail", MAIL),
        subjects.ATTACHMENT_BYTES,
        "bytes",
        subjects.smtp,
        5,
    ),
    SENDING,
    replace(SENDING, name="the same by revision 2026-07-28", era="2026-07-28"),
    Growth(
        "an export of 20,000 records",
        "HETZNER",
        ("export_zonefile", {"zone": "example.com"}),
        subjects.RECORDS,
        "records",
        partial(_stand, subjects.hetzner),
        0.6,
    ),
    Growth(
        "a log of 30 MB",
        "WOODPECKER",
        ("get_step_logs", LOG),
        subjects.LOG_BYTES,
        "bytes",
        partial(_stand, subjects.woodpecker),
        30,
    ),
)


def measure(growth: Growth, size: int) -> dict[str, float]:
    """Run one measurement in a process of its own."""
    tool, arguments = growth.tool
    with growth.stand(size) as environ:
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "bench.growth",
                growth.prefix,
                tool,
                json.dumps(arguments),
                growth.era,
            ],
            env={**clean_environment(), **environ},
            capture_output=True,
            text=True,
            check=True,
        )
    figures = json.loads(done.stdout)
    assert isinstance(figures, dict)
    return figures


async def _measure(
    definition: Definition, tool: str, arguments: Mapping[str, object], era: Era
) -> None:
    reading = read_settings(definition.variables, definition.prefix, os.environ)
    definition.cross_check(reading.values, reading)
    server = build_server(definition, reading.values)
    gaps: list[float] = [0.0]

    async def watch() -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            gaps.append(now - last - 0.001)
            last = now

    async with connect(server, era, Person()) as client:
        await client.list_tools()
        before = memory(os.getpid(), "VmHWM")
        watching = asyncio.create_task(watch())
        started = time.perf_counter()
        result = await call(client, tool, arguments)
        seconds = time.perf_counter() - started
        watching.cancel()
    assert not result.is_error, text(result)
    # Not getrusage: its peak outlives an exec, and so counts the parent's.
    peak = memory(os.getpid(), "VmHWM") - before
    figures = {"seconds": seconds, "peak_mib": peak, "gap_ms": max(gaps) * 1_000}
    print(json.dumps(figures))


def main() -> None:
    prefix, tool, arguments, era = sys.argv[1:]
    definition = next(one for one in DEFINITIONS if one.prefix == prefix)
    asyncio.run(_measure(definition, tool, json.loads(arguments), cast("Era", era)))


if __name__ == "__main__":
    main()
