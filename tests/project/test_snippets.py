"""The snippets of the READMEs: nothing in them that a server would refuse."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scripts.definitions import DEFINITIONS, ROOT
from scripts.servers import find
from tests.project.snippets import INSTALLED, READMES, Snippet, snippets
from tests.support.servers import reading_of

by_place = pytest.mark.parametrize("snippet", snippets(), ids=lambda snippet: snippet.where)


@pytest.mark.requirement("F-4")
def test_each_readme_shows_how_to_register_its_server() -> None:
    assert {snippet.where.rpartition("-")[0] for snippet in snippets()} == {
        "root",
        *(definition.name for definition in DEFINITIONS),
    }
    assert len(snippets()) >= 18


@pytest.mark.requirement("F-4")
@by_place
def test_a_snippet_sets_what_the_server_takes_and_keeps_secrets_in_files(
    snippet: Snippet, tmp_path: Path
) -> None:
    command = find(Path(snippet.command[-1]).name).command
    (definition,) = [known for known in DEFINITIONS if known.name == command]
    secrets = {variable.name for variable in definition.variables if variable.secret}
    assert not secrets & snippet.env.keys()
    file = tmp_path / "secret"
    file.write_text("t" * 64, encoding="utf-8")
    file.chmod(0o600)
    environ = {
        name: str(file) if value.startswith("/path/to/") else value
        for name, value in snippet.env.items()
    }
    reading = reading_of(definition, environ)
    assert reading.problems == reading.warnings == []
    assert definition.select(reading.values).problems == ()
    if snippet.env:
        assert snippet.command[0].startswith(INSTALLED)
        assert not definition.missing(reading.values)


@pytest.mark.requirement("F-4")
@pytest.mark.parametrize("path", READMES, ids=lambda path: path.parent.name)
def test_nothing_is_run_by_its_bare_name_from_an_index(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "uvx --from" in text or path.parent == ROOT
    assert not re.search(r"uvx (?!--from )\S+-mcp|pip install [a-z-]+-mcp", text)


@pytest.mark.requirement("F-1")
def test_the_first_screen_says_what_it_is_before_any_command() -> None:
    first = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:40]
    text = "\n".join(first)
    order = [
        "# ",
        "| Service | You say | Asks before |",
        "dialog.svg",
        "A client's prompt",
        "Go on",
    ]
    places = [text.index(words) for words in order]
    assert places == sorted(places)
    command = next(at for at, line in enumerate(first) if line.startswith("    "))
    assert command > text[: places[-1]].count("\n")
