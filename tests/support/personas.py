"""How a client may behave when a guarded tool asks. Only one of them approves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import cast

import mcp_types as types
from mcp.client.session import ElicitationFnT
from mcp.server import Server

from tests.support.clients import Arguments, Era, Result, accept, call, connect, leg, question

Reply = types.ElicitResult | types.ErrorData
Play = Callable[[Server[object], Era, str, Arguments], Awaitable[list[Result]]]


@dataclass(frozen=True)
class Persona:
    """One behaviour.

    Attributes:
        name: Its name.
        play: Makes a guarded call and behaves; returns the final results.
        approves: Whether a write may follow.
    """

    name: str
    play: Play
    approves: bool = False


async def _decline(_context: object, _params: object) -> Reply:
    return types.ElicitResult(action="decline")


def _answering(reply: Callable[[], Awaitable[Reply]]) -> Play:
    async def play(
        server: Server[object], era: Era, tool: str, arguments: Arguments
    ) -> list[Result]:
        async def answer(_context: object, _params: object) -> Reply:
            return await reply()

        async with connect(server, era, cast("ElicitationFnT", answer)) as client:
            return [await call(client, tool, arguments)]

    return play


def _with(reply: Reply) -> Play:
    async def give() -> Reply:
        return reply

    return _answering(give)


async def _never(server: Server[object], era: Era, tool: str, arguments: Arguments) -> list[Result]:
    async def answer(_context: object, _params: object) -> Reply:
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    async with connect(server, era, cast("ElicitationFnT", answer)) as client:
        if era == "2026-07-28":
            await question(client, tool, arguments)
            return []
        return [await call(client, tool, arguments)]


async def _erring(
    server: Server[object], era: Era, tool: str, arguments: Arguments
) -> list[Result]:
    async def answer(_context: object, _params: object) -> Reply:
        return types.ErrorData(code=-32603, message="the host failed, secret-of-the-host")

    async with connect(server, era, cast("ElicitationFnT", answer)) as client:
        if era == "2026-07-28":
            await question(client, tool, arguments)
            return []
        return [await call(client, tool, arguments)]


async def _silent(
    server: Server[object], era: Era, tool: str, arguments: Arguments
) -> list[Result]:
    async with connect(server, era) as client:
        return [await call(client, tool, arguments)]


async def _url_only(
    server: Server[object], era: Era, tool: str, arguments: Arguments
) -> list[Result]:
    capability = types.ElicitationCapability(url=types.UrlElicitationCapability())
    async with connect(server, era, capability=capability) as client:
        return [await call(client, tool, arguments)]


async def _forging(
    server: Server[object], era: Era, tool: str, arguments: Arguments
) -> list[Result]:
    """Sends an accepted answer with states that this server never sealed for it."""

    async with connect(server, era, cast("ElicitationFnT", _decline)) as client:
        results = []
        good = ""
        if era == "2026-07-28":
            good = (await question(client, tool, arguments)).request_state or ""
        flipped = ("A" if good[:1] != "A" else "B") + good[1:]
        for state in (None, "", "x", "A" * 120, flipped, good + "=", good + "\n"):
            result = await leg(client, tool, arguments, answer=accept(), state=state)
            if isinstance(result, types.CallToolResult):
                results.append(result)
        return results


async def _replaying(
    server: Server[object], era: Era, tool: str, arguments: Arguments
) -> list[Result]:
    """Declines, and then turns the used answer into a yes."""
    async with connect(server, era, cast("ElicitationFnT", _decline)) as client:
        if era != "2026-07-28":
            return [await call(client, tool, arguments)]
        asked = await question(client, tool, arguments)
        no = types.ElicitResult(action="decline")
        first = await leg(client, tool, arguments, answer=no, state=asked.request_state)
        again = await leg(client, tool, arguments, answer=accept(), state=asked.request_state)
        assert isinstance(again, types.InputRequiredResult)
        assert isinstance(first, types.CallToolResult)
        return [first]


PERSONAS: tuple[Persona, ...] = (
    Persona("accepts", _with(accept()), approves=True),
    Persona("declines", _with(types.ElicitResult(action="decline"))),
    Persona("cancels", _with(types.ElicitResult(action="cancel"))),
    Persona("accepts with false", _with(accept(False))),
    Persona('accepts with "true"', _with(accept("true"))),
    Persona("accepts with 1", _with(accept(1))),
    Persona("accepts without content", _with(types.ElicitResult(action="accept"))),
    Persona("errors", _erring),
    Persona("never answers", _never),
    Persona("knows url mode only", _url_only),
    Persona("declares nothing", _silent),
    Persona("forges states", _forging),
    Persona("replays a declined answer", _replaying),
)


async def play(
    persona: Persona, server: Server[object], era: Era, tool: str, arguments: Arguments
) -> list[Result]:
    """Let a persona make one guarded call; nothing but an approval may end well."""
    results = await persona.play(server, era, tool, arguments)
    for result in results:
        assert bool(result.is_error) is not persona.approves
    return results
