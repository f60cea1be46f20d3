"""Over HTTP a process has many clients: one cannot use what another was handed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import httpx2
import pytest
import uvicorn
from fastmcp import FastMCP
from fastmcp.server.auth.providers.jwt import StaticTokenVerifier
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server import MCPServer
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from pydantic import AnyHttpUrl
from uvicorn._types import ASGIApplication

from mcp_approval import Question, approver_for, requires_approval
from tests.library.servers import FRAMEWORKS, SDK, AuthorsServer
from tests.support.clients import ERAS, Arguments, Era, call, text, token_in

ISSUER = AnyHttpUrl("http://127.0.0.1:1/")


class Callers:
    """Knows two callers by name."""

    async def verify_token(self, token: str) -> AccessToken | None:
        if token not in {"anna", "bert"}:
            return None
        return AccessToken(token=token, client_id="client", scopes=[], subject=token)


@asynccontextmanager
async def served(server: AuthorsServer) -> AsyncIterator[str]:
    """Serve over HTTP, and give the address."""
    config = uvicorn.Config(application(server), port=0, log_level="error", ws="none")
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


def known_callers(framework: str) -> AuthorsServer:
    """A server whose transport knows its callers."""
    if framework == SDK:
        auth = AuthSettings(
            issuer_url=ISSUER, resource_server_url=ISSUER, validate_token_resource=False
        )
        server = MCPServer[object]("shop", token_verifier=Callers(), auth=auth)
        return cast("AuthorsServer", server)
    tokens: dict[str, dict[str, object]] = {
        who: {"client_id": "client", "sub": who, "scopes": []} for who in ("anna", "bert")
    }
    return cast("AuthorsServer", FastMCP("shop", auth=StaticTokenVerifier(tokens)))


def application(server: object) -> ASGIApplication:
    """What serves it."""
    made: object
    if isinstance(server, MCPServer):
        made = server.streamable_http_app()
    else:
        made = cast("FastMCP[object]", server).http_app()
    return cast("ASGIApplication", made)


@pytest.mark.requirement("L-7")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_token_is_of_no_use_to_another_caller(framework: str, era: Era) -> None:
    acts: list[str] = []
    server = known_callers(framework)
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
