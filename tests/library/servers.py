"""Servers of both frameworks, as their authors would write them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Protocol, TypeAlias, TypeVar, cast

from mcp.server import MCPServer, Server

from mcp_approval.approver import Approver
from mcp_approval.for_server import approver_for
from mcp_approval.mcp_adapter import low_level_server
from scripts import library_readme

SDK = "MCPServer"
FASTMCP = "FastMCP"

FRAMEWORKS = (SDK, FASTMCP)

F = TypeVar("F", bound=Callable[..., object])
Registering: TypeAlias = Callable[[F], F]


class AuthorsServer(Protocol):
    """What both frameworks offer to an author."""

    @property
    def name(self) -> str: ...

    def tool(
        self, name: str | None = None, *, title: str | None = None, annotations: object = None
    ) -> Callable[[F], F]: ...


def make_server(framework: str, name: str = "shop") -> AuthorsServer:
    """Make an empty server."""
    if framework == SDK:
        return cast("AuthorsServer", MCPServer(name))
    return cast("AuthorsServer", importlib.import_module("fastmcp").FastMCP(name))


def context_type(framework: str) -> type[object]:
    """The type that asks a framework for its context."""
    module = "mcp.server.mcpserver" if framework == SDK else "fastmcp"
    return cast("type[object]", importlib.import_module(module).Context)


def wire_server(server: object) -> Server[object]:
    """What the SDK's client connects to."""
    return cast("Server[object]", low_level_server(server))


def example_text(framework: str) -> str:
    """The example as it is, or as it says for FastMCP."""
    if framework == SDK:
        return library_readme.EXAMPLE.read_text(encoding="utf-8")
    return library_readme.fastmcp_example()


def load(text: str) -> ModuleType:
    """Import a text."""
    module = ModuleType("shop")
    exec(compile(text, "shop.py", "exec"), vars(module))
    return module


@dataclass
class Stand:
    """A server of an author, its approver, and what its tools did."""

    framework: str
    server: AuthorsServer
    approver: Approver
    acts: list[object] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    @property
    def wire(self) -> Server[object]:
        return wire_server(self.server)


def make_stand(framework: str, **variables: str) -> Stand:
    """An empty server with an approver."""
    server = make_server(framework)
    approver = approver_for(server, environ=dict(variables))
    stand = Stand(framework, server, approver)
    approver.log = stand.lines.append
    # The accounting took the line's way out before it was changed.
    approver.__post_init__()
    return stand


@contextmanager
def as_caller(who: str) -> Iterator[None]:
    """Let what starts within be called by somebody whom the transport knows."""
    from mcp.server.auth.middleware.auth_context import auth_context_var
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from mcp.server.auth.provider import AccessToken

    known = AccessToken(token=f"token of {who}", client_id=who, scopes=[], subject=who)
    before = auth_context_var.set(AuthenticatedUser(known))
    try:
        yield
    finally:
        auth_context_var.reset(before)
