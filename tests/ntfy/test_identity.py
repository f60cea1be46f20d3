"""What an id means: of a revision, of a script's own sequence, of nothing at all."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import (
    ALLOWLIST,
    LINES,
    answer_with,
    bodies,
    first_token,
    inner,
    line,
    listed,
    login,
    serve,
    use,
    writes,
)
from tests.support.clients import ERAS, Arguments, Era, structured, text
from tests.support.person import Person

ABSENT = "Sequence id (not in the cache, expired or mistyped)"
UNREAD = "Sequence id (whether it exists could not be read)"


async def script_publishes(
    backend: NtfyBackend, message: str, sequence_id: str = "nightly-backup", **fields: object
) -> str:
    """Publish as a script with an id of its own; return the message's id."""
    given = {"sequence_id": sequence_id, "message": message, **fields}
    sent = structured(
        await use(serve(backend, ALLOWLIST), "update_message", given, person=Person())
    )
    backend.clear_requests()
    return str(sent["revision_id"])


async def run(
    backend: NtfyBackend, tool: str, arguments: Arguments, era: Era = "2026-07-28"
) -> tuple[dict[str, object], str]:
    """Make an approved call; return its result and the question."""
    person = Person()
    result = await use(serve(backend, ALLOWLIST), tool, arguments, era=era, person=person)
    return structured(result), "".join(person.messages[:1])


@pytest.mark.requirement("N-1")
@pytest.mark.parametrize("era", ERAS)
async def test_the_id_of_a_revision_deletes_the_notification(
    era: Era, backend: NtfyBackend
) -> None:
    await script_publishes(backend, "run 1")
    revision = await script_publishes(backend, "run 2")
    arguments = {"sequence_ids": [revision]}
    result, asked = await run(backend, "delete_messages", arguments, era)
    assert [request.target for request in writes(backend)] == ["/alerts/nightly-backup"]
    assert listed(result, "results") == [
        {
            "id": revision,
            "sequence_id": "nightly-backup",
            "ok": True,
            "found": True,
            "was": "delivered",
        }
    ]
    assert f"  Sequence id (a revision of an earlier notification): {revision}" in asked
    assert "nightly-backup" not in asked
    shown, _ = await run(backend, "list_messages", {"view": "current"})
    assert shown["count"] == 0


@pytest.mark.requirement("N-1")
async def test_two_ids_of_one_notification_are_one_deletion(backend: NtfyBackend) -> None:
    first = await script_publishes(backend, "run 1")
    second = await script_publishes(backend, "run 2")
    arguments = {"sequence_ids": [first, second, "nightly-backup"]}
    result, asked = await run(backend, "delete_messages", arguments)
    assert "delete 1 notification from" in asked
    assert len(writes(backend)) == 1
    assert [entry["id"] for entry in listed(result, "results")] == [
        first,
        second,
        "nightly-backup",
    ]
    assert asked.count("Sequence id") == 3


@pytest.mark.requirement("N-1")
@pytest.mark.parametrize("era", ERAS)
async def test_an_id_that_is_nowhere_is_told_before_and_after(
    era: Era, backend: NtfyBackend
) -> None:
    arguments = {"sequence_ids": ["Kd83ksLq0aZ2"]}
    result, asked = await run(backend, "delete_messages", arguments, era)
    assert f"  {ABSENT}: Kd83ksLq0aZ2" in asked
    (entry,) = listed(result, "results")
    assert (entry["ok"], entry["found"]) == (True, False)
    assert "mistyped" in str(entry["note"])
    assert "was" not in entry


@pytest.mark.requirement("N-1")
@pytest.mark.parametrize("cause", ["no right", "cut line", "too many", "broken"])
async def test_what_could_not_be_read_is_unknown_not_absent(
    cause: str, backend: NtfyBackend
) -> None:
    await script_publishes(backend, "run 1", "other")
    if cause == "no right":
        backend.fail_next(40301, method="GET", times=9)
    elif cause == "too many":
        backend.fail_next(42901, method="GET", times=9)
    elif cause == "broken":
        backend.drop_next(method="GET", times=99)
    else:
        cut = '{"id":"Ab3dE5gH7jK9","time":1,"event":"message","topic":"alerts"}\n{"id":"Zx5'
        backend.respond_next(200, cut, content_type=LINES, method="GET", times=9)
    result, asked = await run(backend, "delete_messages", {"sequence_ids": ["x1"]})
    assert f"  {UNREAD}: x1" in asked
    (entry,) = listed(result, "results")
    assert (entry["ok"], entry["found"]) == (True, "unknown")
    backend.clear_script()


async def test_an_incomplete_answer_still_tells_what_it_holds(backend: NtfyBackend) -> None:
    cut = '{"id":"Ab3dE5gH7jK9","time":1,"event":"message","topic":"alerts"}\n{"id":"Zx5'
    backend.respond_next(200, cut, content_type=LINES, method="GET", times=2)
    result, _ = await run(backend, "delete_messages", {"sequence_ids": ["Ab3dE5gH7jK9"]})
    assert listed(result, "results")[0]["found"] is True


