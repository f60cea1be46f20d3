"""A window of another program, where Python has no Tk: which of its ends is an answer."""

from __future__ import annotations

import io
import json
import os
import runpy
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from mcp_approval.reach import program_window
from mcp_approval.reach.channel import NotReached, Said, Shown
from mcp_approval.reach.program_window import OSASCRIPT_CHARS
from mcp_approval.reach.window import HANDED_ON, PROGRAM_SCRIPT, Window, other_program
from tests.approval.broker import until

TEXT = "This will delete 1 notification.\n\n  Topic: «é日 <b>&amp;</b> $(id) \\u0041»"
QUESTION = {
    "title": "shop-mcp at shop.example.org: Allow this?",
    "message": TEXT,
    "where": "shop-mcp",
    "seconds": "900",
}
STAND_IN = """#!{python}
import json, os, sys, time
keeps, ends = {keeps!r}, {ends!r}
text = sys.stdin.read()
starts = json.load(open(keeps)) if os.path.exists(keeps) else []
seen = {{"argv": sys.argv[1:], "text": text, "environ": dict(os.environ), "pid": os.getpid()}}
starts.append(seen)
with open(keeps + ".new", "w") as file:
    json.dump(starts, file)
os.replace(keeps + ".new", keeps)
code, out, err = ends[min(len(starts), len(ends)) - 1]
sys.stdout.write(out)
sys.stderr.write(err)
sys.stdout.flush()
while code == "stands":
    time.sleep(60)
sys.exit(int(os.environ.get(str(code), code)))
"""
OK, CANCEL, ESCAPE = (("ZENITY_OK", "", ""), ("ZENITY_CANCEL", "", ""), ("ZENITY_ESC", "", ""))
STANDS = ("stands", "", "")
NO_DISPLAY = (1, "", "(zenity:7): Gtk-WARNING **: cannot open display: :59999\n")
NO_PROGRAM = [{"unavailable": "no program for a window"}]
NO_ENDS = {"destroyed": (0, "", ""), "killed": (1, "", ""), "out of time": (5, "", "")}
"""What zenity ends with by itself; its words for an answer come from the environment."""

APPROVE = (0, "button returned:Approve, gave up:false\n", "")
DECLINE = (0, "button returned:Decline, gave up:false\n", "")


@dataclass
class Stand:
    """A program that is not there, and what was seen of it."""

    path: Path
    keeps: Path

    @property
    def starts(self) -> list[dict[str, object]]:
        return list(json.loads(self.keeps.read_text())) if self.keeps.exists() else []

    def command(self, name: str = "zenity") -> tuple[str, ...]:
        return (sys.executable, "-I", str(PROGRAM_SCRIPT), name, str(self.path))


def stand_in(folder: Path, *ends: tuple[object, str, str]) -> Stand:
    """Write a program that ends so, start by start."""
    path, keeps = folder / "program", folder / "starts.json"
    text = STAND_IN.format(python=sys.executable, keeps=str(keeps), ends=list(ends))
    path.write_text(text, encoding="utf-8")
    path.chmod(0o700)
    return Stand(path, keeps)


@pytest.fixture(autouse=True)
def _no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_window, "STARTING_SECONDS", 0.0)
    monkeypatch.setattr(program_window, "ARMING_SECONDS", 0.0)


@pytest.fixture
def asks(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Asks]:
    reading, writing = os.pipe()
    with os.fdopen(reading) as stdin, os.fdopen(writing, "w") as hand:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield Asks(monkeypatch, capsys, hand)


@dataclass
class Asks:
    """Runs the script in this process, its input held open."""

    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]
    hand: io.TextIOBase

    def __call__(self, at: Stand, name: str = "zenity", **more: str) -> list[dict[str, object]]:
        self.monkeypatch.setattr(sys, "argv", ["program_window", name, str(at.path)])
        self.hand.write(json.dumps({**QUESTION, **more}) + "\n")
        self.hand.flush()
        program_window.main()
        return self.told

    @property
    def told(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.capsys.readouterr().out.splitlines()]


def answered(verb: str) -> list[dict[str, object]]:
    return [{"shown": True}, {"answer": verb}]


@pytest.mark.requirement("A-14")
@pytest.mark.parametrize(
    ("end", "verb"), [(OK, "approve"), (CANCEL, "decline"), (ESCAPE, "decline")]
)
def test_zenity_ends_with_an_answer(
    asks: Asks, tmp_path: Path, end: tuple[object, str, str], verb: str
) -> None:
    assert asks(stand_in(tmp_path, end)) == answered(verb)


@pytest.mark.requirement("A-14")
@pytest.mark.parametrize("end", NO_ENDS.values(), ids=list(NO_ENDS))
def test_a_window_that_is_destroyed_or_out_of_time_has_given_no_answer(
    asks: Asks, tmp_path: Path, end: tuple[object, str, str]
) -> None:
    assert asks(stand_in(tmp_path, end)) == [{"shown": True}]


