"""Writing the stored answers of a server: they are those of the live one.

    python -m mcp_serverkit.runtime.catalogue_writer ntfy_mcp.definition:NTFY

The file goes into the server's package, where a start finds it. A server without one
works and starts slower.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TypeAlias, cast

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.shared.message import SessionMessage

from mcp_approval.output import write_stderr, write_stdout
from mcp_serverkit.catalogue import EMPTY_LISTS, FILE, FORMAT
from mcp_serverkit.config.settings import Values, read_settings
from mcp_serverkit.definition import Definition
from mcp_serverkit.server import build_server

Document = dict[str, object]
Question: TypeAlias = tuple[str, Document]

CLIENT: Document = {"name": "catalogue", "version": "1"}

HELLO: Question = (
    "initialize",
    {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT},
)

ENVELOPE: Document = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}


async def exchange(server: Server[object], questions: Sequence[Question]) -> list[Document]:
    """Put requests to a server, one after the other, and return the results."""
    to_server, inbound = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outbound, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    results: list[Document] = []
    async with anyio.create_task_group() as tasks:
        options = server.create_initialization_options()
        tasks.start_soon(server.run, inbound, outbound, options)
        async with to_server, from_server:
            for number, (method, params) in enumerate(questions):
                request = types.JSONRPCRequest(
                    jsonrpc="2.0", id=number, method=method, params=params
                )
                await to_server.send(SessionMessage(request))
                answer = (await from_server.receive()).message
                if not isinstance(answer, types.JSONRPCResponse):
                    raise TypeError(f"{method} was not answered: {answer}")
                results.append(cast("Document", answer.result))
    return results


def default_values(definition: Definition, environ: Mapping[str, str] | None = None) -> Values:
    """The settings of a server that was given nothing, or little."""
    reading = read_settings(definition.variables, definition.prefix, dict(environ or {}))
    definition.cross_check(reading.values, reading)
    if reading.problems:
        raise ValueError("; ".join(reading.problems))
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
    if _tools(answers["list"]) != _tools(answers["modern_list"]):
        raise ValueError("the two protocol revisions list different tools")
    return {
        "format": FORMAT,
        "version": definition.version,
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
    tools = cast("list[object]", document["tools"])
    head = {key: value for key, value in document.items() if key != "tools"}
    lines = ",\n".join(_compact(tool) for tool in tools)
    return _compact(head)[:-1] + ',\n"tools":[\n' + lines + "\n]}\n"


def path_of(definition: Definition) -> Path:
    """Where a server's catalogue lies."""
    return Path(str(import_module(definition.package).__file__)).with_name(FILE)


def write(definition: Definition) -> Path:
    """Write the catalogue of a server into its package."""
    path = path_of(definition)
    path.write_text(rendered(asyncio.run(catalogue(definition))), encoding="utf-8")
    return path


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _tools(listed: Document) -> list[Document]:
    return cast("list[Document]", listed["tools"])


def _asks(definition: Definition, name: str, values: Values) -> str:
    return definition.asks(definition.registry()[name], values)


def _without(document: Document, *names: str) -> Document:
    return {key: value for key, value in document.items() if key not in names}


def main(names: Sequence[str]) -> int:
    """Write the catalogues of the servers that are named as `module:NAME`."""
    if not names:
        write_stderr("name at least one server, such as ntfy_mcp.definition:NTFY")
        return 2
    for name in names:
        module, _, attribute = name.partition(":")
        definition = getattr(import_module(module), attribute, None)
        if not isinstance(definition, Definition):
            write_stderr(f"{name} is no Definition")
            return 2
        write_stdout(str(write(definition)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
