"""A question in the window of another program, where Python has no Tk; run as a script.

With the standard library alone, and apart from `dialog_window`, since neither can import the
other. Named are the program and its path. Reads and writes the same lines as that one; the
question says too in how many `seconds` it ends, and a window that is still open then, or when
anything more is read, closes without a word.
"""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

STARTING_SECONDS = 1.0
"""A program that finds no screen has ended by then."""

ARMING_SECONDS = 1.5
"""What comes up under somebody's hands takes no yes for that long."""

OSASCRIPT_CHARS = 2_000
"""Its dialog does not scroll, and a longer text would push the buttons off the screen."""

# zenity's own 0 and 1 also stand for a window that was destroyed and for a screen that is gone.
YES_CODE = 70
NO_CODE = 71
CODES = {
    "ZENITY_OK": str(YES_CODE),
    "ZENITY_CANCEL": str(NO_CODE),
    "ZENITY_ESC": str(NO_CODE),
}

Question = dict[str, str]


class Ended(NamedTuple):
    """What a program left behind."""

    code: int
    out: str
    err: str


Events = queue.Queue["Ended | None"]
"""The end of the program, or nothing for the end of the input."""


class Program(NamedTuple):
    """A program that draws a window.

    Attributes:
        arguments: What it is started with.
        reads: Whether it reads the text.
        said: What its end means: `approve`, `decline`, or nothing.
        trial: Arguments with which it draws nothing and fails without a screen.
        chars: How long a text may be.
    """

    arguments: Callable[[Question], list[str]]
    reads: bool
    said: Callable[[Ended], str]
    trial: tuple[str, ...]
    chars: int | None = None


def _zenity(question: Question) -> list[str]:
    return [
        "--text-info",
        f"--title={question['title']}",
        f"--checkbox={question['title']}",
        "--ok-label=Approve",
        "--cancel-label=Decline",
        "--font=monospace",
        "--width=760",
        "--height=520",
        f"--timeout={question['seconds']}",
    ]


def _zenity_said(ended: Ended) -> str:
    return {YES_CODE: "approve", NO_CODE: "decline"}.get(ended.code, "")


_SCRIPT = (
    "on run argv",
    "display dialog (item 1 of argv) with title (item 2 of argv) "
    'buttons {"Decline", "Approve"} giving up after ((item 3 of argv) as integer)',
    "end run",
)


def _osascript(question: Question) -> list[str]:
    lines = [argument for line in _SCRIPT for argument in ("-e", line)]
    return [*lines, question["message"], question["title"], question["seconds"]]


def _osascript_said(ended: Ended) -> str:
    said = re.search("button returned:(Approve|Decline), gave up:false", ended.out)
    return said[1].lower() if said and ended.code == 0 else ""


PROGRAMS = {
    "zenity": Program(_zenity, True, _zenity_said, ("--version",)),
    "osascript": Program(_osascript, False, _osascript_said, ("-e", "return"), OSASCRIPT_CHARS),
}


def tell(**message: object) -> None:
    """Write one line to whoever started this."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def unavailable(ended: Ended) -> None:
    """Say why there is no window."""
    screen = re.search("open display", ended.err) is not None
    tell(unavailable="no display" if screen else "no program for a window")


def start(command: list[str], text: str, events: Events) -> subprocess.Popen[str]:
    """Start a program, and hand over its end."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(  # noqa: S603 (a path of the system, in a bare environment)
        command,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        env={**os.environ, **CODES},
        encoding="utf-8",
        errors="replace",
    )

    def wait() -> None:
        out, err = process.communicate(text)
        events.put(Ended(process.returncode, out, err))

    threading.Thread(target=wait, daemon=True).start()
    return process


def ask(program: Program, path: str, question: Question, events: Events) -> None:
    """Show a question until somebody answered it, or nobody can any more."""
    command = [path, *program.arguments(question)]
    text = question["message"] if program.reads else ""
    told = False
    while True:
        started = time.monotonic()
        process = start(command, text, events)
        try:
            try:
                ended = events.get(timeout=None if told else STARTING_SECONDS)
            except queue.Empty:
                told = True
                tell(shown=True)
                ended = events.get()
        finally:
            # Also where nobody reads any more what is told.
            process.kill()
        if ended is None:
            return
        said = program.said(ended)
        if said == "approve" and time.monotonic() - started < STARTING_SECONDS + ARMING_SECONDS:
            continue
        if said and not told:
            tell(shown=True)
        if said:
            tell(answer=said)
        elif not told:
            unavailable(ended)
        return


def try_out(program: Program, path: str) -> None:
    """Say whether there is a program and a screen for it."""
    done = subprocess.run(  # noqa: S603
        [path, *program.trial],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    ended = Ended(done.returncode, done.stdout, done.stderr)
    if ended.code == 0:
        tell(shown=True)
    else:
        unavailable(ended)


def main() -> None:
    """Show one question."""
    program, path = PROGRAMS[sys.argv[1]], sys.argv[2]
    try:
        question: Question = json.loads(sys.stdin.readline())
    except ValueError:
        return
    events: Events = queue.Queue()

    def read() -> None:
        sys.stdin.readline()
        events.put(None)

    threading.Thread(target=read, daemon=True).start()
    try:
        if "probe" in question:
            try_out(program, path)
        elif program.chars is not None and len(question["message"]) > program.chars:
            size = len(question["message"])
            tell(
                unavailable=f"the question has {size} characters and this window holds "
                f"{program.chars}"
            )
        else:
            ask(program, path, question, events)
    except OSError:
        tell(unavailable="no program for a window")


if __name__ == "__main__":
    main()
