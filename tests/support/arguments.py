"""Arguments for tests that walk the registry: what a tool's schema demands, and no more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from mcp_serverkit.tools.registry import Guarded, Tool
from mcp_serverkit.tools.schema import input_schema


def minimal(tool: Tool | Guarded, samples: Mapping[str, object]) -> dict[str, object]:
    """Compose a call.

    Args:
        tool: The tool.
        samples: A value that passes, by argument name; one that no tool demands is not given.
    """
    schema = input_schema(cast("Tool", tool))
    return {name: samples[name] for name in cast("list[str]", schema.get("required", []))}
