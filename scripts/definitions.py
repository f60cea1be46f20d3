"""The definitions of this project's servers, for whatever walks all of them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from mcp_serverkit.definition import Definition
from scripts.servers import SERVERS

ROOT = Path(__file__).parents[1]


def _loaded(name: str) -> Definition:
    module, _, attribute = name.partition(":")
    definition: Definition = getattr(import_module(module), attribute)
    return definition


DEFINITIONS: tuple[Definition, ...] = tuple(_loaded(server.definition) for server in SERVERS)


def package_of(definition: Definition) -> Path:
    """The folder of a server's package."""
    return ROOT / "packages" / definition.name
