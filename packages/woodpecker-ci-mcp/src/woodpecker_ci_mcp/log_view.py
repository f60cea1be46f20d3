"""What a caller sees of a log: text, counts, and how to see more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired

from typing_extensions import TypedDict

from mcp_serverkit.text.injection_signs import signs_in
from woodpecker_ci_mcp.log_search import Found
from woodpecker_ci_mcp.logs import Line, Window

SIGNS = ("prior-override", "assistant-address", "pipeline-order")
"""Few on purpose: a build log is full of downloads and of words about secrets."""


class LogView(TypedDict):
    """Lines of a log."""

    exit_code: NotRequired[int]
    lines: int
    total_lines: int
    first_line: NotRequired[int]
    matches: NotRequired[list[int]]
    total_matches: NotRequired[int]
    suspicious: NotRequired[bool]
    note: NotRequired[str]
    output: str


def window_view(window: Window, line_numbers: bool) -> LogView:
    """Show some consecutive lines."""
    shown = window.lines
    view: LogView = {"lines": len(shown), "total_lines": window.total, "output": ""}
    if shown:
        view["first_line"] = shown[0].number
    notes = []
    if len(shown) < window.total:
        notes.append(
            f"{len(shown)} of {window.total} lines; limit, from, offset, around_line and search "
            "show others"
        )
    if window.cut:
        notes.append("the byte limit cut it short")
    _finish(view, shown, notes, line_numbers)
    return view


def found_view(found: Found, total: int) -> LogView:
    """Show what a search found, with line numbers; a gap is marked."""
    view: LogView = {
        "lines": len(found.lines),
        "total_lines": total,
        "matches": list(found.matches),
        "total_matches": found.total_matches,
        "output": "",
    }
    notes = []
    if len(found.matches) < found.total_matches:
        notes.append(
            f"{len(found.matches)} of {found.total_matches} matching lines; max_matches shows more"
        )
    if found.cut:
        notes.append("the byte limit cut it short")
    _finish(view, found.lines, notes, line_numbers=True)
    return view


def _finish(view: LogView, lines: Sequence[Line], notes: list[str], line_numbers: bool) -> None:
    view["output"] = _text(lines, line_numbers)
    if notes:
        view["note"] = "; ".join(notes)
    if signs_in(view["output"], SIGNS):
        view["suspicious"] = True


def _text(lines: Sequence[Line], line_numbers: bool) -> str:
    if not line_numbers:
        return "\n".join(line.text for line in lines)
    written: list[str] = []
    for position, line in enumerate(lines):
        if position and lines[position - 1].number != line.number - 1:
            written.append("--")
        written.append(f"{line.number} +{line.seconds}s: {line.text}")
    return "\n".join(written)
