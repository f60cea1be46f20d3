"""The tools; importing this package registers them in listing order."""

from woodpecker_ci_mcp.order import ORDER
from woodpecker_ci_mcp.registry import TOOLS
from woodpecker_ci_mcp.tools import (
    account,
    agents,
    crons,
    extras,
    forges,
    logs,
    organizations,
    pipeline_changes,
    pipelines,
    registries,
    repositories,
    repository_changes,
    secrets,
    server,
    users,
)

TOOLS.ordered(ORDER)

__all__ = [
    "TOOLS",
    "account",
    "agents",
    "crons",
    "extras",
    "forges",
    "logs",
    "organizations",
    "pipeline_changes",
    "pipelines",
    "registries",
    "repositories",
    "repository_changes",
    "secrets",
    "server",
    "users",
]
