"""Gateways of other projects in front of a server: a person is asked, or nothing happens.

Which of the two it is depends on how a gateway holds the server behind it. FastMCP's proxy
declares elicitation to our server in its own name, whatever the client in front of it can
do, so our server asks; mcp-proxy declares none, so our server falls back to the token.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Literal

import pytest

from tests.interop.clients import (
    FASTMCP_LEGACY,
    FASTMCP_MODERN,
    PATIENCE_SECONDS,
    TYPESCRIPT_1,
    TYPESCRIPT_2_LEGACY,
    TYPESCRIPT_2_MODERN,
    Client,
    environment,
)
from tests.interop.subjects import Subject, ntfy
from tests.interop.tools import HERE, MCP_PROXY, PYTHON

Held = Literal["shared", "call", "connection"]
"""How FastMCP's proxy holds the server; see `fastmcp_gateway.py`."""

Pair = tuple[Held, Client]

PASSES: Sequence[Pair] = (
    ("connection", TYPESCRIPT_1),
    ("connection", FASTMCP_LEGACY),
    ("call", TYPESCRIPT_2_LEGACY),
    ("shared", TYPESCRIPT_2_MODERN),
    ("shared", FASTMCP_MODERN),
)
"""The pairs of which the dialog comes through."""

LOSES: Sequence[Pair] = (
    ("shared", TYPESCRIPT_1),
    ("shared", FASTMCP_LEGACY),
    ("call", TYPESCRIPT_2_MODERN),
    ("call", FASTMCP_MODERN),
    ("connection", TYPESCRIPT_2_MODERN),
)
"""The pairs of which it does not: the proxy answers our question with an error of its own, or
starts another server for the answer, which knows of no question."""


def names(pair: Pair) -> str:
    return f"{pair[1].name} before a server held by {pair[0]}"


def fastmcp(held: Held, subject: Subject) -> list[str]:
    """The command of FastMCP's proxy before a server."""
    gateway = [str(PYTHON), str(HERE / "fastmcp_gateway.py"), held]
    return [*gateway, sys.executable, "-m", subject.module]


@pytest.fixture
async def behind() -> AsyncIterator[Subject]:
    """One of our servers stands for all: what differs here is in front of it."""
    async with ntfy() as subject:
        yield subject


@pytest.mark.parametrize("agrees", [True, False])
@pytest.mark.parametrize("pair", PASSES, ids=names)
async def test_a_dialog_that_the_gateway_passes_on_decides(
    pair: Pair, agrees: bool, behind: Subject
) -> None:
    held, client = pair
    settings = environment(behind.environ)
    answer: Literal["accept", "decline"] = "accept" if agrees else "decline"
    seen = await client.play(fastmcp(held, behind), settings, answer, [behind.guarded])
    assert (seen.server, len(seen.tools)) == ("gateway", behind.tools)
    assert len(seen.asked) == 1
    assert behind.asks in seen.asked[0]
    assert [result.is_error for result in seen.results] == [not agrees], seen.results
    assert len(behind.writes()) == agrees


@pytest.mark.parametrize("pair", LOSES, ids=names)
async def test_where_the_gateway_loses_the_dialog_a_yes_does_nothing(
    pair: Pair, behind: Subject
) -> None:
    held, client = pair
    settings = environment(behind.environ)
    seen = await client.play(fastmcp(held, behind), settings, "accept", [behind.guarded])
    assert [result.is_error for result in seen.results] == [True]
    assert behind.writes() == []


@pytest.mark.parametrize("pair", [*PASSES, *LOSES], ids=names)
async def test_a_gateway_that_claims_dialogs_for_a_client_without_gets_no_token(
    pair: Pair, behind: Subject
) -> None:
    held, client = pair
    settings = environment(behind.environ)
    seen = await client.play(fastmcp(held, behind), settings, None, [behind.guarded], repeat=True)
    assert [result.is_error for result in seen.results] == [True, True]
    assert "confirm_token=" not in "".join(result.text for result in seen.results)
    assert behind.writes() == []


@pytest.mark.parametrize("client", [TYPESCRIPT_1, TYPESCRIPT_2_MODERN], ids=lambda c: c.name)
async def test_such_a_gateway_takes_the_token_where_the_operator_switched_dialogs_off(
    client: Client, behind: Subject
) -> None:
    settings = environment({**behind.environ, "ELICITATION": "false"})
    gateway = fastmcp("shared", behind)
    seen = await client.play(gateway, settings, "decline", [behind.guarded], repeat=True)
    assert seen.asked == []
    assert [result.is_error for result in seen.results] == [True, False], seen.results
    assert len(behind.writes()) == 1


@pytest.mark.parametrize("repeat", [False, True])
async def test_a_gateway_that_declares_no_dialogs_takes_the_token(
    repeat: bool, behind: Subject
) -> None:
    async with mcp_proxy(behind.module, behind.environ) as url:
        seen = await FASTMCP_LEGACY.play(url, {}, "accept", [behind.guarded], repeat=repeat)
    assert len(seen.tools) == behind.tools
    assert seen.asked == []
    assert "This client cannot show a dialog" in seen.results[0].text
    assert [result.is_error for result in seen.results] == [True, False][: 1 + repeat]
    assert len(behind.writes()) == repeat


@asynccontextmanager
async def mcp_proxy(module: str, environ: Mapping[str, str]) -> AsyncIterator[str]:
    """Serve a server over HTTP by mcp-proxy, on a free port."""
    process = await asyncio.create_subprocess_exec(
        *(str(MCP_PROXY), "--port", "0", "--pass-environment", "--", sys.executable, "-m", module),
        stderr=asyncio.subprocess.PIPE,
        env=environment(environ),
    )
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            address = await _address(process)
        yield f"{address}/mcp"
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    said = ""
    async for line in process.stderr:
        said += line.decode()
        found = re.search(r"Uvicorn running on (http://127\.0\.0\.1:\d+)", said)
        if found:
            return found.group(1)
    raise AssertionError(said)
