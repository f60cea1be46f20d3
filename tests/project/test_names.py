"""The names of the servers, on the command line and in the packages."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import cast

import pytest

from mcp_serverkit.definition import Definition
from scripts.definitions import DEFINITIONS, ROOT, package_of
from scripts.servers import SERVERS, Server, find

by_name = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)


def project(definition: Definition) -> dict[str, object]:
    text = (package_of(definition) / "pyproject.toml").read_text(encoding="utf-8")
    return cast("dict[str, object]", tomllib.loads(text)["project"])


@by_name
def test_the_table_of_names_is_what_the_packages_say(definition: Definition) -> None:
    (named,) = [names for names in SERVERS if names.folder == package_of(definition).name]
    assert named.module == definition.package
    assert named.command == definition.name
    assert named.distribution == project(definition)["name"]


@pytest.mark.requirement("F-8")
@by_name
def test_a_distribution_has_a_command_of_its_own_name(definition: Definition) -> None:
    commands = cast("dict[str, str]", project(definition)["scripts"])
    expected = f"{definition.package}.__main__:main"
    assert commands[str(project(definition)["name"])] == expected
    assert commands[definition.name] == expected


def test_no_two_servers_share_a_name() -> None:
    every = [
        name
        for names in SERVERS
        for name in {names.folder, names.distribution, names.command, *names.short}
    ]
    assert len(every) == len(set(every))


def names_of(server: Server) -> set[str]:
    plain = {server.folder, server.distribution, *server.short}
    return {*plain, *map(str.upper, plain), *(name.replace("-", "_") for name in plain)}


@pytest.mark.requirement("F-9")
@pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.folder)
def test_a_server_is_found_by_each_of_its_names(server: Server) -> None:
    assert all(find(name) == server for name in names_of(server))


@pytest.mark.requirement("F-9")
@pytest.mark.parametrize(
    ("name", "command"),
    [("hetzner", "hetzner-dns-mcp"), ("Mail", "smtp-mcp"), ("woodpecker_ci", "woodpecker-ci-mcp")],
)
def test_the_script_prints_one_line_of_four_words(name: str, command: str) -> None:
    done = asked(name)
    assert done.returncode == 0
    words = done.stdout.split()
    assert len(words) == 4
    assert words[3] == command
    assert done.stdout.count("\n") == 1


@pytest.mark.requirement("F-9")
@pytest.mark.parametrize("name", ["nfty", "ntfy-reach", "--x", "\x1b[2J", "n" * 99])
def test_an_unknown_name_is_exit_2_and_one_line_with_the_names(name: str) -> None:
    done = asked(name)
    assert (done.returncode, done.stdout) == (2, "")
    known = ", ".join(server.short[0] for server in SERVERS)
    assert done.stderr.endswith(f"is no server; there are {known}\n")
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr


def asked(name: str) -> subprocess.CompletedProcess[str]:
    command: list[str | Path] = [sys.executable, ROOT / "scripts" / "names.py", name]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.requirement("HO-20")
@pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.folder)
def test_the_workspace_has_every_line_that_a_server_needs(server: Server) -> None:
    workspace = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    tool = workspace["tool"]
    assert server.distribution in workspace["project"]["dependencies"]
    assert tool["uv"]["sources"][server.distribution] == {"workspace": True}
    assert f"packages/{server.folder}/src" in tool["mypy"]["mypy_path"]
    assert server.module in tool["coverage"]["run"]["source_pkgs"]


def test_every_package_of_a_server_stands_in_the_table() -> None:
    folders = {path.parent.name for path in ROOT.glob("packages/*/pyproject.toml")}
    assert folders == {server.folder for server in SERVERS}
