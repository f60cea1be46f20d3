"""What a process remembers of messages."""

from __future__ import annotations

from datetime import UTC, datetime

from smtp_mcp.mailbox import parse
from smtp_mcp.message.sent_messages import REMEMBER_ENTRIES, Sent, SentMessages
from tests.support.time import FakeClock, FakeRandom

TO = ((parse("a@example.test"),), (), ())


def sent_messages(clock: FakeClock) -> SentMessages:
    return SentMessages(
        clock=clock, now=lambda: datetime(2026, 5, 1, 12, tzinfo=UTC), random_bytes=FakeRandom()
    )


def test_a_composition_repeated_within_the_time_keeps_its_identity() -> None:
    clock = FakeClock()
    kept = sent_messages(clock)
    first = kept.identity("one", "sender.test", TO)
    for _ in range(3):
        clock.advance(899)
        assert kept.identity("one", "sender.test", TO) == first
    clock.advance(901)
    assert kept.identity("one", "sender.test", TO).message_id != first.message_id


def test_looking_at_a_sent_message_does_not_make_it_last() -> None:
    clock = FakeClock()
    kept = sent_messages(clock)
    identity = kept.identity("one", "sender.test", TO)
    kept.remember_sent("one", identity, Sent(identity.message_id, ("a@example.test",)))
    clock.advance(600)
    assert kept.identity("one", "sender.test", TO) == identity
    clock.advance(301)
    assert kept.sent("one") is None


def test_previews_are_forgotten_before_what_was_sent_or_may_have_been() -> None:
    clock = FakeClock()
    kept = sent_messages(clock)
    for name in ("sent", "unknown"):
        identity = kept.identity(name, "sender.test", TO)
        if name == "sent":
            kept.remember_sent(name, identity, Sent(identity.message_id, ("a@example.test",)))
        else:
            kept.remember_unknown(name, identity)
    for number in range(REMEMBER_ENTRIES + 10):
        kept.identity(f"preview {number}", "sender.test", TO)
    assert kept.sent("sent") is not None
    assert kept.unknown_since("unknown") == datetime(2026, 5, 1, 12, tzinfo=UTC)


def test_of_sent_messages_the_oldest_is_forgotten() -> None:
    kept = sent_messages(FakeClock())
    for number in range(REMEMBER_ENTRIES + 1):
        identity = kept.identity(str(number), "sender.test", TO)
        kept.remember_sent(str(number), identity, Sent(identity.message_id, ()))
    assert kept.sent("0") is None
    assert kept.sent("1") is not None


def test_what_outlived_its_place_can_still_be_filed_as_sent() -> None:
    clock = FakeClock()
    kept = sent_messages(clock)
    identity = kept.identity("one", "sender.test", TO)
    clock.advance(2_000)
    assert kept.sent("one") is None
    kept.remember_sent("one", identity, Sent(identity.message_id, ("a@example.test",)))
    found = kept.sent("one")
    assert found is not None
    assert found.message_id == identity.message_id
