"""The demo, as somebody meets it who has no time for it."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from demo.stage import given_answer
from scripts.definitions import ROOT
from scripts.library_readme import EXAMPLE


def demo(
    *arguments: str, answer: str | None = None, **environ: str
) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name != "DEMO_ANSWER"}
    return subprocess.run(
        [sys.executable, "-m", "demo", *arguments],
        cwd=ROOT,
        env={**env, **environ, **({} if answer is None else {"DEMO_ANSWER": answer})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.requirement("F-16")
def test_where_nobody_is_each_question_is_declined() -> None:
    done = demo("Ntfy_MCP")
    assert done.returncode == 0, done.stderr
    assert "[nobody at a terminal: declined; DEMO_ANSWER=yes answers]" in done.stdout
    assert "answered by DEMO_ANSWER" not in done.stdout
    assert "decision=accepted" not in done.stdout


def test_the_librarys_example_is_printed_and_called_by_both_kinds_of_client() -> None:
    done = demo("library", answer="yes")
    assert done.returncode == 0, done.stderr
    assert EXAMPLE.read_text(encoding="utf-8") in done.stdout
    assert done.stdout.count("✓ deleted old-idea") == 3
    assert "deleted main" not in done.stdout


@pytest.mark.requirement("F-16")
@pytest.mark.parametrize(("word", "means"), [("yes", True), ("NO", False), ("  ", None)])
def test_the_answer_takes_two_words_in_any_case(word: str, means: bool | None) -> None:
    assert given_answer(word) is means


@pytest.mark.requirement("F-16")
@pytest.mark.parametrize("word", ["y", "true", "1", "maybe"])
def test_any_other_answer_is_exit_2_and_nothing_is_started(word: str) -> None:
    done = demo("ntfy", answer=word)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "DEMO_ANSWER takes yes or no\n"


def test_a_server_without_a_demo_is_exit_2_and_one_line() -> None:
    done = demo("imap")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "SERVER=imap is no server; there are ntfy, smtp, hetzner, woodpecker, library, ntfy-reach\n"
    )


class Terminal(NamedTuple):
    """How a demo went in a terminal of 60 columns."""

    code: int
    shown: str

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.shown.splitlines()]


def in_a_terminal(
    *keys: bytes, mark: str, scene: str = "ntfy", prompt: bytes = b"[y/N] ", **environ: str
) -> Terminal:
    """Run the demo in a pseudo-terminal, and press these keys at its questions."""
    given = {name: value for name, value in os.environ.items() if name != "DEMO_ANSWER"}
    given |= {"COLUMNS": "60", "DEMO_MARK": mark, **environ}
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(ROOT)
        # Whoever runs the tests in the background has it ignored.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execve(sys.executable, [sys.executable, "-m", "demo", scene], given)
    shown, pressed = b"", 0
    # Reading fails once the other end is closed.
    with contextlib.suppress(OSError):
        while piece := os.read(terminal, 65_536):
            shown += piece
            # A line of the server's log may have come behind the question already.
            while pressed < min(shown.count(prompt), len(keys)):
                os.write(terminal, keys[pressed])
                pressed += 1
    os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return Terminal(code, shown.decode().replace("\r\n", "\n"))


def left_of(mark: str) -> list[str]:
    """Processes that were started with this mark and are still there."""
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if f"DEMO_MARK={mark}".encode() in environ.read_bytes():
                found.append(environ.parent.name)
    return found


@pytest.mark.requirement("F-17", "F-18")
def test_a_person_answers_and_is_told_what_came_of_it() -> None:
    at = in_a_terminal(b"y\n", b"\x04", mark="answers")
    assert at.code == 0, at.shown
    assert at.shown.count("decision=approved") == 1
    assert at.shown.count("decision=declined") == 3
    assert "Allow it? [y/N] no" in at.shown
    assert at.lines[-4:] == [
        "   done: publish_message (2), update_message (1),",
        "   delete_messages (1)",
        "   not done: delete_messages (3), update_message (1)",
        "   to install it: make install SERVER=ntfy",
    ]
    assert max(map(len, at.lines)) <= 60
    frames = [line for line in at.lines if line.startswith("   │")]
    assert {(len(line), line[-1]) for line in frames} == {(60, "│")}
    assert 'confirm_token="' in at.shown


@pytest.mark.requirement("F-17")
def test_an_interrupt_at_the_question_is_one_line_and_leaves_nothing() -> None:
    at = in_a_terminal(b"\x03", mark="interrupted")
    assert at.code == 130
    assert "Traceback" not in at.shown
    assert at.lines[-1] == "ended before its end"
    while left_of("interrupted"):
        pass


@pytest.mark.requirement("F-18")
def test_a_terminal_that_is_not_utf8_gets_plain_frames() -> None:
    at = in_a_terminal(b"y\n", b"n\n", mark="plain", PYTHONUTF8="0", LC_ALL="C")
    assert at.code == 0, at.shown
    assert at.shown.isascii()
    frames = [line for line in at.lines if line.startswith(("   |", "   +-"))]
    assert {len(line) for line in frames} == {60}


@pytest.mark.parametrize("server", ["mail", "hetzner", "woodpecker"])
def test_the_other_demos_end_well(server: str) -> None:
    done = demo(server, answer="yes")
    assert done.returncode == 0, done.stderr
    assert "not done: " in done.stdout
    assert done.stdout.splitlines()[-1].strip().startswith("to install it: make install SERVER=")


APPROVED = [
    "✓ done",
    "ntfy-mcp: Approved and carried out.",
    "[the demo declines this one]",
    "✗ Not approved: anna declined by phone. Nothing was changed.",
    "ntfy-mcp: Declined. Nothing was changed.",
    "✗ Awaiting a person: anna was asked by phone",
    "ntfy-mcp: Approved. It happens when the agent repeats the call",
    "the same call again",
    "✓ done",
    "ntfy-mcp: Approved and carried out.",
]
DECLINED = [
    "✗ Not approved: anna declined by phone. Nothing was changed.",
    "✗ Awaiting a person: anna was asked by phone",
    "ntfy-mcp: Declined. Nothing was changed.",
    "the same call again",
    "✗ Not approved: anna declined by phone at",
]
"""What comes of the calls by who holds the phone, in this order."""

NOBODY_WAITS = [
    "the client cancels the call",
    "ntfy-mcp: Withdrawn. Nothing was changed.",
    "list_messages, to read",
    "✗ topics: is kept for approvals",
    "publish_message of what Approve sends",
    "✗ topics: is kept for approvals",
    "the question still waits for anna",
]
"""What follows, whoever holds the phone."""


def require_order(shown: str, words: Sequence[str]) -> str:
    """Find each after the one before, and return what follows the last."""
    for each in words:
        before, found, shown = shown.partition(each)
        assert found, (each, before)
    return shown


@pytest.mark.requirement("A-22", "F-16")
@pytest.mark.parametrize("answer", ["yes", "no", None])
def test_a_person_is_asked_by_phone_and_the_record_has_what_the_phone_was_told(
    answer: str | None,
) -> None:
    done = demo("NTFY_reach", answer=answer, COLUMNS="100")
    assert (done.returncode, done.stderr) == (0, "")
    approved = answer == "yes"
    came = ["2025-11-25", *(APPROVED if approved else DECLINED), *NOBODY_WAITS]
    left = require_order(done.stdout, came)
    left = require_order(left, ["✓ done"] if approved else ["✗ Not approved: anna declined"])
    assert done.stdout.count("[nobody at a terminal: declined;") == (0 if answer else 3)
    told, _, left = left.partition("mcp-approval show approvals.jsonl")
    head = told.rpartition("│")[0].rpartition("record ")[2].split()[0]
    assert f"ok: {16 if approved else 13} records in 1 file" in left
    left = require_order(left, [f"mcp-approval verify approvals.jsonl --head {head}", "ok: "])
    assert f"head {head}" in left
    assert left.splitlines()[-3:] == [
        f"   done: {'delete_messages (3)' if approved else 'nothing'}",
        f"   not done: delete_messages ({3 if approved else 6}), list_messages (1), "
        "publish_message (1)",
        "   to install it: make install SERVER=ntfy",
    ]


@pytest.mark.requirement("A-22", "F-17", "F-18")
def test_who_holds_the_phone_taps_looks_away_and_leaves() -> None:
    """A tap, an end of input and an interrupt, in a terminal of 60 columns that is not UTF-8."""
    at = in_a_terminal(
        *(b"1\n", b"\x04", b"\x03"),
        mark="by-phone",
        scene="ntfy-reach",
        prompt=b"Tap 1 or 2: ",
        PYTHONUTF8="0",
        LC_ALL="C",
    )
    assert (at.code, at.lines[-1]) == (130, "ended before its end")
    assert "Traceback" not in at.shown
    left = require_order(at.shown, ["ntfy-mcp: Approved and carried out.", "Tap 1 or 2: no"])
    require_order(left, ["x Not approved: anna declined by phone at", "Withdrawn."])
    assert at.shown.isascii()
    assert max(map(len, at.lines)) <= 60
    frames = [line for line in at.lines if line.startswith(("   |", "   +-"))]
    assert {len(line) for line in frames} == {60}
    while left_of("by-phone"):
        pass
