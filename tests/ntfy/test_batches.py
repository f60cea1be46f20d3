"""Several notifications in one call: dismissing and deleting."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import Limits, NtfyBackend
from tests.ntfy.support import ALLOWLIST, NOBODY, first_token, listed, serve, use, writes
from tests.support.clients import ERAS, Era, structured, text
from tests.support.person import Person

DELETE: dict[str, object] = {"topic": "alerts", "sequence_ids": ["idA", "idB"]}


@pytest.mark.requirement("S-all-6", "S-all-11", "T-ntfy-22")
@pytest.mark.parametrize(
    ("ids", "runs"),
    [
        (["idB", "idA"], True),
        (["idA", "idB", "idA"], True),
        (["idA"], False),
        (["idA", "idB", "idC"], False),
        (["idA", "idC"], False),
    ],
)
async def test_a_token_for_a_set_deletes_exactly_this_set(
    ids: list[str], runs: bool, backend: NtfyBackend
) -> None:
    server = serve(backend)
    token = await first_token(backend, server, "delete_messages", DELETE)
    arguments = {**DELETE, "sequence_ids": ids, "confirm_token": token}
    result = await use(server, "delete_messages", arguments)
    assert bool(result.is_error) is not runs
    assert len(writes(backend)) == (2 if runs else 0)


@pytest.mark.requirement("T-ntfy-22")
async def test_one_failed_deletion_does_not_stop_the_other(backend: NtfyBackend) -> None:
    backend.fail_next(40401, method="DELETE", path="/alerts/idA")
    result = structured(await use(serve(backend), "delete_messages", DELETE, person=Person()))
    assert result["topic"] == "alerts"
    first, second = listed(result, "results")
    assert (first["id"], first["ok"], first["status"], first["code"]) == ("idA", False, 404, 40401)
    assert "2.16" in str(first["hint"])
    assert (second["id"], second["ok"], second["found"]) == ("idB", True, False)
    assert [request.target for request in writes(backend)] == ["/alerts/idA", "/alerts/idB"]


@pytest.mark.requirement("T-ntfy-23")
@pytest.mark.parametrize("tool", ["update_message", "mark_messages_read", "delete_messages"])
async def test_own_sequence_ids_are_accepted(tool: str, backend: NtfyBackend) -> None:
    arguments: dict[str, object] = {"sequence_ids": ["nightly-backup", "x" * 64]}
    if tool == "update_message":
        arguments = {"sequence_id": "nightly-backup", "message": "x"}
    structured(await use(serve(backend, ALLOWLIST), tool, arguments, person=Person()))
    assert len(writes(backend)) == (1 if tool == "update_message" else 2)


@pytest.mark.requirement("T-ntfy-23", "R-25")
@pytest.mark.parametrize("tool", ["update_message", "mark_messages_read", "delete_messages"])
@pytest.mark.parametrize(
    "sequence_id", ["../x", "a/b", "x" * 65, "", ".", "..", "a b", "a\n", "ä", "a?b", "a%2Fb"]
)
async def test_other_sequence_ids_are_refused(
    sequence_id: str, tool: str, backend: NtfyBackend
) -> None:
    person = Person()
    arguments: dict[str, object] = {"sequence_ids": ["fine", sequence_id]}
    if tool == "update_message":
        arguments = {"sequence_id": sequence_id, "message": "x"}
    result = await use(serve(backend, ALLOWLIST), tool, arguments, person=person)
    assert result.is_error
    assert text(result).startswith("sequence_id")
    assert person.questions == []
    assert backend.requests == []


@pytest.mark.requirement("S-ntfy-1")
@pytest.mark.parametrize("era", ERAS)
async def test_marking_as_read_asks_nobody_and_keeps_the_message(
    era: Era, backend: NtfyBackend
) -> None:
    server = serve(backend, ALLOWLIST)
    await use(server, "publish_message", {"message": "x"})
    (message,) = backend.messages("alerts")
    backend.clear_requests()
    person = Person("decline")
    arguments = {"sequence_ids": [message["id"], message["id"]]}
    result = structured(await use(server, "mark_messages_read", arguments, era=era, person=person))
    assert listed(result, "results") == [
        {"id": message["id"], "ok": True, "found": True, "was": "delivered"}
    ]
    assert person.questions == []
    assert [request.target for request in writes(backend)] == [f"/alerts/{message['id']}/read"]
    assert backend.messages("alerts") == [message]


@pytest.mark.parametrize("tool", ["mark_messages_read", "delete_messages"])
async def test_an_old_server_refuses_each_id(tool: str) -> None:
    with NtfyBackend(version="2.13.0", users=False) as old:
        result = await use(serve(old, NOBODY), tool, DELETE, person=Person())
    assert result.is_error
    assert result.structured_content is not None
    assert [entry["ok"] for entry in listed(result.structured_content, "results")] == [False] * 2
    assert text(result).startswith("Nothing was ")
    assert "2.16" in text(result)


@pytest.mark.parametrize("tool", ["mark_messages_read", "delete_messages"])
async def test_the_rate_limit_ends_a_batch_of_ids(tool: str, backend: NtfyBackend) -> None:
    # Two readings before the deletion, one of them after the answer.
    backend.set_limits(Limits(requests=3 if tool == "delete_messages" else 2))
    arguments = {"topic": "alerts", "sequence_ids": ["a", "b", "c", "d"]}
    result = structured(await use(serve(backend), tool, arguments, person=Person()))
    entries = listed(result, "results")
    assert [entry["ok"] for entry in entries] == [True, False, False, False]
    assert entries[1]["code"] == 42901
    assert [entry["error"] for entry in entries[2:]] == ["not attempted"] * 2
    assert len(writes(backend)) == 2


@pytest.mark.requirement("S-ntfy-21")
async def test_a_second_deletion_announces_the_deletion_again(backend: NtfyBackend) -> None:
    server = serve(backend)
    for _ in range(2):
        structured(await use(server, "delete_messages", DELETE, person=Person()))
    assert [entry["event"] for entry in backend.cached("alerts")] == ["message_delete"] * 4
    assert backend.messages("alerts") == []


async def test_a_deleted_scheduled_message_is_not_sent(backend: NtfyBackend) -> None:
    server = serve(backend, ALLOWLIST)
    published = structured(
        await use(server, "publish_message", {"message": "later", "delay": "30m"})
    )
    (entry,) = listed(published, "results")
    arguments = {"sequence_ids": [entry["id"]]}
    structured(await use(server, "delete_messages", arguments, person=Person()))
    backend.advance(3600)
    assert backend.messages("alerts") == []


@pytest.mark.parametrize("tool", ["mark_messages_read", "delete_messages"])
@pytest.mark.parametrize("ids", [[], ["x"] * 26, None, [None], [1], "x", {"id": "x"}])
async def test_a_batch_is_a_list_of_1_to_25(tool: str, ids: object, backend: NtfyBackend) -> None:
    person = Person()
    result = await use(serve(backend, ALLOWLIST), tool, {"sequence_ids": ids}, person=person)
    assert text(result).startswith("sequence_ids")
    assert person.questions == []
    assert backend.requests == []
