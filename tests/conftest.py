from __future__ import annotations

from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.support.results"]

# No deadline: a test asserts nothing about time. Derandomised: a failure can be run again.
settings.register_profile(
    "project",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("project")
