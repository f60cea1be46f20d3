"""What the record says of a yes: that it was carried out, that it failed, or that nobody knows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.backends.gateway import Fault, in_front_of
from tests.hetzner_dns.support import GUARDED as HETZNER_CALLS
from tests.outcomes.sites import SITES
from tests.outcomes.test_outcomes import said, says
from tests.support.recorded import environ, hold

GUARDED = [
    (name, tool.name) for name, site in SITES.items() for tool in site.definition.registry().guarded
]

ANSWERS = {"done": None, "failed": 403, "unknown": 504}
"""What a gateway answers a write with, in the service's place; nothing where it is passed on."""


@pytest.mark.requirement("D-5")
@pytest.mark.parametrize(("name", "tool"), GUARDED)
async def test_each_yes_has_the_outcome_that_the_service_gave_it(
    name: str, tool: str, tmp_path: Path
) -> None:
    for outcome, status in ANSWERS.items():
        path = tmp_path / outcome
        calls = {**SITES[name].calls, **dict(HETZNER_CALLS.values())}
        settings = {**SITES[name].environ, **environ(path)}
        site = replace(SITES[name], environ=settings, calls=calls)
        with site.stand_in() as stand_in:
            async with in_front_of(stand_in.url) as gateway:
                if status is not None:
                    gateway.fault = Fault(False, says(status))
                result = await said(site, tool, gateway.url)
        events = hold(path, site.calls[tool])
        told = [event.event for event in events]
        assert told == ["started", "asked", "approved", outcome], (result, told)
        assert len({event.text("target") for event in events[1:]}) == 1
