"""How a client may behave when a guarded tool asks. Only one of them approves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast
from unittest.mock import patch

import mcp_types as types
from mcp.client.session import ElicitationFnT
from mcp.server import Server

from mcp_approval import messages, seal
from mcp_approval.approver import Approver
from mcp_approval.asking_client import Answer, Prompt
from mcp_approval.in_flight import OpenQuestion
from mcp_approval.keys import TargetKeys
from mcp_approval.mcp_adapter import MCPClient
from mcp_approval.verdict import Ask
from tests.approval.raw import FORM, Document, Wire, result, wire
from tests.support import clients
from tests.support.clients import (
    Arguments,
    Era,
    Result,
    accept,
    call,
    connect,
    leg,
    question,
    text,
)
from tests.support.doubled import doubled
from tests.support.recorded import hold

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

    @property
    def wait_seconds(self) -> float:
        """How long a pushed question should wait: short only where nothing will ever come."""
        return 0.05 if self.name.startswith("never answers") else 10.0


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


class _Listener:
    """Answers with a yes, and keeps the first lines of what it was asked.

    Attributes:
        shown: Set with each question.
        holds: How many questions, from the first, are never answered.
    """

    def __init__(self, holds: int = 0) -> None:
        self.first_lines: list[str] = []
        self.shown = asyncio.Event()
        self._holds = holds

    async def __call__(self, _context: object, params: object) -> Reply:
        assert isinstance(params, types.ElicitRequestFormParams)
        self.first_lines.append(params.message.partition("\n")[0])
        self.shown.set()
        if len(self.first_lines) <= self._holds:
            await asyncio.Event().wait()
        return accept()


async def _called_again(
    server: Server[object], era: Era, tool: str, arguments: Arguments
) -> list[Result]:
    """Gives up on a question without a word, makes the same call again and says yes."""
    person = _Listener(holds=1 if era == "2025-11-25" else 0)
    async with connect(server, era, cast("ElicitationFnT", person)) as client:
        if era == "2026-07-28":
            await question(client, tool, arguments)
            results = [await call(client, tool, arguments)]
        else:
            first = asyncio.create_task(call(client, tool, arguments))
            await person.shown.wait()
            results = [await call(client, tool, arguments)]
            ended = await first
            assert ended.is_error
            assert text(ended).startswith("Superseded: the same call was made again")
    assert person.first_lines[-1] == messages.CALLED_AGAIN
    return results


async def _old_yes(
    server: Server[object], era: Era, tool: str, arguments: Arguments
) -> list[Result]:
    """Answers the old question after the same call was made again, and then what is open."""
    if era == "2026-07-28":
        async with connect(server, era, cast("ElicitationFnT", _decline)) as client:
            states = [(await question(client, tool, arguments)).request_state for _ in range(2)]
            no = types.ElicitResult(action="decline")
            declined = await leg(client, tool, arguments, answer=no, state=states[1])
            assert isinstance(declined, types.CallToolResult)
            again = await leg(client, tool, arguments, answer=accept(), state=states[0])
            assert isinstance(again, types.InputRequiredResult), "the no spent one of two"
            done = await leg(client, tool, arguments, answer=accept(), state=again.request_state)
            assert isinstance(done, types.CallToolResult)
            return [done]
    async with wire(server) as client:
        await client.initialize(era, FORM)
        params: Document = {"name": tool, "arguments": dict(arguments)}
        first, old = await _pushed(client, params)
        second, new = await _pushed(client, params)
        assert _first_line(new) == messages.CALLED_AGAIN
        yes: Document = {"action": "accept", "content": {"confirm": True}}
        await client.send({"id": old["id"], "result": yes})
        await client.request("tools/list", {})
        await client.send({"id": new["id"], "result": yes})
        done = types.CallToolResult.model_validate(result(await client.reply_to(second)))
        assert result(await client.reply_to(first))["isError"] is True
        return [done]


async def _pushed(client: Wire, params: Document) -> tuple[int, Document]:
    call_id = await client.start("tools/call", params)
    message = await client.receive()
    while message.get("method") != "elicitation/create":
        message = await client.receive()
    return call_id, message


def _first_line(pushed: Document) -> str:
    return str(cast("Document", pushed["params"])["message"]).partition("\n")[0]


async def _late(server: Server[object], era: Era, tool: str, arguments: Arguments) -> list[Result]:
    """Says yes after the time ran out, and again to the question that comes then."""
    person = _Listener(holds=1 if era == "2025-11-25" else 0)
    async with connect(server, era, cast("ElicitationFnT", person)) as client:
        if era == "2025-11-25":
            with patch.object(MCPClient, "push", _impatient):
                ended = await call(client, tool, arguments)
            assert text(ended).endswith("Calling again asks again.")
            results = [await call(client, tool, arguments)]
            assert person.first_lines[-1] == messages.NOT_IN_TIME
            return results
        state = (await question(client, tool, arguments)).request_state
        with patch.object(seal, "LIFETIME_SECONDS", 0):
            again = await leg(client, tool, arguments, answer=accept(), state=state)
        assert isinstance(again, types.InputRequiredResult)
        assert _asked_line(again) == messages.NOT_IN_TIME
        done = await leg(client, tool, arguments, answer=accept(), state=again.request_state)
        assert isinstance(done, types.CallToolResult)
        return [done]


_push = MCPClient.push


async def _impatient(
    client: MCPClient, prompt: Prompt, _wait_seconds: float, asked: OpenQuestion
) -> Answer:
    return await _push(client, prompt, 0.02, asked)


def _asked_line(asked: types.InputRequiredResult) -> str:
    request = (asked.input_requests or {})["confirm"]
    assert isinstance(request, types.ElicitRequest)
    assert isinstance(request.params, types.ElicitRequestFormParams)
    return request.params.message.partition("\n")[0]


async def _changed(
    server: Server[object], era: Era, tool: str, arguments: Arguments
) -> list[Result]:
    """Says yes to a question whose facts changed meanwhile, and to the one that comes then."""
    person = _Listener()
    readings = iter((1, *[2] * 99)) if era == "2026-07-28" else iter((1, 1, *[2] * 99))
    keys = Approver.keys

    def moved(approver: Approver, ask: Ask) -> TargetKeys:
        facts = {**ask.target.facts, "number of clouds": next(readings)}
        return keys(approver, replace(ask, target=replace(ask.target, facts=facts)))

    with patch.object(Approver, "keys", moved):
        async with connect(server, era, cast("ElicitationFnT", person)) as client:
            results = [await call(client, tool, arguments)]
    assert person.first_lines[1:] == [messages.facts_changed(["number of clouds"])]
    return results


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
    Persona("gives up silently and calls again", _called_again, approves=True),
    Persona("answers the old question after the takeover", _old_yes, approves=True),
    Persona("answers after the time ran out", _late, approves=True),
    Persona("answers after the facts changed", _changed, approves=True),
)


def twin(persona: Persona) -> Persona:
    """A persona that sends each of its requests twice, under one id."""

    @asynccontextmanager
    async def by_hand(server: Server[object]) -> AsyncIterator[Wire]:
        async with doubled(server) as (from_server, to_server):
            yield Wire(to_server, from_server)

    async def play(
        server: Server[object], era: Era, tool: str, arguments: Arguments
    ) -> list[Result]:
        with patch.object(clients, "reached", doubled), patch(f"{__name__}.wire", by_hand):
            return await persona.play(server, era, tool, arguments)

    return replace(persona, name=f"{persona.name}, each request twice", play=play)


async def play(
    persona: Persona,
    server: Server[object],
    era: Era,
    tool: str,
    arguments: Arguments,
    record: Path | None = None,
) -> list[Result]:
    """Let a persona make one guarded call; nothing but an approval may end well.

    Args:
        persona: Who calls.
        server: What is called.
        era: Protocol era.
        tool: A guarded tool.
        arguments: Of the call.
        record: Where the server keeps its record, if it does.
    """
    results = await persona.play(server, era, tool, arguments)
    for one in results:
        assert bool(one.is_error) is not persona.approves
    if record is not None:
        events = [event.event for event in hold(record, arguments)]
        assert events.count("done") == persona.approves
        assert {"failed", "unknown"}.isdisjoint(events)
        # Whoever was asked by a question of ours either answers or is gone.
        ended = sum("asked" in event for event in hold(record, arguments))
        assert era == "2026-07-28" or events.count("asked") == ended
    return results
