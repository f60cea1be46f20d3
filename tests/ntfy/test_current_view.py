"""What a phone shows now, and choosing fields."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import ALLOWLIST, answer_with, line, listed, serve, use
from tests.support.clients import structured
from tests.support.person import Person


async def current(backend: NtfyBackend, **arguments: object) -> list[dict[str, object]]:
    """The current view of the allowed topic."""
    given = {"view": "current", **arguments}
    return listed(
        structured(await use(serve(backend, ALLOWLIST), "list_messages", given)), "messages"
    )


async def test_the_current_view_agrees_with_a_subscriber(backend: NtfyBackend) -> None:
    server = serve(backend, ALLOWLIST)
    for sequence_id, text in (("a", "a1"), ("b", "b1"), ("c", "c1"), ("a", "a2"), ("a", "a3")):
        update = {"sequence_id": sequence_id, "message": text}
        structured(await use(server, "update_message", update, person=Person()))
    structured(await use(server, "mark_messages_read", {"sequence_ids": ["c"]}))
    delete = {"sequence_ids": ["b"]}
    structured(await use(server, "delete_messages", delete, person=Person()))
    shown = await current(backend)
    assert {entry["id"] for entry in shown} == {entry["id"] for entry in backend.messages("alerts")}
    assert [
        (entry["updates"], entry["message"], entry.get("revisions"), entry.get("read"))
        for entry in shown
    ] == [("c", "c1", None, True), ("a", "a3", 2, None)]


@pytest.mark.parametrize(
    ("events", "shown"),
    [
        (["message"], [("M0", None, None)]),
        (["message", "message"], [("M1", 1, None)]),
        (["message", "message_clear"], [("M0", None, True)]),
        (["message", "message_clear", "message"], [("M2", 1, None)]),
        (["message", "message_delete"], []),
        (["message", "message_delete", "message"], [("M2", None, None)]),
        (["message", "message_delete", "message_clear"], []),
        (["message_delete", "message_clear"], []),
        (["message", "message_clear", "message_clear"], [("M0", None, True)]),
    ],
)
async def test_revisions_clears_and_deletions_fold(
    events: list[str], shown: list[tuple[str, object, object]], backend: NtfyBackend
) -> None:
    answer_with(
        backend,
        *(line(f"M{index}", event=event, sequence_id="s") for index, event in enumerate(events)),
    )
    assert [
        (entry["id"], entry.get("revisions"), entry.get("read")) for entry in await current(backend)
    ] == shown


async def test_a_follow_up_finds_a_message_by_its_own_id(backend: NtfyBackend) -> None:
    answer_with(
        backend,
        line("Original0001"),
        line("Deletion0001", event="message_delete", sequence_id="Original0001"),
        line("Other0000001"),
    )
    assert [entry["id"] for entry in await current(backend)] == ["Other0000001"]


async def test_the_limit_counts_what_is_shown(backend: NtfyBackend) -> None:
    answer_with(backend, *(line(f"M{n}", sequence_id=f"s{n % 3}") for n in range(9)))
    assert [entry["id"] for entry in await current(backend, limit=2)] == ["M7", "M8"]


async def test_the_whole_history_is_the_default(backend: NtfyBackend) -> None:
    answer_with(
        backend, line("M0", sequence_id="s"), line("M1", event="message_delete", sequence_id="s")
    )
    server = serve(backend, ALLOWLIST)
    result = structured(await use(server, "list_messages"))
    assert [entry.get("event") for entry in listed(result, "messages")] == [None, "message_delete"]


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        (["title"], {"id", "topic", "updates", "message_truncated", "title"}),
        (["message"], {"id", "topic", "updates", "message_truncated", "message"}),
        ('["time","tags"]', {"id", "topic", "updates", "message_truncated", "time", "tags"}),
    ],
)
async def test_only_the_chosen_fields_are_shown(
    fields: object, shown: set[str], backend: NtfyBackend
) -> None:
    full = line(
        "M0",
        sequence_id="s",
        title="t",
        message="x" * 501,
        tags=["a"],
        priority=5,
        click="https://c.example",
        expires=1797999999,
        actions=[{"action": "view"}],
    )
    answer_with(backend, full)
    result = structured(await use(serve(backend, ALLOWLIST), "list_messages", {"fields": fields}))
    (entry,) = listed(result, "messages")
    assert set(entry) == shown
