"""An event that a message invites to or calls off, as a caller describes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, NamedTuple

from mcp_serverkit.errors import BadArgument

if TYPE_CHECKING:
    from mcp_approval.typing import JSONValue
    from smtp_mcp.argument_types import EventFields

FIRST_YEAR = 1970
LAST_YEAR = 9998
"""Zones know little about earlier years; a later one could not be moved to another zone."""

LONGEST = timedelta(days=366)
"""A year with its leap day; without recurrence nothing longer is an event."""

_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = rf"{_DAY}T[0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}})?(?:Z|[+-][0-9]{{2}}:[0-9]{{2}})?"
_ZONE = r"[A-Z][A-Za-z0-9_+-]*(?:/[A-Z][A-Za-z0-9_+-]*){0,2}"


@dataclass(frozen=True, slots=True)
class Event:
    """An event.

    Attributes:
        start: Its first moment in UTC, or its first day.
        end: The moment it ends in UTC, or the day behind its last.
        shown: Both in words, as a person reads them.
        summary: Its title; nothing for the subject of the message.
        location: Where it is.
        description: More about it; nothing for the body of the message.
        uid: What it is known by; nothing for a name made from the Message-ID.
        sequence: Which revision of it this is.
        cancel: Whether it is called off.
    """

    start: date | datetime
    end: date | datetime
    shown: str
    summary: str | None = None
    location: str | None = None
    description: str | None = None
    uid: str | None = None
    sequence: int = 0
    cancel: bool = False

    @property
    def content(self) -> dict[str, JSONValue]:
        """All of it in comparable form."""
        return {
            "start": self.start.isoformat(),
            "end": self.end.isoformat(),
            "shown": self.shown,
            "summary": self.summary,
            "location": self.location,
            "description": self.description,
            "uid": self.uid,
            "sequence": self.sequence,
            "cancel": self.cancel,
        }

    @property
    def text(self) -> str:
        """All that is said of it."""
        return "\n".join(filter(None, (self.summary, self.location, self.description)))

    @property
    def method(self) -> str:
        """What the calendar of a recipient is asked to do."""
        return "CANCEL" if self.cancel else "REQUEST"

    def title(self, subject: str) -> str:
        """Return what it is called: its own title, or the subject of its message."""
        return subject if self.summary is None else self.summary

    def named(self, message_id: str) -> str:
        """Return the name that recipients know the event by."""
        return self.uid or message_id.strip("<>")


class _Given(NamedTuple):
    """A time as it was written; `aware` with an offset, `whole` for a day."""

    at: datetime
    whole: bool

    @property
    def form(self) -> tuple[bool, bool]:
        return self.whole, self.at.tzinfo is not None


def event_of(fields: EventFields) -> Event:
    """Read the argument.

    Raises:
        BadArgument: Names the field that is not right.
    """
    cancel = fields.get("cancel", False)
    if cancel and "uid" not in fields:
        raise BadArgument("event.uid", "is needed with cancel: the event_uid of the invitation")
    start, end = _read(fields, "start"), _read(fields, "end")
    if start.form != end.form:
        raise BadArgument(
            "event.end", "must have the form of start: a date, a time with offset, or one without"
        )
    zone = fields.get("timezone")
    if zone is not None and start.form != (False, False):
        raise BadArgument("event.timezone", "goes only with times that have no offset of their own")
    first, last, shown = _days(start, end) if start.whole else _times(start, end, zone or "UTC")
    return Event(
        first,
        last,
        shown,
        summary=fields.get("summary"),
        location=fields.get("location"),
        description=fields.get("description"),
        uid=fields.get("uid"),
        sequence=fields.get("sequence", int(cancel)),
        cancel=cancel,
    )


def _read(fields: Mapping[str, object], name: str) -> _Given:
    text = str(fields[name])
    whole = re.fullmatch(_DAY, text) is not None
    try:
        if not whole and re.fullmatch(_TIME, text) is None:
            raise ValueError
        at = datetime.fromisoformat(text)
    except ValueError:
        raise BadArgument(
            f"event.{name}",
            "must be a time such as 2026-12-01T09:00, with Z or an offset such as +01:00 or "
            "without, or a date such as 2026-12-01",
        ) from None
    if not FIRST_YEAR <= at.year <= LAST_YEAR:
        raise BadArgument(f"event.{name}", f"must lie in the years {FIRST_YEAR} to {LAST_YEAR}")
    return _Given(at, whole)


def _days(start: _Given, end: _Given) -> tuple[date, date, str]:
    first, last = start.at.date(), end.at.date()
    if last < first:
        raise BadArgument("event.end", "is the last day, so it must not lie before start")
    behind = last + timedelta(days=1)
    _require_short(behind - first)
    shown = f"{first}, whole day" if first == last else f"{first} to {last}, whole days"
    return first, behind, shown


def _times(start: _Given, end: _Given, zone: str) -> tuple[datetime, datetime, str]:
    if start.at.tzinfo is None:
        there = _zone(zone)
        first, last = (_placed(n, g.at, there) for n, g in (("start", start), ("end", end)))
        labels = (zone, zone)
    else:
        first, last = start.at, end.at
        labels = (_offset(first), _offset(last))
    moments = first.astimezone(UTC), last.astimezone(UTC)
    if moments[1] <= moments[0]:
        raise BadArgument("event.end", "must lie after start")
    _require_short(moments[1] - moments[0])
    return *moments, _in_words((first, last), labels, moments)


def _require_short(length: timedelta) -> None:
    if length > LONGEST:
        raise BadArgument("event.end", f"may lie at most {LONGEST.days} days after start")


def _zone(name: str) -> tzinfo:
    if name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo, available_timezones

    if re.fullmatch(_ZONE, name):
        try:
            return ZoneInfo(name)
        except (KeyError, ValueError, OSError):
            pass
    if not available_timezones():
        raise BadArgument(
            "event.timezone",
            "cannot be looked up: this machine has no time zone database (tzdata); give start and "
            "end with an offset",
        )
    raise BadArgument("event.timezone", "must be the IANA name of a zone, such as Europe/Berlin")


def _placed(name: str, local: datetime, zone: tzinfo) -> datetime:
    """Set a local time into its zone; of a time that comes twice it is the first."""
    placed = local.replace(tzinfo=zone)
    if placed.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != local:
        raise BadArgument(f"event.{name}", "does not exist there: the clocks skip that time")
    return placed


def _offset(at: datetime) -> str:
    return "UTC" if not at.utcoffset() else at.isoformat()[-len("+00:00") :]


def _in_words(
    local: tuple[datetime, datetime], labels: tuple[str, str], moments: tuple[datetime, datetime]
) -> str:
    """Say when it is; a date is repeated only where it differs from the one before."""
    first, last = local
    begun = "" if labels[0] == labels[1] else f" {labels[0]}"
    said = f"{_clock(first, None)}{begun} to {_clock(last, first)} {labels[1]}"
    if labels == ("UTC", "UTC"):
        return said
    return f"{said} ({_clock(moments[0], last)} to {_clock(moments[1], moments[0])} UTC)"


def _clock(at: datetime, before: datetime | None) -> str:
    time = at.time().isoformat("seconds" if at.second else "minutes")
    known = before is not None and before.date() == at.date()
    return time if known else f"{at.date()} {time}"
