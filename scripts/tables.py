"""The generated parts of the READMEs: variables, tools, prompts, presets, and a question.

python -m scripts.tables     write them
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import cast

from demo.questions import dialog
from mcp_serverkit.definition import Definition
from mcp_serverkit.runtime.catalogue_writer import default_values
from mcp_serverkit.tools.registry import Tool
from mcp_serverkit.tools.results import compact
from scripts import library_readme
from scripts.definitions import DEFINITIONS, package_of
from scripts.servers import find


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


def prompts_table(definition: Definition) -> str:
    """One row for each prompt, with what may be said and what it reads with; empty without any."""
    if not definition.prompts():
        return ""
    rows = ["| Prompt | What it is for | Arguments | Tools |", "|---|---|---|---|"]
    for prompt in definition.prompts():
        arguments = "; ".join(f"`{each.name}`: {each.description}" for each in prompt.arguments)
        tools = ", ".join(f"`{name}`" for name in prompt.tools)
        rows.append(f"| `{prompt.name}` | {prompt.description} | {arguments} | {tools} |")
    return "\n".join(rows)


TOKENS_PER_BYTE = 1 / 4
"""The usual estimate for JSON and English."""


def presets_table(definition: Definition) -> str:
    """One row for each preset, with what its tools cost a conversation."""
    rows = ["| Word | Tools | Tokens | For |", "|---|---|---|---|"]
    for word, use in {**find(definition.name).presets, "": "everything"}.items():
        values = {**default_values(definition), **definition.catalogue_values}
        values["allow_tools"] = (word,) if word else ()
        answers = definition.answers(values)
        assert answers is not None
        tools = cast("list[object]", answers.tools()["tools"])
        tokens = len(compact(tools).encode("utf-8")) * TOKENS_PER_BYTE
        name = f"`{word}`" if word else "(unset)"
        rows.append(f"| {name} | {len(tools)} | {tokens:,.0f} | {use} |")
    return "\n".join(rows)


PARTS: dict[str, Callable[[Definition], str]] = {
    "variables": variables_table,
    "tools": tools_table,
    "prompts": prompts_table,
    "presets": presets_table,
    "dialog": dialog,
}


def filled(readme: str, definition: Definition) -> str:
    """A README with its generated parts made anew."""
    for name, make in PARTS.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        table = make(definition)
        readme, count = pattern.subn(lambda found: f"{found[1]}{table}\n{found[2]}", readme)  # noqa: B023
        assert count == bool(table), f"{definition.name}: the README has {count} places for {name}"
    return readme


def readmes() -> Iterator[tuple[Definition, str]]:
    """Each server with the text of its README as it is."""
    for definition in DEFINITIONS:
        yield definition, (package_of(definition) / "README.md").read_text(encoding="utf-8")


def main() -> None:
    """Write the generated parts of all READMEs."""
    for definition, readme in readmes():
        path = package_of(definition) / "README.md"
        path.write_text(filled(readme, definition), encoding="utf-8")
        print(path)
    readme = library_readme.README.read_text(encoding="utf-8")
    library_readme.README.write_text(library_readme.filled(readme), encoding="utf-8")
    print(library_readme.README)
    example = library_readme.FASTMCP_EXAMPLE
    example.write_text(library_readme.fastmcp_example(), encoding="utf-8")


if __name__ == "__main__":
    main()
