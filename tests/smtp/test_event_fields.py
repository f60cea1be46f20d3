"""Events as callers describe them: times that are read, and fields that are refused."""

from __future__ import annotations

import sys
import zoneinfo
from collections.abc import Iterator
from typing import cast

import pytest

from tests.smtp.support import LEGACY, MAIL, Desk
from tests.smtp.test_invitations import INVITING, event_in, mail
from tests.support.clients import structured, text
from tests.support.person import Person


@pytest.mark.requirement("S-16")
@pytest.mark.parametrize(
    ("fields", "shown", "start", "end"),
    [
        (
            {"start": "2026-12-01T23:30", "end": "2026-12-02T01:00"},
            "2026-12-01 23:30 to 2026-12-02 01:00 Europe/Berlin "
            "(2026-12-01 22:30 to 2026-12-02 00:00 UTC)",
            "20261201T223000Z",
            "20261202T000000Z",
        ),
        (
            {"start": "2026-12-01T00:30", "end": "2026-12-01T01:30:15"},
            "2026-12-01 00:30 to 01:30:15 Europe/Berlin "
            "(2026-11-30 23:30 to 2026-12-01 00:30:15 UTC)",
            "20261130T233000Z",
            "20261201T003015Z",
        ),
        (
            {"timezone": None},
            "2026-12-01 09:00 to 10:00 UTC",
            "20261201T090000Z",
            "20261201T100000Z",
        ),
        (
            {"timezone": None, "start": "2026-12-01T09:00Z", "end": "2026-12-01T10:00+00:00"},
            "2026-12-01 09:00 to 10:00 UTC",
            "20261201T090000Z",
            "20261201T100000Z",
        ),
        (
            {"timezone": None, "start": "2026-12-01T09:00-05:00", "end": "2026-12-01T16:00+01:00"},
            "2026-12-01 09:00 -05:00 to 16:00 +01:00 (14:00 to 15:00 UTC)",
            "20261201T140000Z",
            "20261201T150000Z",
        ),
        (
            # The hour that comes twice: the first of both.
            {"start": "2026-10-25T02:30", "end": "2026-10-25T03:30"},
            "2026-10-25 02:30 to 03:30 Europe/Berlin (00:30 to 02:30 UTC)",
            "20261025T003000Z",
            "20261025T023000Z",
        ),
        (
            {"timezone": "Asia/Kolkata", "start": "2026-12-01T00:00", "end": "2027-12-02T00:00"},
            "2026-12-01 00:00 to 2027-12-02 00:00 Asia/Kolkata "
            "(2026-11-30 18:30 to 2027-12-01 18:30 UTC)",
            "20261130T183000Z",
            "20271201T183000Z",
        ),
        (
            {"timezone": None, "start": "2026-12-24", "end": "2026-12-26"},
            "2026-12-24 to 2026-12-26, whole days",
            "20261224",
            "20261227",
        ),
        (
            {"timezone": None, "start": "2028-02-29", "end": "2028-02-29"},
            "2028-02-29, whole day",
            "20280229",
            "20280301",
        ),
    ],
)
async def test_times_are_read_shown_and_sent(
    fields: dict[str, object], shown: str, start: str, end: str, desk: Desk
) -> None:
    person = Person()
    structured(await desk.ask("send_mail", mail(**fields), person, LEGACY))
    [line] = [one for one in person.messages[0].split("\n") if "Invitation: " in one]
    assert line.removeprefix("  Invitation: ").strip("«»") == shown
    event = event_in(desk)
    for name, value in (("DTSTART", start), ("DTEND", end)):
        [one] = event.all(name)
        assert one.value == value
        assert one.parameters == ({} if "T" in value else {"VALUE": "DATE"})


OFFSET = {"start": "2026-12-01T09:00Z", "end": "2026-12-01T10:00Z"}


