from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest
from mcp.server import Server

from mcp_serverkit.server import build_approver, build_server
from ntfy_mcp.definition import NTFY
from tests.backends.ntfy import NtfyBackend
from tests.support.servers import values_of

ADMIN = ("root", "root-password")

MakeServer = Callable[..., Server[object]]


@pytest.fixture
def backend() -> Iterator[NtfyBackend]:
    with NtfyBackend() as running:
        running.add_user(*ADMIN, role="admin")
        yield running


@pytest.fixture
def make_server(backend: NtfyBackend) -> MakeServer:
    """Build a server against the stand-in; an admin unless the environment says otherwise."""

    def make(environ: Mapping[str, str] | None = None, **approver: object) -> Server[object]:
        login = {"NTFY_USERNAME": ADMIN[0], "NTFY_PASSWORD": ADMIN[1]}
        given = {"NTFY_URL": backend.url, **login, **(environ or {})}
        values = values_of(NTFY, given)
        made = build_approver(NTFY, values)
        made.wait_seconds = 10.0
        for name, value in approver.items():
            setattr(made, name, value)
        return build_server(NTFY, values, approver=made)

    return make
