"""Two clocks: what is delivered is what the instance's own clock says."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import ALLOWLIST, NOW, bodies, listed, serve, use
from tests.support.clients import Era, structured, text
from tests.support.person import Person


async def pending(backend: NtfyBackend, delay: int) -> None:
    """Schedule a notification by a script."""
    given = {"sequence_id": "job", "message": "old", "title": "T", "delay": NOW + delay}
    structured(await use(serve(backend, ALLOWLIST), "update_message", given, person=Person()))
    backend.clear_requests()


@pytest.mark.requirement("N-5")
@pytest.mark.parametrize("tells_time", [True, False])
async def test_a_clock_that_is_ahead_sends_nothing_early(
    tells_time: bool, backend: NtfyBackend
) -> None:
    backend.now = lambda: float(NOW)
    await pending(backend, 120)
    backend.tells_time = tells_time
    server = serve(backend, ALLOWLIST, now=lambda: backend.time + (300 if tells_time else 0))
    person = Person()
    given = {"sequence_id": "job", "message": "x", "carry_over": True}
    result = structured(await use(server, "update_message", given, person=person))
    assert "Kept from the present revision: title, delay" in person.messages[0]
    assert bodies(backend)[0]["delay"] == str(NOW + 120)
    assert result["scheduled"] is True


@pytest.mark.requirement("N-5")
async def test_a_clock_that_is_behind_does_not_call_the_present_undelivered(
    backend: NtfyBackend,
) -> None:
    await use(serve(backend, ALLOWLIST), "publish_message", {"message": "x"})
    server = serve(backend, ALLOWLIST, now=lambda: backend.time - 90)
    for scheduled in (False, True):
        result = structured(await use(server, "list_messages", {"scheduled": scheduled}))
        (entry,) = listed(result, "messages")
        assert "delivered" not in entry
        assert str(result["next_since"]).count(".") == 1


@pytest.mark.requirement("N-5")
async def test_without_asking_for_scheduled_ones_everything_is_delivered(
    backend: NtfyBackend,
) -> None:
    backend.tells_time = False
    await use(serve(backend, ALLOWLIST), "publish_message", {"message": "x"})
    server = serve(backend, ALLOWLIST, now=lambda: backend.time - 90)
    (entry,) = listed(structured(await use(server, "list_messages")), "messages")
    assert "delivered" not in entry


@pytest.mark.requirement("N-5")
@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
async def test_what_is_about_to_be_delivered_is_not_kept_pending(
    era: Era, backend: NtfyBackend
) -> None:
    backend.now = lambda: float(NOW)
    await pending(backend, 60)
    backend.advance(45)
    person = Person()
    given = {"sequence_id": "job", "message": "x", "carry_over": True}
    server = serve(backend, ALLOWLIST)
    result = await use(server, "update_message", given, era=era, person=person)
    assert "about to be delivered (in 15 s)" in text(result)
    assert person.questions == []
    again = {**given, "delay": "1h"}
    structured(await use(server, "update_message", again, era=era, person=person))
