from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.backends.smtp import SmtpBackend
from tests.live import dovecot
from tests.live.dovecot import Dovecot
from tests.live.ntfy_sites import Site, release_of
from tests.smtp.support import Desk

HERE = Path(__file__).parent
STAND_IN = "stand-in"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here needs something real, or is the stand-in's half of a comparison."""
    items[:] = [item for item in items if _applies(item)]
    for item in items:
        needs = item.path.is_relative_to(HERE) and not _kind(item)
        if needs and item.get_closest_marker("live") is None:
            raise pytest.UsageError(f"{item.nodeid} does not say what it needs: live(...)")


def _kind(item: pytest.Item) -> str:
    callspec = getattr(item, "callspec", None)
    values = [] if callspec is None else [str(value) for value in callspec.params.values()]
    return next((value for value in values if value.startswith(STAND_IN)), "")


def _applies(item: pytest.Item) -> bool:
    """Whether a stand-in's release has what a test is about."""
    kind = _kind(item)
    major, minor, *_ = map(int, release_of(kind).split(".")) if " " in kind else (0, 0)
    return " " not in kind or _within(item, (major, minor))


def _within(item: pytest.Item, release: tuple[int, int]) -> bool:
    return all(
        mark.kwargs.get("since", release) <= release < mark.kwargs.get("before", (99, 0))
        for mark in item.iter_markers("releases")
    )


@pytest.fixture(autouse=True)
def release_under_test(request: pytest.FixtureRequest) -> None:
    """A real server of another release than a test is about is not asked."""
    marked = request.node.get_closest_marker("releases") is not None
    if not marked or _kind(request.node) or "site" not in request.fixturenames:
        return
    found: Site = request.getfixturevalue("site")
    if not _within(request.node, found.version):
        pytest.skip("platform: another release of the server")


@pytest.fixture(scope="module")
def mailboxes() -> Iterator[Dovecot]:
    """A Dovecot with folders to save to."""
    with dovecot.started(relay=1) as running:
        yield running


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    """A mail server of ours beside it."""
    async with SmtpBackend() as backend:
        yield Desk(backend, tmp_path)
