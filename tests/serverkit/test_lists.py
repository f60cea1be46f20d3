"""Lists: one page each, good for a while, and stored answers that are stale are none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mcp_serverkit.catalogue import EMPTY_LISTS, load
from mcp_serverkit.definition import Definition
from mcp_serverkit.runtime.catalogue_writer import (
    ENVELOPE,
    HELLO,
    Document,
    default_values,
    exchange,
    path_of,
)
from mcp_serverkit.server import build_server
from ntfy_mcp.definition import NTFY
from scripts.definitions import DEFINITIONS

by_name = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)


async def refused(definition: Definition, method: str, params: Document, *, modern: bool) -> str:
    """The refusal of a request; empty where it was answered."""
    server = build_server(definition, default_values(definition))
    told = ""
    try:
        if modern:
            await exchange(server, [(method, {**params, "_meta": ENVELOPE})])
        else:
            await exchange(server, [HELLO, (method, params)])
    except* TypeError as group:
        told = str(group.exceptions[0])
    return told


@pytest.mark.requirement("C-6")
@by_name
@pytest.mark.parametrize("modern", [False, True])
@pytest.mark.parametrize("method", ["tools/list", "prompts/list", *EMPTY_LISTS])
async def test_no_cursor_is_ours(definition: Definition, method: str, modern: bool) -> None:
    told = await refused(definition, method, {"cursor": "x"}, modern=modern)
    assert "code=-32602" in told
    first_pages: list[Document] = [{}, {"cursor": None}, {"cursor": ""}]
    for first in first_pages:
        assert await refused(definition, method, first, modern=modern) == ""


@pytest.mark.requirement("C-7")
@by_name
async def test_lists_say_how_long_they_are_good(definition: Definition) -> None:
    server = build_server(definition, default_values(definition))
    listing = ("server/discover", "tools/list", "prompts/list", *EMPTY_LISTS)
    answers = await exchange(server, [(method, {"_meta": ENVELOPE}) for method in listing])
    for answer in answers:
        assert (answer["ttlMs"], answer["cacheScope"]) == (300_000, "private")


def stored(definition: Definition) -> Document:
    document: Document = json.loads(path_of(definition).read_text(encoding="utf-8"))
    return document


def without_last(document: Document) -> None:
    document["tools"] = document["tools"][:-1]  # type: ignore[index]


def turned_round(document: Document) -> None:
    document["tools"] = document["tools"][::-1]  # type: ignore[index]


def of_another_version(document: Document) -> None:
    document["version"] = "0.0.1"


def of_another_form(document: Document) -> None:
    document["format"] = 0


def of_no_form(document: Document) -> None:
    del document["format"]


@pytest.mark.requirement("C-22", "HO-18")
@pytest.mark.parametrize(
    "change", [without_last, turned_round, of_another_version, of_another_form, of_no_form]
)
def test_stale_answers_are_as_good_as_none(
    change: Callable[[Document], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "elsewhere_mcp"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    moved = NTFY._replace(load_app="elsewhere_mcp.app:build")
    document = stored(NTFY)
    fresh, stale = package / "catalogue.json", json.loads(json.dumps(document))
    change(stale)
    values = default_values(NTFY, {"NTFY_EXTRAS": "true"})
    fresh.write_text(json.dumps(stale), encoding="utf-8")
    assert moved.answers(values) is None
    # The registry decides then: a tool that the file does not know may be named.
    chosen = {**values, "allow_tools": (NTFY.order[-1],)}
    assert moved.select(chosen).names == (NTFY.order[-1],)


@pytest.mark.requirement("C-22")
@by_name
def test_the_stored_answers_are_those_of_this_version(definition: Definition) -> None:
    catalogue = load(definition.package)
    assert catalogue is not None
    assert catalogue.belongs_to(definition.version, definition.order)
    assert definition.answers(default_values(definition)) is not None
