"""The stored answers of a start, against what the SDK answers."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mcp_serverkit.catalogue import EMPTY_LISTS
from mcp_serverkit.config.settings import Values
from mcp_serverkit.definition import Definition
from mcp_serverkit.runtime.catalogue_writer import (
    catalogue,
    default_values,
    every_tool,
    live_answers,
    path_of,
    rendered,
)
from mcp_serverkit.server import build_server
from scripts.definitions import DEFINITIONS
from tests.support.raw import CLIENT, exchange

by_name = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "1999-01-01")


@by_name
async def test_the_stored_catalogue_is_what_the_live_server_says(definition: Definition) -> None:
    stored = path_of(definition).read_text(encoding="utf-8")
    assert stored == rendered(await catalogue(definition)), "run `make generate`"


def chosen(definition: Definition) -> list[Mapping[str, str]]:
    """Environments that offer different tools, or say different things about them."""
    prefix = definition.prefix
    first = next(iter(definition.registry())).name
    presets = [{f"{prefix}_ALLOW_TOOLS": preset} for preset in definition.presets]
    return [
        {},
        {"ELICITATION": "false"},
        {f"{prefix}_READ_ONLY": "1"},
        {f"{prefix}_ALLOW_TOOLS": first},
        {f"{prefix}_DENY_TOOLS": first},
        *presets,
    ]


def all_values(definition: Definition) -> list[Values]:
    values = [default_values(definition, environ) for environ in chosen(definition)]
    full = every_tool(definition)
    return [
        *values,
        full,
        *({**full, field: value} for field, value in definition.asking_switches),
    ]


@pytest.mark.requirement("F-23", "F-24")
@by_name
async def test_each_early_answer_equals_the_sdks_for_every_choice_of_tools(
    definition: Definition,
) -> None:
    for values in all_values(definition):
        early = definition.answers(values)
        assert early is not None
        live = await live_answers(definition, values)
        assert early.initialize("2025-11-25") == live["initialize"]
        assert early.tools() == live["list"]
        assert early.discover() == live["discover"]
        assert early.modern_tools() == live["modern_list"]
        for modern, prefix in ((False, ""), (True, "modern_")):
            assert early.prompts(modern=modern) == live[f"{prefix}prompt_list"]
            for name, answer in live[f"{prefix}prompt"].items():
                assert early.prompt(name, modern=modern) == answer
        for method in EMPTY_LISTS:
            assert early.empty_list(method, modern=False) == live["empty"][method]
            assert early.empty_list(method, modern=True) == live["modern_empty"][method]


@by_name
@pytest.mark.parametrize("version", VERSIONS)
async def test_a_version_is_negotiated_as_the_sdk_does(
    definition: Definition, version: str
) -> None:
    values = default_values(definition)
    early = definition.answers(values)
    assert early is not None
    hello: dict[str, object] = {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": CLIENT,
    }
    (live,) = await exchange(build_server(definition, values), [("initialize", hello)])
    assert early.initialize(version) == live
