"""Which way imports may point: inside a server, inside the kit, and in no circle."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from mcp_serverkit.definition import Definition
from scripts.definitions import DEFINITIONS, ROOT, package_of
from tests.project.imports import circles, graph_of, imported, modules_under, reachable

PROTOCOL = ("mcp", "mcp_types", "mcp_approval")
"""What an API client must work without."""

LAYERS: tuple[tuple[str, ...], ...] = (
    ("__main__", "definition"),
    ("tools",),
    ("app", "dialogs", "facts", "guards", "views", "policy"),
    ("message", "records", "zonefile", "api"),
    (
        "settings",
        "argument_types",
        "mailbox",
        "file_types",
        "names",
        "addresses",
        "order",
        "providers",
        "logs",
        "version",
        "redaction",
        "since",
        "written_times",
        "records.types",
    ),
)
"""A server's folders and modules, each layer above those that it may import.

A module that is not named stands beside `app`; a module named with its folder stands apart
from it.
"""

KIT_LAYERS: tuple[tuple[str, ...], ...] = (
    ("runtime",),
    ("server",),
    ("definition", "catalogue"),
    ("tools", "config", "http"),
    ("facts", "text", "errors", "outcome"),
)

by_name = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)


def sources_of(definition: Definition) -> Path:
    return package_of(definition) / "src"


def knowing_the_protocol(sources: Path) -> Iterator[str]:
    """API modules of a server that lead to the protocol, to its tools or its questions."""
    modules = modules_under(sources)
    graph = graph_of(modules)
    for name in modules:
        if name.split(".")[1:2] != ["api"]:
            continue
        reached = {name, *reachable(graph, name)}
        outside = {target.partition(".")[0] for one in reached for target in imported(modules[one])}
        inside = {one.split(".")[1] for one in reached if "." in one}
        if outside & {*PROTOCOL} or inside & {"tools", "dialogs"}:
            yield name


@pytest.mark.requirement("HO-12")
@by_name
def test_every_server_has_an_api_client(definition: Definition) -> None:
    assert (sources_of(definition) / definition.package / "api" / "client.py").is_file()


@pytest.mark.requirement("C-23", "HO-12")
@by_name
def test_what_talks_to_the_service_knows_no_protocol_and_no_tool(definition: Definition) -> None:
    assert list(knowing_the_protocol(sources_of(definition))) == []


@pytest.mark.requirement("C-23")
@by_name
@pytest.mark.parametrize("line", ["import mcp_approval.keys", "from mcp import types"])
def test_an_api_module_that_learns_of_the_protocol_is_found(
    definition: Definition, line: str, tmp_path: Path
) -> None:
    shutil.copytree(sources_of(definition), tmp_path / "src")
    api = tmp_path / "src" / definition.package / "api"
    for path in sorted(api.glob("[a-z]*.py")):
        kept = path.read_text(encoding="utf-8")
        path.write_text(f"{kept}\n\ndef _later() -> None:\n    {line}\n", encoding="utf-8")
        assert f"{definition.package}.api.{path.stem}" in knowing_the_protocol(tmp_path / "src")
        path.write_text(kept, encoding="utf-8")


@pytest.mark.requirement("HO-12")
@by_name
def test_a_servers_app_gets_a_finished_client(definition: Definition) -> None:
    app = sources_of(definition) / definition.package / "app.py"
    known = {name for name in imported(app) if name.startswith(("httpx", "mcp_serverkit.http"))}
    assert {name for name in known if not name.startswith("mcp_serverkit.http.json_fields")} == (
        set()
    )


def backwards(
    graph: Mapping[str, frozenset[str]], layers: tuple[tuple[str, ...], ...], other: int
) -> list[str]:
    """Imports of a layer further up."""

    def layer(name: str) -> int:
        inside = name.partition(".")[2]
        wing = inside.partition(".")[0]
        named = [place for place, names in enumerate(layers) if inside in names]
        named += [place for place, names in enumerate(layers) if wing in names]
        return named[0] if named else other

    return [
        f"{name} -> {target}"
        for name, targets in graph.items()
        for target in sorted(targets)
        if "." in name and "." in target and layer(target) < layer(name)
    ]


@pytest.mark.requirement("HO-13")
@by_name
def test_imports_inside_a_server_point_one_way(definition: Definition) -> None:
    graph = graph_of(modules_under(sources_of(definition)))
    assert backwards(graph, LAYERS, other=2) == []


@pytest.mark.requirement("HO-13")
def test_imports_inside_the_kit_point_one_way() -> None:
    graph = graph_of(modules_under(ROOT / "shared/mcp-serverkit/src"))
    assert backwards(graph, KIT_LAYERS, other=4) == []


@pytest.mark.requirement("HO-14")
def test_no_modules_import_each_other() -> None:
    assert circles(graph_of(every_module())) == []


@pytest.mark.requirement("HO-14")
def test_a_circle_through_a_function_is_found(tmp_path: Path) -> None:
    package = tmp_path / "src" / "ring"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "a.py").write_text("from ring.b import one\n", encoding="utf-8")
    (package / "b.py").write_text(
        "one = 1\n\ndef later():\n    from ring import a\n    return a\n", encoding="utf-8"
    )
    assert circles(graph_of(modules_under(tmp_path / "src"))) == [["ring.a", "ring.b"]]


@pytest.mark.requirement("HO-13")
def test_a_folder_of_modules_imports_nothing_by_itself() -> None:
    """So that importing one module of it loads no other; `tools` alone loads its tools."""
    for name, path in every_module().items():
        if path.name == "__init__.py" and "." in name and not name.endswith(".tools"):
            assert list(imported(path)) == [], name


def every_module() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for sources in (*ROOT.glob("shared/*/src"), *ROOT.glob("packages/*/src")):
        found |= modules_under(sources)
    return found
