"""The process of a window: what it may say, what it is handed, and how it ends."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from mcp_approval.reach import window
from mcp_approval.reach.channel import NotReached, Said, Shown
from mcp_approval.reach.setting import Setting
from mcp_approval.reach.window import HANDED_ON, Window, open_window
from tests.approval.broker import until

SHOWN = Shown("q1", "shop-mcp: Allow this?", "Text.", "shop-mcp", "anna", 0.0)
READ = "import json, os, sys, time\nfirst = json.loads(sys.stdin.readline())\n"
SHOW = READ + "print('{\"shown\": true}', flush=True)\n"
WAIT = "sys.stdin.read()\n"


NONE = ("/nonexistent/program",)


def program(script: str) -> Window:
    environ = {"DISPLAY": ":7", "HOME": "/nonexistent", "PATH": "/bin", "SHOP_TOKEN": "tk_secret"}
    command = (sys.executable, "-c", script)
    return Window(environ, command=command, other=NONE, shown_seconds=50)


def answers(*lines: str) -> str:
    return SHOW + "".join(f"print({line!r}, flush=True)\n" for line in lines)


@pytest.mark.parametrize("verb", ["approve", "decline"])
async def test_what_is_chosen_is_heard_and_the_end_is_told(verb: str) -> None:
    heard: list[Said] = []
    told = "end = json.loads(sys.stdin.readline())\nsys.exit(end != {'end': 'Declined.'})\n"
    channel = program(answers(f'{{"answer": "{verb}"}}') + told)
    await channel.put(SHOWN, heard.append)
    await until(lambda: heard)
    assert heard == [Said(verb, "window")]  # type: ignore[arg-type]
    process = channel._open["q1"]._process
    await channel.end("q1", "Declined.", final=True)
    assert await process.wait() == 0
    await until(lambda: not channel._open)
    await channel.end("q1", "Declined.", final=True)


@pytest.mark.requirement("A-14")
@pytest.mark.parametrize("line", ['{"answer": "perhaps"}', '{"approve": true}', "approve", "[1]"])
async def test_anything_else_is_no_answer(line: str) -> None:
    heard: list[Said] = []
    channel = program(answers(line))
    await channel.put(SHOWN, heard.append)
    await until(lambda: not channel._open)
    assert heard == []


@pytest.mark.requirement("A-14")
async def test_nothing_but_the_display_is_handed_on() -> None:
    names = f"set(os.environ) <= {set(HANDED_ON) | {'LC_CTYPE'}!r} and 'DISPLAY' in os.environ"
    say = f"print(json.dumps({{'answer': 'approve' if {names} else 'decline'}}), flush=True)\n"
    heard: list[Said] = []
    channel = program(SHOW + say + WAIT)
    await channel.put(SHOWN, heard.append)
    await until(lambda: heard)
    await channel.aclose()
    assert [said.verb for said in heard] == ["approve"]


@pytest.mark.requirement("A-14")
@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ('print(\'{"unavailable": "no display"}\')\n', "no display"),
        ('print(\'{"unavailable": "no program for a window"}\')\n', "no program for a window"),
        ('print(\'{"unavailable": "<b>anything</b>"}\')\n', "no window appeared"),
        ("print('hello')\n", "no window appeared"),
        ("", "no window appeared"),
    ],
)
async def test_a_window_that_does_not_appear_is_given_up(script: str, reason: str) -> None:
    with pytest.raises(NotReached, match=rf"\A{reason}\Z"):
        await program(script).put(SHOWN, lambda _: None)


async def test_a_program_that_shows_nothing_and_does_not_end_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(window, "CLOSING_SECONDS", 0.0)
    deaf = (sys.executable, "-c", "import time\nwhile True: time.sleep(60)\n")
    with pytest.raises(NotReached, match="no window appeared"):
        await Window({}, command=deaf, shown_seconds=0.0).put(SHOWN, lambda _: None)


async def test_a_call_that_is_cancelled_while_the_window_comes_up_leaves_none(
    tmp_path: Path,
) -> None:
    started = tmp_path / "started"
    channel = program(f"{READ}open({str(started)!r}, 'w').close()\n{WAIT}")
    putting = asyncio.create_task(channel.put(SHOWN, lambda _: None))
    await until(started.exists)
    putting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await putting
    assert channel._open == {}


async def test_without_a_program_there_is_no_window() -> None:
    channel = Window({}, command=("/nonexistent/python",), other=NONE)
    with pytest.raises(NotReached, match="no program for a window"):
        await channel.put(SHOWN, lambda _: None)
    with pytest.raises(NotReached, match="no program for a window"):
        await channel.check()


async def test_a_check_says_what_can_be_drawn() -> None:
    assert await program(SHOW + WAIT).check() == ["window: one can be drawn"]
    [said] = await program('print(\'{"unavailable": "no display"}\')\n').check()
    assert said.startswith("window: no display here; ")


@pytest.mark.requirement("A-14")
def test_the_script_is_started_by_its_path_and_isolated() -> None:
    channel = open_window(Setting({}, "shop-mcp", "0", b"", print, str, float))
    interpreter, isolated, script = channel._command
    assert (interpreter, isolated) == (sys.executable, "-I")
    assert script.endswith("dialog_window.py")
