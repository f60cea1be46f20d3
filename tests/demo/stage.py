"""What the demos share: spawning a server, showing its dialogs, asking you."""

from __future__ import annotations

import os
import sys
import tempfile
import textwrap
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TextIO, cast

import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.session import ElicitationFnT
from mcp.client.stdio import stdio_client

WIDTH = 92

ERAS = {"2025-11-25": "legacy", "2026-07-28": "auto"}
"""Protocol revision to the SDK client's mode."""


def heading(text: str) -> None:
    print(f"\n━━ {text} {'━' * max(0, WIDTH - len(text) - 4)}")


def say(text: str, indent: str = "   ") -> None:
    for line in text.splitlines():
        print(textwrap.fill(line, WIDTH, initial_indent=indent, subsequent_indent=indent))


def show_result(result: types.CallToolResult) -> None:
    """Print a result as the model would get it, cut where it is long."""
    text = " ".join(block.text for block in result.content if isinstance(block, types.TextContent))
    mark = "✗" if result.is_error else "✓"
    say(f"{mark} {text if len(text) <= 700 else text[:700] + ' …'}")


def given_answer(word: str) -> bool | None:
    """Read `DEMO_ANSWER`; nothing when it is unset.

    Raises:
        ValueError: It is neither of the two words.
    """
    try:
        return {"": None, "yes": True, "no": False}[word.strip().lower()]
    except KeyError:
        raise ValueError("DEMO_ANSWER takes yes or no") from None


class Person:
    """Whoever sits at the terminal, or `DEMO_ANSWER` where nobody does."""

    def __init__(self) -> None:
        self.decline_next = False
        self._given = given_answer(os.environ.get("DEMO_ANSWER", ""))

    async def answer(self, _context: object, params: types.ElicitRequestFormParams) -> object:
        """Show a dialog as a client would, and take the answer."""
        box = cast("dict[str, str]", params.requested_schema["properties"]["confirm"])
        print(f"   ┌{'─' * (WIDTH - 2)}┐")
        for paragraph in [
            *params.message.splitlines(),
            "",
            f"☐ {box['title']}",
            box["description"],
        ]:
            for line in textwrap.wrap(paragraph, WIDTH - 4) or [""]:
                print(f"   │ {line:<{WIDTH - 4}} │")
        print(f"   └{'─' * (WIDTH - 2)}┘")
        if not self._agrees():
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content={"confirm": True})

    def _agrees(self) -> bool:
        if self.decline_next:
            self.decline_next = False
            print("   [the demo declines this one]")
            return False
        if self._given is not None:
            print(f"   [answered by DEMO_ANSWER: {'yes' if self._given else 'no'}]")
            return self._given
        if not (sys.stdin and sys.stdin.isatty()):
            print("   [nobody at a terminal: declined; DEMO_ANSWER=yes answers]")
            return False
        try:
            return input("   Allow it? [y/N] ").strip().lower() in {"y", "yes"}
        except EOFError:
            print("no")
            return False


@asynccontextmanager
async def client(
    server: str | Path, environ: Mapping[str, str], era: str, person: Person | None
) -> AsyncIterator[Client]:
    """Spawn a server, a module or a script, over stdio and connect the SDK's client to it."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", server] if isinstance(server, str) else [str(server)],
        env={**os.environ, **environ},
    )
    answer = None if person is None else cast("ElicitationFnT", person.answer)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        transport = stdio_client(parameters, errlog=cast("TextIO", log))
        async with Client(transport, mode=ERAS[era], elicitation_callback=answer) as connected:
            yield connected
        log.seek(0)
        decisions = [line.strip() for line in log if ": approval " in line]
    if decisions:
        say("the server's log says:")
        for line in decisions:
            say(line, indent="     ")


async def show_tools(connected: Client, asks: Mapping[str, str]) -> None:
    """List the tools, with a mark on those that ask."""
    tools = (await connected.list_tools()).tools
    say(f"{len(tools)} tools; ● asks a person, ◐ asks in some cases:")
    for tool in tools:
        mark = {"": " ", "always": "●"}.get(asks[tool.name], "◐")
        print(f"     {mark} {tool.name:<28} {tool.title}")
