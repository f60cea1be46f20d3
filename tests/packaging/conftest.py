from __future__ import annotations

from pathlib import Path

import pytest

from scripts.commands import UV, run
from tests.packaging.commands import TOOLS, install, new_environment

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.timeout(900))
            item.add_marker(pytest.mark.packaging)


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the checking commands."""
    commands = new_environment(tmp_path_factory.mktemp("tools") / "venv")
    install(commands, *TOOLS)
    return commands


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all wheels and source distributions, built from the tree."""
    folder = tmp_path_factory.mktemp("dist")
    run([UV, "build", "--quiet", "--all-packages", "--out-dir", folder])
    return folder
