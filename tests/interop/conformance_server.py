"""A server on the approval package and the kit, with the tools that the conformance suite calls.

`python -m tests.interop.conformance_server` serves it over HTTP on the loopback address,
since the suite speaks no stdio, and prints the address.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from typing import Annotated

import uvicorn
from typing_extensions import TypedDict

from mcp_approval.keys import Target
from mcp_approval.question import Question
from mcp_approval.verdict import Ask
from mcp_serverkit.config.settings import Values, common_variables, read_settings
from mcp_serverkit.definition import Definition
from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.server import build_server
from mcp_serverkit.tools.registry import Call, Registry

TOOLS = Registry(source="fixture")


class Said(TypedDict):
    """What a tool says."""

    text: str


class Fixture:
    """An app with nothing behind it."""

    async def aclose(self) -> None:
        """Nothing is open."""

    async def check(self) -> list[str]:
        return []


def build(_values: Values, _offered: Sequence[str]) -> Fixture:
    return Fixture()


@TOOLS.read("Say something simple")
async def test_simple_text(call: Call[Fixture]) -> Said:
    """Say something simple."""
    return {"text": "This is a simple text response for testing."}


@TOOLS.read("Fail")
async def test_error_handling(call: Call[Fixture]) -> Said:
    """Fail on purpose."""
    raise ToolFailure("This tool intentionally returns an error for testing")


@TOOLS.write("Ask", destructive=True, idempotent=True, asks="always")
async def test_elicitation(call: Call[Fixture], message: Annotated[str, "Ignored"]) -> Said:
    """Ask a person in the way of the handshake era."""
    return await guarded(call, "test_elicitation")


@TOOLS.write("Ask by a retry", destructive=True, idempotent=True, asks="always")
async def test_input_required_result_elicitation(call: Call[Fixture]) -> Said:
    """Ask a person in the way of 2026-07-28."""
    return await guarded(call, "test_input_required_result_elicitation")


@TOOLS.write("Ask with a state", destructive=True, idempotent=True, asks="always")
async def test_input_required_result_request_state(call: Call[Fixture]) -> Said:
    """Ask, and look at the state that comes back."""
    return await guarded(call, "test_input_required_result_request_state")


@TOOLS.write("Ask with a spoilt state", destructive=True, idempotent=True, asks="always")
async def test_input_required_result_tampered_state(call: Call[Fixture]) -> Said:
    """Ask, and get a state back that was changed on its way."""
    return await guarded(call, "test_input_required_result_tampered_state")


@TOOLS.write("Ask who can be asked", destructive=True, idempotent=True, asks="always")
async def test_input_required_result_capabilities(call: Call[Fixture]) -> Said:
    """Ask only a client that can show a form."""
    return await guarded(call, "test_input_required_result_capabilities")


async def guarded(call: Call[Fixture], tool: str) -> Said:
    """Say that the state was good, once a person agreed."""
    question = Question(what="say that the state is good", consequence="It is said once.")
    await call.confirm(Ask(question, Target.ordered(tool)))
    return {"text": "state-ok"}


FIXTURE = Definition(
    name="fixture-mcp",
    title="Fixture",
    version="1.0.0",
    summary="Ask questions for the conformance suite.",
    prefix="FIXTURE",
    variables=common_variables("FIXTURE"),
    registry=lambda: TOOLS,
    load_app="tests.interop.conformance_server:build",
    instructions=lambda _offered, how: "needs a second call" if how == "token" else "asks a person",
    instance=lambda _values: "nowhere",
)


async def main() -> None:
    values = read_settings(FIXTURE.variables, FIXTURE.prefix, {}).values
    app = build_server(FIXTURE, values, app=Fixture()).streamable_http_app()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        print(f"http://127.0.0.1:{port}/mcp", flush=True)
        config = uvicorn.Config(app, log_level="warning", lifespan="on")
        await uvicorn.Server(config).serve(sockets=[listening])


if __name__ == "__main__":
    asyncio.run(main())
