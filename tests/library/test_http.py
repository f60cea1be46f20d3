"""Over HTTP a process has many clients: one cannot use what another was handed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server import MCPServer
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from pydantic import AnyHttpUrl

from mcp_approval import Question, approver_for, requires_approval
from tests.support.clients import ERAS, Arguments, Era, call, text, token_in

ISSUER = AnyHttpUrl("http://127.0.0.1:1/")


class Callers:
    """Knows two callers by name."""

    async def verify_token(self, token: str) -> AccessToken | None:
        if token not in {"anna", "bert"}:
            return None
        return AccessToken(token=token, client_id="client", scopes=[], subject=token)


@asynccontextmanager
async def served(server: MCPServer[object]) -> AsyncIterator[str]:
    """Serve over HTTP, and give the address."""
    config = uvicorn.Config(server.streamable_http_app(), port=0, log_level="error", ws="none")
    http = uvicorn.Server(config)
    serving = asyncio.create_task(http.serve())
    while not http.started:  # noqa: ASYNC110 (it tells nobody)
        await asyncio.sleep(0.01)
    port = http.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        http.should_exit = True
        await serving


@asynccontextmanager
async def caller(address: str, who: str, era: Era) -> AsyncIterator[Client]:
    """Connect as somebody."""
    headers = {"Authorization": f"Bearer {who}"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False) as http:
        transport = streamable_http_client(address, http_client=http)
        async with Client(transport, mode="legacy" if era == "2025-11-25" else era) as client:
            yield client


@pytest.mark.parametrize("era", ERAS)
async def test_a_token_is_of_no_use_to_another_caller(era: Era) -> None:
    acts: list[str] = []
    auth = AuthSettings(
        issuer_url=ISSUER, resource_server_url=ISSUER, validate_token_resource=False
    )
    server: MCPServer[object] = MCPServer("shop", token_verifier=Callers(), auth=auth)
    approver = approver_for(server, environ={})

    @server.tool()
    @requires_approval(approver, lambda: Question("do it", "It is done."))
    async def act(value: str) -> str:
        acts.append(value)
        return "done"

    asked: Arguments = {"value": "x"}
    async with served(server) as address:
        async with caller(address, "anna", era) as client:
            token = token_in(await call(client, "act", asked))
        async with caller(address, "bert", era) as client:
            stolen = await call(client, "act", {**asked, "confirm_token": token})
        assert text(stolen).startswith("confirm_token refused")
        assert acts == []
        async with caller(address, "anna", era) as client:
            await call(client, "act", {**asked, "confirm_token": token})
    assert acts == ["x"]
