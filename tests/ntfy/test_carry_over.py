"""Keeping the fields of the present revision, and asking again when it changes meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import mcp_types as types
import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import MODERN, bodies, first_token, listed, login, serve, use, writes
from tests.support.clients import ERAS, Era, accept, connect, leg, question, structured, text
from tests.support.person import Person

NIGHTLY: dict[str, object] = {
    "topic": "alerts",
    "sequence_id": "nightly",
    "message": "step 1",
    "title": "Backup",
    "priority": 4,
    "tags": ["floppy_disk"],
    "click": "https://c.example",
    "icon": "https://i.example/i.png",
    "markdown": True,
    "actions": [{"action": "view", "label": "Open", "clear": False, "url": "https://v.example"}],
}
STEP_2: dict[str, object] = {
    "topic": "alerts",
    "sequence_id": "nightly",
    "message": "step 2",
    "carry_over": True,
}


async def publish(backend: NtfyBackend, fields: dict[str, object], **others: object) -> None:
    """Put a notification on the instance, as some other program would."""
    server = serve(backend)
    given = {"topic": "alerts", "sequence_id": "nightly", **fields, **others}
    structured(await use(server, "update_message", given, person=Person()))
    backend.clear_requests()


@pytest.mark.requirement("S-ntfy-16")
@pytest.mark.parametrize("era", ERAS)
async def test_fields_not_given_are_kept_and_named_in_the_dialog(
    era: Era, backend: NtfyBackend
) -> None:
    await publish(backend, NIGHTLY)
    person = Person()
    result = await use(serve(backend), "update_message", STEP_2, era=era, person=person)
    assert structured(result)["outcome"] == "replaced"
    assert bodies(backend) == [{**NIGHTLY, "message": "step 2"}]
    (message,) = person.messages
    assert message.endswith(
        "Noted by this server:\n"
        "  Kept from the present revision: title, priority, tags, click, icon, markdown, actions\n"
        "\n"
        "Values below are supplied by the caller, not by this server:\n"
        "  Message: 6 characters"
    )
    assert "dropped" not in message
    for content in ("Backup", "floppy_disk", "example", "Open", "step"):
        assert content not in message


async def test_the_newest_revision_counts(backend: NtfyBackend) -> None:
    await publish(backend, NIGHTLY)
    await publish(backend, {"title": "Newer", "message": "step 1b"})
    await publish(backend, {"title": "Another", "message": "x"}, sequence_id="weekly")
    structured(await use(serve(backend), "update_message", STEP_2, person=Person()))
    assert bodies(backend) == [
        {"topic": "alerts", "sequence_id": "nightly", "message": "step 2", "title": "Newer"}
    ]


async def test_a_given_field_goes_before_a_kept_one_and_an_empty_list_empties(
    backend: NtfyBackend,
) -> None:
    await publish(backend, NIGHTLY)
    given = {**STEP_2, "title": "Other", "tags": [], "actions": [], "markdown": False}
    structured(await use(serve(backend), "update_message", given, person=Person()))
    (body,) = bodies(backend)
    assert (body["title"], body["tags"], body["actions"]) == ("Other", [], [])
    assert body["markdown"] is False
    assert backend.messages("alerts")[0]["message"] == "step 2"


async def test_a_scheduled_notification_stays_scheduled(backend: NtfyBackend) -> None:
    await publish(backend, {"message": "later", "title": "T", "delay": "1h"})
    (pending,) = backend.cached("alerts")
    person = Person()
    result = await use(serve(backend), "update_message", STEP_2, person=person)
    assert structured(result)["scheduled"] is True
    (revised,) = backend.cached("alerts")
    assert (revised["message"], revised["title"]) == ("step 2", "T")
    assert revised["time"] == pending["time"]
    assert "sent at once" not in person.messages[0]


async def test_a_delay_alone_reschedules(backend: NtfyBackend) -> None:
    await publish(backend, {"message": "later", "title": "T", "delay": "1h"})
    given = {"topic": "alerts", "sequence_id": "nightly", "delay": "2h", "carry_over": True}
    person = Person()
    structured(await use(serve(backend), "update_message", given, person=person))
    (revised,) = backend.cached("alerts")
    assert (revised["message"], revised["title"]) == ("later", "T")
    assert person.messages[0].endswith("  Delivery: in 2h")


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("gone", ["absent", "deleted", "expired"])
async def test_what_is_not_cached_cannot_be_kept_and_nobody_is_asked(
    gone: str, era: Era, backend: NtfyBackend
) -> None:
    if gone != "absent":
        await publish(backend, NIGHTLY)
    if gone == "deleted":
        delete = {"topic": "alerts", "sequence_ids": ["nightly"]}
        structured(await use(serve(backend), "delete_messages", delete, person=Person()))
    if gone == "expired":
        backend.advance(13 * 3600)
    backend.clear_requests()
    person = Person()
    result = await use(serve(backend), "update_message", STEP_2, era=era, person=person)
    assert text(result).startswith("carry_over:")
    assert "Nothing was changed" in text(result)
    assert person.questions == []
    assert writes(backend) == []


async def test_a_login_that_may_not_read_cannot_keep_anything(backend: NtfyBackend) -> None:
    await publish(backend, NIGHTLY)
    backend.add_user("writer", "writer-password")
    backend.grant("writer", "alerts", "write-only")
    person = Person()
    server = serve(backend, login("writer", "writer-password"))
    result = await use(server, "update_message", STEP_2, person=person)
    assert text(result).startswith("carry_over: it needs the right to read the topic.")
    assert "HTTP 403, code 40301" in text(result)
    assert person.questions == []
    assert writes(backend) == []


@pytest.mark.requirement("R-20")
@pytest.mark.parametrize(
    "fields",
    [
        r'"message":"half \ud83d"',
        r'"title":"\udc00"',
        r'"tags":7',
        r'"tags":["a",1]',
        r'"message":"x","actions":[{"action":"view","label":"x","url":"u","clear":NaN}]',
        r'"message":"x","actions":[{"action":"view","label":"\ud83d","url":"u"}]',
        r'"message":"x","attachment":{"name":"f.txt","url":"https://f.example","size":3}',
        r'"message":"x","attachment":{"name":"f.txt","url":"https://f.example","expires":3}',
        r'"message":"x","attachment":{"name":"f.txt"}',
        r'"message":"x","attachment":[]',
        r'"message":"AAA=","encoding":"base64"',
    ],
)
async def test_what_could_not_be_sent_again_unchanged_is_refused(
    fields: str, backend: NtfyBackend
) -> None:
    line = (
        '{"id":"Ab3dE5gH7jK9","sequence_id":"nightly","time":1797990010,"event":"message",'
        f'"topic":"alerts",{fields}}}\n'
    )
    backend.respond_next(200, line, content_type="application/x-ndjson", method="GET")
    person = Person()
    given = {"topic": "alerts", "sequence_id": "nightly", "priority": 5, "carry_over": True}
    result = await use(serve(backend), "update_message", given, person=person)
    assert text(result).startswith("carry_over:")
    assert "Nothing was changed" in text(result)
    assert person.questions == []
    assert writes(backend) == []


async def test_a_present_state_that_cannot_be_read_in_full_is_not_kept(
    backend: NtfyBackend,
) -> None:
    lines = (
        '{"id":"Ab3dE5gH7jK9","sequence_id":"nightly","time":1,"message":"old"}\n'
        '{"id":"Zx5cV6bN7mL8","sequence_id":"nightly","time":2,"mess\n'
    )
    backend.respond_next(200, lines, content_type="application/x-ndjson", method="GET")
    person = Person()
    result = await use(serve(backend), "update_message", STEP_2, person=person)
    assert text(result).startswith("carry_over:")
    assert person.questions == []
    assert writes(backend) == []


async def test_what_is_kept_counts_toward_the_size(backend: NtfyBackend) -> None:
    await publish(backend, {"message": '"' * 3900})
    person = Person()
    given = {**STEP_2, "message": None, "title": "t", "tags": ['"' * 64] * 4}
    result = await use(serve(backend), "update_message", given, person=person)
    assert "whole request" in text(result)
    assert person.questions == []


def another_revision(backend: NtfyBackend) -> Callable[[], None]:
    """A change that somebody else makes, different each time."""
    count = iter(range(100))

    def change() -> None:
        line = (
            '{"id":"Zx5cV6bN7mL8","sequence_id":"nightly","time":1,"event":"message",'
            f'"topic":"alerts","message":"x","title":"changed {next(count)}"}}\n'
        )
        backend.clear_script()
        backend.respond_next(200, line, content_type="application/x-ndjson", method="GET", times=9)

    return change


async def test_a_change_while_a_pushed_question_is_open_is_asked_about_again(
    backend: NtfyBackend,
) -> None:
    await publish(backend, NIGHTLY)
    change = another_revision(backend)
    person = Person(meanwhile=lambda: None if len(person.questions) > 1 else change())
    result = await use(serve(backend), "update_message", STEP_2, era="2025-11-25", person=person)
    assert structured(result)["outcome"] == "replaced"
    assert len(person.questions) == 2
    assert bodies(backend)[0]["title"] == "changed 0"
    assert "tags" not in bodies(backend)[0]


async def test_a_state_that_keeps_changing_ends_a_pushed_call(backend: NtfyBackend) -> None:
    await publish(backend, NIGHTLY)
    person = Person(meanwhile=another_revision(backend))
    result = await use(serve(backend), "update_message", STEP_2, era="2025-11-25", person=person)
    assert "changed while it was being answered" in text(result)
    assert len(person.questions) == 3
    assert writes(backend) == []


async def test_an_answer_to_an_earlier_revision_leads_to_a_fresh_question(
    backend: NtfyBackend,
) -> None:
    await publish(backend, NIGHTLY)
    async with connect(serve(backend), MODERN, Person()) as client:
        asked = await question(client, "update_message", STEP_2)
        another_revision(backend)()
        again = await leg(
            client, "update_message", STEP_2, answer=accept(), state=asked.request_state
        )
        assert isinstance(again, types.InputRequiredResult)
        assert writes(backend) == []
        done = await leg(
            client, "update_message", STEP_2, answer=accept(), state=again.request_state
        )
    assert done.result_type == "complete"
    assert bodies(backend)[0]["title"] == "changed 0"


async def test_a_token_for_an_earlier_revision_is_refused(backend: NtfyBackend) -> None:
    await publish(backend, NIGHTLY)
    server = serve(backend)
    token = await first_token(backend, server, "update_message", STEP_2)
    another_revision(backend)()
    result = await use(server, "update_message", {**STEP_2, "confirm_token": token})
    assert "an earlier state" in text(result)
    assert writes(backend) == []


async def test_without_carry_over_nothing_is_kept(backend: NtfyBackend) -> None:
    await publish(backend, NIGHTLY)
    person = Person()
    given = {**STEP_2, "carry_over": False}
    structured(await use(serve(backend), "update_message", given, person=person))
    assert set(bodies(backend)[0]) == {"topic", "sequence_id", "message"}
    assert "Fields not listed are dropped." in person.messages[0]
    shown = structured(await use(serve(backend), "list_messages", {"topics": ["alerts"]}))
    assert "title" not in listed(shown, "messages")[-1]
