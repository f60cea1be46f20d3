"""Exit codes, where they are ones, and what some of them mean."""

from __future__ import annotations

import signal

from mcp_serverkit.http.json_fields import Document, number_of, text_or_empty

_MEANINGS = {
    -1: "no code: the process was killed or could not be started",
    124: "a timeout ran out",
    125: "the container could not be started",
    126: "not executable",
    127: "command not found",
}


def exit_view(step: Document) -> Document:
    """Show the exit code of a step, and its meaning where that needs words.

    Woodpecker sends 0 for a step that never ran as well, so only a success, or a failure
    with another code, has one.
    """
    state, code = text_or_empty(step, "state"), number_of(step, "exit_code")
    if state == "success":
        return {"exit_code": code or 0}
    if state != "failure" or not code:
        return {}
    view: Document = {"exit_code": code}
    if meaning := exit_meaning(code):
        view["exit_meaning"] = meaning
    return view


def exit_meaning(code: int) -> str:
    """Say what a code means; empty where it is the program's own."""
    if code in _MEANINGS:
        return _MEANINGS[code]
    try:
        name = signal.Signals(code - 128).name
    except ValueError:
        return ""
    often = ", often out of memory" if code == 137 else ""
    return f"ended by signal {code - 128} ({name}){often}"
