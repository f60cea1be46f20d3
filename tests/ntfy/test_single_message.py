"""Reading one notification."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import ALLOWLIST, answer_with, inner, line, serve, use
from tests.support.clients import structured, text
from tests.support.person import Person


@pytest.mark.requirement("T-ntfy-30")
async def test_a_single_message_comes_whole(backend: NtfyBackend) -> None:
    server = serve(backend, ALLOWLIST)
    await use(server, "publish_message", {"message": "x" * 3500})
    (published,) = backend.messages("alerts")
    result = structured(await use(server, "get_message", {"id": published["id"]}))
    message = inner(result, "message")
    assert message["message"] == "x" * 3500
    assert "message_truncated" not in message
    assert (result["untrusted"], result["source"]) == (True, "ntfy")
    assert "revisions" not in result
    assert [request.method for request in backend.requests] == ["POST", "GET"]
    assert backend.requests[-1].query == {"poll": ["1"], "since": ["all"], "scheduled": ["1"]}


async def test_a_very_long_message_is_cut_and_says_so(backend: NtfyBackend) -> None:
    answer_with(backend, line("Message00001", message="y" * 17_000))
    arguments = {"id": "Message00001"}
    result = structured(await use(serve(backend, ALLOWLIST), "get_message", arguments))
    assert inner(result, "message")["message"] == "y" * 16_384
    assert inner(result, "message")["message_truncated"] is True


async def test_a_message_over_the_budget_falls_back_to_its_preview(backend: NtfyBackend) -> None:
    answer_with(
        backend,
        line(
            "Message00001",
            message="\\" * 16_000 + "€" * 384,
            title="€" * 2000,
            tags=["€" * 2000] * 30,
        ),
    )
    arguments = {"id": "Message00001"}
    result = await use(serve(backend, ALLOWLIST), "get_message", arguments)
    assert inner(structured(result), "message")["message"] == "\\" * 500
    assert len(text(result).encode()) <= 200_000


@pytest.mark.requirement("T-ntfy-30")
async def test_a_message_that_is_not_cached_may_have_expired(backend: NtfyBackend) -> None:
    result = await use(serve(backend, ALLOWLIST), "get_message", {"id": "Ab3dE5gH7jK9"})
    assert result.is_error
    for reason in ("expired", "another topic", "without caching"):
        assert reason in text(result)


async def test_a_revised_message_tells_its_revisions(backend: NtfyBackend) -> None:
    server = serve(backend, ALLOWLIST)
    await use(server, "publish_message", {"message": "v1"})
    (original,) = backend.messages("alerts")
    for version in ("v2", "v3"):
        update = {"sequence_id": original["id"], "message": version}
        structured(await use(server, "update_message", update, person=Person()))
    clear = {"sequence_ids": [original["id"]]}
    structured(await use(server, "mark_messages_read", clear))
    (newest,) = backend.messages("alerts")
    result = structured(await use(server, "get_message", {"id": original["id"]}))
    assert inner(result, "message")["message"] == "v3"
    assert inner(result, "asked_for")["message"] == "v1"
    assert (result["revisions"], result["latest_id"]) == (2, newest["id"])
    assert result["read"] is True