@pytest.mark.parametrize("tool", ["delete_messages", "update_message"])
@pytest.mark.parametrize("code", [40101, 40401, 40010])
async def test_a_refusal_that_the_write_would_meet_too_ends_before_the_question(
    code: int, tool: str, backend: NtfyBackend
) -> None:
    backend.fail_next(code, method="GET")
    given: Arguments = {"sequence_ids": ["x"]}
    if tool == "update_message":
        given = {"sequence_id": "x", "message": "y"}
    person = Person()
    result = await use(serve(backend, ALLOWLIST), tool, given, person=person)
    assert result.is_error
    assert str(code) in text(result)
    assert person.questions == []
    assert writes(backend) == []


async def test_what_was_deleted_already_is_told(backend: NtfyBackend) -> None:
    await script_publishes(backend, "x", "x2")
    await run(backend, "delete_messages", {"sequence_ids": ["x2"]})
    result, asked = await run(backend, "delete_messages", {"sequence_ids": ["x2"]})
    assert "  Sequence id (deleted already): x2" in asked
    assert listed(result, "results")[0]["was"] == "deleted"


@pytest.mark.parametrize("era", ERAS)
async def test_a_deletion_under_an_open_question_asks_again(era: Era, backend: NtfyBackend) -> None:
    await script_publishes(backend, "x", "x2")

    def gone() -> None:
        lines = (
            '{"id":"Ab3dE5gH7jK9","sequence_id":"x2","time":1,"event":"message","topic":"alerts"}\n'
            '{"id":"Zx5cV6bN7mL8","sequence_id":"x2","time":2,"event":"message_delete",'
            '"topic":"alerts"}\n'
        )
        backend.clear_script()
        backend.respond_next(200, lines, content_type=LINES, method="GET", times=9)

    person = Person(meanwhile=gone)
    given = {"sequence_ids": ["x2"]}
    await use(serve(backend, ALLOWLIST), "delete_messages", given, era=era, person=person)
    assert "Sequence id: x2" in person.messages[0]
    assert "(deleted already): x2" in person.messages[1]
    assert len(writes(backend)) == 1


async def test_a_token_is_bound_to_the_notification_and_not_to_its_spelling(
    backend: NtfyBackend,
) -> None:
    await script_publishes(backend, "run 1")
    revision = await script_publishes(backend, "run 2")
    server = serve(backend, ALLOWLIST)
    token = await first_token(backend, server, "delete_messages", {"sequence_ids": [revision]})
    other = {"sequence_ids": ["nightly-backup"], "confirm_token": token}
    structured(await use(server, "delete_messages", other))
    assert [request.target for request in writes(backend)] == ["/alerts/nightly-backup"]


async def test_a_sequence_id_goes_before_an_equal_id(backend: NtfyBackend) -> None:
    lines = [
        line("Ab3dE5gH7jK9", sequence_id="job"),
        line("Zx5cV6bN7mL8", sequence_id="Ab3dE5gH7jK9"),
    ]
    answer_with(backend, *lines, times=2)
    await run(backend, "delete_messages", {"sequence_ids": ["Ab3dE5gH7jK9"]})
    assert [request.target for request in writes(backend)] == ["/alerts/Ab3dE5gH7jK9"]


@pytest.mark.requirement("N-1")
@pytest.mark.parametrize("what", ["follow-up", "revision"])
async def test_marking_as_read_finds_the_notification_too(what: str, backend: NtfyBackend) -> None:
    given = await script_publishes(backend, "run 1")
    if what == "follow-up":
        await run(backend, "mark_messages_read", {"sequence_ids": ["nightly-backup"]})
        given = str(backend.cached("alerts")[-1]["id"])
        backend.clear_requests()
    result, asked = await run(backend, "mark_messages_read", {"sequence_ids": [given]})
    assert asked == ""
    assert [request.target for request in writes(backend)] == ["/alerts/nightly-backup/read"]
    (entry,) = listed(result, "results")
    assert entry["was"] == ("read" if what == "follow-up" else "delivered")
    assert entry["sequence_id"] == "nightly-backup"


async def test_a_scheduled_notification_is_told_as_such(backend: NtfyBackend) -> None:
    await script_publishes(backend, "later", "job", delay="1h")
    result, _ = await run(backend, "delete_messages", {"sequence_ids": ["job"]})
    assert listed(result, "results")[0]["was"] == "scheduled"
    again, _ = await run(backend, "delete_messages", {"sequence_ids": ["job"]})
    assert listed(again, "results")[0]["found"] is False


@pytest.mark.requirement("N-2")
@pytest.mark.parametrize("era", ERAS)
async def test_a_revision_of_a_revision_replaces_the_first(era: Era, backend: NtfyBackend) -> None:
    await script_publishes(backend, "run 1")
    revision = await script_publishes(backend, "run 2")
    given = {"sequence_id": revision, "message": "run 3"}
    result, asked = await run(backend, "update_message", given, era)
    assert result["outcome"] == "replaced"
    assert (result["updated"], result["sequence_id"]) == (revision, "nightly-backup")
    assert "replaced" not in result
    assert [body["sequence_id"] for body in bodies(backend)] == ["nightly-backup"]
    assert f'notification "{revision}" on topic' in asked
    assert "a revision of an earlier notification, which is replaced" in asked
    assert [message["message"] for message in backend.messages("alerts")] == ["run 3"]


