"""Filters are applied here, to what the notifications are now."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import ALLOWLIST, answer_with, line, listed, serve, use
from tests.support.clients import ERAS, Arguments, Era, structured
from tests.support.person import Person


async def act(backend: NtfyBackend, tool: str, arguments: Arguments) -> dict[str, object]:
    """Make an approved call."""
    return structured(await use(serve(backend, ALLOWLIST), tool, arguments, person=Person()))


@pytest.fixture
async def busy(backend: NtfyBackend) -> NtfyBackend:
    """Disk was published and deleted, Build was given another title."""
    for title, priority in (("Disk", 5), ("Build", 3)):
        sent = await act(
            backend, "publish_message", {"message": title, "title": title, "priority": priority}
        )
        name = listed(sent, "results")[0]["id"]
        if title == "Disk":
            await act(backend, "delete_messages", {"sequence_ids": [name]})
        else:
            renamed = {"sequence_id": name, "message": "ok", "title": "Build done"}
            await act(backend, "update_message", renamed)
    return backend


@pytest.mark.requirement("N-4")
@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ({"title": "Disk"}, 0),
        ({"priority": [5]}, 0),
        ({"title": "Build"}, 0),
        ({"title": "Build done"}, 1),
        ({"priority": ["default"]}, 1),
        ({"message": "ok", "tags": ["none"]}, 0),
        ({}, 1),
    ],
)
async def test_the_current_view_filters_what_is_there_now(
    filters: dict[str, object], count: int, busy: NtfyBackend
) -> None:
    result = await act(busy, "list_messages", {"view": "current", **filters})
    assert result["count"] == count


@pytest.mark.requirement("N-4")
@pytest.mark.parametrize(
    ("filters", "events"),
    [
        ({"title": "Disk"}, [("Disk", True), (None, None)]),
        ({"priority": [5]}, [("Disk", True), (None, None)]),
        ({"title": "Build"}, [("Build", None)]),
        ({"tags": ["x"]}, []),
        ({}, [("Disk", True), (None, None), ("Build", None), ("Build done", None)]),
    ],
)
async def test_the_whole_history_keeps_what_happened_to_what_is_shown(
    filters: dict[str, object], events: list[tuple[object, object]], busy: NtfyBackend
) -> None:
    result = await act(busy, "list_messages", filters)
    assert [
        (entry.get("title"), entry.get("deleted")) for entry in listed(result, "messages")
    ] == events


async def test_an_id_finds_all_revisions_of_its_sequence(busy: NtfyBackend) -> None:
    entries = listed(await act(busy, "list_messages", {}), "messages")
    first, revision = [entry["id"] for entry in entries if "Build" in str(entry.get("title"))]
    by_first = await act(busy, "list_messages", {"id": first})
    assert [entry["id"] for entry in listed(by_first, "messages")] == [first, revision]
    by_revision = await act(busy, "list_messages", {"id": revision})
    assert [entry["id"] for entry in listed(by_revision, "messages")] == [revision]


async def test_a_dismissed_one_says_so_in_the_history(backend: NtfyBackend) -> None:
    sent = await act(backend, "publish_message", {"message": "x"})
    name = listed(sent, "results")[0]["id"]
    await act(backend, "mark_messages_read", {"sequence_ids": [name]})
    first, _ = listed(await act(backend, "list_messages", {}), "messages")
    assert first["read"] is True


@pytest.mark.requirement("R-30", "N-4")
@pytest.mark.parametrize("view", ["all", "current"])
async def test_a_pending_revision_does_not_hide_the_delivered_one(
    view: str, backend: NtfyBackend
) -> None:
    await act(backend, "update_message", {"sequence_id": "job", "message": "now"})
    await act(backend, "mark_messages_read", {"sequence_ids": ["job"]})
    later = {"sequence_id": "job", "message": "later", "delay": "1h"}
    await act(backend, "update_message", later)
    result = await act(backend, "list_messages", {"view": view, "scheduled": True})
    entries = [entry for entry in listed(result, "messages") if "event" not in entry]
    assert [(entry["message"], entry.get("read")) for entry in entries] == [
        ("now", True),
        ("later", None),
    ]
    assert (entries[1]["delivered"], entries[1]["updates"]) == (False, "job")
    assert "delivers_at" in entries[1]
    assert "time" not in entries[1]


async def test_one_sequence_id_on_two_topics_is_two_notifications(backend: NtfyBackend) -> None:
    answer_with(
        backend,
        line("A00000000001", sequence_id="job", topic="a"),
        line("B00000000001", sequence_id="job", topic="b"),
        line("B00000000002", sequence_id="job", topic="b", event="message_delete"),
    )
    arguments = {"topics": ["a", "b"], "view": "current"}
    result = structured(await use(serve(backend), "list_messages", arguments))
    assert [entry["id"] for entry in listed(result, "messages")] == ["A00000000001"]


@pytest.mark.parametrize("era", ERAS)
async def test_what_is_not_delivered_yet_has_the_time_of_its_delivery_under_that_name(
    era: Era, backend: NtfyBackend
) -> None:
    server = serve(backend, ALLOWLIST)
    for given in ({"message": "sent"}, {"message": "due", "delay": "1h"}):
        structured(await use(server, "publish_message", given))
    for fields in (None, ["time"]):
        asked: Arguments = {"scheduled": True, "fields": fields}
        result = structured(await use(server, "list_messages", asked, era=era))
        sent, due = listed(result, "messages")
        assert ("time" in sent, "delivers_at" in sent) == (True, False)
        assert ("time" in due, "delivers_at" in due, due["delivered"]) == (False, True, False)
