"""What is published: wheels and source distributions."""

from __future__ import annotations

import tarfile
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest

from mcp_serverkit.definition import Definition
from scripts.commands import SHARED, run
from scripts.definitions import DEFINITIONS, ROOT
from scripts.manifests import distribution, registry_name
from tests.packaging.commands import default_tools, install, listed_tools, new_environment

by_name = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)

MODULES = {
    **SHARED,
    **{distribution(definition).name: definition.package for definition in DEFINITIONS},
}
"""Module of each distribution."""

HEAVY = ("mcp", "pydantic", "httpx", "anyio")


def wheel_of(dist: Path, name: str) -> Path:
    (found,) = dist.glob(f"{name.replace('-', '_')}-*.whl")
    return found


def files_of(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def metadata_of(dist: Path, name: str) -> Message:
    files = files_of(wheel_of(dist, name))
    (metadata,) = (text for path, text in files.items() if path.endswith(".dist-info/METADATA"))
    return message_from_bytes(metadata)


def test_six_distributions_are_built_each_in_both_forms(dist: Path) -> None:
    assert len(MODULES) == 6
    assert len(list(dist.glob("*.whl"))) == len(list(dist.glob("*.tar.gz"))) == len(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_a_wheel_holds_its_module_its_types_and_its_licence_alone(dist: Path, name: str) -> None:
    files = files_of(wheel_of(dist, name))
    module = MODULES[name]
    packaged = {path for path in files if ".dist-info/" not in path}
    source = next(ROOT.glob(f"*/*/src/{module}"))
    tracked = {
        f"{module}/{path.relative_to(source)}"
        for path in source.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert packaged == tracked
    assert f"{module}/py.typed" in packaged
    licences = [text for path, text in files.items() if path.endswith("licenses/LICENSE")]
    assert licences == [(ROOT / "LICENSE").read_bytes()]


@by_name
def test_a_servers_wheel_brings_its_catalogue(dist: Path, definition: Definition) -> None:
    files = files_of(wheel_of(dist, distribution(definition).name))
    assert files[f"{definition.package}/catalogue.json"]


@by_name
def test_a_servers_description_proves_who_owns_its_registry_name(
    dist: Path, definition: Definition
) -> None:
    metadata = metadata_of(dist, distribution(definition).name)
    assert f"mcp-name: {registry_name(definition)}" in str(metadata.get_payload())
    assert metadata["Version"] == definition.version


@pytest.mark.parametrize("name", MODULES)
def test_the_metadata_says_what_an_index_shows(dist: Path, name: str) -> None:
    metadata = metadata_of(dist, name)
    assert metadata["License-Expression"] == "MIT"
    assert metadata["License-File"] == "LICENSE"
    assert metadata["Requires-Python"] == ">=3.11"
    assert "model-context-protocol" in metadata["Keywords"]
    classifiers = metadata.get_all("Classifier", [])
    assert {"Framework :: AsyncIO", "Typing :: Typed"} <= set(classifiers)
    assert any(classifier.startswith("Topic :: ") for classifier in classifiers)


@pytest.mark.parametrize("name", MODULES)
def test_a_source_distribution_builds_without_the_repository(dist: Path, name: str) -> None:
    (found,) = dist.glob(f"{name.replace('-', '_')}-*.tar.gz")
    with tarfile.open(found) as archive:
        names = {path.partition("/")[2] for path in archive.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml", "PKG-INFO"} <= names
    assert ("examples/shop.py" in names) is (name == "mcp-approval")
    assert not [path for path in names if path.startswith(("tests", ".")) and path != ".gitignore"]


def test_an_index_would_take_them(dist: Path, tools: Path) -> None:
    run([tools / "twine", "check", "--strict", *dist.glob("*.whl"), *dist.glob("*.tar.gz")])
    run([tools / "check-wheel-contents", *sorted(dist.glob("*.whl"))])


@by_name
def test_an_installed_server_lists_its_tools_before_it_loads_anything_heavy(
    dist: Path, tmp_path: Path, definition: Definition
) -> None:
    commands = new_environment(tmp_path / "venv")
    names = [*SHARED, distribution(definition).name]
    install(commands, *(wheel_of(dist, name) for name in names))
    said = run([commands / definition.name, "--version"], cwd=tmp_path).stdout
    assert said == f"{definition.name} {definition.version}\n"
    listed, _ = listed_tools([str(commands / definition.name)], cwd=tmp_path)
    assert listed == default_tools(definition)
    traced = [str(commands / "python"), "-X", "importtime", "-m", definition.package]
    _, errors = listed_tools(traced, cwd=tmp_path)
    loaded = {line.rpartition("|")[2].strip() for line in errors.splitlines()}
    assert definition.package in loaded
    assert not loaded & set(HEAVY)
