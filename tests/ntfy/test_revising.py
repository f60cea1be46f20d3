"""Updating, dismissing and deleting."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import NOBODY, bodies, first_token, serve, use, writes
from tests.support.clients import ERAS, Arguments, Era, structured, text
from tests.support.person import Person

UPDATE: dict[str, object] = {"topic": "alerts", "sequence_id": "Kd83ksLq0aZ1", "message": "v2"}


@pytest.mark.requirement("S-all-4", "S-ntfy-6", "S-ntfy-10", "T-ntfy-18")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_an_update_that_is_not_approved_sends_nothing_and_shows_no_text(
    action: str, era: Era, backend: NtfyBackend
) -> None:
    person = Person("decline" if action == "decline" else "cancel")
    result = await use(serve(backend), "update_message", UPDATE, era=era, person=person)
    assert result.is_error
    assert f'the client answered "{action}"' in text(result)
    assert writes(backend) == []
    (message,) = person.messages
    assert "Kd83ksLq0aZ1" in message
    assert "alerts" in message
    assert "v2" not in message


@pytest.mark.requirement("S-ntfy-7", "S-ntfy-8", "S-ntfy-15", "T-ntfy-19")
@pytest.mark.parametrize(
    "other",
    [
        {"message": "v3"},
        {"title": "v2"},
        {"actions": [{"action": "http", "label": "Open", "url": "https://h.example"}]},
        {"delay": "30m"},
        {"priority": 5},
        {"markdown": True},
        {"tags": []},
    ],
)
async def test_a_token_for_one_content_does_not_send_another(
    other: dict[str, object], backend: NtfyBackend
) -> None:
    server = serve(backend)
    token = await first_token(backend, server, "update_message", UPDATE)
    changed = {**UPDATE, **other, "confirm_token": token}
    result = await use(server, "update_message", changed)
    assert "issued for different arguments" in text(result)
    assert 'confirm_token="' not in text(result)
    assert writes(backend) == []


@pytest.mark.requirement("T-ntfy-19")
@pytest.mark.parametrize("era", ERAS)
async def test_the_approved_content_is_sent_and_nothing_beside_it(
    era: Era, backend: NtfyBackend
) -> None:
    server = serve(backend)
    token = await first_token(backend, server, "update_message", UPDATE)
    again = {**UPDATE, "confirm_token": token}
    result = structured(await use(server, "update_message", again, era=era))
    (request,) = writes(backend)
    assert (request.method, request.path) == ("POST", "/")
    assert request.json() == {
        "message": "v2",
        "topic": "alerts",
        "sequence_id": "Kd83ksLq0aZ1",
    }
    assert result["updated"] == "Kd83ksLq0aZ1"
    assert result["outcome"] == "created"
    assert result["revision_id"] == backend.messages("alerts")[0]["id"]


@pytest.mark.requirement("S-ntfy-14", "T-ntfy-20")
async def test_a_token_does_not_work_with_the_positions_swapped(backend: NtfyBackend) -> None:
    server = serve(backend)
    pair: Arguments = {"topic": "b" * 12, "sequence_id": "a" * 12, "message": "x"}
    swapped: Arguments = {"topic": "a" * 12, "sequence_id": "b" * 12, "message": "x"}
    token = await first_token(backend, server, "update_message", pair)
    result = await use(server, "update_message", {**swapped, "confirm_token": token})
    assert "issued for different arguments" in text(result)
    assert writes(backend) == []


@pytest.mark.requirement("S-ntfy-18", "T-ntfy-20")
async def test_a_token_works_once(backend: NtfyBackend) -> None:
    server = serve(backend)
    token = await first_token(backend, server, "update_message", UPDATE)
    again = {**UPDATE, "confirm_token": token}
    structured(await use(server, "update_message", again))
    result = await use(server, "update_message", again)
    assert result.is_error
    assert "already used" in text(result)
    assert len(writes(backend)) == 1


@pytest.mark.requirement("T-ntfy-21")
async def test_a_server_that_ignores_the_sequence_id_is_found_out() -> None:
    with NtfyBackend(version="2.15.0", users=False) as old:
        server = serve(old, NOBODY)
        result = structured(await use(server, "update_message", UPDATE, person=Person()))
        assert result["outcome"] == "created"
        assert "second notification was sent" in str(result["note"])
        assert "revision_id" in result


async def test_an_update_tells_what_ntfy_makes_of_it(backend: NtfyBackend) -> None:
    backend.now = lambda: 1_797_990_000.0
    arguments = {"topic": "alerts", "sequence_id": "n", "title": "later", "delay": "1h"}
    result = structured(await use(serve(backend), "update_message", arguments, person=Person()))
    assert result["scheduled"] is True
    assert result["delivers_at"] == "2026-12-23T02:40:00Z"
    assert "time" not in result
    assert "triggered" in str(result["note"])


async def test_an_update_whose_answer_says_nothing_is_not_called_a_replacement(
    backend: NtfyBackend,
) -> None:
    backend.respond_next(200, {}, method="POST")
    result = structured(await use(serve(backend), "update_message", UPDATE, person=Person()))
    assert result["outcome"] == "created"
    assert "revision_id" not in result
    assert "time" not in result


async def test_an_update_that_became_a_file_is_told(backend: NtfyBackend) -> None:
    answer = {"id": "Ab3dE5gH7jK9", "sequence_id": "n", "time": 1, "attachment": {"name": "a.txt"}}
    backend.respond_next(200, answer, method="POST")
    arguments = {"topic": "alerts", "sequence_id": "n", "message": "x" * 4095}
    result = structured(await use(serve(backend), "update_message", arguments, person=Person()))
    assert "turned the text into a file" in str(result["note"])


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"carry_over": True},
        {"message": "   "},
        {"message": " ", "title": "t"},
        {"message": "€" * 1366},
        {"message": '"' * 4000, "title": "t" * 200},
        {"attach": "https://a.example/f"},
        {"cache": False},
        {"filename": "f"},
    ],
)
async def test_an_update_that_cannot_be_sent_is_not_asked_about(
    arguments: dict[str, object], backend: NtfyBackend
) -> None:
    person = Person()
    given = {"topic": "alerts", "sequence_id": "n", **arguments}
    result = await use(serve(backend), "update_message", given, person=person)
    assert result.is_error
    assert person.questions == []
    assert writes(backend) == []


@pytest.mark.requirement("S-ntfy-21")
async def test_a_second_run_of_an_update_carries_the_same_text(backend: NtfyBackend) -> None:
    server = serve(backend)
    for _ in range(2):
        structured(await use(server, "update_message", UPDATE, person=Person()))
    first, second = bodies(backend)
    assert first == second
    assert [message["message"] for message in backend.messages("alerts")] == ["v2"]
