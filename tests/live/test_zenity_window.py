"""A question in zenity's window, where Python has no Tk: which things that hands do are answers."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from mcp_approval.reach.channel import NotReached, Said, Shown
from mcp_approval.reach.program_window import ARMING_SECONDS
from mcp_approval.reach.window import PROGRAM_SCRIPT, Window
from tests.approval.broker import until
from tests.live.desktop import Desktop, desktop

pytestmark = pytest.mark.live("zenity")

TITLE = "ntfy-mcp at ntfy.example"
TEXT = "This will delete 1 notification.\n\n  Topic: «é日 <b>&amp;</b> _x %s \\n»"
LONG = "\n".join(f"line {number} of what is to be read" for number in range(1_000))
NO_TK = (sys.executable, "-c", 'print(\'{"unavailable": "no program for a window"}\')')
NEVER, AT_ONCE = 600.0, -10.0


@pytest.fixture(scope="module")
def screen() -> Iterator[Desktop]:
    with desktop() as found:
        yield found


def program(arming: float | None) -> tuple[str, ...]:
    """The script with another time until it takes a yes, so that no test depends on speed."""
    if arming is None:
        return (sys.executable, "-I", str(PROGRAM_SCRIPT), "zenity", "/usr/bin/zenity")
    changed = (
        "import importlib.util as u, sys; "
        f"s = u.spec_from_file_location('program_window', {str(PROGRAM_SCRIPT)!r}); "
        "m = u.module_from_spec(s); s.loader.exec_module(m); "
        "sys.argv[1:] = ['zenity', '/usr/bin/zenity']; "
        f"m.ARMING_SECONDS = {arming}; m.main()"
    )
    return (sys.executable, "-I", "-c", changed)


def shown(message: str) -> Shown:
    title = f"{TITLE}: Delete _it & <b>?"
    return Shown("q1", title, message, TITLE, "anna", time.time() + 900)


@dataclass
class Asked:
    """A window that stands, and hands on it."""

    screen: Desktop
    channel: Window
    said: list[Said] = field(default_factory=list)
    window: str = ""

    async def find(self) -> None:
        """Look for the window, and put the pointer on its text."""
        await until(lambda: self.screen.windows(TITLE))
        [self.window] = self.screen.windows(TITLE)
        self.screen.point(self.window, 200, 150)

    @property
    def process(self) -> str:
        """Which process shows the window now; empty when none does."""
        with contextlib.suppress(subprocess.CalledProcessError, IndexError):
            return self.screen.hand("getwindowpid", self.screen.windows(TITLE)[0])
        return ""

    def click(self, what: str) -> None:
        width, height = self.screen.size(self.window)
        right, bottom = {
            "box": (width - 18, 60),
            "Approve": (40, 24),
            "Decline": (115, 24),
        }[what]
        self.screen.point(self.window, width - right, height - bottom)
        self.screen.click()

    async def heard(self) -> list[str]:
        await until(lambda: self.said)
        return [said.verb for said in self.said]

    async def gone(self) -> list[str]:
        """Wait until the window is gone, and say what it had answered."""
        await until(lambda: not self.channel._open)
        assert self.screen.windows(TITLE) == []
        return [said.verb for said in self.said]


@asynccontextmanager
async def asked(
    screen: Desktop, message: str = TEXT, arming: float | None = AT_ONCE
) -> AsyncIterator[Asked]:
    """Open a window; without a time it is the script as it is."""
    channel = Window(screen.environ, command=NO_TK, other=program(arming), shown_seconds=50)
    found = Asked(screen, channel)
    await channel.put(shown(message), found.said.append)
    try:
        await found.find()
        yield found
    finally:
        await channel.aclose()


@pytest.mark.requirement("A-14")
async def test_a_yes_needs_the_tick(screen: Desktop) -> None:
    async with asked(screen) as at:
        at.click("Approve")
        assert at.said == []
        at.click("box")
        at.click("Approve")
        assert await at.heard() == ["approve"]
        assert await at.gone() == ["approve"]


@pytest.mark.requirement("A-14")
async def test_what_hands_type_before_the_box_was_looked_for_is_no_answer(screen: Desktop) -> None:
    async with asked(screen) as at:
        at.screen.keys("Return", "space", "Return", "KP_Enter", "space", "Return")
        await at.channel.end("q1", "Withdrawn.", final=True)
        assert await at.gone() == []


async def test_the_keyboard_reaches_the_box_and_the_button(screen: Desktop) -> None:
    async with asked(screen) as at:
        at.screen.keys("Tab", "space", "Return")
        assert await at.heard() == ["approve"]


@pytest.mark.requirement("A-14")
@pytest.mark.parametrize("how", ["Escape", "closes", "Decline"])
async def test_the_rest_of_what_a_person_does_is_a_no(screen: Desktop, how: str) -> None:
    async with asked(screen) as at:
        if how == "Escape":
            at.screen.keys("Escape")
        elif how == "closes":
            at.screen.close(at.window)
        else:
            at.click("Decline")
        assert await at.heard() == ["decline"]


@pytest.mark.requirement("A-14")
@pytest.mark.parametrize("command", ["windowkill", "windowclose"])
async def test_a_window_that_is_destroyed_has_given_no_answer(
    screen: Desktop, command: str
) -> None:
    async with asked(screen) as at:
        at.screen.hand(command, at.window)
        assert await at.gone() == []


@pytest.mark.requirement("A-14")
async def test_a_yes_that_comes_too_early_shows_the_question_again(screen: Desktop) -> None:
    async with asked(screen, arming=NEVER) as at:
        seen = {at.process}
        for _ in range(2):
            at.screen.keys("Tab", "space", "Return")
            await until(lambda: at.process not in {"", *seen})
            await at.find()
            seen.add(at.process)
        assert at.said == []
        at.screen.keys("Escape")
        assert await at.gone() == ["decline"]


async def test_the_script_as_it_is_takes_a_yes_in_the_end(screen: Desktop) -> None:
    async with asked(screen, arming=None) as at:
        await asyncio.sleep(ARMING_SECONDS)
        at.screen.keys("Tab", "space", "Return")
        assert await at.gone() == ["approve"]


async def test_a_long_text_is_taken_whole(screen: Desktop) -> None:
    async with asked(screen, LONG) as at:
        at.screen.keys("Escape")
        assert await at.gone() == ["decline"]


@pytest.mark.parametrize("display", [None, ":59999"])
async def test_without_a_display_nobody_is_reached(display: str | None) -> None:
    environ = {"HOME": "/nonexistent"} | ({"DISPLAY": display} if display else {})
    channel = Window(environ, command=NO_TK, other=program(None), shown_seconds=50)
    with pytest.raises(NotReached, match=r"\Ano display\Z"):
        await channel.put(
            Shown("q1", TITLE, TEXT, TITLE, "anna", time.time() + 900), lambda _: None
        )
    [line] = await channel.check()
    assert "no display here" in line


async def test_a_check_draws_nothing(screen: Desktop) -> None:
    channel = Window(screen.environ, command=NO_TK, other=program(None), shown_seconds=50)
    assert await channel.check() == ["window: one can be drawn"]
    assert screen.windows(TITLE) == []


SERVER = """
import asyncio, time
from mcp_approval.reach.channel import Shown
from mcp_approval.reach.window import Window

async def main():
    channel = Window({environ!r}, command={command!r}, other={other!r}, shown_seconds=50)
    shown = Shown("q1", "orphan at nowhere", "Text.", "here", "anna", time.time() + 900)
    await channel.put(shown, lambda _: None)
    print("shown", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.requirement("A-14")
def test_a_window_does_not_outlive_a_server_that_was_killed(screen: Desktop) -> None:
    script = SERVER.format(environ=screen.environ, command=NO_TK, other=program(None))
    server = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    assert server.stdout.readline() == "shown\n"
    while not screen.windows("orphan at nowhere"):
        pass
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    server.stdout.close()
    while screen.windows("orphan at nowhere"):
        pass
