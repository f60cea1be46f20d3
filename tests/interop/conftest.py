from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.interop import tools
from tests.interop.subjects import SUBJECTS, Subject

LIMIT_SECONDS = 300
"""Bound of a test that runs several foreign programs, one after the other."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(tools.HERE):
            item.add_marker(pytest.mark.timeout(LIMIT_SECONDS))
            item.add_marker(pytest.mark.interop)


@pytest.fixture(autouse=True)
def installed() -> None:
    assert tools.installed(), "`python -m tests.interop.tools` installs the clients"


@pytest.fixture(params=sorted(SUBJECTS))
async def subject(request: pytest.FixtureRequest) -> AsyncIterator[Subject]:
    """Each of the four servers, in front of its stand-in."""
    async with SUBJECTS[request.param]() as standing:
        yield standing
