"""The end of input is noticed although nobody reads it."""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Callable, Iterator

import pytest

from mcp_serverkit.runtime import leaving as module
from mcp_serverkit.runtime.leaving import Leaving
from tests.serverkit.pipes import BOUND_SECONDS
from tests.serverkit.test_serve_stdio import Gone

ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@pytest.fixture(autouse=True)
def signals() -> Iterator[None]:
    """Undo what taking the signals does."""
    before = {number: signal.getsignal(number) for number in ENDING}
    yield
    signal.set_wakeup_fd(-1)
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def ends() -> Iterator[tuple[int, int]]:
    """The input of a server, and the client's end of it."""
    read_end, write_end = os.pipe()
    yield read_end, write_end
    os.close(read_end)


def a_thread(function: Callable[[int], None], arguments: tuple[int]) -> int:
    """A thread whose lines are counted by those who measure what tests reach."""
    threading.Thread(target=function, args=arguments, daemon=True).start()
    return 0


def started() -> tuple[Leaving, Gone]:
    gone = Gone()
    leaving = Leaving(lambda: None, seconds=0, leave=gone.leave, start=a_thread)
    leaving.start()
    return leaving, gone


@pytest.mark.requirement("C-2")
@pytest.mark.parametrize("waiting", [b"", b"a line that nobody reads\n"])
def test_the_client_is_gone_and_nobody_reads(ends: tuple[int, int], waiting: bytes) -> None:
    leaving, gone = started()
    os.write(ends[1], waiting)
    leaving.watch_input(ends[0])
    assert not gone.is_set()
    os.close(ends[1])
    assert gone.wait(BOUND_SECONDS)
    assert gone.code == 0


@pytest.mark.requirement("C-2")
def test_what_is_being_read_is_waited_for(
    ends: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [5, 3, 2, 0]
    monkeypatch.setattr(module, "_unread", lambda _descriptor: left.pop(0))
    leaving, gone = started()
    os.close(ends[1])
    leaving.watch_input(ends[0])
    assert gone.wait(BOUND_SECONDS)
    assert left == []


@pytest.mark.requirement("C-2")
def test_a_signal_meanwhile_comes_first(
    ends: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    leaving, gone = started()
    asked: list[int] = []

    def unread(descriptor: int) -> int:
        asked.append(descriptor)
        leaving.begin()
        return 5

    monkeypatch.setattr(module, "_unread", unread)
    os.close(ends[1])
    leaving.watch_input(ends[0])
    assert gone.wait(BOUND_SECONDS)
    assert asked == [ends[0]]


def test_where_nothing_can_be_watched_the_reader_alone_tells(
    ends: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(select, "poll")
    leaving, gone = started()
    os.close(ends[1])
    leaving.watch_input(ends[0])
    leaving.begin()
    assert gone.wait(BOUND_SECONDS)


def test_the_end_of_input_leaves_calls_their_time_and_a_signal_does_not(
    ends: tuple[int, int],
) -> None:
    stopped: list[str] = []
    leaving, gone = started()
    leaving.serve(lambda: stopped.append("now"))
    leaving.watch_input(ends[0])
    os.close(ends[1])
    assert gone.wait(BOUND_SECONDS)
    assert stopped == []
    leaving, gone = started()
    leaving.serve(lambda: stopped.append("now"))
    os.kill(os.getpid(), signal.SIGTERM)
    assert gone.wait(BOUND_SECONDS)
    assert set(stopped) == {"now"}


def test_what_is_told_before_any_hang_up_is_heard(
    ends: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = threading.Event()
    real = select.poll

    class Watching:
        def __init__(self) -> None:
            self.polled = real()
            self.register, self.unregister = self.polled.register, self.polled.unregister

        def poll(self, *arguments: float) -> list[tuple[int, int]]:
            watched.set()
            return self.polled.poll(*arguments)

    monkeypatch.setattr(select, "poll", Watching)
    leaving, gone = started()
    leaving.watch_input(ends[0])
    assert watched.wait(BOUND_SECONDS)
    leaving.begin()
    assert gone.wait(BOUND_SECONDS)
    os.close(ends[1])
