"""`make install`: servers for every day, which start at once and without a network."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from mcp_serverkit.definition import Definition
from scripts.commands import run
from scripts.definitions import DEFINITIONS, ROOT
from scripts.servers import find
from tests.packaging.commands import default_tools, listed_tools

by_name = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)

NOBODY = "http://127.0.0.1:9"
"""A proxy where nobody listens."""


class Installed(NamedTuple):
    """A checkout, the home that it was installed into, and what was printed."""

    checkout: Path
    home: Path
    printed: str

    def make(self, target: str, *arguments: str) -> str:
        """Run a target as somebody with an empty home would."""
        env = {"HOME": str(self.home), "XDG_DATA_HOME": "", "XDG_BIN_HOME": ""}
        command = ["make", "-s", target, f"PYTHON={sys.executable}", *arguments]
        return run(command, cwd=self.checkout, env={**env, "UV_CACHE_DIR": cache()}).stdout

    def command(self, definition: Definition) -> Path:
        return self.home / ".local" / "bin" / definition.name


def cache() -> str:
    return run([ROOT / ".tools" / "bin" / "uv", "cache", "dir"]).stdout.strip()


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    checkout = tmp_path_factory.mktemp("checkout")
    for folder in ("packages", "shared", "scripts"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, checkout / folder, ignore=ignored)
    for file in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / file, checkout)
    (checkout / ".tools").symlink_to(ROOT / ".tools")
    made = Installed(checkout, tmp_path_factory.mktemp("home"), "")
    return made._replace(printed=made.make("install"))


@pytest.mark.requirement("F-7")
@by_name
def test_an_installed_command_lists_its_tools_without_a_network(
    installed: Installed, tmp_path: Path, definition: Definition
) -> None:
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), NOBODY)
    env = {"HOME": str(tmp_path), "UV_OFFLINE": "1", **proxies}
    listed, _ = listed_tools([installed.command(definition)], cwd=tmp_path, env=env)
    assert listed == default_tools(definition)


@pytest.mark.requirement("F-6")
@by_name
def test_what_is_printed_registers_the_installed_command(
    installed: Installed, tmp_path: Path, definition: Definition
) -> None:
    path = str(installed.command(definition))
    lines = [line.strip() for line in installed.printed.splitlines()]
    assert path in lines
    (line,) = [line for line in lines if line.startswith("claude ") and line.endswith(path)]
    words = shlex.split(line)
    settings = dict(
        words[index + 1].split("=", 1) for index, word in enumerate(words) if word == "-e"
    )
    entries = [entry for entry in entries_in(installed.printed) if entry["command"] == path]
    assert [entry["env"] for entry in entries] == [settings]
    started, _ = listed_tools([path], cwd=tmp_path, env=with_files(settings, tmp_path))
    assert started


def entries_in(printed: str) -> list[dict[str, object]]:
    """The entries of all `mcpServers` files in what was printed."""
    found = []
    decoder = json.JSONDecoder()
    for start in (
        index for index in range(len(printed)) if printed.startswith('{\n    "mcp', index)
    ):
        document, _ = decoder.raw_decode(printed, start)
        found += document["mcpServers"].values()
    return found


def with_files(settings: dict[str, str], folder: Path) -> dict[str, str]:
    """Settings whose files are there."""
    secret = folder / "secret"
    secret.write_text("t" * 64, encoding="utf-8")
    secret.chmod(0o600)
    return {
        name: str(secret) if name.endswith("_FILE") else value for name, value in settings.items()
    }


@pytest.mark.requirement("F-6")
def test_a_second_run_brings_what_was_edited_in_a_shared_package(installed: Installed) -> None:
    definition = DEFINITIONS[0]
    arguments = next((installed.checkout / "shared").rglob("runtime/arguments.py"))
    source = arguments.read_text(encoding="utf-8")
    arguments.write_text(source.replace("show the version", "show an edit"), encoding="utf-8")
    assert "show an edit" not in run([installed.command(definition), "--help"]).stdout
    installed.make("install", f"SERVER={find(definition.name).short[0].upper()}")
    assert "show an edit" in run([installed.command(definition), "--help"]).stdout


@pytest.mark.requirement("F-6")
def test_what_is_removed_is_gone_and_the_others_stay(installed: Installed) -> None:
    first, second, *_ = DEFINITIONS
    assert installed.make("uninstall", f"SERVER={second.name}") == f"{second.name}: removed\n"
    assert not os.path.lexists(installed.command(second))
    assert installed.command(first).exists()
    assert installed.make("uninstall", f"SERVER={second.name}") == f"{second.name}: not installed\n"
