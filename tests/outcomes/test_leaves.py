"""A service that sends any value anywhere: no tool fails inside, each result keeps its schema.

The plugin in `tests.support.results` judges the schemas.
"""

from __future__ import annotations

import json
import os

import pytest

from mcp_serverkit.tools.registry import Tool
from mcp_serverkit.tools.schema import input_schema
from tests.backends.gateway import in_front_of, reply
from tests.outcomes.sites import SITES, Site
from tests.outcomes.test_outcomes import said
from tests.support.clients import Arguments, text

LARGE = "a number beyond every float"
DEEP: object = None
for _ in range(100):
    DEEP = [DEEP]
VALUES: list[object] = [None, True, 1, 1.5, LARGE, "x", [], [1], {}, DEEP]

SAMPLES: dict[str, dict[str, object]] = {
    "ntfy-mcp": {"topic": "alerts", "topics": ["alerts"], "message_id": "nightly"},
    "hetzner-dns-mcp": {"zone": "example.com", "name": "www", "type": "A", "action_id": 1},
    "woodpecker-ci-mcp": {
        "repo_id": 5,
        "number": 2,
        "step_id": 7001,
        "name": "deploy_key",
        "address": "reg.example.org",
        "cron_id": 71,
        "org_id": 41,
        "login": "eve",
        "agent_id": 31,
        "forge_id": 1,
        "repo": "acme/web",
    },
}
"""A good value of each argument that a reading needs, by name."""

STREAMS = frozenset({("ntfy-mcp", "wait_for_message"), ("ntfy-mcp", "ask_person")})
"""Tools whose answer goes on: there is no whole document in which one value could be replaced."""

STEPS = 60 if "FUZZ_EXAMPLES" in os.environ else 4
"""Leaves that a tool meets; each with another value than the one before."""

TOOLS = [
    (name, tool)
    for name, site in SITES.items()
    for tool in site.definition.registry()
    if not tool.offline and (name, tool.name) not in STREAMS
]


def arguments_of(name: str, tool: Tool) -> Arguments:
    if tool.name in SITES[name].calls:
        return SITES[name].calls[tool.name]
    schema = input_schema(tool)
    properties, required = schema["properties"], schema.get("required", [])
    assert isinstance(properties, dict)
    assert isinstance(required, list)
    needed = {*required, "repo_id"} & set(properties)
    return {key: value for key, value in SAMPLES[name].items() if key in needed}


def _inner(value: object) -> list[tuple[int | str, object]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []


def _paths(value: object) -> list[list[int | str]]:
    """All places of a document that hold no further ones."""
    found = [[key, *rest] for key, item in _inner(value) for rest in _paths(item)]
    return found or [[]]


def _put(document: object, path: list[int | str], value: object) -> object:
    if not path:
        return value
    changed = dict(_inner(document))
    changed[path[0]] = _put(changed[path[0]], path[1:], value)
    return changed if isinstance(document, dict) else list(changed.values())


def _with_leaf(answered: bytes, which: int, value: object) -> bytes:
    """Replace one leaf of a JSON answer; anything else stays as it is."""
    head, _, body = answered.partition(b"\r\n\r\n")
    try:
        parsed = json.loads(body)
    except ValueError:
        return answered
    paths = _paths(parsed)
    changed = json.dumps(_put(parsed, paths[which % len(paths)], value))
    status = int(head.split(b" ", 2)[1])
    return reply(status, changed.replace(f'"{LARGE}"', "1e999").encode())


async def _one(site: Site, tool: Tool, arguments: Arguments, which: int, value: object) -> None:
    with site.stand_in() as stand_in:
        async with in_front_of(stand_in.url) as gateway:
            gateway.edit = lambda answered: _with_leaf(answered, which, value)
            told = text(await said(site, tool.name, gateway.url, arguments))
    assert "The server failed inside" not in told, f"leaf {which}, {value!r:.60}: {told}"


@pytest.mark.requirement("R-71", "C-11")
@pytest.mark.parametrize(("name", "tool"), TOOLS, ids=lambda value: getattr(value, "name", value))
async def test_any_value_in_any_leaf_leaves_a_result(name: str, tool: Tool) -> None:
    position = TOOLS.index((name, tool))
    for step in range(STEPS):
        value = VALUES[(position + 3 * step) % len(VALUES)]
        await _one(SITES[name], tool, arguments_of(name, tool), position * 7 + step * 5, value)
