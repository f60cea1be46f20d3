"""Descriptions of arguments stand alone: a settings panel shows nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pytest

from mcp_serverkit.definition import Definition
from mcp_serverkit.tools.schema import input_schema
from scripts.definitions import DEFINITIONS

TELEGRAMS = frozenset(
    {
        *("At most", "Any text", "Of the answer", "Is cleaned", "Of body", "From 1", "1-50"),
        *("Page", "Exact", "Level", "Zone", "Kind", "Forge"),
    }
)
"""What is understood only by somebody who reads the code beside it."""


def arguments(definition: Definition) -> Iterator[tuple[str, str]]:
    """Each argument of each tool, the extra ones included, with its description."""
    for tool in definition.registry():
        properties = cast("dict[str, dict[str, str]]", input_schema(tool).get("properties", {}))
        for name, described in properties.items():
            yield f"{tool.name}.{name}", described.get("description", "")


@pytest.mark.requirement("F-25")
@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)
def test_each_argument_is_described_in_words_that_stand_alone(definition: Definition) -> None:
    described = dict(arguments(definition))
    assert described
    assert [name for name, words in described.items() if not words] == []
    assert [name for name, words in described.items() if words in TELEGRAMS] == []
