"""Whoever sends each request twice is asked as often, and writes as often, as who does not.

Each call that asks meets one of the personas; `make fuzz` lets each meet all.
"""

from __future__ import annotations

import os
from itertools import product

import pytest

from tests.dialogs.calls import ASKING, Asking, served
from tests.support.clients import ERAS, Era
from tests.support.dialog_guard import looking
from tests.support.personas import PERSONAS, Persona, play, twin

MEETINGS = list(product(PERSONAS, ERAS))
MANY = len(MEETINGS) if "FUZZ_EXAMPLES" in os.environ else 1
STRIDE = 5
"""Has no divisor in common with the number of meetings, so that the calls together see all."""


async def _played(asking: Asking, persona: Persona, era: Era) -> tuple[list[str], int]:
    """What was written, and how often somebody was asked."""
    async with served(asking.server, wait=persona.wait_seconds) as (server, writes):
        with looking() as seen:
            await play(persona, server, era, asking.tool, asking.arguments)
        return writes(), len(seen)


@pytest.mark.requirement("R-69", "C-4")
@pytest.mark.parametrize("asking", ASKING, ids=str)
async def test_a_persona_that_sends_each_request_twice_changes_nothing(asking: Asking) -> None:
    start = ASKING.index(asking)
    for number in range(start, start + MANY):
        persona, era = MEETINGS[number * STRIDE % len(MEETINGS)]
        usual = await _played(asking, persona, era)
        assert bool(usual[0]) is persona.approves
        twice = await _played(asking, twin(persona), era)
        assert twice == usual, f"{persona.name}, {era}"
