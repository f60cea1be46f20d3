"""Clients of other projects, driven in processes of their own."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from tests.interop.subjects import Call, Subject
from tests.interop.tools import HERE, MODULES, NODE, OLD_SDK, PYTHON

PATIENCE_SECONDS = 100.0
"""Bound of each run of a foreign program; nothing is measured by it."""

Answer = Literal["accept", "decline", "cancel", "leave"]
"""What the person does; who leaves cancels the call and says yes all the same."""


@dataclass(frozen=True)
class Outcome:
    """What one call led to, as the client's own interface told it."""

    is_error: bool
    text: str
    structured: dict[str, object] | None
    error: str | None


@dataclass(frozen=True)
class Report:
    """What a client saw in one scenario.

    Attributes:
        server: Name that the server gave.
        version: Protocol version that was agreed on.
        tools: Names of the tools it listed.
        asked: Questions that were shown.
        results: One for each call made.
        validated: How often structured content was checked against an output schema, if the
            client tells; a failed check is an error of the call in all of them.
    """

    server: str
    version: str
    tools: list[str]
    asked: list[str]
    results: list[Outcome]
    validated: int | None


@dataclass(frozen=True)
class Client:
    """A client of another project, in one of the eras that it speaks."""

    name: str
    command: Sequence[str]
    version: str
    scenario: Mapping[str, object] = field(default_factory=dict)

    async def play(
        self,
        server: Sequence[str] | str,
        environ: Mapping[str, str],
        answer: Answer | None,
        calls: Sequence[Call],
        *,
        repeat: bool = False,
    ) -> Report:
        """Start a server through the client, make the calls, and close it.

        Args:
            server: Command of the server, or its URL (FastMCP only).
            environ: Its whole environment.
            answer: What the person answers; without one, no elicitation is declared.
            calls: The calls, one after the other.
            repeat: Whether each is made again with the token that the first one got.
        """
        if isinstance(server, str):
            target: dict[str, object] = {"url": server}
        else:
            command, *arguments = server
            target = {"command": command, "args": arguments, "env": dict(environ)}
        scenario = {
            **self.scenario,
            **target,
            "answer": answer,
            "calls": [
                {"tool": tool, "arguments": dict(given), "repeat": repeat} for tool, given in calls
            ],
        }
        done = await run(self.command, json.dumps(scenario), {"INTEROP_MODULES": str(MODULES)})
        assert done.code == 0, done.stderr
        return _report(json.loads(done.stdout))

    async def meet(
        self,
        subject: Subject,
        answer: Answer | None,
        *calls: Call,
        repeat: bool = False,
    ) -> Report:
        """Play a scenario against one of our servers."""
        return await self.play(
            [sys.executable, "-m", subject.module],
            environment(subject.environ),
            answer,
            calls,
            repeat=repeat,
        )


_TYPESCRIPT = (str(NODE), str(HERE / "client.mjs"))
_FASTMCP = (str(PYTHON), str(HERE / "fastmcp_client.py"))

TYPESCRIPT_1 = Client(
    "TypeScript SDK 1", _TYPESCRIPT, "2025-11-25", {"sdk": "typescript 1", "era": "legacy"}
)
TYPESCRIPT_2_LEGACY = Client(
    "TypeScript SDK 2, legacy", _TYPESCRIPT, "2025-11-25", {"sdk": "typescript 2", "era": "legacy"}
)
TYPESCRIPT_2_MODERN = Client(
    "TypeScript SDK 2, modern", _TYPESCRIPT, "2026-07-28", {"sdk": "typescript 2", "era": "modern"}
)
FASTMCP_LEGACY = Client("FastMCP, legacy", _FASTMCP, "2025-11-25", {"era": "legacy"})
FASTMCP_MODERN = Client("FastMCP, modern", _FASTMCP, "2026-07-28", {"era": "modern"})

PYTHON_1_9 = Client(
    "Python SDK 1.9",
    (str(OLD_SDK / "bin" / "python"), str(HERE / "old_sdk_client.py")),
    "2025-03-26",
)
"""Knows no dialog, so it stands apart from the clients that do."""

CLIENTS: tuple[Client, ...] = (
    TYPESCRIPT_1,
    TYPESCRIPT_2_LEGACY,
    TYPESCRIPT_2_MODERN,
    FASTMCP_LEGACY,
    FASTMCP_MODERN,
)


@dataclass(frozen=True)
class Done:
    """A program that ended."""

    code: int
    stdout: str
    stderr: str


async def run(
    command: Sequence[str], stdin: str = "", environ: Mapping[str, str] | None = None
) -> Done:
    """Run a program to its end; one that does not come to it is killed, and fails the test."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(environ),
    )
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            stdout, stderr = await process.communicate(stdin.encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    assert process.returncode is not None
    return Done(process.returncode, stdout.decode(), stderr.decode())


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """A small clean environment in which the clients' own Node.js is found first."""
    path = f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "HOME": os.environ.get("HOME", "/"), **(extra or {})}


def _report(seen: dict[str, object]) -> Report:
    results = cast("list[dict[str, object]]", seen["results"])
    return Report(
        server=str(seen["server"]),
        version=str(seen["version"]),
        tools=cast("list[str]", seen["tools"]),
        asked=cast("list[str]", seen["asked"]),
        results=[
            Outcome(
                is_error=result["isError"] is True,
                text=str(result["text"]),
                structured=cast("dict[str, object] | None", result["structured"]),
                error=cast("str | None", result["error"]),
            )
            for result in results
        ],
        validated=cast("int | None", seen.get("validated")),
    )
