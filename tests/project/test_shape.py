"""The shape of the code: sizes, layers, and what start-up may load."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_serverkit.definition import Definition
from scripts.definitions import DEFINITIONS, ROOT

MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 48
"""About forty, with room for a signature that documents its arguments."""

HEAVY = ("pydantic", "pydantic_settings", "httpx", "aiosmtplib", "dns", "nh3", "mcp", "anyio")
LOADED_LATE = {
    # What is for servers of other authors, who have loaded all of it.
    "decorator.py": {"anyio", "mcp_types", "pydantic"},
    "frameworks.py": {"mcp"},
    "mcp_adapter.py": {*HEAVY, "mcp_types"},
    "ntfy_instance.py": {"httpx2"},
    "recorder.py": {"anyio"},
}
"""Modules of the approval package that are loaded for a guarded call only, and their needs."""

SOURCES = sorted([*ROOT.glob("shared/*/src/**/*.py"), *ROOT.glob("packages/*/src/**/*.py")])


COMMANDS = sorted(
    path for folder in ("scripts", "demo", "bench") for path in ROOT.glob(f"{folder}/*.py")
)
"""What is not published, and read all the same."""


@pytest.mark.requirement("HO-19")
@pytest.mark.parametrize("path", SOURCES + COMMANDS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_source_file_fits_a_readers_head(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_FILE_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.body[0].lineno < MAX_FUNCTION_LINES, node.name


def imports(path: Path) -> Iterator[str]:
    """Top-level packages that a file imports, type checking aside."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def modules(folder: str) -> list[Path]:
    return [path for path in SOURCES if path.is_relative_to(ROOT / folder)]


@pytest.mark.requirement("A-19")
def test_the_approval_package_knows_the_sdk_in_one_module_and_nothing_else() -> None:
    for path in modules("shared/mcp-approval"):
        known = set(imports(path)) & {*HEAVY, "httpx2", "mcp_types", "mcp_serverkit"}
        assert known <= LOADED_LATE.get(path.name, set()), path


def test_the_kit_knows_no_server() -> None:
    servers = {definition.load_app.partition(".")[0] for definition in DEFINITIONS}
    for path in modules("shared/mcp-serverkit"):
        assert not set(imports(path)) & servers, path


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)
def test_no_server_knows_another_and_its_api_client_knows_no_mcp(definition: Definition) -> None:
    servers = {other.load_app.partition(".")[0] for other in DEFINITIONS if other is not definition}
    for path in modules(f"packages/{definition.name}"):
        known = set(imports(path))
        assert not known & servers, path
        if path.name == "client.py":
            assert not known & {"mcp", "mcp_types", "mcp_approval"}, path


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)
def test_settings_and_tools_load_nothing_heavy(definition: Definition) -> None:
    package = definition.load_app.partition(".")[0]
    code = (
        f"import sys, {package}.__main__, {package}.definition, {package}.tools\n"
        f"print([name for name in {HEAVY!r} + ('asyncio',) if name in sys.modules])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.strip() == "[]"
