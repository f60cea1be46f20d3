"""The table of this project's servers: the one place that names all of them.

It needs nothing but Python, so that the targets of the Makefile can ask it first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Server(NamedTuple):
    """What one server is called.

    Attributes:
        folder: Its folder under `packages/`; also the name of its image.
        module: What Python imports.
        distribution: What an index would call it.
        command: What starts it.
        short: What it may be called besides, shortest first.
        definition: Where its definition is, as `module:NAME`.
        presets: What its words for several tools are for.
    """

    folder: str
    module: str
    distribution: str
    command: str
    short: tuple[str, ...]
    definition: str
    presets: Mapping[str, str]


SERVERS: tuple[Server, ...] = (
    Server(
        "ntfy-mcp",
        "ntfy_mcp",
        "ntfy-mcp",
        "ntfy-mcp",
        ("ntfy",),
        "ntfy_mcp.definition:NTFY",
        {"essential": "publish, read back, revise and dismiss"},
    ),
    Server(
        "smtp-mcp",
        "smtp_mcp",
        "smtp-mcp",
        "smtp-mcp",
        ("smtp", "mail"),
        "smtp_mcp.definition:SMTP",
        {"essential": "write, answer, preview"},
    ),
    Server(
        "hetzner-dns-mcp",
        "hetzner_dns_mcp",
        "hetzner-dns-mcp",
        "hetzner-dns-mcp",
        ("hetzner", "hetzner-dns"),
        "hetzner_dns_mcp.definition:HETZNER_DNS",
        {"essential": "look at zones, change single records"},
    ),
    Server(
        "woodpecker-ci-mcp",
        "woodpecker_ci_mcp",
        "woodpecker-ci-approval-mcp",
        "woodpecker-ci-mcp",
        ("woodpecker", "woodpecker-ci"),
        "woodpecker_ci_mcp.definition:WOODPECKER",
        {
            "essential": "look at pipelines and logs, start, restart, cancel",
            "read": "everything that reads",
            "diagnose": "find out why something failed; reads only",
            "operate": "diagnose, and start, restart, cancel, approve, decline, run cron jobs",
            "maintain": "operate, and all else about repositories, secrets, registries, cron jobs",
            "admin": "organisations, accounts, agents, forges, the queue, the server",
        },
    ),
)


class UnknownServerError(ValueError):
    """No server goes by this name."""


def find(name: str) -> Server:
    """Return the server that goes by a name, in any case and with `_` for `-`.

    Raises:
        UnknownServerError: There is none; the text names those that there are.
    """
    wanted = name.strip().lower().replace("_", "-")
    for server in SERVERS:
        if wanted in {server.folder, server.distribution, server.command, *server.short}:
            return server
    known = ", ".join(server.short[0] for server in SERVERS)
    raise UnknownServerError(f"{shown(name)} is no server; there are {known}")


def chosen(name: str) -> tuple[Server, ...]:
    """Return the server of a name, or all of them for no name.

    Raises:
        UnknownServerError: There is no such server.
    """
    return (find(name),) if name.strip() else SERVERS


def shown(name: str) -> str:
    """Name a word of the command line in one short line."""
    plain = name.isascii() and name.isprintable() and len(name) <= 40
    return f"SERVER={name}" if plain else "that"