@pytest.mark.requirement("A-14")
def test_zenity_is_given_the_whole_text_and_no_word_of_it_as_an_option(
    asks: Asks, tmp_path: Path
) -> None:
    at = stand_in(tmp_path, CANCEL)
    asks(at)
    [start] = at.starts
    assert start["text"] == TEXT
    argv = start["argv"]
    assert isinstance(argv, list)
    assert argv[0] == "--text-info"
    assert f"--checkbox={QUESTION['title']}" in argv
    assert "--timeout=900" in argv
    assert all(str(each).startswith("--") for each in argv)
    assert "Topic" not in str(argv)


@pytest.mark.requirement("A-14")
@pytest.mark.parametrize(
    ("end", "told"),
    [
        (APPROVE, answered("approve")),
        (DECLINE, answered("decline")),
        ((0, "button returned:, gave up:true\n", ""), [{"shown": True}]),
        ((0, "button returned:Approve, gave up:true\n", ""), [{"shown": True}]),
        ((1, "button returned:Approve, gave up:false\n", ""), [{"shown": True}]),
        ((0, "", ""), [{"shown": True}]),
    ],
)
def test_osascript_says_which_button_was_pressed(
    asks: Asks, tmp_path: Path, end: tuple[object, str, str], told: list[dict[str, object]]
) -> None:
    assert asks(stand_in(tmp_path, end), "osascript") == told


@pytest.mark.requirement("A-14")
def test_osascript_takes_the_text_as_an_argument_and_has_no_default(
    asks: Asks, tmp_path: Path
) -> None:
    at = stand_in(tmp_path, DECLINE)
    asks(at, "osascript")
    [start] = at.starts
    argv = start["argv"]
    assert isinstance(argv, list)
    assert argv[-3:] == [TEXT, QUESTION["title"], "900"]
    assert argv[:-3:2] == ["-e"] * 3
    script = "\n".join(argv[1:-3:2])
    assert script.startswith("on run argv\ndisplay dialog (item 1 of argv)")
    assert 'buttons {"Decline", "Approve"} giving up after' in script
    assert "default" not in script
    assert "cancel" not in script


@pytest.mark.requirement("A-14", "A-9")
@pytest.mark.parametrize(
    ("size", "told"),
    [
        (
            OSASCRIPT_CHARS + 1,
            [{"unavailable": "the question has 2001 characters and this window holds 2000"}],
        ),
        (OSASCRIPT_CHARS, answered("decline")),
    ],
)
def test_what_osascript_cannot_hold_is_not_cut(
    asks: Asks, tmp_path: Path, size: int, told: list[dict[str, object]]
) -> None:
    at = stand_in(tmp_path, DECLINE)
    assert asks(at, "osascript", message="x" * size) == told
    assert len(at.starts) == (size == OSASCRIPT_CHARS)


@pytest.mark.requirement("A-14")
@pytest.mark.parametrize(
    ("name", "early", "late"), [("zenity", OK, ESCAPE), ("osascript", APPROVE, DECLINE)]
)
def test_a_yes_that_comes_too_early_is_not_taken_and_the_question_shown_again(
    asks: Asks,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    early: tuple[object, str, str],
    late: tuple[object, str, str],
) -> None:
    monkeypatch.setattr(program_window, "ARMING_SECONDS", 600.0)
    at = stand_in(tmp_path, early, early, late)
    assert asks(at, name) == answered("decline")
    assert [start["text"] for start in at.starts] == [TEXT if name == "zenity" else ""] * 3


@pytest.mark.requirement("A-14")
@pytest.mark.parametrize(
    ("ends", "told"),
    [
        ([NO_DISPLAY], [{"unavailable": "no display"}]),
        ([(255, "", "This option is not available.\n")], NO_PROGRAM),
        ([NO_ENDS["killed"]], NO_PROGRAM),
        ([ESCAPE], answered("decline")),
        ([OK, ESCAPE], answered("decline")),
    ],
)
def test_what_ends_as_it_starts_has_shown_nothing_but_a_no_counts(
    asks: Asks,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ends: list[tuple[object, str, str]],
    told: list[dict[str, object]],
) -> None:
    monkeypatch.setattr(program_window, "STARTING_SECONDS", 600.0)
    assert asks(stand_in(tmp_path, *ends)) == told


def alive(pid: object) -> bool:
    """Whether a process runs, or waits for whoever started it to look at its end."""
    assert isinstance(pid, int)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.requirement("A-14")
