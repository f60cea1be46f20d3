"""What describes is carried out: each README's snippet, and each registry description."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest

from mcp_serverkit.definition import Definition
from scripts.commands import SHARED, UV, run
from scripts.definitions import DEFINITIONS
from scripts.manifests import distribution, path_of
from scripts.servers import find
from tests.packaging.commands import default_tools, install, listed_tools, new_environment
from tests.project.snippets import INSTALLED, Snippet, snippets

by_name = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)


@pytest.fixture(scope="module")
def commands(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of an environment with all servers."""
    made = new_environment(tmp_path_factory.mktemp("installed") / "venv")
    names = [*SHARED, *(distribution(definition).name for definition in DEFINITIONS)]
    install(made, *(next(dist.glob(f"{name.replace('-', '_')}-*.whl")) for name in names))
    return made


def started(snippet: Snippet, commands: Path) -> list[str]:
    """The command of a snippet, from where it is installed here."""
    first, *rest = snippet.command
    if first == "uvx":
        return [str(UV), "tool", "run", "--quiet", *rest]
    return [first.replace(INSTALLED, f"{commands}/"), *rest]


@pytest.mark.requirement("F-10")
@pytest.mark.parametrize("snippet", snippets(), ids=lambda snippet: snippet.where)
def test_a_snippet_of_a_readme_starts_a_server_that_lists_its_tools(
    snippet: Snippet, commands: Path, tmp_path: Path
) -> None:
    file = tmp_path / "secret"
    file.write_text("t" * 64, encoding="utf-8")
    file.chmod(0o600)
    env = {
        name: str(file) if value.startswith("/path/to/") else value
        for name, value in snippet.env.items()
    }
    listed, errors = listed_tools(started(snippet, commands), env=env)
    assert listed
    assert "warning" not in errors
    if snippet.env:
        assert "not set" not in errors
    assert find(Path(snippet.command[-1]).name).command in {known.name for known in DEFINITIONS}


@pytest.mark.requirement("F-10")
@by_name
@pytest.mark.parametrize("form", ["{}=={}", "{}@{}"])
def test_a_client_of_a_registry_starts_what_the_description_names(
    form: str, definition: Definition, dist: Path, tmp_path: Path
) -> None:
    described = json.loads(path_of(definition, "server.json").read_text(encoding="utf-8"))
    (package,) = cast("list[dict[str, str]]", described["packages"])
    wanted = form.format(package["identifier"], package["version"])
    command: list[str | Path] = [
        UV,
        "tool",
        "run",
        "--quiet",
        "--isolated",
        "--find-links",
        dist,
        wanted,
    ]
    said = run([*command, "--version"], cwd=tmp_path).stdout
    assert said == f"{definition.name} {definition.version}\n"
    listed, _ = listed_tools(command, cwd=tmp_path)
    assert listed == default_tools(definition)
