"""A diagnosis right after the end of a step, whose log the agent is still to hand in."""

from __future__ import annotations

import time
from typing import cast

import pytest

from tests.backends.woodpecker import Json, WoodpeckerBackend
from tests.backends.woodpecker.state import first_step
from tests.woodpecker.support import result
from tests.woodpecker.test_extras import Patience, failing_run

pytestmark = pytest.mark.requirement("W-17")


async def diagnosed(patience: Patience) -> tuple[Json, float]:
    """The failed step that a diagnosis shows, and how long the call slept."""
    began = patience.clock()
    found = await result(patience.server(), "diagnose_pipeline", repo_id=5, number=1)
    (step,) = cast("list[Json]", found["failed_steps"])
    return step, patience.clock() - began


async def test_the_log_that_is_on_its_way_is_waited_for(backend: WoodpeckerBackend) -> None:
    ended = first_step(failing_run(backend, []))
    ended["finished"] = int(time.time())
    step_id = cast("int", ended["id"])
    patience = Patience(backend, at_1=lambda at: at.state.add_log(step_id, ["error: no disk"]))
    step, _ = await diagnosed(patience)
    assert step["excerpt"] == ["error: no disk"]
    assert "note" not in step


@pytest.mark.parametrize(
    ("finished", "told", "slept"),
    [
        (2**40, "the log is empty; it may still arrive", 3),
        (5, "the log is empty: it wrote nothing, or its log was deleted", 0),
        (0, "the log is empty: it wrote nothing, or its log was deleted", 0),
    ],
)
async def test_an_empty_log_says_why_and_no_clock_makes_the_wait_long(
    finished: int, told: str, slept: int, backend: WoodpeckerBackend
) -> None:
    first_step(failing_run(backend, []))["finished"] = finished
    step, seconds = await diagnosed(Patience(backend))
    assert step["note"] == told
    assert seconds == slept
