"""What a decorated tool needs to know of the framework that serves it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

from mcp_approval.mcp_adapter import (
    MCPClient,
    called_by,
    fastmcp_context,
    registered_functions,
)

if TYPE_CHECKING:
    from mcp.server import MCPServer

KNOWN_FASTMCP = "4."
"""Versions of FastMCP that were tried begin with this."""

Function: TypeAlias = Callable[..., object]


class NamedServer(Protocol):
    """An `MCPServer` or a `FastMCP`, as far as a type checker must know it."""

    @property
    def name(self) -> str:
        """Its name, for texts."""


class Framework(Protocol):
    """One server of a framework."""

    @property
    def context_type(self) -> type[object]:
        """The type that a parameter must have to be given the framework's context."""

    def signature(self, function: Function) -> inspect.Signature:
        """What the framework reads from a function, with its annotations evaluated."""

    def context_parameter(self, function: Function) -> str | None:
        """Name of the parameter that is given the framework's context, if there is one."""

    def injected(self, function: Function) -> frozenset[str]:
        """Names of parameters that the framework fills and no client sees.

        Raises:
            TypeError: There is one that asks the client something itself.
        """

    def registered(self, function: Function) -> bool:
        """Whether the function is a tool already."""

    def function(self, tool: object, /) -> Function | None:
        """The function behind a tool, as the framework lists it."""

    def client(self, context: object, guarded: Function, /) -> MCPClient | None:
        """The client behind this call; none where no client made it."""


def framework_of(server: object) -> Framework:
    """Recognise a server.

    Raises:
        TypeError: It is of neither framework, or of a version that is not known.
    """
    # Whoever made a server has loaded its module, so nothing is loaded to find out.
    sdk = sys.modules.get("mcp.server.mcpserver")
    if sdk is not None and isinstance(server, cast("type[object]", sdk.MCPServer)):
        return _OfSDK(cast("MCPServer[object]", server))
    other = sys.modules.get("fastmcp.server.server")
    if other is not None and isinstance(server, cast("type[object]", other.FastMCP)):
        version = str(sys.modules["fastmcp"].__version__)
        if not version.startswith(KNOWN_FASTMCP):
            raise TypeError(f"FastMCP {version} is not known here; known is {KNOWN_FASTMCP}x")
        return _OfFastMCP()
    raise TypeError(f"{type(server).__name__} is neither an MCPServer nor a FastMCP")


def layers(function: Function) -> Iterator[Function]:
    """A function, and what it was wrapped around, from the outside."""
    layer: Function | None = function
    while layer is not None:
        yield layer
        layer = cast("Function | None", getattr(layer, "__wrapped__", None))


class _OfSDK:
    def __init__(self, server: MCPServer[object]) -> None:
        self._server = server

    @property
    def context_type(self) -> type[object]:
        from mcp.server.mcpserver import Context

        return Context

    def signature(self, function: Function) -> inspect.Signature:
        return inspect.signature(function, eval_str=True)

    def context_parameter(self, function: Function) -> str | None:
        from mcp.server.mcpserver.utilities.context_injection import find_context_parameter

        return find_context_parameter(function)

    def injected(self, function: Function) -> frozenset[str]:
        from mcp.server.mcpserver.resolve import find_resolved_parameters

        if find_resolved_parameters(function):
            # The SDK lets a call either ask by its parameters or by its result.
            raise TypeError("a guarded tool cannot have parameters that ask the client themselves")
        return frozenset()

    def registered(self, function: Function) -> bool:
        tools = registered_functions(self._server).values()
        return any(layer is function for tool in tools for layer in layers(tool))

    def function(self, tool: object) -> Function | None:
        return registered_functions(self._server).get(cast("_Tool", tool).name)

    def client(self, context: object, guarded: Function) -> MCPClient | None:
        from mcp.server.mcpserver import Context

        if not isinstance(context, Context):
            return None
        try:
            client = called_by(context.request_context)
        except ValueError:
            return None
        if client is None:
            return None
        # A tool that calls another hands its own request on; the client asked for the first.
        tool = registered_functions(context.mcp_server).get(client.params.name)
        meant = tool is not None and any(layer is guarded for layer in layers(tool))
        return client if meant else None


class _Tool(Protocol):
    name: str


class _FastMCPContext(Protocol):
    is_background_task: bool
    request_context: object | None


class _Dependencies(Protocol):
    def find_kwarg_by_type(self, function: Function, kwarg_type: type[object]) -> str | None: ...
    def without_injected_parameters(self, function: Function) -> Function: ...


def _dependencies() -> _Dependencies:
    return cast("_Dependencies", import_module("fastmcp.server.dependencies"))


class _OfFastMCP:
    @property
    def context_type(self) -> type[object]:
        return cast("type[object]", import_module("fastmcp").Context)

    def signature(self, function: Function) -> inspect.Signature:
        own = inspect.signature(function, eval_str=True)
        if inspect.signature(function).return_annotation == "None":
            # It makes a schema of a "None" that is to be evaluated, and none of a plain one.
            return own.replace(return_annotation=type(None))
        return own

    def context_parameter(self, function: Function) -> str | None:
        return _dependencies().find_kwarg_by_type(function, self.context_type)

    def injected(self, function: Function) -> frozenset[str]:
        shown = _dependencies().without_injected_parameters(function)
        seen = inspect.signature(shown).parameters
        return frozenset(inspect.signature(function).parameters) - frozenset(seen)

    def registered(self, function: Function) -> bool:
        return hasattr(function, "__fastmcp__")

    def function(self, tool: object) -> Function | None:
        return cast("Function | None", getattr(tool, "fn", None))

    def client(self, context: object, _guarded: Function) -> MCPClient | None:
        if not isinstance(context, self.context_type):
            return None
        seen = cast("_FastMCPContext", context)
        request = None if seen.is_background_task else seen.request_context
        return None if request is None else called_by(fastmcp_context(request))
