"""What holds for every value, not only for the ones that came to mind."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_serverkit.http.json_fields import Document
from mcp_serverkit.text.times import iso_time
from ntfy_mcp.access import covers
from ntfy_mcp.argument_types import check_url
from ntfy_mcp.since import cursor, read_since
from ntfy_mcp.views import message_view
from tests.backends.ntfy.durations import parse_since

DURATIONS = st.lists(
    st.tuples(st.integers(0, 9_999), st.sampled_from(["ns", "us", "ms", "s", "m", "h", "d"])),
    min_size=1,
    max_size=4,
).map(lambda parts: "".join(f"{number}{unit}" for number, unit in parts))

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)
FIELDS = (
    "event",
    "topic",
    "time",
    "expires",
    "sequence_id",
    "title",
    "message",
    "priority",
    "tags",
    "click",
    "icon",
    "actions",
    "attachment",
    "content_type",
    "encoding",
)


@given(st.text("aB-*", max_size=7), st.text("ab-", max_size=7), st.booleans())
def test_a_pattern_covers_what_its_regular_expression_does(
    pattern: str, topic: str, any_case: bool
) -> None:
    expression = ".*".join(re.escape(part) for part in pattern.split("*"))
    expected = re.fullmatch(expression, topic, re.IGNORECASE if any_case else 0) is not None
    assert covers(pattern, topic, any_case=any_case) is expected


@pytest.mark.requirement("T-ntfy-24")
@given(DURATIONS)
def test_a_duration_is_understood_by_the_instance_as_a_time(since: str) -> None:
    assert parse_since(read_since(since).sent, poll=True, now=1_797_990_000.0).kind == "time"


@pytest.mark.requirement("T-ntfy-24")
@given(st.integers(2, 99_999_999_999))
def test_seconds_are_sent_as_given(since: int) -> None:
    assert read_since(str(since)).sent == str(since)


@given(
    st.integers(0, 2_000_000_000),
    st.lists(st.tuples(st.text("aB1", min_size=12, max_size=12), st.integers(0, 60)), max_size=99),
)
def test_a_cursor_is_taken_back_and_knows_what_was_handed_over(
    now: int, rows: list[tuple[str, int]]
) -> None:
    entries: list[Document] = [{"id": name, "time": now - ago} for name, ago in rows]
    entries.sort(key=lambda entry: str(entry["time"]))
    text, forgot = cursor(read_since("all"), now, entries, [])
    again = read_since(text)
    assert len(text) <= 11 + 64 * 7
    recent = [entry for entry in entries if int(str(entry["time"])) >= again.seconds]
    assert forgot or all(again.knows(entry) for entry in recent)


@given(st.text(max_size=40) | st.text(max_size=20).map(lambda text: f"HTTPS://{text}"))
def test_an_address_that_is_taken_begins_as_ntfy_wants_it(value: str) -> None:
    try:
        checked = check_url(value)
    except ValueError:
        return
    assert isinstance(checked, str)
    assert checked.startswith(("http://", "https://"))
    assert checked.lower() == value.lower()


@given(
    st.fixed_dictionaries(
        {"id": st.text(min_size=1, max_size=20)}, optional=dict.fromkeys(FIELDS, JSON)
    )
)
def test_any_line_with_an_id_can_be_shown(entry: dict[str, object]) -> None:
    for delivered, name in ((True, "time"), (False, "delivers_at")):
        view = message_view(entry, delivered=delivered)
        assert isinstance(view["id"], str)
        assert (name in view) is not ("time_unavailable" in view)


@given(st.integers())
def test_a_time_beyond_the_calendar_is_none(seconds: int) -> None:
    shown = iso_time(seconds)
    assert shown is None or re.fullmatch(r"[0-9]{1,4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z", shown)
