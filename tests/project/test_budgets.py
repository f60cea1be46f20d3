"""What a listing costs a conversation, with the tools that are offered by default."""

from __future__ import annotations

from typing import cast

import pytest

from mcp_serverkit.definition import Definition
from mcp_serverkit.runtime.catalogue_writer import default_values
from mcp_serverkit.tools.results import compact
from scripts.definitions import DEFINITIONS
from scripts.tables import TOKENS_PER_BYTE

A_TOOL = {"hetzner-dns-mcp": 275, "ntfy-mcp": 310, "smtp-mcp": 320}
ANY_TOOL = 320
"""For a server that has no figure of its own."""
IN_ALL = {"woodpecker-ci-mcp": 15_000}


@pytest.mark.requirement("F-25")
@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)
def test_a_listing_stays_within_its_budget(definition: Definition) -> None:
    answers = definition.answers(default_values(definition))
    assert answers is not None
    tools = cast("list[object]", answers.tools()["tools"])
    tokens = len(compact(tools).encode("utf-8")) * TOKENS_PER_BYTE
    if definition.name in IN_ALL:
        assert tokens <= IN_ALL[definition.name]
    else:
        assert tokens / len(tools) <= A_TOOL.get(definition.name, ANY_TOOL)
