"""English times as ntfy reads them: what it understands counts, the rest is dropped in silence."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo

_RELATIVE = re.compile(
    r"\bin\s+(\d+|an?|one|two|three|five|ten)\s+(second|minute|hour|day)s?\b", re.IGNORECASE
)
_WORDS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "five": 5, "ten": 10}
_UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY = re.compile(rf"\b(tomorrow|today|{'|'.join(_DAYS)})\b", re.IGNORECASE)
_HOUR = re.compile(r"(?:\W|^)(\d{1,2})\s*(am|pm)(?:\W|$)", re.IGNORECASE)
# A hyphen separates as well, so the middle of a date is taken for a time.
_MINUTE = re.compile(r"(?:\W|^)([01]?\d|2[0-3])[:-]([0-5]\d)(?:\s*(am|pm))?(?:\W|$)", re.IGNORECASE)


def parse_english(text: str, now: float, zone: tzinfo) -> int | None:
    """The second that is meant, in the zone of the server; None when nothing is understood."""
    here = datetime.fromtimestamp(now, zone)
    found = _read(text, here)
    if found is None:
        return None
    if found <= here:
        # ntfy then reads the text again, with a word before it that wins over "today".
        today = re.search(r"\btoday\b", text, re.IGNORECASE)
        found = here + timedelta(days=1) if today else _read(f"tomorrow, {text}", here)
    return None if found is None or found <= here else int(found.timestamp())


def _read(text: str, here: datetime) -> datetime | None:
    relative = _RELATIVE.search(text)
    if relative is not None:
        word = relative[1].lower()
        count = _WORDS[word] if word in _WORDS else int(word)
        return here + timedelta(seconds=count * _UNITS[relative[2].lower()])
    day, clock = _DAY.search(text), _clock(text)
    if day is None and clock is None:
        return None
    moment = here
    if day is not None:
        moment += timedelta(days=_days_ahead(day[1].lower(), here))
    if clock is not None:
        moment = moment.replace(hour=clock[0], minute=clock[1], second=0, microsecond=0)
    return moment


def _days_ahead(word: str, here: datetime) -> int:
    if word in _DAYS:
        return (_DAYS.index(word) - here.weekday() - 1) % 7 + 1
    return int(word == "tomorrow")


def _clock(text: str) -> tuple[int, int] | None:
    found = min(
        (match for match in (_HOUR.search(text), _MINUTE.search(text)) if match),
        key=lambda match: match.start(),
        default=None,
    )
    if found is None:
        return None
    half = found[found.re.groups]
    hour, minute = int(found[1]), int(found[2]) if found.re is _MINUTE else 0
    if half is not None and hour > 12:
        return None
    # Twelve with either half of the day is noon.
    return hour + 12 if half and half.lower() == "pm" and hour < 12 else hour, minute
