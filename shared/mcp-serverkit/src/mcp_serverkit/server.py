"""The MCP server: the SDK's low-level `Server` over a registry of tools.

This is the one place where the end of a call, whatever its kind, becomes a result.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import cast

import mcp_types as types
from mcp.server import NotificationOptions, Server
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from mcp_approval.approver import Approver
from mcp_approval.exceptions import CallEnded
from mcp_approval.mcp_adapter import MCPClient, ended_result, refuse_sdk_boundary
from mcp_approval.question import TooMuchToShowError, UnsafeIdentifierError
from mcp_serverkit.config.settings import Values
from mcp_serverkit.definition import App, Definition
from mcp_serverkit.errors import DoneUnreadable, Failed, NotConfigured, ToolFailure
from mcp_serverkit.instructions import Offered
from mcp_serverkit.lists import (
    CACHE_HINTS,
    no_resource_templates,
    no_resources,
    require_first_page,
)
from mcp_serverkit.outcome import LOOK_FIRST, Outcome, carried_out
from mcp_serverkit.prompt_requests import PromptRequests
from mcp_serverkit.text.describe import name_or_not
from mcp_serverkit.text.sanitize import clean
from mcp_serverkit.tools.conformance import conformed
from mcp_serverkit.tools.registry import Call, Tool
from mcp_serverkit.tools.results import (
    RESULT_BYTES,
    done_note,
    failure_text,
    mark_untrusted,
    text_block,
)
from mcp_serverkit.tools.schema import Schema, input_schema, output_schema
from mcp_serverkit.tools.validation import check_arguments

_log = logging.getLogger(__name__)

_DEFECT = "The server failed inside; its log names the place."

Context = ServerRequestContext[object, object]


@dataclass(frozen=True, slots=True)
class Running:
    """One server with its app, its approver and the tools it offers."""

    definition: Definition
    values: Values
    app: App
    approver: Approver
    tools: Mapping[str, Tool]

    async def list_tools(
        self,
        _context: Context,
        params: types.PaginatedRequestParams | None,
    ) -> types.ListToolsResult:
        """Answer `tools/list`; the list is the same for everybody and fits one page."""
        require_first_page(params)
        return types.ListToolsResult(tools=[listing(tool) for tool in self.tools.values()])

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Answer `tools/call`."""
        tool = self.tools.get(params.name)
        if tool is None:
            shown = name_or_not(params.name, "a tool name")
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {shown}")
        try:
            return await self._end(tool, context, params)
        except Exception:  # noqa: BLE001 (a failing tool never ends the process)
            _log.exception("%s failed", tool.name)
            return error_result(self._defect(tool))

    async def _end(
        self, tool: Tool, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        steps: list[Outcome] = []
        carried_out.set(steps)
        try:
            return success(tool, await self._run(tool, context, params))
        except CallEnded as ended:
            return ended_result(ended)
        except (TooMuchToShowError, UnsafeIdentifierError) as refusal:
            return error_result(f"{self.definition.nothing} {_sentence(str(refusal))}")
        except DoneUnreadable as done:
            return success(tool, done_note(done))
        except ToolFailure as failure:
            return failed(tool, failure, self.definition.nothing, earlier=bool(steps))

    def _defect(self, tool: Tool) -> str:
        if tool.annotations.read_only:
            return f"{_DEFECT} {self.definition.nothing}"
        return f"code: outcome_unknown\n{LOOK_FIRST}\n{_DEFECT}"

    async def _run(
        self, tool: Tool, context: Context, params: types.CallToolRequestParams
    ) -> Mapping[str, object]:
        arguments = check_arguments(tool, params.arguments or {})
        missing = "" if tool.offline else self.definition.missing(self.values)
        if missing:
            raise NotConfigured(missing, code="not_configured")
        client = MCPClient(context, params)
        async with self.approver.call(client, tool.name, arguments.token) as approval:

            async def report(done: int, words: str) -> None:
                await context.session.report_progress(done, message=words)

            call = Call(self.app, tool, approval, report)
            return await tool.function(call, **arguments.values)


class _AnnouncingServer(Server[object]):
    """Announces tools, and prompts while there are any.

    Several clients ask for prompts and resources whatever was announced, and some drop a
    server that answers with an error; so there are lists, even if they are empty.
    """

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, object]] | None = None,
        extensions: dict[str, dict[str, object]] | None = None,
        *,
        protocol_version: str | None = None,
    ) -> types.ServerCapabilities:
        """Leave out what has nothing to offer."""
        capabilities = super().get_capabilities(
            notification_options,
            experimental_capabilities,
            extensions,
            protocol_version=protocol_version,
        )
        prompts = capabilities.prompts if self.get_request_handler("prompts/get") else None
        return capabilities.model_copy(update={"prompts": prompts, "resources": None})


