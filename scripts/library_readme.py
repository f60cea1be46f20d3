"""The generated parts of the approval package's README, and its example for FastMCP."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping

import mcp_approval
from mcp_approval.environment.settings import unprefixed_variables
from mcp_approval.record.chain import FIRST_PREVIOUS, Record, chained, text_digest
from mcp_approval.rendering import render
from mcp_approval.typing import JSONValue
from scripts.definitions import ROOT

PACKAGE = ROOT / "shared" / "mcp-approval"
README = PACKAGE / "README.md"
EXAMPLE = PACKAGE / "examples" / "shop.py"
EXAMPLE_TEST = PACKAGE / "examples" / "test_shop.py"
FASTMCP_EXAMPLE = ROOT / "tests" / "library" / "shop_fastmcp.py"
"""The second one, for the type checkers and for whoever wants to compare."""


def example() -> str:
    """The example, as it is run."""
    return f"```python\n{EXAMPLE.read_text(encoding='utf-8')}```"


def example_test() -> str:
    """A test of it, as it is run."""
    return f"```python\n{EXAMPLE_TEST.read_text(encoding='utf-8')}```"


def fastmcp_example() -> str:
    """The example as the README says that it is written for FastMCP."""
    text = EXAMPLE.read_text(encoding="utf-8")
    text = text.replace("from mcp.server import MCPServer", "from fastmcp import FastMCP")
    return text.replace('MCPServer("shop")', 'FastMCP("shop")')


def question() -> str:
    """What a person is shown when the example is called."""
    asked = mcp_approval.Question(
        "delete a branch", "Its commits are lost.", (mcp_approval.Detail("Branch", "main"),)
    )
    box = f"[ ] {asked.title}\n    {asked.hint} (shop)"
    return f"```text\n{render(asked, mcp_approval.Limits())}\n\n{box}\n```"


SALT = bytes(range(16))


def _recorded() -> list[Record]:
    """A record of the example's call, as a file would hold it."""
    asked = mcp_approval.Question(
        "delete a branch", "Its commits are lost.", (mcp_approval.Detail("Branch", "main"),)
    )
    text = text_digest(SALT, render(asked, mcp_approval.Limits()))
    about: dict[str, JSONValue] = {"tool": "delete_branch", "target": "a3ec91093c3c"}
    by: dict[str, JSONValue] = {**about, "way": "phone", "approver": "anna"}
    started: dict[str, JSONValue] = {
        "version": "0.1.0",
        "instance": "",
        "elicitation": True,
        "reach": ["phone"],
        "when": "no_dialog",
    }
    shown: dict[str, JSONValue] = {
        "text": text,
        "salt": SALT.hex(),
        "protocol": "2025-11-25",
        "client": "inspector 2.12",
    }
    answer: dict[str, JSONValue] = {"asked": 2, "proof": "capability", "waited_ms": 20_417}
    events: list[tuple[str, str, dict[str, JSONValue]]] = [
        ("started", "22:27:49.701", started),
        ("asked", "22:27:49.706", {**by, **shown}),
        ("approved", "22:28:10.123", {**by, **answer}),
        ("done", "22:28:10.131", {**about, "approval": 3, "ms": 6}),
    ]
    records: list[Record] = []
    for name, time, fields in events:
        event = {"event": name, "time": f"2026-11-30T{time}Z", **fields}
        who = {"server": "shop", "process": "9f2c1d3e"}
        previous = records[-1].hash if records else FIRST_PREVIOUS
        records.append(chained({**event, **who}, len(records) + 1, previous))
    return records


def record() -> str:
    """The lines of a record, digests and all."""
    lines = b"".join(each.line() for each in _recorded()).decode()
    return f"```json\n{lines}```"


def variables() -> str:
    """One row for each variable."""
    rows = ["| Variable | Type | Default | Meaning |", "|---|---|---|---|"]
    for variable in unprefixed_variables():
        twin = f" Or `{variable.name}_FILE`: a file that holds it." if variable.secret else ""
        cells = (f"`{variable.name}`", variable.kind, variable.default, variable.meaning + twin)
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def surface() -> str:
    """One row for each name."""
    rows = ["| Name | What it is |", "|---|---|"]
    for name in mcp_approval.__all__:
        offered = getattr(mcp_approval, name)
        told = inspect.cleandoc(offered.__doc__).partition("\n")[0]
        rows.append(f"| `{name}{_arguments(offered)}` | {told} |")
    return "\n".join(rows)


def _arguments(offered: Callable[..., object]) -> str:
    if isinstance(offered, type) and issubclass(offered, Exception):
        return ""
    words, starred = list[str](), False
    for parameter in inspect.signature(offered).parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            words.append("*")
            starred = True
        optional = parameter.default is not inspect.Parameter.empty
        words.append(f"{parameter.name}=…" if optional else parameter.name)
    return f"({', '.join(words)})"


PARTS: Mapping[str, Callable[[], str]] = {
    "example": example,
    "test": example_test,
    "question": question,
    "record": record,
    "variables": variables,
    "surface": surface,
}


def filled(readme: str) -> str:
    """The README with its generated parts made anew."""
    for name, make in PARTS.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        made = make()
        readme, count = pattern.subn(lambda found: f"{found[1]}{made}\n{found[2]}", readme)  # noqa: B023
        assert count == 1, f"the README of the approval package has no place for {name}"
    return readme
