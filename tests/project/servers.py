"""The servers of this project, for checks that walk all of them."""

from __future__ import annotations

from pathlib import Path

from mcp_serverkit.definition import Definition
from ntfy_mcp.definition import NTFY

ROOT = Path(__file__).parents[2]

SERVERS: tuple[Definition, ...] = (NTFY,)


def package_of(definition: Definition) -> Path:
    """The folder of a server's package."""
    return ROOT / "packages" / definition.name
