"""Times as ntfy reads them: Go durations, `since` values and delays."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Literal

from .english import parse_english
from .errors import NtfyError

_UNIT_SECONDS = {
    "ns": 1e-9,
    "us": 1e-6,
    # Go takes both code points of the micro sign.
    "\N{MICRO SIGN}s": 1e-6,
    "\N{GREEK SMALL LETTER MU}s": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
}
_PART = rf"(\d+\.?\d*|\.\d+)({'|'.join(_UNIT_SECONDS)})"
_GO_DURATION = re.compile(rf"([-+]?)((?:{_PART})+)", re.ASCII)
_GO_PART = re.compile(_PART, re.ASCII)
_LONG_DURATION = re.compile(
    r"(\d+)\s*(d|days?|h|hours?|m|mins?|minutes?|s|secs?|seconds?)", re.ASCII | re.IGNORECASE
)
_WHOLE_NUMBER = re.compile(r"[-+]?\d+", re.ASCII)
_MESSAGE_ID = re.compile(r"[a-zA-Z0-9]{12}")
_LONG_UNIT_SECONDS = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
_GO_LARGEST_SECONDS = 9_223_372_036
_LARGEST_INT = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Since:
    """Where a reader wants to start."""

    kind: Literal["none", "latest", "id", "time"]
    time: int = 0
    message_id: str = ""


def parse_go_duration(text: str) -> float | None:
    """Seconds of a Go duration such as `1h30m`, or None."""
    if text in {"0", "+0", "-0"}:
        return 0.0
    found = _GO_DURATION.fullmatch(text)
    if found is None:
        return None
    seconds = sum(float(n) * _UNIT_SECONDS[unit] for n, unit in _GO_PART.findall(found[2]))
    if seconds > _GO_LARGEST_SECONDS:
        return None
    return -seconds if found[1] == "-" else seconds


def parse_since(text: str, *, poll: bool, now: float) -> Since:
    """The start of a poll or stream; raises 40008 for anything not understood."""
    if text == "":
        return Since("time") if poll else Since("none")
    if text == "all":
        return Since("time")
    if text == "latest":
        return Since("latest")
    # ntfy keeps "none" internally as second 1, so that second means none too.
    if text in {"none", "1", "+1", "01"}:
        return Since("none")
    if _MESSAGE_ID.fullmatch(text):
        return Since("id", message_id=text)
    number = _whole_number(text)
    if number is not None:
        return Since("time", time=number)
    seconds = parse_go_duration(text)
    if seconds is None:
        raise NtfyError(40008)
    return Since("time", time=int(now - seconds))


def parse_delay(text: str, *, now: float, zone: tzinfo = UTC) -> int | None:
    """The due second of a delay, or None when it is not understood."""
    text = text.strip()
    number = _whole_number(text)
    if number is not None and number >= int(now):
        return number
    seconds = parse_go_duration(text)
    if seconds is None:
        found = _LONG_DURATION.fullmatch(text)
        if found is not None and found[2][0] in _LONG_UNIT_SECONDS:
            seconds = float(int(found[1]) * _LONG_UNIT_SECONDS[found[2][0]])
    if seconds is not None:
        return int(now + seconds)
    return parse_english(text, now, zone)


def _whole_number(text: str) -> int | None:
    if not _WHOLE_NUMBER.fullmatch(text) or len(text) > 25:
        return None
    number = int(text)
    return number if -_LARGEST_INT - 1 <= number <= _LARGEST_INT else None
