"""What the READMEs tell a client to start: every command line, JSON entry and TOML entry."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, cast

from scripts.definitions import DEFINITIONS, ROOT, package_of

READMES = (
    ROOT / "README.md",
    *(package_of(definition) / "README.md" for definition in DEFINITIONS),
)

INSTALLED = "/home/you/.local/bin/"
"""Where `make install` puts commands, as the READMEs write it."""


class Snippet(NamedTuple):
    """One way of starting a server.

    Attributes:
        where: File, and the number of the snippet in it.
        command: The command with its arguments.
        env: What it sets.
    """

    where: str
    command: tuple[str, ...]
    env: Mapping[str, str]


def snippets() -> list[Snippet]:
    """All of them, in order."""
    found = []
    for path in READMES:
        name = str(path.parent.name if path.parent != ROOT else "root")
        for number, (command, env) in enumerate(_in(path), 1):
            found.append(Snippet(f"{name}-{number}", command, env))
    return found


def _in(path: Path) -> Iterator[tuple[tuple[str, ...], Mapping[str, str]]]:
    text = path.read_text(encoding="utf-8")
    for kind, block in re.findall(r"^```(json|toml)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        document = json.loads(block) if kind == "json" else tomllib.loads(block)
        (servers,) = document.values()
        for entry in servers.values():
            yield (entry["command"], *entry.get("args", [])), cast("dict[str, str]", entry["env"])
    for line in re.sub(r" \\\n +", " ", text).splitlines():
        words = shlex.split(line) if line.startswith("    claude mcp add ") else []
        if words:
            settings = [words[at + 1] for at, word in enumerate(words) if word == "-e"]
            env = dict(setting.split("=", 1) for setting in settings)
            yield tuple(words[words.index("--") + 1 :]), env
    for quick in re.findall(r"`(uvx --from \S+ \S+)`", text):
        yield tuple(quick.split()), {}
