"""The names that each server goes by.

python3 scripts/names.py NAME     print folder, module, distribution and command, in one line
python3 scripts/names.py          print such a line for every server

It needs nothing but Python, so that the targets of the Makefile can ask it first.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple


class Names(NamedTuple):
    """What one server is called.

    Attributes:
        folder: Its folder under `packages/`; also the name of its image.
        module: What Python imports.
        distribution: What an index would call it.
        command: What starts it.
        short: What it may be called besides, shortest first.
    """

    folder: str
    module: str
    distribution: str
    command: str
    short: tuple[str, ...]


SERVERS = (
    Names("ntfy-mcp", "ntfy_mcp", "ntfy-mcp", "ntfy-mcp", ("ntfy",)),
    Names("smtp-mcp", "smtp_mcp", "smtp-mcp", "smtp-mcp", ("smtp", "mail")),
    Names(
        "hetzner-dns-mcp",
        "hetzner_dns_mcp",
        "hetzner-dns-mcp",
        "hetzner-dns-mcp",
        ("hetzner", "hetzner-dns"),
    ),
    Names(
        "woodpecker-ci-mcp",
        "woodpecker_ci_mcp",
        "woodpecker-ci-approval-mcp",
        "woodpecker-ci-mcp",
        ("woodpecker", "woodpecker-ci"),
    ),
)


class UnknownServerError(ValueError):
    """No server goes by this name."""


def find(name: str) -> Names:
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


def chosen(name: str) -> tuple[Names, ...]:
    """Return the server of a name, or all of them for no name.

    Raises:
        UnknownServerError: There is no such server.
    """
    return (find(name),) if name.strip() else SERVERS


def shown(name: str) -> str:
    """Name a word of the command line in one short line."""
    plain = name.isascii() and name.isprintable() and len(name) <= 40
    return f"SERVER={name}" if plain else "that"


def main(arguments: Sequence[str]) -> int:
    """Print the names."""
    try:
        servers = chosen(arguments[0] if arguments else "")
    except UnknownServerError as error:
        print(error, file=sys.stderr)
        return 2
    for server in servers:
        print(*server[:4])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
