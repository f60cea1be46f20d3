"""The registry: one decorator each, and nothing registered twice or without words."""

from __future__ import annotations

import pytest

from mcp_serverkit.tools.registry import Annotations, Call, Registry
from tests.serverkit.kit import TOOLS, App, Told


async def one(call: Call[App]) -> Told:
    """Do  one
    thing."""
    return {"told": "one"}


async def two(call: Call[App]) -> Told:
    """Do two things."""
    return {"told": "two"}


async def wordless(call: Call[App]) -> Told:
    return {"told": "nothing"}


def test_name_description_and_hints_come_from_function_and_decorator() -> None:
    registry = Registry(source="kit")
    assert registry.read("One", foreign=True, offline=True, open_world=True)(one) is one
    registry.write("Two", destructive=True, idempotent=False, asks="when it is big")(two)
    assert [tool.name for tool in registry] == ["one", "two"]
    assert len(registry) == 2
    read, write = registry["one"], registry["two"]
    assert read.description == "Do one thing."
    assert write.description == "Do two things. Needs confirmation when it is big."
    assert (read.foreign, read.offline, write.foreign, write.offline) == ("kit", True, "", False)
    assert read.annotations == Annotations(True, False, True, True)
    assert write.annotations == Annotations(False, True, False, False)
    assert registry.guarded == (write,)
    assert read.group == "test_registry"


def test_two_tools_of_one_name_are_refused() -> None:
    registry = Registry(source="kit")
    registry.read("One")(one)
    with pytest.raises(ValueError, match="two tools are named one"):
        registry.read("One again")(one)


def test_a_tool_without_a_description_is_refused() -> None:
    with pytest.raises(ValueError, match="a tool needs a docstring"):
        Registry(source="kit").read("Wordless")(wordless)


def test_the_listing_order_names_exactly_the_tools_there_are() -> None:
    registry = Registry(source="kit")
    registry.read("One")(one)
    registry.read("Two")(two)
    registry.ordered(["two", "one"])
    assert [tool.name for tool in registry] == ["two", "one"]
    for names in (["one"], ["one", "two", "three"], ["one", "one"]):
        with pytest.raises(ValueError, match="order and registry differ"):
            registry.ordered(names)


def test_another_guard_leaves_the_registered_tool_as_it_is() -> None:
    tool = TOOLS["write_one"]
    assert tool.asking("") is tool
    assert tool.asking("always").asks == "always"
    assert tool.asks == ""
