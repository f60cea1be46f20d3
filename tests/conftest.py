from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.support.dialog_guard import looking

pytest_plugins = ["tests.support.results", "tests.support.selection"]

# No deadline: a test asserts nothing about time. Derandomised: a failure can be run again.
settings.register_profile(
    "project",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("project")


@pytest.fixture(autouse=True)
def every_question_is_looked_at() -> Iterator[None]:
    """Whatever question a test raises, the judges of dialogs see it."""
    with looking():
        yield
