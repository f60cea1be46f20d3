"""The generated parts of the READMEs: tables of variables and tools.

python -m tests.project.tables     write them
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from mcp_serverkit.definition import Definition
from mcp_serverkit.tools.registry import Tool
from tests.project.servers import SERVERS, package_of


def variables_table(definition: Definition) -> str:
    """One row for each environment variable."""
    rows = ["| Variable | Type | Default | Meaning |", "|---|---|---|---|"]
    for variable in definition.variables:
        twin = f" Or `{variable.name}_FILE`: a file that holds it." if variable.secret else ""
        cells = (f"`{variable.name}`", variable.kind, variable.default, variable.meaning + twin)
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def tools_table(definition: Definition) -> str:
    """One row for each tool, with what asks."""
    extra = [tool for tool in definition.registry() if tool.name in definition.extras]
    rows = _tool_rows(tool for tool in definition.registry() if tool not in extra)
    if extra:
        rows += ["", f"With `{definition.prefix}_EXTRAS=true` also:", "", *_tool_rows(extra)]
    return "\n".join(rows)


def _tool_rows(tools: Iterable[Tool]) -> list[str]:
    rows = ["| Tool | What it does | Asks a person | Hints |", "|---|---|---|---|"]
    for tool in tools:
        cells = (f"`{tool.name}`", tool.summary, tool.asks or "never", hints(tool))
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def hints(tool: Tool) -> str:
    """The annotations in words."""
    declared = tool.annotations
    words = [
        "read-only" if declared.read_only else "writes",
        "destructive" if declared.destructive else "",
        "" if declared.idempotent else "not idempotent",
        "open world" if declared.open_world else "",
    ]
    return ", ".join(word for word in words if word)


PARTS: dict[str, Callable[[Definition], str]] = {
    "variables": variables_table,
    "tools": tools_table,
}


def filled(readme: str, definition: Definition) -> str:
    """A README with its generated parts made anew."""
    for name, make in PARTS.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        table = make(definition)
        readme, count = pattern.subn(lambda found: f"{found[1]}{table}\n{found[2]}", readme)  # noqa: B023
        assert count == 1, f"{definition.name}: the README has no place for {name}"
    return readme


def readmes() -> Iterator[tuple[Definition, str]]:
    """Each server with the text of its README as it is."""
    for definition in SERVERS:
        yield definition, (package_of(definition) / "README.md").read_text(encoding="utf-8")


def main() -> None:
    for definition, readme in readmes():
        path = package_of(definition) / "README.md"
        path.write_text(filled(readme, definition), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
