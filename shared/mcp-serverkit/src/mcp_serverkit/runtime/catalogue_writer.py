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

_OF_A_PROMPT = ("description", "messages")
"""What its answer says of a prompt; the rest is the server's."""

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
    lists: list[Question] = [(method, {}) for method in ("tools/list", "prompts/list")]
    lists += [(method, {}) for method in EMPTY_LISTS]
    names = [prompt.name for prompt in definition.offered_prompts(definition.offered(values))]
    prompts: list[Question] = [("prompts/get", {"name": name}) for name in names]
    told: dict[str, Document] = {}
    in_envelope: Document = {"_meta": ENVELOPE}
    for prefix, (opening, said), more in (
        ("", HELLO, {}),
        ("modern_", ("server/discover", in_envelope), in_envelope),
    ):
        asked = [(method, {**params, **more}) for method, params in (*lists, *prompts)]
        first, tools, listed, *rest = await exchange(server, [(opening, said), *asked])
        told[opening.rpartition("/")[2]] = first
        told[f"{prefix}list"], told[f"{prefix}prompt_list"] = tools, listed
        told[f"{prefix}empty"] = dict(zip(EMPTY_LISTS, rest, strict=False))
        told[f"{prefix}prompt"] = dict(zip(names, rest[len(EMPTY_LISTS) :], strict=True))
    return told


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
    prompts = _prompts(definition, answers)
    if prompts != _prompts(definition, answers, "modern_"):
        raise ValueError("the two protocol revisions list different prompts")
    return {
        "format": FORMAT,
        "version": definition.version,
        "initialize": _without(answers["initialize"], "protocolVersion", "instructions"),
        "discover": _without(answers["discover"], "instructions"),
        "list": _without(answers["list"], "tools"),
        "modern_list": _without(answers["modern_list"], "tools"),
        "empty": answers["empty"],
        "modern_empty": answers["modern_empty"],
        **_around_prompts(answers),
        **_around_prompts(answers, "modern_"),
        "prompts": prompts,
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
    """A catalogue as its file holds it: a line for each prompt and tool; changes can be read."""
    listed = ("prompts", "tools")
    parts = [_compact(_without(document, *listed))[:-1]]
    for name in listed:
        lines = ",\n".join(_compact(entry) for entry in cast("list[object]", document[name]))
        parts.append(f'"{name}":[\n{lines}\n]')
    return ",\n".join(parts) + "}\n"


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


def _prompts(
    definition: Definition, answers: Mapping[str, Document], prefix: str = ""
) -> list[Document]:
    """What is stored of each prompt; what stands around it is the same for all."""
    listings = cast("list[Document]", answers[f"{prefix}prompt_list"]["prompts"])
    given = cast("Mapping[str, Document]", answers[f"{prefix}prompt"])
    stored: list[Document] = []
    for prompt in definition.prompts():
        if prompt.name not in given:
            raise ValueError(f"{prompt.name} uses a tool that is never offered")
        answer = {key: given[prompt.name][key] for key in _OF_A_PROMPT}
        (listing,) = (entry for entry in listings if entry["name"] == prompt.name)
        stored.append(
            {"name": prompt.name, "tools": prompt.tools, "listing": listing, "answer": answer}
        )
    return stored


def _around_prompts(answers: Mapping[str, Document], prefix: str = "") -> Document:
    first = next(iter(cast("Mapping[str, Document]", answers[f"{prefix}prompt"]).values()), {})
    return {
        f"{prefix}prompt_list": _without(answers[f"{prefix}prompt_list"], "prompts"),
        f"{prefix}prompt": _without(first, *_OF_A_PROMPT),
    }


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
