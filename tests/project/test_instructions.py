"""What a client is told at the start says nothing that the tools on offer do not bear out."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from mcp_serverkit.config.settings import Values, read_settings
from mcp_serverkit.definition import Definition
from mcp_serverkit.instructions import AWAITED, Asking, Offered, asking_tools
from mcp_serverkit.runtime.catalogue_writer import every_tool
from mcp_serverkit.server import build_server
from scripts.definitions import DEFINITIONS

by_name = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)

WORDS = (
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
NUMBERS = {word: number for number, word in enumerate(WORDS, 1)}


def choices(definition: Definition) -> Iterator[Values]:
    """Settings that offer different tools: all, one, all but one, presets, read-only."""
    full = every_tool(definition)
    tools = list(definition.registry())
    yield full
    if definition.extras:
        yield {**full, "extras": False}
    yield {**full, "read_only": True}
    for preset in definition.presets:
        yield {**full, "allow_tools": (preset,)}
    for tool in tools:
        yield {**full, "allow_tools": (tool.name,)}
        if tool.asks:
            yield {**full, "deny_tools": (tool.name,)}
    yield {**full, "deny_tools": tuple(tool.name for tool in tools if tool.asks)}
    for field, value in definition.asking_switches:
        yield {**full, field: value}


@pytest.mark.requirement("C-21", "HO-17")
@by_name
@pytest.mark.parametrize("dialog", [True, False])
def test_names_and_numbers_follow_the_tools_on_offer(definition: Definition, dialog: bool) -> None:
    names = {tool.name for tool in definition.registry()}
    for values in ({**choice, "elicitation": dialog} for choice in choices(definition)):
        offered = definition.offered(values)
        asking = [tool for tool in offered.values() if tool.asks]
        early = definition.answers(values)
        assert early is not None
        said = str(early.discover()["instructions"])
        assert said == build_server(definition, values).instructions
        assert names & set(re.findall(r"\w+", said)) <= set(offered)
        counted = [
            NUMBERS[word] if word in NUMBERS else int(word)
            for word in re.findall(rf"\b({'|'.join(NUMBERS)}|\d+) tools?\b", said.lower())
        ]
        assert set(counted) <= {len(asking)}
        for sign in (
            "a person first",
            "ask a person",
            "asks a person",
            "confirm_token",
            "second call",
        ):
            assert asking or sign not in said
        assert not asking or ("a person" if dialog else "confirm_token") in said


@pytest.mark.requirement("HO-17")
def test_a_count_agrees_with_its_verb() -> None:
    def told(count: int, how: Asking) -> str:
        return asking_tools([Offered(str(number), False, "always") for number in range(count)], how)

    assert told(0, "dialog") == told(0, "reach") == told(0, "token") == ""
    assert told(1, "dialog") == "One tool asks a person through the client before it acts"
    assert told(1, "reach") == "One tool asks a person before it acts"
    assert told(1, "token") == "One tool needs a second call with a confirm_token before it acts"
    assert told(5, "dialog") == "Five tools ask a person through the client before they act"
    assert told(13, "token") == "13 tools need a second call with a confirm_token before they act"


@pytest.mark.requirement("A-17")
@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)
def test_a_way_outside_the_client_is_told_early_and_late(definition: Definition) -> None:
    reading = read_settings(definition.variables, definition.prefix, {"APPROVAL_REACH": "window"})
    named = {name: value for name, value in reading.values.items() if "approval_" in name}
    values = {**every_tool(definition), **named}
    said = build_server(definition, values).instructions or ""
    assert "through the client" not in said
    assert said.endswith(f" {AWAITED}")
    assert 'begins with "Awaiting a person"' in said
    nobody = {
        **values,
        "deny_tools": tuple(tool.name for tool in definition.registry() if tool.asks),
    }
    assert "Awaiting" not in (build_server(definition, nobody).instructions or "")
    stored = definition.answers(values)
    assert stored is not None
    assert stored.discover()["instructions"] == said
