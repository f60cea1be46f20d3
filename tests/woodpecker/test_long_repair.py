"""A repair of the whole instance takes minutes: its own limit, its progress, its end."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from typing import cast

import pytest
from mcp.client.session import ElicitationFnT

from tests.backends.woodpecker import Answer, RecordedRequest, WoodpeckerBackend
from tests.support.clients import ERAS, Era, call, connect, structured, text
from tests.support.person import Person
from tests.woodpecker.conftest import MakeServer
from woodpecker_ci_mcp import long_acts

ALL = {"scope": "instance"}


class Limits:
    """Time limits that end nothing by themselves, but when they are told to."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._last: asyncio.Timeout | None = None

    def __call__(self, seconds: float) -> asyncio.Timeout:
        self.asked.append(seconds)
        self._loop = asyncio.get_running_loop()
        self._last = asyncio.timeout(None)
        return self._last

    def run_out(self) -> None:
        """Let the last one be over, from another thread."""
        assert self._loop is not None
        assert self._last is not None
        self._loop.call_soon_threadsafe(self._last.reschedule, self._loop.time())


class Slow:
    """A repair that ends when it is allowed to."""

    def __init__(self, backend: WoodpeckerBackend) -> None:
        self.allowed = threading.Event()
        self.on_arrival: Callable[[], None] = lambda: None
        backend.script("POST", "/api/repos/repair", self._wait)

    def _wait(self, _request: RecordedRequest) -> Answer | None:
        self.on_arrival()
        assert self.allowed.wait(30)
        return None


class Ear(logging.Handler):
    """Waits for the line about a request that was cut short."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        if "POST request was cut short: its outcome is unknown" in record.getMessage():
            self.heard.set()


@pytest.fixture
def ear() -> Iterator[Ear]:
    made = Ear()
    logging.getLogger().addHandler(made)
    yield made
    logging.getLogger().removeHandler(made)


@pytest.fixture
def slow(backend: WoodpeckerBackend) -> Iterator[Slow]:
    made = Slow(backend)
    yield made
    made.allowed.set()


@pytest.mark.requirement("W-20")
@pytest.mark.parametrize("era", ERAS)
async def test_it_has_a_limit_of_its_own_and_reports_that_it_goes_on(
    era: Era,
    make_server: MakeServer,
    backend: WoodpeckerBackend,
    slow: Slow,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert long_acts.REPORT_SECONDS == 10
    monkeypatch.setattr(long_acts, "REPORT_SECONDS", 0.001)
    limits = Limits()
    server = make_server({"WOODPECKER_TIMEOUT": "7"}, deadline=limits)
    beats: list[float] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        assert (total, message) == (None, "Woodpecker is at work")
        beats.append(progress)
        if len(beats) == 3:
            slow.allowed.set()

    async with connect(server, era, cast("ElicitationFnT", Person())) as client:
        called = await client.call_tool("repair_repository", dict(ALL), progress_callback=hear)
    assert structured(called) == {"repaired": "all active repositories"}
    assert beats[:3] == [1, 2, 3]
    assert backend.state.repaired == [5, 12, 21]
    assert limits.asked.count(600) == 1
    assert set(limits.asked) == {600, 7}


@pytest.mark.requirement("W-20")
async def test_one_that_runs_out_says_that_woodpecker_goes_on(
    make_server: MakeServer, backend: WoodpeckerBackend, slow: Slow
) -> None:
    limits = Limits()
    slow.on_arrival = limits.run_out
    server = make_server({}, deadline=limits)
    async with connect(server, "2025-11-25", cast("ElicitationFnT", Person())) as client:
        called = await call(client, "repair_repository", ALL)
    assert called.is_error
    said = text(called)
    for words in (
        "no answer within 600 s",
        "goes on",
        "missing for moments",
        "Only another repair",
    ):
        assert words in said
    assert len(backend.writes) == 1


async def test_one_that_never_left_promises_nothing(make_server: MakeServer) -> None:
    server = make_server({"WOODPECKER_URL": "http://127.0.0.1:9"})
    async with connect(server, "2025-11-25", cast("ElicitationFnT", Person())) as client:
        said = text(await call(client, "repair_repository", ALL))
    assert "Nothing was" in said
    assert "goes on" not in said


async def test_a_cancelled_call_takes_its_request_along_and_not_the_work(
    make_server: MakeServer,
    backend: WoodpeckerBackend,
    slow: Slow,
    ear: Ear,
) -> None:
    arrived = asyncio.Event()
    loop = asyncio.get_running_loop()

    def arrive() -> None:
        loop.call_soon_threadsafe(arrived.set)

    slow.on_arrival = arrive
    person = cast("ElicitationFnT", Person())
    async with connect(make_server(), "2025-11-25", person) as client:
        calling = asyncio.create_task(call(client, "repair_repository", ALL))
        await arrived.wait()
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        await ear.heard.wait()
        slow.allowed.set()
        # The server still answers, and what was begun was carried on.
        assert not (await call(client, "get_current_user", {})).is_error
    assert backend.state.repaired == [5, 12, 21]


async def test_the_question_says_what_happens_meanwhile(make_server: MakeServer) -> None:
    person = Person()
    async with connect(make_server(), "2025-11-25", cast("ElicitationFnT", person)) as client:
        await call(client, "repair_repository", ALL)
    assert "missing for moments" in person.messages[0]
    assert "goes on even if this call is ended" in person.messages[0]
