"""The stored answers of the servers, made from the live ones.

python -m tests.project.catalogues     write them
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

from mcp_serverkit.catalogue import EMPTY_LISTS, FILE
from mcp_serverkit.config.settings import Values, read_settings
from mcp_serverkit.definition import Definition
from mcp_serverkit.server import build_server
from tests.project.servers import SERVERS, package_of
from tests.support.raw import ENVELOPE, HELLO, exchange

Document = dict[str, object]


def default_values(definition: Definition, environ: Mapping[str, str] | None = None) -> Values:
    """The settings of a server that was given nothing, or little."""
    reading = read_settings(definition.variables, definition.prefix, dict(environ or {}))
    definition.cross_check(reading.values, reading)
    assert reading.problems == []
    return reading.values


def every_tool(definition: Definition) -> Values:
    """Settings under which every tool is offered, the extra ones included."""
    extras = {"extras": True} if definition.extras else {}
    return {**default_values(definition), **definition.catalogue_values, **extras}


async def live_answers(definition: Definition, values: Values) -> dict[str, Document]:
    """What the SDK answers to the questions of a start."""
    server = build_server(definition, values)
    legacy = await exchange(
        server, [HELLO, ("tools/list", {}), *((method, {}) for method in EMPTY_LISTS)]
    )
    modern = await exchange(
        server,
        [
            (method, {"_meta": ENVELOPE})
            for method in ("server/discover", "tools/list", *EMPTY_LISTS)
        ],
    )
    return {
        "initialize": legacy[0],
        "list": legacy[1],
        "empty": dict(zip(EMPTY_LISTS, legacy[2:], strict=True)),
        "discover": modern[0],
        "modern_list": modern[1],
        "modern_empty": dict(zip(EMPTY_LISTS, modern[2:], strict=True)),
    }


async def catalogue(definition: Definition) -> Document:
    """The catalogue of one server."""
    values = every_tool(definition)
    answers = await live_answers(definition, values)
    listings: dict[str, dict[str, object]] = {}
    for switched in ({}, *({field: value} for field, value in definition.asking_switches)):
        live = await live_answers(definition, {**values, **switched})
        for tool in _tools(live["list"]):
            name = str(tool["name"])
            listings.setdefault(name, {})[_asks(definition, name, {**values, **switched})] = tool
    assert _tools(answers["list"]) == _tools(answers["modern_list"])
    return {
        "initialize": _without(answers["initialize"], "protocolVersion", "instructions"),
        "discover": _without(answers["discover"], "instructions"),
        "list": _without(answers["list"], "tools"),
        "modern_list": _without(answers["modern_list"], "tools"),
        "empty": answers["empty"],
        "modern_empty": answers["modern_empty"],
        "tools": [
            {
                "name": tool.name,
                "read_only": tool.annotations.read_only,
                **({"extra": True} if tool.name in definition.extras else {}),
                "asks": tool.asks,
                "listings": listings[tool.name],
            }
            for tool in definition.registry()
        ],
    }


def rendered(document: Document) -> str:
    """A catalogue as its file holds it: one line for each tool, so that a change can be read."""
    tools = document["tools"]
    assert isinstance(tools, list)
    head = {key: value for key, value in document.items() if key != "tools"}
    lines = ",\n".join(_compact(tool) for tool in tools)
    return _compact(head)[:-1] + ',\n"tools":[\n' + lines + "\n]}\n"


def path_of(definition: Definition) -> Path:
    """Where a server's catalogue lies."""
    return package_of(definition) / "src" / definition.package / FILE


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _tools(listed: Document) -> list[Document]:
    tools = listed["tools"]
    assert isinstance(tools, list)
    return tools


def _asks(definition: Definition, name: str, values: Values) -> str:
    return definition.asks(definition.registry()[name], values)


def _without(document: Document, *names: str) -> Document:
    return {key: value for key, value in document.items() if key not in names}


def main() -> None:
    for definition in SERVERS:
        text = rendered(asyncio.run(catalogue(definition)))
        path_of(definition).write_text(text, encoding="utf-8")
        print(path_of(definition), len(text))


if __name__ == "__main__":
    main()