@pytest.mark.requirement("S-16")
@pytest.mark.parametrize(
    ("fields", "refusal"),
    [
        ({"start": None}, "event.start: is required"),
        ({"start": "tomorrow"}, "event.start: must be a time such as"),
        ({"start": "2026-02-30T09:00"}, "event.start: must be a time such as"),
        ({"start": "2026-12-01T09"}, "event.start: must be a time such as"),
        ({"start": "2026-12-01 09:00"}, "event.start: must be a time such as"),
        ({"end": "2026-12-01T10:00\n"}, "event.end: must be a time such as"),
        ({"end": "2026-12-01T10:00+25:00"}, "event.end: must be a time such as"),
        ({"end": "\uff12026-12-01T10:00"}, "event.end: must be a time such as"),
        ({"start": "1969-12-01T09:00"}, "event.start: must lie in the years 1970 to 9998"),
        ({"end": "9999-12-01T09:00"}, "event.end: must lie in the years 1970 to 9998"),
        ({"start": 9}, "event.start: must be text"),
        ({"end": "2026-12-01"}, "event.end: must have the form of start"),
        ({"end": "2026-12-01T10:00Z"}, "event.end: must have the form of start"),
        ({"end": "2026-12-01T09:00"}, "event.end: must lie after start"),
        ({"end": "2026-12-01T08:59:59"}, "event.end: must lie after start"),
        ({"end": "2027-12-02T09:00:01"}, "event.end: may lie at most 366 days after start"),
        ({"timezone": "Europe/Berlim"}, "event.timezone: must be the IANA name"),
        ({"timezone": "Europe"}, "event.timezone: must be the IANA name"),
        ({"timezone": "../../etc/passwd"}, "event.timezone: must be the IANA name"),
        ({"timezone": "localtime"}, "event.timezone: must be the IANA name"),
        (OFFSET, "event.timezone: goes only with times that have no offset"),
        (
            {"start": "2026-12-01", "end": "2026-12-02"},
            "event.timezone: goes only with times that have no offset",
        ),
        (
            {"timezone": None, "start": "2026-12-02", "end": "2026-12-01"},
            "event.end: is the last day",
        ),
        (
            {"timezone": None, "start": "2026-12-01", "end": "2027-12-02"},
            "event.end: may lie at most 366 days after start",
        ),
        (
            {"start": "2026-03-29T02:30", "end": "2026-03-29T04:00"},
            "event.start: does not exist there",
        ),
        (
            {"start": "2026-03-29T01:30", "end": "2026-03-29T02:30"},
            "event.end: does not exist there",
        ),
        ({"summary": "a\nb"}, "event.summary: holds U+000A"),
        ({"summary": "x" * 256}, "event.summary: may have at most 255 characters"),
        ({"location": "\u202ex"}, "event.location: holds U+202E"),
        ({"location": "x" * 256}, "event.location: may have at most 255 characters"),
        ({"description": "x" * 8_001}, "event.description: may have at most 8000 characters"),
        ({"description": "a\x00"}, "event.description: holds the control character U+0000"),
        ({"uid": ""}, "event.uid: must be 1 to 255 visible ASCII"),
        ({"uid": "a b"}, "event.uid: must be 1 to 255 visible ASCII"),
        ({"uid": "x" * 256}, "event.uid: must be 1 to 255 visible ASCII"),
        ({"sequence": -1}, "event.sequence: must be at least 0 and at most 1000"),
        ({"sequence": 1_001}, "event.sequence: must be at least 0 and at most 1000"),
        ({"sequence": 1.5}, "event.sequence: must be a whole number"),
        ({"cancel": "yes"}, "event.cancel: must be true or false"),
        ({"cancel": True}, "event.uid: is needed with cancel"),
        ({"rrule": "FREQ=DAILY"}, "event.rrule: is not known here"),
    ],
)
@pytest.mark.parametrize("tool", ["send_mail", "preview_mail"])
async def test_a_field_that_is_not_right_is_named(
    tool: str, fields: dict[str, object], refusal: str, desk: Desk
) -> None:
    result = await desk.ask(tool, mail(**fields))
    assert result.is_error
    assert text(result).startswith(refusal)
    assert (desk.remaining, desk.backend.connections) == (20, 0)


@pytest.mark.parametrize("value", ["tomorrow", ["x"], 5])
async def test_an_event_is_an_object(value: object, desk: Desk) -> None:
    result = await desk.ask("send_mail", {**MAIL, "event": value})
    assert text(result).startswith("event: must be an object")


@pytest.fixture
def no_zones(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine without a time zone database."""
    before = zoneinfo.TZPATH
    zoneinfo.ZoneInfo.clear_cache()
    zoneinfo.reset_tzpath(())
    for name in {"tzdata", *(known for known in sys.modules if known.startswith("tzdata."))}:
        monkeypatch.setitem(sys.modules, name, cast("object", None))
    yield
    zoneinfo.reset_tzpath(before)
    zoneinfo.ZoneInfo.clear_cache()


@pytest.mark.requirement("S-16")
@pytest.mark.usefixtures("no_zones")
async def test_without_a_time_zone_database_the_error_says_so(desk: Desk) -> None:
    result = await desk.ask("preview_mail", INVITING)
    assert text(result) == (
        "event.timezone: cannot be looked up: this machine has no time zone database (tzdata); "
        "give start and end with an offset"
    )
    for fields in ({"timezone": "UTC"}, {"timezone": None}, {"timezone": None, **OFFSET}):
        structured(await desk.ask("preview_mail", mail(**fields)))
