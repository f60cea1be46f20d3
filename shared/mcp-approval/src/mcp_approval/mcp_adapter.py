"""The only module that knows the SDK's low-level server, and names that its makers call private.

Measured on mcp 2.3.0: the low-level `Server` hands `request_state` and the typed
`input_responses` to the handler as they came, neither era's path looks at the client's
capabilities before asking, and a pushed question to a client that declared nothing waits
for ever. All three are settled here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

import anyio
import mcp_types as types
from mcp.server.request_state import RequestStateBoundary, authenticated_principal
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from mcp_approval.asking_client import Answer, Prompt, Way
from mcp_approval.exceptions import Asked, Awaiting, CallEnded
from mcp_approval.in_flight import OpenQuestion

if TYPE_CHECKING:
    from mcp.server import MCPServer, Server
    from mcp.server.context import ServerRequestContext

ANSWER_KEY = "confirm"
"""Key of the one question in `inputRequests`, and of its one property."""

AWAITING_META = "mcp-approval/awaiting"
"""Where a program reads until when a question stays open."""

PUSH_VERSIONS = frozenset({"2025-06-18", "2025-11-25"})
"""Handshake versions that know elicitation. Older ones answer it with an error at best."""

PROGRESS_SECONDS = 10.0
"""How often a waiting call says so to a client that asked for progress."""


def refuse_sdk_boundary(server: Server[object]) -> None:
    """Check at start that no other seal stands before ours.

    Raises:
        RuntimeError: The SDK's own boundary is installed. It answers a bad state with a
            protocol error, where a fresh question is due.
    """
    if any(isinstance(layer, RequestStateBoundary) for layer in server.middleware):
        raise RuntimeError("the SDK's request state boundary must not be installed")


@dataclass(frozen=True, slots=True)
class MCPClient:
    """The client behind one `tools/call`, as an `AskingClient`."""

    context: ServerRequestContext[object, object]
    params: types.CallToolRequestParams

    @property
    def name(self) -> str:
        """The name that the client announced."""
        client = self.context.session.client_params
        return client.client_info.name if client is not None else ""

    @property
    def version(self) -> str:
        """The version that the client announced."""
        client = self.context.session.client_params
        return client.client_info.version if client is not None else ""

    @property
    def protocol(self) -> str:
        """The protocol version of this request."""
        return self.context.protocol_version

    @property
    def way(self) -> Way:
        """How this request's client can be asked."""
        if not self._shows_forms():
            return "none"
        version = self.context.protocol_version
        if version in MODERN_PROTOCOL_VERSIONS:
            return "retry"
        return "push" if version in PUSH_VERSIONS else "none"

    @property
    def answer(self) -> Answer | None:
        """The answer under our key, if the request carries one."""
        given = (self.params.input_responses or {}).get(ANSWER_KEY)
        return _answer(given) if isinstance(given, types.ElicitResult) else None

    @property
    def state(self) -> str | None:
        """The state that the request carries, unverified."""
        return self.params.request_state

    async def push(self, prompt: Prompt, wait_seconds: float, question: OpenQuestion) -> Answer:
        """Send `elicitation/create` and wait; every failure is an answer that is no yes."""
        answer = Answer("withdrawn")
        async with anyio.create_task_group() as tasks:
            if not question.quiet:
                tasks.start_soon(self.waiting, "waiting for an answer")
            # The SDK tells the client of a request that is cancelled.
            question.when_withdrawn(tasks.cancel_scope.cancel)
            try:
                answer = await self._elicit(prompt, wait_seconds)
            finally:
                tasks.cancel_scope.cancel()
        return answer

    def _shows_forms(self) -> bool:
        declared = self.context.session.client_capabilities
        elicitation = declared.elicitation if declared is not None else None
        if elicitation is None:
            return False
        return elicitation.form is not None or elicitation.url is None

    async def _elicit(self, prompt: Prompt, wait_seconds: float) -> Answer:
        try:
            result = await self.context.session.send_request(
                types.ElicitRequest(params=_form(prompt)),
                types.ElicitResult,
                request_read_timeout_seconds=wait_seconds,
                metadata=ServerMessageMetadata(related_request_id=self.context.request_id),
            )
        except MCPError as error:
            if error.code == types.METHOD_NOT_FOUND:
                return Answer("unsupported")
            return Answer("timeout" if error.code == types.REQUEST_TIMEOUT else "failed")
        except (ValidationError, TimeoutError):
            return Answer("failed")
        return _answer(result)

    async def waiting(self, said: str) -> None:
        """Report progress every ten seconds until cancelled."""
        beats = 0
        while True:
            await anyio.sleep(PROGRESS_SECONDS)
            beats += 1
            await self.context.session.report_progress(beats, message=said)


