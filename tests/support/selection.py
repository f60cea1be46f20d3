"""Which tests run: `make test` shows no skip, and `make live` names what is not there.

A test that needs a real service carries `live("its name")`. Where that is not here the
test is left out, and the end of the run says how to bring it. Any other skip is a failure,
but for one of the platform.
"""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.live.services import SERVICES

PLATFORM = "platform:"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what this machine lacks a service for."""
    absent = {name for name, missing in SERVICES.items() if missing()}
    left_out = [item for item in items if absent & set(_services(item))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


def _services(item: pytest.Item) -> list[str]:
    return [str(name) for mark in item.iter_markers("live") for name in mark.args]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Make a failure of a skip."""
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Make a failure of a file that skips itself."""
    report = yield
    _refuse_skip(report)
    return report


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if not report.skipped or hasattr(report, "wasxfail") or not isinstance(report.longrepr, tuple):
        return
    reason = report.longrepr[2].removeprefix("Skipped: ")
    if not reason.startswith(PLATFORM):
        report.outcome = "failed"
        report.longrepr = f"a skip hides whether something is wrong: {reason}"


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say what was not there, where real things were asked for."""
    if config.option.markexpr != "live":
        return
    for name, missing in SERVICES.items():
        if told := missing():
            terminalreporter.line(f"not there: {name}: {told}")
