"""Who imports whom in this repository, read from the source and never by importing it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

Graph: TypeAlias = Mapping[str, frozenset[str]]


def modules_under(sources: Path) -> dict[str, Path]:
    """The modules of a `src` folder by dotted name."""
    found = {}
    for path in sources.rglob("*.py"):
        parts = path.relative_to(sources).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(path: Path) -> Iterator[str]:
    """Dotted names that a file imports, inside functions and for type checking as well."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def graph_of(modules: Mapping[str, Path]) -> Graph:
    """The graph of imports among these modules.

    Importing from a package means the module that holds the name, not the package's own
    file, unless the name is no module.
    """
    return {name: frozenset(_targets(path, modules)) - {name} for name, path in modules.items()}


def _targets(path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    names = set(imported(path))
    for name in names:
        if name in modules and not (
            modules[name].name == "__init__.py" and any(n.startswith(f"{name}.") for n in names)
        ):
            yield name
        elif name.rpartition(".")[0] in modules and name not in modules:
            yield name.rpartition(".")[0]


def reachable(graph: Graph, start: str) -> set[str]:
    """Every module that importing one may lead to."""
    seen: set[str] = set()
    open_ends = [start]
    while open_ends:
        for target in graph.get(open_ends.pop(), frozenset()) - seen:
            seen.add(target)
            open_ends.append(target)
    return seen


def circles(graph: Graph) -> list[list[str]]:
    """Groups of modules that lead to each other."""
    reach = {name: reachable(graph, name) for name in graph}
    groups = {
        frozenset(other for other in reach[name] if name in reach[other])
        for name in graph
        if name in reach[name]
    }
    return sorted(sorted(group) for group in groups)
