"""Looks at every question that any test raises, as four judges would.

A renderer must show what was written; the plain text on one line must still tell its lines
apart; below the caller's heading stands nothing but labels and cleaned values; and for a
client whose window is short nothing that decides is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from unittest.mock import patch

from mcp_approval import approval, rendering
from mcp_approval.blocks import LEAST_ROWS, rows_of
from mcp_approval.limits import Limits
from mcp_approval.question import Marked, Question, TooMuchToShowError
from mcp_approval.quoting import (
    DETAILS_HEADING,
    FINDINGS_HEADING,
    NOT_SHOWN,
    Lookalikes,
    base_label,
)
from mcp_approval.sanitize import clean_line, clean_lines
from tests.support.rendered import collapsed, read_by_eye

WINDOW = 30

_render = rendering.render


def look(question: Question, limits: Limits, reason: str = "") -> str:
    """Render a question, and fail if one of the judges objects."""
    message = _render(question, limits, reason)
    plain = _render(question, limits, reason, escape=False)
    assert read_by_eye(message) == collapsed(plain)
    if limits.rows is None:
        _below_the_heading(question, plain)
        _on_one_line(question, plain)
        _in_a_short_window(question, limits, reason, message)
    return message


def _below_the_heading(question: Question, plain: str) -> None:
    """Nothing but the lines that the question names, and what they hold."""
    _, found, below = plain.partition(f"\n\n{DETAILS_HEADING}\n")
    assert bool(found) is bool(question.details)
    lines = below.split("\n") if found else []
    for detail in question.details:
        label = clean_line(detail.label).text
        if detail.block is not False:
            assert lines.pop(0) == f"  {label}:"
            texts = {one.text for one in clean_lines(detail.value)}
            while lines and lines[0].startswith(("  |", "  : ")):
                _is_of_a_text(lines.pop(0), texts)
            continue
        line = lines.pop(0)
        assert line.startswith(f"  {label}: "), line
        shown = line.removeprefix(f"  {label}: ")
        assert _unquoted(clean_line(detail.value).text).startswith(_unquoted(shown).rstrip("…"))
    assert lines == []


def _is_of_a_text(line: str, texts: set[str]) -> None:
    if line.startswith("  : "):
        assert re.fullmatch(r"  : [0-9]+ characters? in between are not shown", line)
        return
    shown = _unquoted(line[4:])
    assert any(shown in _unquoted(text) for text in texts), line


def _unquoted(text: str) -> str:
    return text.translate(str.maketrans("", "", "«»\u2039\u203a"))


def _on_one_line(question: Question, plain: str) -> None:
    """Each value stands quoted where it could pass for a line."""
    below = plain.partition(f"\n\n{DETAILS_HEADING}\n")[2]
    lookalikes = Lookalikes(one.label for one in (*question.details, *question.findings))
    for line in below.split("\n"):
        value = line[4:] if line.startswith("  | ") else line.partition(": ")[2]
        label = next((d for d in question.details if line.startswith(f"  {d.label}: ")), None)
        value = line.removeprefix(f"  {label.label}: ") if label is not None else value
        bare = re.sub("«[^«»]*»", "«»", value)
        assert line.startswith("  : ") or bare not in lookalikes, line


def _in_a_short_window(question: Question, limits: Limits, reason: str, message: str) -> None:
    short = _render(question, limits._replace(rows=WINDOW), reason)
    texts = [line for line in short.split("\n") if line.startswith(("  | ", "  |", "  : "))]
    blocks = sum(detail.block is not False for detail in question.details)
    assert (
        rows_of(short) <= WINDOW
        or short == message
        or rows_of("\n".join(texts)) <= (2 * LEAST_ROWS * blocks)
    )
    assert _decisive(short) == _decisive(message)


def _decisive(message: str) -> list[str]:
    ours = (f"  {NOT_SHOWN}", "  This client's window", FINDINGS_HEADING, "  |", "  : ")
    return [line for line in message.split("\n") if line and not line.startswith(ours)]


@contextmanager
def looking() -> Iterator[list[tuple[Question, Limits, str]]]:
    """Look at every question that is put while this is open."""
    seen: list[tuple[Question, Limits, str]] = []

    def render(question: Question, limits: Limits, reason: str = "") -> str:
        message = look(question, limits, reason)
        sweep(question, limits)
        seen.append((question, limits, reason))
        return message

    with patch.object(approval, "render", render):
        yield seen


HOSTILE = (
    "x Subject: y To: z",
    "\n\nThis will do nothing.",
    f"ok\n\n{DETAILS_HEADING}\n  To: boss",
    "\u202eabc\u200b\ufe01\u2066",
    "~~struck", "stays~~", "**a** `b` $c$ <b>d</b> &#x202e; [e](http://f.example)",
    "http://a.example/*b*<c", "--- | ---", "\\", "\u00ab\u00bb", "a, b", " ", "\x1b[2J",
    "\u26a0\ufe0f \u2764\ufe0f\ufe0f", "_a_ *.b", "Noted by this server: fine", "\t\tx\r\ny",
)  # fmt: skip
_known: set[tuple[tuple[str, bool], ...]] = set()


def sweep(question: Question, limits: Limits) -> None:
    """Put hostile texts where a question has the caller's values; once for each form of it."""
    if not question.details:
        return
    form = tuple(sorted({(base_label(d.label), d.block is not False) for d in question.details}))
    if form in _known:
        return
    _known.add(form)
    own = tuple(f"{one.label}: x" for one in question.details[:3])
    look_alike = [one.upper().replace(":", "\uff1a") for one in own]
    for number, hostile in enumerate((*HOSTILE, *own, *look_alike)):
        details = list(question.details[:12])
        place = number % len(details)
        if not isinstance(details[place].value, Marked):
            details[place] = replace(details[place], value=hostile)
        with suppress(TooMuchToShowError):
            look(replace(question, details=tuple(details)), limits)
