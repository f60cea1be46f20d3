"""The ways of running a server that is on no index: from a checkout, from git, by pip."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from mcp_serverkit.definition import Definition
from scripts.commands import SHARED, UV, run
from scripts.definitions import DEFINITIONS, ROOT
from tests.packaging.commands import default_tools, listed_tools

by_name = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of what is committed."""
    folder = tmp_path_factory.mktemp("clone") / "repository"
    run(["git", "clone", "--quiet", ROOT, folder])
    return folder


def uvx(source: str, definition: Definition) -> list[str | Path]:
    return [UV, "tool", "run", "--quiet", "--from", source, definition.name]


@by_name
def test_uvx_runs_a_server_from_a_checkout(definition: Definition) -> None:
    command = uvx(f"./packages/{definition.name}", definition)
    assert run([*command, "--version"]).stdout == f"{definition.name} {definition.version}\n"
    listed, _ = listed_tools(command)
    assert listed == default_tools(definition)


@by_name
def test_uvx_runs_what_the_checkout_holds_now(tmp_path: Path, definition: Definition) -> None:
    for folder in ("packages", "shared"):
        shutil.copytree(
            ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    command = uvx(f"./packages/{definition.name}", definition)
    run([*command, "--version"], cwd=tmp_path)
    (module,) = tmp_path.glob(f"packages/*/src/{definition.package}/__init__.py")
    source = module.read_text(encoding="utf-8")
    module.write_text(source.replace(definition.version, "99.0.0"), encoding="utf-8")
    said = run([*command, "--version"], cwd=tmp_path).stdout
    assert said == f"{definition.name} 99.0.0\n"


@by_name
def test_uvx_runs_a_server_from_a_git_repository(
    clone: Path, tmp_path: Path, definition: Definition
) -> None:
    source = f"git+file://{clone}#subdirectory=packages/{definition.name}"
    said = run([*uvx(source, definition), "--version"], cwd=tmp_path).stdout
    assert said.startswith(f"{definition.name} ")


@by_name
def test_pip_installs_the_shared_packages_and_a_server(
    tmp_path: Path, definition: Definition
) -> None:
    run([sys.executable, "-m", "venv", tmp_path / "venv"])
    commands = tmp_path / "venv" / "bin"
    folders = [f"./shared/{name}" for name in SHARED]
    run(
        [
            commands / "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            *folders,
            f"./packages/{definition.name}",
        ]
    )
    said = run([commands / definition.name, "--version"], cwd=tmp_path).stdout
    assert said == f"{definition.name} {definition.version}\n"
    assert "no broken" in run([commands / "python", "-m", "pip", "check"]).stdout.lower()
