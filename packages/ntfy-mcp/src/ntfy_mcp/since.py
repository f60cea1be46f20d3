"""Where a reading starts: what the caller writes, what ntfy is asked, and where to go on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mcp_serverkit.http.json_fields import Document, number_of
from ntfy_mcp.written_times import read_moment

FORMS = (
    "all, latest, none, a cursor or id of an earlier result, Unix seconds, a date and time with "
    "offset, or a duration such as 30m, 24h, 7d or 1h30m"
)

LATE_SECONDS = 30
"""How far a cursor reaches back: ntfy delivers what is due up to 10 s late, under its old time."""

SEEN_LIMIT = 64
"""How many entries a cursor remembers; about 450 characters."""

PREFIX_CHARS = 6
"""How much of an id tells it from others: one in 57 thousand million is equal."""

_DURATION = re.compile(r"(?:[0-9]{1,9}(?:ns|us|ms|s|m|h|d))+")
_PARTS = re.compile(r"([0-9]+)(ns|us|ms|s|m|h)")
_UNIT_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_MESSAGE_ID = re.compile(r"[A-Za-z0-9]{12}")
_UNIX = re.compile(r"[0-9]{1,11}")
# Six digits at least, so that no mistyped duration such as 1.5h is one.
_CURSOR = re.compile(rf"([0-9]{{6,11}})((?:\.[A-Za-z0-9]{{1,{PREFIX_CHARS}}}){{1,{SEEN_LIMIT}}})")


@dataclass(frozen=True, slots=True)
class Since:
    """Where a reading starts.

    Attributes:
        sent: What ntfy is asked; empty while the time of a message must be read first.
        message_id: The message behind which to start.
        seen: Beginnings of ids that were handed over before.
        seconds: Unix time of the start, or seconds before now when negative.
        shows: Whether anything is to be shown at all.
    """

    sent: str
    message_id: str = ""
    seen: frozenset[str] = frozenset()
    seconds: float = 0.0
    shows: bool = True

    def start(self, now: float) -> float:
        """Return the Unix time of the start."""
        return now + self.seconds if self.seconds < 0 else self.seconds

    def knows(self, entry: Document) -> bool:
        """Tell whether an entry was handed over before, or is the one to start behind."""
        name = str(entry["id"])
        return name[:PREFIX_CHARS] in self.seen or name == self.message_id


def check_since(value: object) -> object:
    """Accept the forms; ntfy's own, and those that are translated here."""
    if isinstance(value, str):
        read_since(value)
    return value


def read_since(text: str) -> Since:
    """Read a start as the caller wrote it.

    Raises:
        ValueError: It is none of the forms.
    """
    if text in {"all", "latest"}:
        return Since(text)
    if text == "none":
        return Since(f"{LATE_SECONDS}s", seconds=-LATE_SECONDS, shows=False)
    if _DURATION.fullmatch(text):
        return _before_now(text)
    if _MESSAGE_ID.fullmatch(text):
        return Since("", message_id=text)
    if _UNIX.fullmatch(text):
        return since_time(int(text))
    found = _CURSOR.fullmatch(text)
    if found is not None:
        return since_time(int(found[1]), seen=frozenset(found[2].split(".")[1:]))
    moment = read_moment(text)
    if moment is None:
        raise ValueError(f"must be {FORMS}")
    return since_time(moment[0])


def since_time(seconds: int, *, message_id: str = "", seen: frozenset[str] = frozenset()) -> Since:
    """Start at a Unix time; ntfy reads the second 1 as "none"."""
    sent = "all" if seconds <= 1 else str(seconds)
    return Since(sent, message_id, seen, float(max(0, seconds)))


def cursor(
    since: Since, now: float, handed_over: Sequence[Document], left_out: Sequence[Document]
) -> tuple[str, bool]:
    """Make the cursor behind what was handed over.

    Args:
        since: Where this reading started.
        now: Unix time of the answer.
        handed_over: Delivered entries in the result, oldest first.
        left_out: Delivered entries that must not come again although they were not shown.

    Returns:
        The cursor, and whether it had to forget some of what was seen.
    """
    start = now - LATE_SECONDS
    if handed_over:
        last = number_of(handed_over[-1], "time")
        start = start if last is None else min(start, last)
    start = int(max(start, since.start(now)))
    recent = [
        str(entry["id"])[:PREFIX_CHARS]
        for entry in sorted([*left_out, *handed_over], key=_time_of)
        if _time_of(entry) >= start
    ]
    names = list(dict.fromkeys(name for name in recent if re.fullmatch(r"[A-Za-z0-9]+", name)))
    return ".".join([f"{start:06}", *names[-SEEN_LIMIT:]]), len(names) > SEEN_LIMIT


def _before_now(text: str) -> Since:
    sent = re.sub(r"([0-9]+)d", lambda days: f"{int(days[1]) * 24}h", text)
    seconds = sum(int(number) * _UNIT_SECONDS[unit] for number, unit in _PARTS.findall(sent))
    # ntfy takes any twelve letters and digits for a message id.
    return Since(f"{sent}0s" if len(sent) == 12 else sent, seconds=-max(seconds, 1e-9))


def _time_of(entry: Document) -> int:
    return number_of(entry, "time") or 0
