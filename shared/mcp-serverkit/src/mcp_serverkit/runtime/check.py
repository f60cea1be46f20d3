"""`--check`: the configuration, and one harmless real call."""

from __future__ import annotations

import asyncio

from mcp_approval.output import write_stdout
from mcp_serverkit.config.settings import Values
from mcp_serverkit.definition import App, Definition
from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.tools.results import failure_text


def run_check(definition: Definition, values: Values) -> int:
    """Report on stdout.

    Returns:
        0 when the call worked, 1 when it did not or something is missing.
    """
    offered = definition.select(values).names
    write_stdout(f"{definition.name} {definition.version}: the settings are valid")
    write_stdout(f"tools offered: {len(offered)}")
    write_stdout(f"dialogs: {'on' if values['elicitation'] else 'off (ELICITATION=false)'}")
    missing = definition.missing(values)
    if missing:
        write_stdout(f"incomplete: {missing}")
        return 1
    try:
        lines = asyncio.run(_check(definition.build_app(values, offered)))
    except ToolFailure as failure:
        write_stdout(f"failed: {failure_text(failure)}")
        return 1
    for line in lines:
        write_stdout(line)
    return 0


async def _check(app: App) -> list[str]:
    try:
        return await app.check()
    finally:
        await app.aclose()