@pytest.mark.requirement("R-34", "N-2")
async def test_a_scripts_own_id_creates_and_then_replaces(backend: NtfyBackend) -> None:
    given = {"sequence_id": "nightly", "message": "run 3"}
    result, asked = await run(backend, "update_message", given)
    assert result["outcome"] == "created"
    assert "Nothing with this id is in the cache, so this may be a new notification." in asked
    assert "a device that still shows an expired one replaces it" in str(result["note"])
    again, asked = await run(backend, "update_message", given)
    assert again["outcome"] == "replaced"
    assert "new notification" not in asked


@pytest.mark.requirement("N-2")
async def test_an_update_of_what_was_deleted_says_that_it_comes_back(
    backend: NtfyBackend,
) -> None:
    await script_publishes(backend, "x", "job")
    await run(backend, "delete_messages", {"sequence_ids": ["job"]})
    result, asked = await run(backend, "update_message", {"sequence_id": "job", "message": "y"})
    assert "It was deleted and comes back." in asked
    assert result["outcome"] == "created"


@pytest.mark.requirement("N-2")
@pytest.mark.parametrize("delay", [None, "2h"])
async def test_an_update_of_what_is_scheduled_says_that_it_is_sent_at_once(
    delay: str | None, backend: NtfyBackend
) -> None:
    await script_publishes(backend, "later", "job", delay="1h")
    given = {"sequence_id": "job", "message": "y", "delay": delay}
    result, asked = await run(backend, "update_message", given)
    assert ("It is still scheduled: the new one is sent at once." in asked) is (delay is None)
    assert result["outcome"] == "replaced"


@pytest.mark.requirement("N-2")
async def test_an_update_whose_state_could_not_be_read_says_so(backend: NtfyBackend) -> None:
    backend.add_user("writer", "writer-password")
    backend.grant("writer", "alerts", "write-only")
    server = serve(backend, {**ALLOWLIST, **login("writer", "writer-password")})
    person = Person()
    given = {"sequence_id": "job", "message": "y"}
    result = structured(await use(server, "update_message", given, person=person))
    assert result["outcome"] == "unknown"
    assert (
        "Its present state could not be read. If the notification is still scheduled, the new one "
        "is sent at once." in person.messages[0]
    )


async def test_an_attachment_that_lies_elsewhere_is_carried_over(backend: NtfyBackend) -> None:
    published = structured(
        await use(
            serve(backend, ALLOWLIST),
            "publish_message",
            {"message": "x", "attach": "https://f.example/f.txt", "filename": "report.txt"},
        )
    )
    (entry,) = listed(published, "results")
    backend.clear_requests()
    given = {"sequence_id": entry["id"], "message": "y", "carry_over": True}
    _, asked = await run(backend, "update_message", given)
    (body,) = bodies(backend)
    assert (body["attach"], body["filename"]) == ("https://f.example/f.txt", "report.txt")
    assert "attach, filename" in asked


@pytest.mark.requirement("N-3", "N-8")
async def test_a_rescheduled_notification_is_read_by_its_first_id(backend: NtfyBackend) -> None:
    published = structured(
        await use(serve(backend, ALLOWLIST), "publish_message", {"message": "soon", "delay": "1h"})
    )
    first = listed(published, "results")[0]["id"]
    given = {"sequence_id": first, "message": "later", "carry_over": True}
    await run(backend, "update_message", given)
    result, _ = await run(backend, "get_message", {"id": first})
    message = inner(result, "message")
    assert (message["message"], message["delivered"]) == ("later", False)
    assert "time" not in message
    assert "delivers_at" in message


@pytest.mark.requirement("N-3")
async def test_a_message_is_read_by_a_scripts_own_id_with_what_became_of_it(
    backend: NtfyBackend,
) -> None:
    first = await script_publishes(backend, "run 1")
    await script_publishes(backend, "run 2")
    pending = await script_publishes(backend, "run 3", delay="1h")
    result, _ = await run(backend, "get_message", {"id": "nightly-backup"})
    assert inner(result, "message")["message"] == "run 2"
    assert inner(result, "pending")["message"] == "run 3"
    assert (result["revisions"], result["latest_id"]) == (2, pending)
    assert "asked_for" not in result
    old, _ = await run(backend, "get_message", {"id": first})
    assert inner(old, "asked_for")["message"] == "run 1"
    await run(backend, "delete_messages", {"sequence_ids": ["nightly-backup"]})
    gone, _ = await run(backend, "get_message", {"id": "nightly-backup"})
    assert gone["deleted"] is True
    assert inner(gone, "message")["message"] == "run 2"
