"""The `ELICITATION` variable, and the start line that makes it visible."""

from __future__ import annotations

VARIABLE = "ELICITATION"


def parse_elicitation(value: str | None) -> bool:
    """Read the switch: unset or blank is true.

    Raises:
        ValueError: Neither `true` nor `false`; the value itself is not repeated.
    """
    word = (value or "").strip().lower()
    if word in {"", "true"}:
        return True
    if word == "false":
        return False
    from mcp_approval.wording import counted  # only a refused value is described

    characters = counted(len(word), "character")
    raise ValueError(f"must be true or false, not a value of {characters}")


def start_line(server: str, who: str = "guarded tools", remark: str = "") -> str:
    """Compose the line that a server prints at start when its dialogs are off."""
    line = f"{server}: {VARIABLE}=false — {who} fall back to the two-call token"
    return f"{line}, {remark}" if remark else line
