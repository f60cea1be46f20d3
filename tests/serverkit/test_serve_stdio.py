"""The life of a serving process, from its first loop to its exit code."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence

import anyio
import pytest

from mcp_serverkit.config.settings import Values
from mcp_serverkit.definition import Definition
from mcp_serverkit.runtime import process
from mcp_serverkit.runtime.early_answers import Handover
from mcp_serverkit.runtime.leaving import Leaving
from tests.serverkit.busy import DEFINITION, HELLO, URL
from tests.serverkit.kit import KIT, App, reading
from tests.serverkit.pipes import BOUND_SECONDS, Pipe, pipe

ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Gone(threading.Event):
    """Notes the end of the process instead of ending the one that runs the tests."""

    code: int | None = None

    def leave(self, code: int) -> None:
        self.code = code
        self.set()


@pytest.fixture
def signals() -> Iterator[None]:
    """Undo what a serving process does to signals and to the garbage collector."""
    before = {number: signal.getsignal(number) for number in ENDING}
    yield
    signal.set_wakeup_fd(-1)
    for number, handler in before.items():
        signal.signal(number, handler)
    gc.unfreeze()
    gc.enable()


@pytest.fixture
def ends() -> Iterator[tuple[Pipe, Pipe]]:
    """A pipe to the server and one from it."""
    with pipe() as to_server, pipe() as from_server:
        yield to_server, from_server


def raising(number: signal.Signals) -> Callable[[Values, Sequence[str]], App]:
    """Build an app and let the process be asked to end once it serves."""

    def build(_values: Values, _offered: Sequence[str]) -> App:
        asyncio.get_running_loop().call_soon(os.kill, os.getpid(), number)
        return App()

    return build


signal_sigterm, signal_sigint, signal_sighup = map(raising, ENDING)


def served(definition: Definition, ends: tuple[Pipe, Pipe], gone: Gone) -> int:
    """Serve until the end, with a deadline that is at once."""
    leaving = Leaving(lambda: None, seconds=0, leave=gone.leave)
    leaving.start()
    to_server, from_server = ends
    return process.serve_stdio(
        definition,
        reading(URL).values,
        to_server.read_end,
        from_server.write_end,
        Handover((), b""),
        leaving,
    )


def raised_while_serving(number: signal.Signals) -> Definition:
    return DEFINITION._replace(load_app=f"{__name__}:signal_{number.name.lower()}")


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize("number", ENDING)
def test_a_signal_ends_serving_with_code_zero(
    number: signal.Signals, ends: tuple[Pipe, Pipe]
) -> None:
    gone = Gone()
    assert served(raised_while_serving(number), ends, gone) == 0
    assert gone.wait(BOUND_SECONDS)
    assert gone.code == 0


@pytest.mark.usefixtures("signals")
def test_where_descriptors_cannot_be_watched_threads_read_and_signals_still_end(
    ends: tuple[Pipe, Pipe], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    gone = Gone()
    os.write(ends[0].write_end, json.dumps(HELLO).encode() + b"\n")
    assert served(raised_while_serving(signal.SIGTERM), ends, gone) == 0
    assert gone.wait(BOUND_SECONDS)
    ends[0].close_writer()


@pytest.mark.usefixtures("signals")
def test_the_end_of_input_ends_serving_with_code_zero(ends: tuple[Pipe, Pipe]) -> None:
    gone = Gone()
    ends[0].close_writer()
    assert served(KIT, ends, gone) == 0
    assert gone.wait(BOUND_SECONDS)
    assert gone.code == 0


@pytest.mark.usefixtures("signals")
def test_before_anything_is_served_a_signal_ends_at_once() -> None:
    said: list[str] = []
    gone = Gone()
    leaving = Leaving(lambda: said.append("at once"), seconds=0, leave=gone.leave)
    leaving.start()
    os.kill(os.getpid(), signal.SIGHUP)
    assert gone.wait(BOUND_SECONDS)
    assert said == ["at once"]


@pytest.mark.requirement("C-2")
@pytest.mark.usefixtures("signals")
def test_a_hang_up_that_was_ignored_at_start_stays_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    Leaving(lambda: None, leave=Gone().leave).start()
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


@pytest.mark.usefixtures("signals")
def test_a_loop_that_is_closed_is_no_reason_to_fail() -> None:
    def closed() -> None:
        raise RuntimeError("Event loop is closed")

    gone = Gone()
    leaving = Leaving(lambda: None, seconds=0, leave=gone.leave)
    leaving.start()
    leaving.serve(closed)
    os.kill(os.getpid(), signal.SIGTERM)
    assert gone.wait(BOUND_SECONDS)


def test_one_that_was_not_started_sees_to_nothing() -> None:
    Leaving(lambda: None, leave=Gone().leave).begin()


@pytest.mark.usefixtures("signals")
def test_streams_that_break_while_it_stops_are_no_defect(
    ends: tuple[Pipe, Pipe], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(_self: object, _server: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ExceptionGroup("streams", [anyio.BrokenResourceError()]) from None

    monkeypatch.setattr(process.Exchange, "serve", broken)
    assert served(KIT, ends, Gone()) == 0


@pytest.mark.usefixtures("signals")
def test_a_defect_that_ends_serving_is_told(
    ends: tuple[Pipe, Pipe], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def defect(_self: object, _server: object) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr(process.Exchange, "serve", defect)
    with pytest.raises(RuntimeError, match="out of order"):
        served(KIT, ends, Gone())
