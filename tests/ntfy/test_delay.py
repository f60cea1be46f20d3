"""Delays: sent as text, judged by the server, explained by its code."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.backends.ntfy.durations import parse_delay
from tests.ntfy.support import (
    ALLOWLIST,
    NOBODY,
    listed,
    publish_refused,
    published_body,
    serve,
    use,
)
from tests.support.clients import structured, text
from tests.support.person import Person


@pytest.mark.requirement("R-02")
@pytest.mark.parametrize("delay", ["1798761600", 1798761600, "5s", "4d"])
async def test_a_delay_is_sent_as_text_for_the_server_to_judge(
    delay: object, backend: NtfyBackend
) -> None:
    backend.respond_next(200, {"id": "Ab3dE5gH7jK9", "time": 1797990010})
    assert (await published_body(backend, {"message": "x", "delay": delay}))["delay"] == str(delay)


@pytest.mark.requirement("R-02")
@pytest.mark.parametrize("delay", ["", "  ", "x" * 65, True, 1.5, ["5m"]])
async def test_what_no_server_takes_as_delay_is_refused(
    delay: object, backend: NtfyBackend
) -> None:
    assert (await publish_refused(backend, {"message": "x", "delay": delay})).startswith("delay:")


@pytest.mark.requirement("R-02")
@pytest.mark.parametrize(
    ("delay", "code", "words"),
    [
        ("4d", 40006, "3 days"),
        ("5s", 40005, "10 seconds"),
    ],
)
async def test_the_delay_errors_are_problems_of_delay(
    delay: str, code: int, words: str, backend: NtfyBackend
) -> None:
    server = serve(backend, ALLOWLIST)
    result = await use(server, "publish_message", {"message": "x", "delay": delay})
    assert result.is_error
    assert str(code) in text(result)
    assert "The problem is delay" in text(result)
    assert words in text(result)
    assert "message limit" not in text(result)


@pytest.mark.requirement("R-29", "N-7")
@pytest.mark.parametrize(
    ("delay", "sent"),
    [
        ("2026-12-01T10:00:00+01:00", "1796115600"),
        ("2026-12-01 09:00Z", "1796115600"),
        ("2026-12-01t09:00:00.001z", "1796115601"),
        ("2026-12-01T11:00:00.0+0200", "1796115600"),
        ("90m", "90m"),
        ("1h30m", "1h30m"),
        ("1.5H", "1.5h"),
        ("2 Days", "2 days"),
        ("45 min", "45 min"),
        ("30secs", "30secs"),
        ("10am", "10am"),
        ("8:30 pm", "8:30 pm"),
        ("16:00", "16:00"),
        ("00:00", "00:00"),
        ("12pm", "12pm"),
        ("tomorrow 10am", "tomorrow 10am"),
        ("Monday, 07:30", "Monday, 07:30"),
        (" 30m ", "30m"),
    ],
)
async def test_a_time_whose_meaning_is_known_is_sent(
    delay: str, sent: str, backend: NtfyBackend
) -> None:
    backend.respond_next(200, {"id": "Ab3dE5gH7jK9", "time": 1797990010})
    assert (await published_body(backend, {"message": "x", "delay": delay}))["delay"] == sent


@pytest.mark.requirement("R-02", "R-29", "N-7")
@pytest.mark.parametrize("tool", ["publish_message", "update_message"])
@pytest.mark.parametrize(
    "delay",
    [
        *("soonish", "tomorrow at 9", "today 8am", "10:00 UTC", "tomorrow", "noon", "in 5 minutes"),
        *("next friday 10am", "10 am tomorrow", "Mon 10am", "13pm", "0am", "24:00", "8:60 am"),
        *("1h 30m", "30m1h", "-5m", "9999999h", "999999d", "99999999999999999999", "1e3", "h"),
        *("2026-12-01", "2026-12-01T10", "2026-12-01T10:00.5Z", "2026-02-30T10:00:00Z"),
    ],
)
async def test_what_ntfy_would_read_in_part_never_leaves(
    delay: str, tool: str, backend: NtfyBackend
) -> None:
    person = Person()
    given = {"message": "x", "delay": delay}
    arguments = given if tool == "publish_message" else {**given, "sequence_id": "job"}
    result = await use(serve(backend, ALLOWLIST), tool, arguments, person=person)
    assert text(result).startswith("delay: ")
    assert person.questions == []
    assert backend.requests == []


@pytest.mark.requirement("R-29", "N-7")
@pytest.mark.parametrize(
    ("delay", "words"),
    [
        ("2026-12-01 10:00", "add an offset, such as Z or +02:00"),
        ("2026-12-01T10:00:00", "add an offset"),
        ("12am", "00:00"),
        ("tomorrow 12:30 AM", "00:00"),
        ("soonish", "tomorrow 10am"),
    ],
)
async def test_a_refused_delay_is_told_with_what_helps(
    delay: str, words: str, backend: NtfyBackend
) -> None:
    assert words in await publish_refused(backend, {"message": "x", "delay": delay})


@pytest.mark.requirement("N-8")
@pytest.mark.parametrize("hours", [0, 9])
async def test_a_time_of_day_is_that_of_the_instance_and_the_result_says_so(hours: int) -> None:
    zone = timezone(timedelta(hours=hours))
    with NtfyBackend(users=False, time_zone=zone) as backend:
        backend.now = lambda: 1796115600.0
        server = serve(backend, {**ALLOWLIST, **NOBODY})
        result = await use(server, "publish_message", {"message": "x", "delay": "tomorrow 10am"})
    (entry,) = listed(structured(result), "results")
    assert "in the time zone of the instance" in str(entry["note"])
    assert entry["delivers_at"] == f"2026-12-02T{10 - hours:02}:00:00Z"
    assert entry["scheduled"] is True
    assert "time" not in entry


@pytest.mark.requirement("N-7")
async def test_a_number_in_the_past_is_told_by_the_clock_of_the_instance(
    backend: NtfyBackend,
) -> None:
    given = {"message": "x", "delay": "2020-01-01T00:00:00Z"}
    result = await use(serve(backend, ALLOWLIST), "publish_message", given)
    assert "code 40004" in text(result)
    assert "not in the future by the instance's clock" in text(result)
    assert "2020-01-01T00:00:00Z" in text(result)


@pytest.mark.parametrize(
    ("phrase", "due"),
    [
        ("10am", "2026-12-01T10:00"),
        ("9am", "2026-12-02T09:00"),
        ("12am", "2026-12-01T12:00"),
        ("00:00", "2026-12-02T00:00"),
        ("tomorrow at 9", "2026-12-02T09:15"),
        ("2026-12-01 10:00", "2026-12-01T12:01"),
        ("today 8am", "2026-12-02T09:15"),
        ("10:00 UTC", "2026-12-01T10:00"),
        ("Tuesday 10am", "2026-12-08T10:00"),
        ("Monday, 07:30", "2026-12-07T07:30"),
        ("sunday 8:30 pm", "2026-12-06T20:30"),
        ("in 5 minutes", "2026-12-01T09:20"),
        ("soonish", None),
        ("24:00", None),
    ],
)
def test_the_stand_in_reads_a_phrase_as_ntfy_does(phrase: str, due: str | None) -> None:
    now = datetime(2026, 12, 1, 9, 15, tzinfo=UTC).timestamp()
    seconds = parse_delay(phrase, now=now)
    assert due == (
        None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M")
    )
