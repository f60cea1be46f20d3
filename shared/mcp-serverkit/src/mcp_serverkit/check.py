"""`--check`: the configuration, and one harmless real call."""

from __future__ import annotations

import asyncio
import sys

from mcp_serverkit.definition import App, Definition
from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.results import failure_text
from mcp_serverkit.settings import Values


def run_check(definition: Definition, values: Values) -> int:
    """Report on stdout.

    Returns:
        0 when the call worked, 1 when it did not or something is missing.
    """
    offered = definition.choose(values).names
    sys.stdout.write(f"{definition.name} {definition.version}: the settings are valid\n")
    sys.stdout.write(f"tools offered: {len(offered)}\n")
    sys.stdout.write(f"dialogs: {'on' if values['elicitation'] else 'off (ELICITATION=false)'}\n")
    missing = definition.missing(values)
    if missing:
        sys.stdout.write(f"incomplete: {missing}\n")
        return 1
    try:
        lines = asyncio.run(_check(definition.build_app(values)))
    except ToolFailure as failure:
        sys.stdout.write(f"failed: {failure_text(failure)}\n")
        return 1
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0


async def _check(app: App) -> list[str]:
    try:
        return await app.check()
    finally:
        await app.aclose()
