"""The demo, as somebody meets it who has no time for it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.demo.stage import given_answer
from tests.project.library_readme import EXAMPLE
from tests.project.servers import ROOT


def demo(*arguments: str, answer: str | None = None) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name != "DEMO_ANSWER"}
    return subprocess.run(
        [sys.executable, "-m", "tests.demo", *arguments],
        cwd=ROOT,
        env={**env, **({} if answer is None else {"DEMO_ANSWER": answer})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


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


@pytest.mark.parametrize(("word", "means"), [("yes", True), ("NO", False), ("  ", None)])
def test_the_answer_takes_two_words_in_any_case(word: str, means: bool | None) -> None:
    assert given_answer(word) is means


@pytest.mark.parametrize("word", ["y", "true", "1", "maybe"])
def test_any_other_answer_is_exit_2_and_nothing_is_started(word: str) -> None:
    done = demo("ntfy", answer=word)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "DEMO_ANSWER takes yes or no\n"


def test_a_server_without_a_demo_is_exit_2_and_one_line() -> None:
    done = demo("imap")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "SERVER=imap is no server; there are ntfy, smtp, hetzner, woodpecker, library\n"
    )
