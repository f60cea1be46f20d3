"""A server outside this repository makes its own stored answers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ntfy_mcp
from mcp_serverkit.config.settings import Values
from mcp_serverkit.definition import Definition
from mcp_serverkit.runtime import catalogue_writer
from mcp_serverkit.runtime.catalogue_writer import Document, default_values, main, path_of
from ntfy_mcp.definition import NTFY


@pytest.mark.requirement("HO-19")
def test_it_goes_into_the_package_of_a_server_elsewhere(tmp_path: Path) -> None:
    package = tmp_path / "their_mcp"
    shutil.copytree(Path(ntfy_mcp.__file__).parent, package)
    written = (package / "catalogue.json").read_bytes()
    (package / "catalogue.json").unlink()
    for source in package.rglob("*.py"):
        text = source.read_text(encoding="utf-8").replace("ntfy_mcp", "their_mcp")
        source.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mcp_serverkit.runtime.catalogue_writer"]
    done = subprocess.run(
        [*command, "their_mcp.definition:NTFY"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{package / 'catalogue.json'}\n"
    assert (package / "catalogue.json").read_bytes() == written


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ([], "name at least one server"),
        (["ntfy_mcp.definition:NTFI"], "ntfy_mcp.definition:NTFI is no Definition"),
        (["ntfy_mcp.definition"], "ntfy_mcp.definition is no Definition"),
    ],
)
def test_a_name_that_leads_nowhere_is_told(
    names: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(names) == 2
    assert told in capsys.readouterr().err


@pytest.mark.requirement("HO-19")
def test_a_second_writing_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = path_of(NTFY).read_bytes()
    copy = tmp_path / "catalogue.json"
    monkeypatch.setattr(catalogue_writer, "path_of", lambda _definition: copy)
    assert main(["ntfy_mcp.definition:NTFY"]) == 0
    assert capsys.readouterr().out == f"{copy}\n"
    assert copy.read_bytes() == stored


def test_settings_that_a_server_refuses_are_told() -> None:
    with pytest.raises(ValueError, match="NTFY_TOPICS: "):
        default_values(NTFY, {"NTFY_TOPICS": ","})


@pytest.mark.parametrize(
    ("part", "change", "told"),
    [
        ("modern_list", {"tools": []}, "list different tools"),
        ("modern_prompt", {"catch_up": {"description": "", "messages": []}}, "different prompts"),
    ],
)
async def test_revisions_that_list_different_things_are_a_fault(
    part: str, change: Document, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = catalogue_writer.live_answers

    async def differing(definition: Definition, values: Values) -> dict[str, Document]:
        answers = await real(definition, values)
        return {**answers, part: {**answers[part], **change}}

    monkeypatch.setattr(catalogue_writer, "live_answers", differing)
    with pytest.raises(ValueError, match=told):
        await catalogue_writer.catalogue(NTFY)
