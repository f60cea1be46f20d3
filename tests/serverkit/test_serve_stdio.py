"""The life of a serving process, from its first loop to its exit code."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import cast

import pytest

from mcp_serverkit.config.settings import Values
from mcp_serverkit.runtime import process, stdio
from mcp_serverkit.runtime.early_answers import Handover
from mcp_serverkit.runtime.process import EXIT_SECONDS
from tests.serverkit.busy import DEFINITION, HELLO, URL
from tests.serverkit.kit import KIT, App, reading
from tests.serverkit.pipes import BOUND_SECONDS, pipe


@pytest.fixture
def frozen() -> Iterator[None]:
    """Undo what a serving process does to the garbage collector."""
    yield
    gc.unfreeze()
    gc.enable()


def signal_sigterm(_values: Values, _offered: Sequence[str]) -> App:
    """Build an app and let the process be asked to end once it serves."""
    asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGTERM)
    return App()


def signal_sigint(_values: Values, _offered: Sequence[str]) -> App:
    """The same for an interrupt."""
    asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGINT)
    return App()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_serving_with_code_zero(
    number: signal.Signals, frozen: None, no_deadline: list[float]
) -> None:
    with pipe() as to_server, pipe() as from_server:
        before = [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)]
        definition = DEFINITION._replace(load_app=f"{__name__}:signal_{number.name.lower()}")
        try:
            code = process.serve_stdio(
                definition,
                reading(URL).values,
                to_server.read_end,
                from_server.write_end,
                Handover((), b""),
            )
        finally:
            for each, handler in zip((signal.SIGTERM, signal.SIGINT), before, strict=True):
                signal.signal(each, handler)
    assert code == 0
    assert no_deadline == [EXIT_SECONDS]


def test_where_descriptors_cannot_be_watched_threads_read_and_signals_still_end(
    frozen: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    before = [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)]
    with pipe() as to_server, pipe() as from_server:
        os.write(to_server.write_end, json.dumps(HELLO).encode() + b"\n")
        definition = DEFINITION._replace(load_app=f"{__name__}:signal_sigterm")
        try:
            code = process.serve_stdio(
                definition,
                reading(URL).values,
                to_server.read_end,
                from_server.write_end,
                Handover((), b""),
            )
        finally:
            for each, handler in zip((signal.SIGTERM, signal.SIGINT), before, strict=True):
                signal.signal(each, handler)
        to_server.close_writer()
    assert code == 0


def test_the_end_of_input_ends_serving_with_code_zero(frozen: None) -> None:
    with pipe() as to_server, pipe() as from_server:
        to_server.close_writer()
        code = process.serve_stdio(
            KIT, reading({}).values, to_server.read_end, from_server.write_end, Handover((), b"")
        )
    assert code == 0


def test_a_deadline_is_a_timer_that_keeps_nothing_alive() -> None:
    timer = START_DEADLINE(BOUND_SECONDS * 100)
    timer.cancel()
    assert timer.daemon
    assert timer.interval == BOUND_SECONDS * 100
    assert timer.function is os._exit
    assert cast("list[int]", timer.args) == [0]


START_DEADLINE = stdio.start_deadline
