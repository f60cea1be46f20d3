"""The approver of a server that was made with a framework, as the environment has it."""

from __future__ import annotations

import os
import weakref
from collections.abc import MutableMapping
from dataclasses import dataclass, field

from mcp_approval.approver import Approver
from mcp_approval.asking_client import AskingClient
from mcp_approval.environment import approval as environment
from mcp_approval.environment.reading import Reading
from mcp_approval.environment.settings import read_settings, unprefixed_variables
from mcp_approval.frameworks import Framework, NamedServer, framework_of
from mcp_approval.limits import Limits
from mcp_approval.mcp_adapter import when_it_ends
from mcp_approval.output import write_stderr
from mcp_approval.switch import start_line

LEAVING_SECONDS = 1.0
"""How long open questions may take to be taken back when the server ends."""


@dataclass
class ServerApprover(Approver):
    """The approver of a server that was made with a framework.

    Attributes:
        framework: Which one.
        stand_in: Asked in the client's place; set by `mcp_approval.testing` alone.
    """

    framework: Framework = field(kw_only=True)
    stand_in: AskingClient | None = field(default=None, kw_only=True)


_servers: list[weakref.ref[object]] = []


def approver_for(
    server: NamedServer,
    *,
    nothing: str = "Nothing was changed.",
    instance: str = "",
    limits: Limits = Limits(),  # noqa: B008 (a tuple of numbers)
    environ: MutableMapping[str, str] = os.environ,
) -> Approver:
    """Make the approver of a server, as the environment has it.

    Args:
        server: An `MCPServer` or a `FastMCP`; its name stands in texts.
        nothing: The sentence for "it did not happen".
        instance: Where the server's calls act, as the operator set it up; shown below
            the tick box.
        limits: How much a dialog may hold.
        environ: Variables; the secrets among them are taken out.

    Raises:
        TypeError: The server is of neither framework.
        ValueError: The server has an approver already.
        SystemExit: A variable is wrong; what is wrong was written to stderr.
    """
    framework = framework_of(server)
    if any(known() is server for known in _servers):
        raise ValueError(f"{server.name} has an approver already; a server has one")
    reading = read_settings(unprefixed_variables(), environment.PREFIX, environ)
    _tell(server.name, reading)
    if reading.problems:
        raise SystemExit(1)
    approver = ServerApprover(
        server.name,
        dialog=bool(reading.values["elicitation"]),
        nothing=nothing,
        instance=instance,
        limits=limits,
        settings=reading.values,
        framework=framework,
    )
    if approver.asks_outside:
        when_it_ends(server, approver.aclose, LEAVING_SECONDS)
    _servers.append(weakref.ref(server))
    return approver


def _tell(server: str, reading: Reading) -> None:
    for line in reading.warnings:
        write_stderr(f"{server}: warning: {line}")
    for line in reading.problems:
        write_stderr(f"{server}: {line}")
    if reading.problems:
        return
    if not reading.values["elicitation"]:
        write_stderr(start_line(server))
    for line in environment.start_lines(server, reading.values):
        write_stderr(line)
