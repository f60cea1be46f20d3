"""A server whose tools wait, ask and answer at once, and the messages to call them."""

from __future__ import annotations

import asyncio

from mcp_approval import Ask, Question, Target
from mcp_serverkit.tools.registry import Call, Registry
from tests.serverkit.kit import KIT, App, Told
from tests.serverkit.pipes import Message
from tests.support.raw import CLIENT

BUSY = Registry(source="kit")
URL = {"KIT_URL": "http://kit.example"}


@BUSY.read("Wait")
async def wait_for_it(call: Call[Waiting]) -> Told:
    """Wait until it is let go."""
    call.app.began.set()
    await call.app.go.wait()
    call.app.finished.append("waited")
    return {"told": "waited"}


@BUSY.write("Ask first", destructive=True, idempotent=True, asks="always")
async def ask_first(call: Call[Waiting]) -> Told:
    """Ask a person first."""
    ask = Ask(Question("do it", "It is done."), Target.ordered("ask_first"))
    await call.confirm(ask)
    call.app.finished.append("done")
    return {"told": "done"}


@BUSY.read("Answer at once")
async def at_once(call: Call[Waiting]) -> Told:
    """Answer at once, with half a surrogate pair."""
    return {"told": "x\ud83d"}


class Waiting(App):
    """An app whose tool waits."""

    def __init__(self) -> None:
        super().__init__()
        self.began = asyncio.Event()
        self.go = asyncio.Event()
        self.finished: list[str] = []


DEFINITION = KIT._replace(registry=lambda: BUSY, presets={})


def request(request_id: object, method: str, **params: object) -> Message:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def note_of(method: str, **params: object) -> Message:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def call_of(request_id: object, tool: str) -> Message:
    return request(request_id, "tools/call", name=tool, arguments={})


HELLO = request(
    "hello",
    "initialize",
    protocolVersion="2025-11-25",
    capabilities={"elicitation": {}},
    clientInfo=CLIENT,
)
READY = note_of("notifications/initialized")
