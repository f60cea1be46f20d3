"""What the tests of this server share: a person who answers, and short ways to call."""

from __future__ import annotations

import json
from collections.abc import Iterable

from mcp.server import Server

from tests.backends.woodpecker import Answer, WoodpeckerBackend
from tests.support.clients import Arguments, Era, Result, call, connect, structured, text
from tests.support.person import Person

STEP = 7001
HERE = {"repo_id": 5, "number": 1, "step_id": STEP}
"""The step of the fixture `step`."""


def store(backend: WoodpeckerBackend, lines: Iterable[str | bytes]) -> None:
    """Store the log of that step."""
    backend.state.add_log(STEP, lines)


async def answered(
    server: Server[object],
    tool: str,
    arguments: Arguments,
    *,
    era: Era = "2025-11-25",
    person: Person | None = None,
) -> tuple[Result, list[str]]:
    """Call a tool with somebody there to answer; returns what was asked as well."""
    who = person or Person()
    async with connect(server, era, who) as client:
        return await call(client, tool, arguments), who.messages


async def outcome(server: Server[object], tool: str, arguments: Arguments) -> Result:
    """What a client that cannot show dialogs gets."""
    async with connect(server, "2025-11-25") as client:
        return await call(client, tool, arguments)


async def result(server: Server[object], tool: str, **arguments: object) -> dict[str, object]:
    """The object of a call that must work."""
    return structured(await outcome(server, tool, arguments))


async def failure(server: Server[object], tool: str, **arguments: object) -> str:
    """The text of a call that must fail."""
    failed = await outcome(server, tool, arguments)
    assert failed.is_error, text(failed)
    return text(failed)


def json_answer(value: object, status: int = 200) -> Answer:
    """A scripted answer with JSON."""
    return Answer(status, json.dumps(value).encode(), "application/json")


def text_answer(status: int, words: str = "") -> Answer:
    """A scripted answer with plain words, or a bare status."""
    return Answer(status, words.encode(), "text/plain; charset=utf-8" if words else "")
