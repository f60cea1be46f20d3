"""A question in a window, on a desktop of its own: which of the things hands do is an answer."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mcp_approval.reach.channel import NotReached, Said, Shown
from mcp_approval.reach.window import SCRIPT, Window
from tests.approval.broker import until
from tests.live.desktop import Desktop, desktop

pytestmark = pytest.mark.live("desktop")

TITLE = "ntfy-mcp at ntfy.example"
SHORT = "This will delete 1 notification.\n\nIt cannot be brought back."
LONG = "\n".join(f"line {number} of what is to be read" for number in range(200))
NEVER, AT_ONCE = 600_000, 1


@pytest.fixture(scope="module")
def screen() -> Iterator[Desktop]:
    with desktop() as found:
        yield found


def program(arming_ms: int) -> tuple[str, ...]:
    """The script with another time until it is armed, so that no test depends on speed."""
    changed = (
        "import importlib.util as u; "
        f"s = u.spec_from_file_location('dialog_window', {str(SCRIPT)!r}); "
        "m = u.module_from_spec(s); s.loader.exec_module(m); "
        f"m.ARMING_MS = {arming_ms}; m.CLOSING_MS = 1; m.main()"
    )
    return (sys.executable, "-I", "-c", changed)


@dataclass
class Asked:
    """A window that stands, and hands on it."""

    screen: Desktop
    channel: Window
    said: list[Said] = field(default_factory=list)
    window: str = ""

    @property
    def verbs(self) -> list[str]:
        return [said.verb for said in self.said]

    def point_at_text(self) -> None:
        width, _ = self.screen.size(self.window)
        self.screen.point(self.window, width // 3, 200)

    def point_at_button(self, label: str) -> None:
        width, height = self.screen.size(self.window)
        self.screen.point(self.window, width - {"Approve": 55, "Decline": 155}[label], height - 28)

    async def heard(self) -> list[str]:
        await until(lambda: self.said)
        return self.verbs

    async def gone(self) -> list[str]:
        """End the question, wait until the window is gone, and say what it had answered."""
        await self.channel.end("q1", "Withdrawn.", final=True)
        await until(lambda: not self.channel._open)
        return self.verbs


@asynccontextmanager
async def asked(
    screen: Desktop, message: str = SHORT, arming_ms: int | None = AT_ONCE
) -> AsyncIterator[Asked]:
    """Open a window; without a time it is the script as it is."""
    if arming_ms is None:
        channel = Window(screen.environ, shown_seconds=50)
    else:
        channel = Window(screen.environ, command=program(arming_ms), shown_seconds=50)
    found = Asked(screen, channel)
    shown = Shown("q1", f"{TITLE}: Delete it?", message, TITLE, "anna", 0.0)
    await channel.put(shown, found.said.append)
    try:
        while not found.window:
            found.window = (screen.windows(TITLE) or [""])[0]
        found.point_at_text()
        yield found
    finally:
        await channel.aclose()


@pytest.mark.requirement("A-14")
async def test_nothing_is_an_answer_before_it_is_armed(screen: Desktop) -> None:
    async with asked(screen, arming_ms=NEVER) as at:
        at.screen.keys("Return", "space", "Tab", "space", "Tab", "space", "Return", "Escape")
        for label in ("Approve", "Decline"):
            at.point_at_button(label)
            at.screen.click()
        at.screen.close(at.window)
        assert await at.gone() == []


@pytest.mark.requirement("A-14")
@pytest.mark.parametrize(("label", "verb"), [("Approve", "approve"), ("Decline", "decline")])
async def test_a_click_is_an_answer_once_it_is_armed(
    screen: Desktop, label: str, verb: str
) -> None:
    async with asked(screen) as at:
        at.point_at_button(label)
        while not at.said:
            at.screen.click()
            await asyncio.sleep(0.02)
        assert await at.gone() == [verb]


@pytest.mark.requirement("A-14")
async def test_return_is_no_answer_anywhere(screen: Desktop) -> None:
    async with asked(screen) as at:
        for name in ("Return", "Tab", "Return", "KP_Enter", "Tab", "Return", "KP_Enter"):
            at.screen.keys(name)
        assert await at.gone() == []


async def test_tab_and_space_answer(screen: Desktop) -> None:
    async with asked(screen) as at:
        at.screen.keys("space")
        at.screen.keys("Tab", "space")
        assert await at.heard() == ["decline"]


async def test_two_tabs_and_space_approve_and_a_second_answer_is_none(screen: Desktop) -> None:
    async with asked(screen) as at:
        at.screen.keys("Tab", "Tab", "space")
        assert await at.heard() == ["approve"]
        at.screen.keys("space", "Escape")
        assert await at.gone() == ["approve"]


async def test_escape_declines(screen: Desktop) -> None:
    async with asked(screen) as at:
        at.screen.keys("Escape")
        assert await at.heard() == ["decline"]


async def test_closing_declines(screen: Desktop) -> None:
    async with asked(screen) as at:
        at.screen.close(at.window)
        assert await at.heard() == ["decline"]


async def test_the_script_as_it_is_arms_itself(screen: Desktop) -> None:
    async with asked(screen, arming_ms=None) as at:
        while not at.said:
            at.screen.keys("Tab", "Tab", "space")
            await asyncio.sleep(0.1)
        assert at.verbs[0] in {"approve", "decline"}


@pytest.mark.requirement("A-14")
async def test_a_long_text_is_approved_only_when_its_end_was_in_view(screen: Desktop) -> None:
    async with asked(screen, LONG) as at:
        at.point_at_button("Approve")
        at.screen.click()
        at.point_at_text()
        for _ in range(40):
            at.screen.click(4)
        at.screen.keys("Next")
        at.point_at_button("Approve")
        at.screen.click()
        assert at.verbs == []
        at.screen.keys(*["Next"] * 20)
        at.point_at_button("Approve")
        while not at.said:
            at.screen.click()
            await asyncio.sleep(0.02)
        assert await at.gone() == ["approve"]


async def test_the_wheel_reaches_the_end_as_well(screen: Desktop) -> None:
    async with asked(screen, LONG) as at:
        at.screen.hand("click", "--repeat", "120", "--delay", "1", "5")
        at.point_at_button("Approve")
        while not at.said:
            at.screen.click()
            await asyncio.sleep(0.02)
        assert at.verbs == ["approve"]


@pytest.mark.requirement("A-14")
async def test_a_window_that_is_killed_has_given_no_answer(screen: Desktop) -> None:
    async with asked(screen) as at:
        at.screen.hand("windowkill", at.window)
        await until(lambda: not at.channel._open)
        assert at.verbs == []


@pytest.mark.parametrize("display", [None, ":59999"])
async def test_without_a_display_nobody_is_reached(display: str | None) -> None:
    environ = {"HOME": "/nonexistent"} | ({"DISPLAY": display} if display else {})
    channel = Window(environ, shown_seconds=50)
    with pytest.raises(NotReached, match=r"\Ano display\Z"):
        await channel.put(Shown("q1", TITLE, SHORT, TITLE, "anna", 0.0), lambda _: None)
    [line] = await channel.check()
    assert "no display here" in line


async def test_a_check_draws_nothing_that_stays(screen: Desktop) -> None:
    channel = Window(screen.environ, shown_seconds=50)
    assert await channel.check() == ["window: one can be drawn"]
    assert screen.windows(TITLE) == []


HOSTILE = (
    "import json\nprint(json.dumps({'shown': True}))\nprint(json.dumps({'answer': 'approve'}))\n"
)


@pytest.mark.requirement("A-14")
async def test_what_lies_in_the_folder_or_at_home_answers_nothing(
    screen: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("queue.py", "tkinter.py", "json.py", "sitecustomize.py", ".Tk.py", ".mcp-approval.py")
    for name in (*names, ".tkinter.py", "usercustomize.py"):
        (tmp_path / name).write_text(HOSTILE, encoding="utf-8")
    for name in (".Tk.tcl", ".mcp-approval.tcl"):
        (tmp_path / name).write_text('puts {{"answer": "approve"}}\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "json.py"))
    channel = Window({**screen.environ, "HOME": str(tmp_path)}, shown_seconds=50)
    said: list[Said] = []
    await channel.put(Shown("q1", f"{TITLE} x", SHORT, TITLE, "anna", 0.0), said.append)
    assert screen.windows(f"{TITLE} x")
    await channel.aclose()
    assert said == []


SERVER = """
import asyncio, sys
from mcp_approval.reach.channel import Shown
from mcp_approval.reach.window import Window

async def main():
    channel = Window({environ!r}, shown_seconds=50)
    shown = Shown("q1", "orphan at nowhere", "Text.", "here", "anna", 0.0)
    await channel.put(shown, lambda _: None)
    print("shown", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.requirement("A-14")
def test_a_window_does_not_outlive_a_server_that_was_killed(screen: Desktop) -> None:
    script = SERVER.replace("{environ!r}", repr(screen.environ))
    server = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    assert server.stdout.readline() == "shown\n"
    assert screen.windows("orphan at nowhere")
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    server.stdout.close()
    while screen.windows("orphan at nowhere"):
        pass
