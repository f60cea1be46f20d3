"""Every result that any test makes is held against the schema that its tool announces.

The client of the SDK does that for successes only; here a library for JSON Schema judges
error results that carry an object as well, whoever made the call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import jsonschema  # type: ignore[import-untyped]
import mcp_types as types
import pytest

from mcp_serverkit.server import Context, Running
from mcp_serverkit.tools.registry import Tool
from mcp_serverkit.tools.schema import output_schema

_call_tool = Running.call_tool


@cache
def _judge(tool: Tool) -> Callable[[object], None]:
    validate: Callable[[object], None] = jsonschema.Draft202012Validator(
        output_schema(tool)
    ).validate
    return validate


async def _judged(
    self: Running, context: Context, params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    result = await _call_tool(self, context, params)
    if isinstance(result, types.CallToolResult) and result.structured_content is not None:
        _judge(self.tools[params.name])(result.structured_content)
    return result


@pytest.fixture(autouse=True, scope="session")
def _results_keep_their_schema() -> None:
    """Put the judge around every call of this process."""
    Running.call_tool = _judged  # type: ignore[method-assign]
