"""`--check`: the configuration, and one harmless real call."""

from __future__ import annotations

import asyncio

from mcp_approval.environment import approval
from mcp_approval.output import write_stdout
from mcp_serverkit.config.settings import Values
from mcp_serverkit.definition import App, Definition
from mcp_serverkit.errors import CheckFailed, ToolFailure
from mcp_serverkit.tools.results import failure_text


def run_check(definition: Definition, values: Values) -> int:
    """Report on stdout.

    Returns:
        0 when the call worked, 1 when it did not or something is missing.
    """
    offered = definition.select(values).names
    missing = definition.missing(values)
    state = "no setting is wrong" if missing else "the settings are valid"
    write_stdout(f"{definition.name} {definition.version}: {state}")
    write_stdout(f"tools offered: {len(offered)}")
    write_stdout(f"dialogs: {'on' if values['elicitation'] else 'off (ELICITATION=false)'}")
    if missing:
        write_stdout(f"incomplete: {missing}")
        return 1
    try:
        lines = asyncio.run(_check(definition.build_app(values, offered)))
    except ToolFailure as failure:
        found = failure.lines if isinstance(failure, CheckFailed) else ()
        for line in (*found, *_failed(failure)):
            write_stdout(line)
        return 1
    for line in lines:
        write_stdout(line)
    return 0 if _approvals_work(definition, values) else 1


def _approvals_work(definition: Definition, values: Values) -> bool:
    """Report on what the operator named for approvals outside the client."""
    said = approval.start_lines(definition.name, values)
    if not said:
        return True
    from mcp_approval.checking import check_outside
    from mcp_serverkit.server import build_approver

    found = asyncio.run(check_outside(build_approver(definition, values)))
    for line in (*said, *found.lines):
        write_stdout(line)
    return found.works


def _failed(failure: ToolFailure) -> list[str]:
    """Say what went wrong, and give its code a line of its own."""
    told = failure_text(failure).splitlines()
    codes = [line for line in told[:1] if line.startswith("code: ")]
    return [f"failed: {' '.join(told[len(codes) :])}", *codes]


async def _check(app: App) -> list[str]:
    try:
        return await app.check()
    finally:
        await app.aclose()
