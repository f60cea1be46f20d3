"""Which of the things that hands do in the window is an answer, and when."""

from __future__ import annotations

import io
import json
import queue
import runpy
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from mcp_approval.reach import dialog_window
from mcp_approval.reach.dialog_window import ARMING_MS, CLOSING_MS, POLL_MS, Lines, Window
from tests.approval import fake_tk

LONG = "\n".join(f"line {number}" for number in range(100))
QUESTION = {"title": "shop-mcp at shop.example.org: Allow this?", "where": "shop-mcp"}


@dataclass
class Desk:
    """A window in front of somebody, and what it told."""

    window: Window
    root: fake_tk.Tk
    lines: Lines
    capture: pytest.CaptureFixture[str]

    def press(self, label: str) -> None:
        button = {"Approve": self.window.yes, "Decline": self.window.no}[label]
        assert isinstance(button, fake_tk.Button)
        button.press()

    @property
    def told(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.capture.readouterr().out.splitlines()]

    @property
    def note(self) -> str:
        return str(self.window.note.options["text"])  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def _tk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tkinter", fake_tk)


def opened(capsys: pytest.CaptureFixture[str], message: str = "Short.") -> Desk:
    lines: Lines = queue.Queue()
    window = Window({**QUESTION, "message": message}, lines)
    root = fake_tk.Tk.opened
    root.map()
    return Desk(window, root, lines, capsys)


def close(at: Desk) -> None:
    at.root.bound["WM_DELETE_WINDOW"]()


Hand = Callable[[Desk], object]
HANDS: list[tuple[Hand, str]] = [
    (lambda at: at.press("Approve"), "approve"),
    (lambda at: at.press("Decline"), "decline"),
    (lambda at: at.root.event("<Escape>"), "decline"),
    (close, "decline"),
]


@pytest.mark.requirement("A-14")
@pytest.mark.parametrize("hand", [hand for hand, _ in HANDS])
def test_nothing_is_an_answer_before_it_is_armed(
    capsys: pytest.CaptureFixture[str], hand: Hand
) -> None:
    at = opened(capsys)
    at.root.pass_time(ARMING_MS - 1)
    hand(at)
    assert at.told == [{"shown": True}]
    assert not at.root.destroyed


@pytest.mark.parametrize(("hand", "verb"), HANDS)
def test_one_answer_once_it_is_armed_and_then_it_only_closes(
    capsys: pytest.CaptureFixture[str], hand: Hand, verb: str
) -> None:
    at = opened(capsys)
    at.root.pass_time(ARMING_MS)
    hand(at)
    for label in ("Approve", "Decline"):
        at.press(label)
    assert at.told == [{"shown": True}, {"answer": verb}]
    assert at.note == {"approve": "Approved.", "decline": "Declined."}[verb]
    close(at)
    assert at.root.destroyed
    assert at.told == []


@pytest.mark.requirement("A-14")
def test_return_is_no_answer_anywhere(capsys: pytest.CaptureFixture[str]) -> None:
    at = opened(capsys)
    at.root.pass_time(ARMING_MS)
    assert at.root.event("Button<Return>") == "break"
    assert "<Return>" not in at.root.bound
    assert at.told == [{"shown": True}]


@pytest.mark.requirement("A-14")
def test_a_yes_needs_the_end_of_the_text_in_view_and_a_no_does_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    at = opened(capsys, LONG)
    at.root.pass_time(ARMING_MS)
    for _ in range(3):
        at.press("Approve")
        at.root.event("<Next>")
    assert at.told == [{"shown": True}]
    at.root.event("<Next>")
    at.root.event("<Prior>")
    at.press("Approve")
    assert at.told == [{"answer": "approve"}]
    again = opened(capsys, LONG)
    again.root.pass_time(ARMING_MS)
    again.press("Decline")
    assert again.told == [{"shown": True}, {"answer": "decline"}]


def test_reading_to_the_end_arms_nothing_early(capsys: pytest.CaptureFixture[str]) -> None:
    at = opened(capsys, LONG)
    for _ in range(5):
        at.root.event("<Next>")
    at.press("Approve")
    assert at.told == [{"shown": True}]
    at.root.pass_time(ARMING_MS)
    at.press("Approve")
    assert at.told == [{"answer": "approve"}]


def test_the_end_is_shown_for_a_while_and_takes_no_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    at = opened(capsys)
    at.root.pass_time(ARMING_MS)
    at.lines.put({"end": "Withdrawn. Nothing was changed."})
    at.root.pass_time(POLL_MS)
    assert at.note == "Withdrawn. Nothing was changed."
    at.press("Approve")
    assert at.told == [{"shown": True}]
    at.root.pass_time(CLOSING_MS - 1)
    assert not at.root.destroyed
    at.root.pass_time(1)
    assert at.root.destroyed


def test_the_end_of_the_input_closes_it(capsys: pytest.CaptureFixture[str]) -> None:
    at = opened(capsys)
    at.lines.put(None)
    at.root.pass_time(POLL_MS)
    assert at.root.destroyed
    assert at.told == [{"shown": True}]


def run(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    dialog_window.main()


def test_the_script_shows_what_it_is_given(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, json.dumps({**QUESTION, "message": "Text."}) + "\n{}no json\n{}\n")
    assert json.loads(capsys.readouterr().out) == {"shown": True}
    assert fake_tk.Tk.opened.options["title"] == QUESTION["title"]


def test_the_script_tries_a_display_and_draws_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, '{"probe": "true"}\n')
    assert json.loads(capsys.readouterr().out) == {"shown": True}
    assert fake_tk.Tk.opened.destroyed


@pytest.mark.parametrize("text", ["", "no json\n"])
def test_the_script_without_a_question_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    run(monkeypatch, text)
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    runpy.run_path(dialog_window.__file__, run_name="__main__")
    assert capsys.readouterr().out == ""


def test_the_script_says_why_it_can_draw_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    question = json.dumps({**QUESTION, "message": "Text."}) + "\n"

    def no_display(*_: object, **__: object) -> None:
        raise fake_tk.TclError

    monkeypatch.setattr(fake_tk, "Tk", no_display)
    run(monkeypatch, question)
    monkeypatch.setitem(sys.modules, "tkinter", None)
    run(monkeypatch, question)
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [
        {"unavailable": "no display"},
        {"unavailable": "no program for a window"},
    ]
