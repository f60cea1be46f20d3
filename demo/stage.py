"""What the demos share: spawning a server, showing its dialogs, asking you."""

from __future__ import annotations

import asyncio
import codecs
import os
import shutil
import sys
import tempfile
import textwrap
from collections.abc import AsyncIterator, Iterator, Mapping, Set
from contextlib import asynccontextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO, cast

import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.session import ElicitationFnT
from mcp.client.stdio import stdio_client

WIDTH = min(100, max(40, shutil.get_terminal_size((92, 24)).columns))

PLAIN = {**dict.fromkeys("┌┐└┘", "+"), "─": "-", "━": "=", "│": "|", "…": "..."}
PLAIN |= {"●": "*", "◐": "o", "☐": "_", "✓": "+", "✗": "x"}
"""What is drawn where these cannot be written."""

YES = frozenset({"y", "yes"})

ERAS = {"2025-11-25": "legacy", "2026-07-28": "auto"}
"""Protocol revision to the SDK client's mode."""


def write_anywhere() -> None:
    """Let a stdout that is not UTF-8 take what the demo draws."""

    def plain(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeEncodeError)
        text = error.object[error.start : error.end]
        return "".join(PLAIN.get(character, "?") for character in text), error.end

    codecs.register_error("plain", plain)
    cast("TextIOWrapper", sys.stdout).reconfigure(errors="plain")


def heading(text: str) -> None:
    first, *rest = textwrap.wrap(text, WIDTH - 4)
    print(f"\n━━ {first} {'━' * max(0, WIDTH - len(first) - 4)}")
    for line in rest:
        print(f"   {line}")


def say(text: str, indent: str = "   ") -> None:
    for line in text.splitlines():
        kept = indent + " " * (len(line) - len(line.lstrip()))
        print(textwrap.fill(line.strip(), WIDTH, initial_indent=kept, subsequent_indent=kept))


def show_box(*paragraphs: str) -> None:
    """Draw a frame around paragraphs, which are wrapped at words."""
    inside = WIDTH - 7
    print(f"   ┌{'─' * (inside + 2)}┐")
    for paragraph in paragraphs:
        for line in textwrap.wrap(paragraph, inside) or [""]:
            print(f"   │ {line:<{inside}} │")
    print(f"   └{'─' * (inside + 2)}┘")


def show_result(result: types.CallToolResult) -> None:
    """Print what came back: the fields of an answer, or the whole text of a refusal."""
    answer = result.structured_content
    # A tool that returns one text has it under one name, and tells it as text as well.
    if not result.is_error and isinstance(answer, dict) and set(answer) != {"result"}:
        say("✓ done")
        say("\n".join(fields(answer)), indent="     ")
        return
    text = "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))
    say(f"{'✗' if result.is_error else '✓'} {text}")


def fields(answer: Mapping[str, object], indent: str = "") -> Iterator[str]:
    """Give the fields of an answer, a line each; what is inside one stands below it."""
    for name, value in answer.items():
        inside = [value] if isinstance(value, dict) else value
        if isinstance(inside, list) and inside and isinstance(inside[0], dict):
            yield f"{indent}{name}:"
            for one in inside:
                yield from fields(one, f"{indent}  ")
        elif isinstance(value, list):
            yield f"{indent}{name}: {', '.join(str(each) for each in value) or 'none'}"
        else:
            yield f"{indent}{name}: {_plainly(value)}"


def _plainly(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "yes" if value else "no" if value is False else "none"
    return str(value)


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
        show_box(*params.message.splitlines(), "", f"☐ {box['title']}", box["description"])
        if not await self.agrees():
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content={"confirm": True})

    async def agrees(self, prompt: str = "Allow it? [y/N] ", yes: Set[str] = YES) -> bool:
        """Ask for one of these words; everything else is a no."""
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
        print(f"   {prompt}", end="", flush=True)
        line = await _line()
        if not line:
            print("no")
        return line.strip().lower() in yes


async def _line() -> str:
    """Read a line from the terminal; empty at its end. The loop goes on, so Ctrl-C is heard."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())
    return sys.stdin.readline()


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
            yield _watched(connected)
        log.seek(0)
        # The line of the start says "approvals" of those who are asked outside the client.
        decisions = [line.strip() for line in log if ": approval" in line]
    if decisions:
        say("the server's log says:")
        for line in decisions:
            say(line, indent="     ")


DONE: list[str] = []
NOT_DONE: list[str] = []
"""The tools that were called, by what became of each call."""


def _watched(connected: Client) -> Client:
    """Keep account of the calls of a client."""
    call = connected.call_tool

    async def keeping(name: str, *arguments: Any, **more: Any) -> types.CallToolResult:
        try:
            result = await call(name, *arguments, **more)
        except asyncio.CancelledError:
            NOT_DONE.append(name)
            raise
        (NOT_DONE if result.is_error else DONE).append(name)
        return result

    connected.call_tool = keeping  # type: ignore[method-assign]
    return connected


def ending(server: str) -> None:
    """Say what was done and what was not, and how to install it if it is a server."""
    heading("That was it")
    for words, names in (("done", DONE), ("not done", NOT_DONE)):
        counted = [f"{name} ({names.count(name)})" for name in dict.fromkeys(names)]
        say(f"{words}: {', '.join(counted) or 'nothing'}")
    if server:
        say(f"to install it: make install SERVER={server}")


async def show_tools(connected: Client, asks: Mapping[str, str]) -> None:
    """List the tools, with a mark on those that ask."""
    tools = (await connected.list_tools()).tools
    say(f"{len(tools)} tools; ● asks a person, ◐ asks in some cases:")
    width = max(len(tool.name) for tool in tools)
    for tool in tools:
        mark = {"": " ", "always": "●"}.get(asks[tool.name], "◐")
        print(f"     {mark} {tool.name:<{width}}  {tool.title}")