def ended_result(ended: CallEnded) -> types.CallToolResult | types.InputRequiredResult:
    """Turn the end of a guarded call into what the client receives."""
    if isinstance(ended, Asked):
        return types.InputRequiredResult(
            input_requests={ANSWER_KEY: types.ElicitRequest(params=_form(ended.prompt))},
            request_state=ended.state,
        )
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=ended.text)],
        is_error=True,
        _meta={AWAITING_META: ended.told} if isinstance(ended, Awaiting) else None,
    )


def _form(prompt: Prompt) -> types.ElicitRequestFormParams:
    # One required box without a default: an empty form is accepted unseen by some hosts,
    # and a default would arrive ticked.
    return types.ElicitRequestFormParams(
        message=prompt.message,
        requested_schema={
            "type": "object",
            "properties": {
                ANSWER_KEY: {
                    "type": "boolean",
                    "title": prompt.title,
                    "description": prompt.hint,
                }
            },
            "required": [ANSWER_KEY],
        },
    )


def _answer(result: types.ElicitResult) -> Answer:
    ticked = (result.content or {}).get(ANSWER_KEY) is True
    return Answer(result.action, ticked)


def called_by(context: ServerRequestContext[object, object]) -> MCPClient | None:
    """The client behind a request, if it calls a tool."""
    if context.method != "tools/call":
        return None
    params = types.CallToolRequestParams.model_validate(dict(context.params or {}), by_name=False)
    return MCPClient(context, params)


def principal(client: MCPClient) -> str | None:
    """Who calls, where the transport authenticates its callers."""
    return authenticated_principal(client.context)


def error_result(text: str) -> types.CallToolResult:
    """Make an error result of a text."""
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


Lifespan: TypeAlias = Callable[[object], AbstractAsyncContextManager[object]]


class _LowLevel(Protocol):
    lifespan: Lifespan


class _FastMCP(Protocol):
    _mcp_server: _LowLevel


class _FastMCPRequest(Protocol):
    _srctx: ServerRequestContext[object, object]


def registered_functions(server: MCPServer[object]) -> Mapping[str, Callable[..., object]]:
    """The functions behind the tools of an `MCPServer`, by the names of the tools."""
    # Its `list_tools` gives names and schemas, and not what stands behind them.
    return {tool.name: tool.fn for tool in server._tool_manager.list_tools()}


def low_level_server(server: object) -> _LowLevel:
    """The SDK's server inside an `MCPServer` or a `FastMCP`."""
    # A `lifespan` can be given to neither once it is made, and questions are to be taken
    # back when it ends.
    inner = getattr(server, "_lowlevel_server", None)
    return cast("_LowLevel", inner) if inner is not None else cast("_FastMCP", server)._mcp_server


def fastmcp_context(request: object) -> ServerRequestContext[object, object]:
    """The SDK's context inside the request context of FastMCP."""
    # Its own has no method, and hands out neither version nor session of this request.
    return cast("_FastMCPRequest", request)._srctx


def when_it_ends(server: object, ended: Callable[[], Awaitable[None]], seconds: float) -> None:
    """Have something done when a server ends, cancelled or not.

    Args:
        server: An `MCPServer` or a `FastMCP`.
        ended: What is to be done.
        seconds: How long it may take.
    """
    low_level = low_level_server(server)
    inner = low_level.lifespan

    @asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[object]:
        async with inner(app) as state:
            try:
                yield state
            finally:
                with anyio.move_on_after(seconds, shield=True):
                    await ended()

    low_level.lifespan = lifespan