@pytest.mark.parametrize("line", ['{"end": "Withdrawn."}\n', ""])
def test_the_end_of_the_question_or_of_the_input_ends_the_program(
    asks: Asks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    at, tell = stand_in(tmp_path, STANDS), program_window.tell

    def tell_and_end(**message: object) -> None:
        tell(**message)
        while not at.starts:
            pass
        if line:
            asks.hand.write(line)
            asks.hand.flush()
        else:
            asks.hand.close()

    monkeypatch.setattr(program_window, "tell", tell_and_end)
    assert asks(at) == [{"shown": True}]
    pid = at.starts[0]["pid"]
    while alive(pid):
        pass


@pytest.mark.requirement("A-14")
def test_the_program_ends_where_nobody_reads_what_is_told(
    asks: Asks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = stand_in(tmp_path, STANDS)

    def broken(**_message: object) -> None:
        while not at.starts:
            pass
        raise BrokenPipeError

    monkeypatch.setattr(program_window, "tell", broken)
    with pytest.raises(BrokenPipeError):
        asks(at)
    while alive(at.starts[0]["pid"]):
        pass


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ((0, "3.44.0\n", ""), {"shown": True}),
        (NO_DISPLAY, {"unavailable": "no display"}),
        ((127, "", "broken\n"), {"unavailable": "no program for a window"}),
    ],
)
@pytest.mark.parametrize("name", ["zenity", "osascript"])
def test_a_trial_draws_nothing(
    asks: Asks, tmp_path: Path, name: str, end: tuple[object, str, str], told: dict[str, object]
) -> None:
    at = stand_in(tmp_path, end)
    assert asks(at, name, probe="true") == [told]
    trial = {"zenity": ["--version"], "osascript": ["-e", "return"]}[name]
    assert [start["argv"] for start in at.starts] == [trial]


@pytest.mark.parametrize("more", [{}, {"probe": "true"}])
def test_without_the_program_there_is_no_window(
    asks: Asks, tmp_path: Path, more: dict[str, str]
) -> None:
    at = Stand(tmp_path / "absent", tmp_path / "starts.json")
    assert asks(at, **more) == [{"unavailable": "no program for a window"}]


def test_the_script_without_a_question_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["program_window", "zenity", "/nonexistent"])
    monkeypatch.setattr(sys, "stdin", io.StringIO("no json\n"))
    runpy.run_path(str(PROGRAM_SCRIPT), run_name="__main__")
    assert capsys.readouterr().out == ""


NO_TK = (sys.executable, "-c", 'print(\'{"unavailable": "no program for a window"}\')')
SHOWN = Shown("q1", QUESTION["title"], TEXT, "shop-mcp", "anna", 0.0)


def window(at: Stand, name: str = "zenity") -> Window:
    environ = {"DISPLAY": ":7", "HOME": "/nonexistent", "PATH": "/bin", "SHOP_TOKEN": "tk_secret"}
    return Window(environ, command=NO_TK, other=at.command(name), shown_seconds=50)


@pytest.mark.requirement("A-14")
async def test_where_python_has_no_tk_another_program_asks(tmp_path: Path) -> None:
    at = stand_in(tmp_path, ESCAPE)
    heard: list[Said] = []
    channel = window(at)
    await channel.put(SHOWN, heard.append)
    await until(lambda: heard)
    assert heard == [Said("decline", "window")]
    await until(lambda: not channel._open)
    [start] = at.starts
    environ = start["environ"]
    assert isinstance(environ, dict)
    words = {"ZENITY_OK", "ZENITY_CANCEL", "ZENITY_ESC", "LC_CTYPE"}
    assert set(environ) <= {*HANDED_ON, *words}
    assert environ["DISPLAY"] == ":7"


@pytest.mark.requirement("A-14")
async def test_the_window_of_another_program_closes_with_the_channel(tmp_path: Path) -> None:
    at = stand_in(tmp_path, STANDS)
    channel = window(at)
    await channel.put(SHOWN, lambda _: None)
    await channel.aclose()
    await until(lambda: at.starts and not alive(at.starts[0]["pid"]))


async def test_why_another_program_shows_nothing_is_told_in_fixed_words(tmp_path: Path) -> None:
    with pytest.raises(NotReached, match=r"\Ano display\Z"):
        await window(stand_in(tmp_path, NO_DISPLAY)).put(SHOWN, lambda _: None)
    long = SHOWN._replace(message="x" * 2_001)
    with pytest.raises(NotReached, match=r"has 2001 characters and this window holds 2000\Z"):
        await window(stand_in(tmp_path, DECLINE), "osascript").put(long, lambda _: None)
    assert await window(stand_in(tmp_path, APPROVE)).check() == ["window: one can be drawn"]


@pytest.mark.requirement("A-14")
@pytest.mark.parametrize(
    ("platform", "name"), [("darwin", "osascript"), ("linux", "zenity"), ("win32", "zenity")]
)
def test_the_program_is_the_systems_own_and_its_script_isolated(platform: str, name: str) -> None:
    interpreter, isolated, script, *program = other_program(platform)
    assert (interpreter, isolated, script) == (sys.executable, "-I", str(PROGRAM_SCRIPT))
    assert program == [name, f"/usr/bin/{name}"]
