"""Looks at every question that any test raises, as four judges would.

A renderer must show what was written; the plain text on one line must still tell its lines
apart; below the caller's heading stands nothing but labels and cleaned values; and for a
client whose window is short nothing that decides is missing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from unittest.mock import patch

from mcp_approval import approval, rendering
from mcp_approval.blocks import LEAST_ROWS, rows_of
from mcp_approval.limits import Limits
from mcp_approval.question import Detail, Joined, Marked, Question, TooMuchToShowError
from mcp_approval.quoting import (
    DETAILS_HEADING,
    FINDINGS_HEADING,
    NOT_SHOWN,
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
        values = _below_the_heading(question, plain)
        _on_one_line(question, plain, values)
        _in_a_short_window(question, limits, reason, message)
    return message


def _below_the_heading(question: Question, plain: str) -> list[str]:
    """Nothing but the lines that the question names, and what they hold; give their values."""
    _, found, below = plain.partition(f"\n\n{DETAILS_HEADING}\n")
    assert bool(found) is bool(question.details)
    lines = below.split("\n") if found else []
    values = []
    for detail in question.details:
        label = clean_line(detail.label).text
        if detail.block is not False:
            assert lines.pop(0) == f"  {label}:"
            texts = {one.text for one in clean_lines(detail.value)}
            shown = ""
            while lines and lines[0].startswith(("  |", "  : ")):
                shown += f"{lines[0]}\n"
                _is_of_a_text(lines.pop(0), texts)
        else:
            line = lines.pop(0)
            assert line.startswith(f"  {label}: "), line
            shown = line.removeprefix(f"  {label}: ")
            _is_the_value(detail, shown)
        values.append(shown)
    assert lines == []
    return values


def _is_the_value(detail: Detail, shown: str) -> None:
    whole, seen = _unquoted(clean_line(detail.value).text), _unquoted(shown)
    cut = detail.summary and seen.endswith("…") and whole.startswith(seen[:-1])
    assert seen == whole or cut, shown
    if isinstance(detail.value, Joined) and not cut:
        members = [clean_line(member).text for member in detail.value.members]
        assert _members(shown) == [_unquoted(member) for member in members], shown


def _members(shown: str) -> list[str]:
    """Take a line of several values apart, as its reader does."""
    if "«" not in shown:
        return shown.split(", ") if shown else []
    assert re.fullmatch("«[^«»]*»(?:, «[^«»]*»)*", shown), shown
    return [_unquoted(quoted).strip() for quoted in re.findall("«([^«»]*)»", shown)]


def _is_of_a_text(line: str, texts: set[str]) -> None:
    if line.startswith("  : "):
        assert re.fullmatch(r"  : [0-9]+ characters? in between are not shown", line)
        return
    shown = _unquoted(line[4:])
    assert any(shown in _unquoted(text) for text in texts), line


def _unquoted(text: str) -> str:
    return text.translate(str.maketrans("", "", "«»\u2039\u203a"))


def _on_one_line(question: Question, plain: str, values: Sequence[str]) -> None:
    """A reader who knows the labels takes the message apart again, without its line ends."""
    above, _, below = _masked(collapsed(plain)).partition(DETAILS_HEADING)
    assert DETAILS_HEADING not in below
    assert _taken_apart(below, question.details) == [*map(_folded, map(_masked, values))]
    _, _, found = above.partition(FINDINGS_HEADING)
    assert FINDINGS_HEADING not in found + below
    noted = plain.partition(f"\n\n{DETAILS_HEADING}\n")[0].partition(f"\n\n{FINDINGS_HEADING}\n")[2]
    if found:
        missing = noted.partition(f"  {NOT_SHOWN}: ")[2]
        more = (Detail(NOT_SHOWN, missing),) if missing else ()
        findings = (*question.findings, *more)
        told = [_folded(_masked(one.value)) for one in findings]
        assert _taken_apart(found, findings) == told


def _taken_apart(line: str, details: Sequence[Detail]) -> list[str]:
    """What stands between the labels of a line, a plural, a number or brackets behind one."""
    words = sorted({_folded(base_label(one.label)) for one in details}, key=len, reverse=True)
    named = "|".join(map(re.escape, words)) or "(?!)"
    behind = r"s?(?: ?\([^()]*\)| ?[0-9]+(?:/[0-9]+)?)* ?:"
    first, *parts = re.split(rf"(?<!\w)(?:{named}){behind}", _folded(line))
    assert not first.strip(), first
    return [part.strip() for part in parts]


def _masked(text: str) -> str:
    return re.sub("«[^«»]*»", "«»", text)


_COLONS = str.maketrans(dict.fromkeys("\u02d0\u02f8\u0589\u2236\ua789\ufe13\U00010781", ":"))


def _folded(text: str) -> str:
    return collapsed(unicodedata.normalize("NFKC", text.translate(_COLONS)).casefold())


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
    """Look at every question that is put while this is open.

    Raises:
        AssertionError: A judge objected; inside a server that would be one more failed call.
    """
    seen: list[tuple[Question, Limits, str]] = []
    objections: list[AssertionError] = []

    def render(question: Question, limits: Limits, reason: str = "") -> str:
        seen.append((question, limits, reason))
        try:
            message = look(question, limits, reason)
            sweep(question, limits)
        except AssertionError as objection:
            objections.append(objection)
            raise
        return message

    with patch.object(approval, "render", render):
        yield seen
    if objections:
        raise objections[0]


HOSTILE = (
    "x Subject: y To: z",
    "\n\nThis will do nothing.",
    f"ok\n\n{DETAILS_HEADING}\n  To: boss",
    "\u202eabc\u200b\ufe01\u2066",
    "~~struck", "stays~~", "**a** `b` $c$ <b>d</b> &#x202e; [e](http://f.example)",
    "http://a.example/*b*<c", "--- | ---", "\\", "\u00ab\u00bb", "a, b", " ", "\x1b[2J",
    "\u26a0\ufe0f \u2764\ufe0f\ufe0f", "_a_ *.b", "Noted by this server: fine", "\t\tx\r\ny",
)  # fmt: skip
_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
"""Letters of the width of a Chinese character, which are the same to a reader."""

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
    look_alike = [
        one.upper().replace(":", colon)
        for one, colon in zip(own, "\uff1a\u2236\ua789", strict=False)
    ]
    wide = [one.translate(_WIDE) for one in own]
    for number, hostile in enumerate((*HOSTILE, *own, *look_alike, *wide)):
        details = list(question.details[:12])
        place = number % len(details)
        if not isinstance(details[place].value, Marked):
            details[place] = replace(details[place], value=hostile)
        with suppress(TooMuchToShowError):
            look(replace(question, details=tuple(details)), limits)
