from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

import pytest
from mcp.server import Server

from mcp_serverkit.http.client import Deadline
from tests.backends.woodpecker import Json, WoodpeckerBackend
from tests.backends.woodpecker.state import first_step
from tests.support.servers import serve, values_of
from tests.woodpecker.support import STEP
from woodpecker_ci_mcp.app import build
from woodpecker_ci_mcp.definition import WOODPECKER

ADMIN_TOKEN = "admin-token-of-the-tests"

MakeServer = Callable[..., Server[object]]


async def no_wait(_seconds: float) -> None:
    """Stands for the wait before a read is repeated."""


def server_of(
    environ: Mapping[str, str],
    *,
    sleep: Callable[[float], Awaitable[object]] = no_wait,
    app_clock: Callable[[], float] = time.monotonic,
    deadline: Deadline = asyncio.timeout,
    **approver: Any,
) -> Server[object]:
    """Build a server whose reads are repeated without a wait."""
    values = values_of(WOODPECKER, environ)
    app = build(values, (), sleep=sleep, clock=app_clock, deadline=deadline)
    return serve(WOODPECKER, values, app=app, **approver)


def populate(backend: WoodpeckerBackend) -> None:
    """Fill an instance with what the tests name."""
    state = backend.state
    state.add_user("root", admin=True, token=ADMIN_TOKEN)
    state.add_user("eve")
    state.add_org("acme")
    state.forges.append(
        {
            "id": 1,
            "type": "gitea",
            "url": "https://git.example.org",
            "client": "oauth-client",
            "oauth_host": "https://login.example.org",
            "skip_verify": False,
            "orgs": ["acme"],
            "additional_options": {"git-username": "bot", "git-password": "hunter2"},
            "stored_secret": "kept",
        }
    )
    for repo_id, name in ((5, "acme/payments-api"), (12, "acme/web"), (21, "acme/deploy")):
        state.add_repo(repo_id, name)
    state.forge_repos["900"] = {"forge_remote_id": "900", "full_name": "acme/renamed"}


@pytest.fixture
def backend() -> Iterator[WoodpeckerBackend]:
    with WoodpeckerBackend() as running:
        populate(running)
        yield running


@pytest.fixture
def old_backend() -> Iterator[WoodpeckerBackend]:
    with WoodpeckerBackend("2.8.3") as running:
        populate(running)
        yield running


@pytest.fixture
def make_server(backend: WoodpeckerBackend) -> MakeServer:
    """Build a server against the stand-in, as its admin unless told otherwise."""

    def make(environ: Mapping[str, str] | None = None, **approver: Any) -> Server[object]:
        login = {"WOODPECKER_URL": backend.url, "WOODPECKER_TOKEN": ADMIN_TOKEN}
        return server_of({**login, **(environ or {})}, **approver)

    return make


@pytest.fixture
def server(make_server: MakeServer) -> Server[object]:
    """A server of the stand-in's admin."""
    return make_server()


@pytest.fixture
def step(backend: WoodpeckerBackend) -> Json:
    """The one step of the one pipeline of repository 5."""
    found = first_step(backend.state.add_pipeline(5))
    found["id"] = STEP
    return found