def build_server(
    definition: Definition,
    values: Values,
    *,
    app: App | None = None,
    approver: Approver | None = None,
) -> Server[object]:
    """Put a server together.

    Args:
        definition: What it consists of.
        values: Its parsed settings.
        app: Its app, if not the one it builds itself.
        approver: Its approver, if not one with the system's clock and randomness.
    """
    tools = definition.offered(values)
    running = Running(
        definition=definition,
        values=values,
        app=app or definition.build_app(values, tuple(tools)),
        approver=approver or build_approver(definition, values),
        tools=tools,
    )
    prompts = definition.offered_prompts(tools)
    asked = PromptRequests(prompts)
    offered = [Offered(tool.name, tool.annotations.read_only, tool.asks) for tool in tools.values()]

    @asynccontextmanager
    async def lifespan(_: Server[object]) -> AsyncIterator[object]:
        try:
            yield None
        finally:
            await running.approver.aclose()
            await running.app.aclose()

    server = _AnnouncingServer(
        definition.name,
        version=definition.version,
        title=definition.title,
        description=definition.summary,
        instructions=definition.told(offered, values),
        lifespan=lifespan,
        on_list_tools=running.list_tools,
        on_call_tool=running.call_tool,
        on_list_prompts=asked.list,
        on_get_prompt=asked.get if prompts else None,
        on_list_resources=no_resources,
        on_list_resource_templates=no_resource_templates,
        cache_hints=CACHE_HINTS,
    )
    refuse_sdk_boundary(server)
    return server


def build_approver(definition: Definition, values: Values) -> Approver:
    """Make the approver of a server process."""
    return Approver(
        definition.name,
        dialog=bool(values["elicitation"]),
        nothing=definition.nothing,
        after_no=definition.after_no,
        instance=definition.instance(values),
        limits=definition.limits,
        settings={field: value for field, value in values.items() if field.startswith("approval_")},
    )


def listing(tool: Tool) -> types.Tool:
    """Describe a tool as `tools/list` does."""
    hints = tool.annotations
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=input_schema(tool),
        output_schema=output_schema(tool),
        annotations=types.ToolAnnotations(
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            idempotent_hint=hints.idempotent,
            open_world_hint=hints.open_world,
        ),
    )


def success(tool: Tool, result: Mapping[str, object]) -> types.CallToolResult:
    """Turn a tool's object into a result: cleaned, marked, told twice, within bounds."""
    document = _document(tool, result)
    text = text_block(document)
    if len(text.encode("utf-8")) > RESULT_BYTES:
        large = f"The result is larger than {RESULT_BYTES} bytes."
        if tool.annotations.read_only:
            return error_result(f"{large} Narrow the request.")
        # What was done stays done; only its description is left out.
        return success(tool, done_note(DoneUnreadable(large)))
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=document
    )


def failed(
    tool: Tool, failure: ToolFailure, nothing: str = "", *, earlier: bool = False
) -> types.CallToolResult:
    """Turn a failure into an error result, with the tool's object where it has one."""
    text = failure_text(failure, nothing, earlier=earlier)
    if not isinstance(failure, Failed):
        return error_result(text)
    document = _document(tool, failure.result)
    whole = f"{text}\n{text_block(document)}"
    if len(whole.encode("utf-8")) > RESULT_BYTES:
        return error_result(text)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=whole)],
        structured_content=document,
        is_error=True,
    )


def _document(tool: Tool, result: Mapping[str, object]) -> dict[str, object]:
    document = conformed(cast("dict[str, object]", clean(result)), _announced(tool))
    return mark_untrusted(document, tool.foreign) if tool.foreign else document


@cache
def _announced(tool: Tool) -> Schema:
    return output_schema(tool)


def error_result(text: str) -> types.CallToolResult:
    """Make an error result of a text."""
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
