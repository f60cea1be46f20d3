"""The servers of this project, for checks that walk all of them."""

from __future__ import annotations

from pathlib import Path

from hetzner_dns_mcp.definition import HETZNER_DNS
from mcp_serverkit.definition import Definition
from ntfy_mcp.definition import NTFY
from smtp_mcp.definition import SMTP
from woodpecker_ci_mcp.definition import WOODPECKER

ROOT = Path(__file__).parents[2]

SERVERS: tuple[Definition, ...] = (NTFY, SMTP, HETZNER_DNS, WOODPECKER)


def package_of(definition: Definition) -> Path:
    """The folder of a server's package."""
    return ROOT / "packages" / definition.name
