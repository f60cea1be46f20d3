"""The descriptions of the servers for registries and for one-click bundles.

python -m scripts.manifests     write them

server.json is for an MCP registry, manifest.json for an MCP bundle (.mcpb), which
`scripts.bundle` puts together.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, cast

from mcp_serverkit.config.settings import Variable
from mcp_serverkit.definition import Definition
from scripts.definitions import DEFINITIONS, package_of
from scripts.release import RELEASE, Release

Document = dict[str, object]

SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

MANIFEST_VERSION = "0.4"
"""The first one with server type `uv`: dependencies with compiled parts fit every platform."""

ENTRY_POINT = "server.py"
"""The file that a bundle's host runs; `scripts.bundle` writes it."""

PLATFORMS = ("darwin", "linux", "win32")

ICON = "icon.png"
"""The picture of a server, in its folder and in its bundle; `scripts.icons` draws it."""

PRIVACY = "what-leaves-your-computer"
"""The heading of each README that says who gets to know what."""


class Distribution(NamedTuple):
    """What a package's own metadata says.

    Attributes:
        name: Name of the distribution; may differ from the command's.
        keywords: Its keywords.
        licence: SPDX expression.
        python: Versions of Python that it takes.
    """

    name: str
    keywords: list[str]
    licence: str
    python: str


def distribution(definition: Definition) -> Distribution:
    """Read the metadata of a server's package."""
    text = (package_of(definition) / "pyproject.toml").read_text(encoding="utf-8")
    project = cast("dict[str, object]", tomllib.loads(text)["project"])
    return Distribution(
        str(project["name"]),
        cast("list[str]", project["keywords"]),
        str(project["license"]),
        str(project["requires-python"]),
    )


def registry_name(definition: Definition, release: Release = RELEASE) -> str:
    """The server's name in a registry."""
    return f"{release.namespace}/{definition.name}"


def server_json(definition: Definition, release: Release = RELEASE) -> Document:
    """The description of a server for a registry."""
    folder = f"packages/{definition.name}"
    return {
        "$schema": SERVER_SCHEMA,
        "name": registry_name(definition, release),
        "title": definition.title,
        "description": definition.summary,
        "websiteUrl": release.address(f"{folder}#readme"),
        "repository": {"url": release.repository, "source": "github", "subfolder": folder},
        "version": definition.version,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": distribution(definition).name,
                "version": definition.version,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "environmentVariables": [
                    environment_variable(variable)
                    for variable in definition.variables
                    if variable.listed
                ],
            }
        ],
    }


def environment_variable(variable: Variable) -> Document:
    """One variable as a registry describes it."""
    described: Document = {
        "name": variable.name,
        "description": _plain(variable.meaning),
        "format": format_of(variable),
        "isRequired": variable.required,
        "isSecret": variable.secret is not None,
    }
    if variable.example:
        described["placeholder"] = variable.example
    if default_of(variable) is not None:
        described["default"] = as_text(default_of(variable))
    if choices_of(variable):
        described["choices"] = choices_of(variable)
    return described


def bundle_manifest(definition: Definition, release: Release = RELEASE) -> Document:
    """The description of a server for a bundle's host."""
    known = distribution(definition)
    folder = f"packages/{definition.name}"
    return {
        "manifest_version": MANIFEST_VERSION,
        "name": definition.name,
        "display_name": definition.title,
        "version": definition.version,
        "description": definition.summary,
        "author": {"name": "the authors of these MCP servers"},
        "repository": {"type": "git", "url": release.repository},
        "homepage": release.repository,
        "documentation": release.address(f"{folder}#readme"),
        "support": f"{release.repository}/issues",
        "icon": ICON,
        "server": {
            "type": "uv",
            "entry_point": ENTRY_POINT,
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", ENTRY_POINT],
                "env": {
                    variable.name: f"${{user_config.{option_key(variable)}}}"
                    for variable in definition.variables
                },
            },
        },
        "tools": [
            {"name": tool.name, "description": tool.description}
            for tool in definition.registry()
            if tool.name not in definition.extras
        ],
        "keywords": known.keywords,
        "license": known.licence,
        "compatibility": {"platforms": list(PLATFORMS), "runtimes": {"python": known.python}},
        "privacy_policies": [release.address(f"{folder}/README.md#{PRIVACY}")],
        "user_config": {option_key(variable): option(variable) for variable in ordered(definition)},
    }


def ordered(definition: Definition) -> list[Variable]:
    """The variables as a settings page shows them: first what most people set."""
    return sorted(definition.variables, key=lambda variable: not variable.listed)


def option(variable: Variable) -> Document:
    """One variable as the host's settings page offers it.

    An option without a value reaches the server as its own placeholder, so each one that may
    stay empty has a default.
    """
    described: Document = {
        "type": type_of(variable),
        "title": variable.title,
        "description": f"{_with_choices(variable)} Sets {variable.name}.",
        "required": variable.required,
    }
    if variable.secret:
        described["sensitive"] = True
    if not described["required"]:
        described["default"] = "" if default_of(variable) is None else default_of(variable)
    bounds = re.search(r"(\d+)-(\d+)$", variable.kind)
    if bounds and type_of(variable) == "number":
        described["min"], described["max"] = int(bounds[1]), int(bounds[2])
    return described


def option_key(variable: Variable) -> str:
    """A variable's key among the options of a bundle."""
    return variable.name.lower()


def type_of(variable: Variable) -> str:
    """A variable's type in a bundle's words.

    A number that may stay empty is a text there: the host knows no empty number.
    """
    if isinstance(variable.fallback, bool):
        return "boolean"
    if isinstance(variable.fallback, int):
        return "number"
    return {"path": "file", "directory": "directory"}.get(variable.kind, "string")


def format_of(variable: Variable) -> str:
    """A variable's type in a registry's words."""
    if re.fullmatch(r"\d+-\d+", variable.kind):
        return "number"
    named = type_of(variable)
    return "filepath" if named in ("file", "directory") else named


def default_of(variable: Variable) -> bool | int | str | None:
    """A variable's default where a setting can spell it."""
    return variable.fallback if isinstance(variable.fallback, bool | int | str) else None


def as_text(value: bool | int | str | None) -> str:
    """A value as the environment carries it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def choices_of(variable: Variable) -> list[str]:
    """The words that a variable takes, where these are all."""
    words = variable.kind.split(", ")
    closed = type_of(variable) == "string" and len(words) > 1 and variable.default in words
    return words if closed else []


def _with_choices(variable: Variable) -> str:
    choices = choices_of(variable)
    listed = f" One of: {', '.join(choices)}." if choices else ""
    return _plain(variable.meaning) + listed


def _plain(markdown: str) -> str:
    return markdown.replace("`", "")


FILES: Mapping[str, Callable[[Definition, Release], Document]] = {
    "server.json": server_json,
    "manifest.json": bundle_manifest,
}


def rendered(document: Document) -> str:
    """A description as its file holds it."""
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def path_of(definition: Definition, file: str) -> Path:
    """Where a description of a server lies."""
    return package_of(definition) / file


def main() -> None:
    """Write the descriptions of all servers."""
    for definition in DEFINITIONS:
        for file, describe in FILES.items():
            text = rendered(describe(definition, RELEASE))
            path_of(definition, file).write_text(text, encoding="utf-8")
            print(path_of(definition, file), len(text))


if __name__ == "__main__":
    main()
