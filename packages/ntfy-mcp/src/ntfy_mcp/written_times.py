"""Times as a caller writes them: taken where their whole meaning is known, else refused.

ntfy reads what it understands of a phrase and drops the rest, so that a date it cannot read
means "in 24 hours". What it would read in part never leaves here.
"""

from __future__ import annotations

import re
from datetime import datetime

DELAY_FORMS = (
    "Unix seconds; a date and time with offset such as 2026-12-01T10:00:00+01:00; a duration such "
    "as 30m, 1h30m or 2 days; or a time of day such as 10am, 16:00, tomorrow 10am or "
    "Monday, 07:30"
)
ADD_OFFSET = "add an offset, such as Z or +02:00"

_ISO = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?(?:[.,]([0-9]{1,12}))?"
    r"(Z|[+-][0-9]{2}:?[0-9]{2})?"
)
_UNIX = re.compile(r"[0-9]{1,18}")
# Bounded, since ntfy multiplies some of these without looking for an overflow.
_NUMBER = r"[0-9]{1,6}"
_GO = re.compile(
    rf"(?={_NUMBER})(?:{_NUMBER}(?:\.[0-9]{{1,6}})?h)?(?:{_NUMBER}(?:\.[0-9]{{1,6}})?m)?"
    rf"(?:{_NUMBER}(?:\.[0-9]{{1,6}})?s)?",
    re.IGNORECASE,
)
_UNITS = re.compile(
    rf"(?:[0-9]{{1,5}} ?(?:d|days?)|{_NUMBER} ?(?:h|hours?|m|mins?|minutes?|s|secs?|seconds?))",
    re.IGNORECASE,
)
_DAY = r"(?:(?:tomorrow|monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?:, ?| ))?"
_TIME_OF_DAY = re.compile(
    rf"{_DAY}(?:(?P<half>1[0-2]|0?[1-9])(?::[0-5][0-9])? ?(?P<which>am|pm)"
    r"|(?:[01]?[0-9]|2[0-3]):[0-5][0-9])",
    re.IGNORECASE,
)


def read_moment(text: str) -> tuple[int, bool] | None:
    """Read an ISO 8601 date and time.

    Returns:
        Unix seconds and whether a fraction was left off; nothing for another form.

    Raises:
        ValueError: It has no offset, or is no date of the calendar.
    """
    found = _ISO.fullmatch(text.upper())
    if found is None:
        return None
    date, minutes, seconds, fraction, offset = found.groups()
    if offset is None:
        raise ValueError(f"has no time zone: {ADD_OFFSET}")
    if fraction is not None and seconds is None:
        return None
    try:
        moment = datetime.fromisoformat(f"{date}T{minutes}{seconds or ':00'}{offset}")
    except ValueError:
        raise ValueError("is no date and time of the calendar") from None
    return int(moment.timestamp()), bool((fraction or "").strip("0"))


def delay_to_send(delay: int | str) -> str:
    """Turn a delay into what ntfy reads as it is meant.

    Raises:
        ValueError: ntfy would read it in part, or not at all.
    """
    text = str(delay).strip(" ")
    moment = read_moment(text)
    if moment is not None:
        seconds, more = moment
        return str(seconds + more)
    if _UNIX.fullmatch(text):
        return text
    if _UNITS.fullmatch(text) or _GO.fullmatch(text):
        # ntfy knows its units in lower case only.
        return text.lower()
    clock = _TIME_OF_DAY.fullmatch(text)
    if clock is None:
        raise ValueError(f"must be one of: {DELAY_FORMS}")
    if clock["half"] == "12" and clock["which"].lower() == "am":
        raise ValueError("12 am means noon to ntfy; midnight is 00:00")
    return text


def is_time_of_day(delay: object) -> bool:
    """Tell whether a delay depends on the time zone of the instance."""
    return isinstance(delay, str) and _TIME_OF_DAY.fullmatch(delay) is not None
