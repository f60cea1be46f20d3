"""Updating, clearing and deleting notifications: stand-in and real server agree."""

from __future__ import annotations

import json

import pytest

from tests.live.ntfy_sites import (
    Site,
    code,
    document,
    has_sequences,
    lacks_sequences,
    new_topic,
    site,
)

__all__ = ["site"]


@lacks_sequences
def test_old_releases_ignore_sequence_ids_and_lack_the_routes(site: Site) -> None:
    topic = new_topic()
    assert "sequence_id" not in site.sent(topic, message="x", sequence_id="not valid!")
    answer = site.client.put(f"/{topic}", content="x", headers={"X-Sequence-ID": "seq"})
    assert "sequence_id" not in document(answer)
    for method, path in (
        ("POST", f"/{topic}/seq"),
        ("PUT", f"/{topic}/seq/clear"),
        ("PUT", f"/{topic}/seq/read"),
        ("DELETE", f"/{topic}/seq"),
    ):
        answer = site.client.request(method, path)
        assert (answer.status_code, code(answer)) == (404, 40401)


@has_sequences
def test_an_update_is_a_message_of_its_own(site: Site) -> None:
    topic = new_topic()
    original = site.sent(topic, message="v1", title="T", tags=["x"])
    revision = site.sent(topic, message="v2", sequence_id=original["id"])
    assert revision["id"] != original["id"]
    assert revision["sequence_id"] == original["id"]
    assert set(revision) == {"id", "sequence_id", "time", "expires", "event", "topic", "message"}
    assert site.poll(topic) == [original, revision]
    assert site.poll(topic, since=str(original["id"])) == [revision]
    assert site.poll(topic, id=str(original["id"])) == [original]


@has_sequences
def test_a_sequence_id_can_be_chosen(site: Site) -> None:
    topic = new_topic()
    sent = site.sent(topic, message="x", sequence_id="nightly-backup_1")
    assert sent["sequence_id"] == "nightly-backup_1"
    assert site.sent(topic, message="x", sequence_id=" seq ")["sequence_id"] == "seq"
    for name in ("X-Sequence-ID", "Sequence-ID", "SID"):
        answer = site.client.put(f"/{topic}", content="x", headers={name: "seq"})
        assert document(answer)["sequence_id"] == "seq"
    answer = site.client.post(f"/{topic}/from-path?sid=other", content="y")
    assert document(answer)["sequence_id"] == "from-path"
    answer = site.client.get(f"/{topic}/publish?sid=from-query&message=z")
    assert document(answer)["sequence_id"] == "from-query"
    assert document(site.client.put(f"/{topic}/json", content="z"))["sequence_id"] == "json"


@has_sequences
@pytest.mark.parametrize("sequence_id", ["a/b", "../x", "a b", "ü", "x" * 65, "a."])
def test_a_sequence_id_has_the_form_of_a_topic(site: Site, sequence_id: str) -> None:
    answer = site.publish(new_topic(), message="x", sequence_id=sequence_id)
    assert (answer.status_code, code(answer)) == (400, 40049)


def test_an_empty_sequence_id_is_none(site: Site) -> None:
    assert "sequence_id" not in site.sent(new_topic(), message="x", sequence_id="")
    answer = site.publish(new_topic(), message="x", sequence_id=1)
    assert (200 if answer.is_success else code(answer)) == (
        40024 if site.version >= (2, 16) else 200
    )


@has_sequences
@pytest.mark.parametrize("word", ["clear", "read"])
def test_clearing_adds_an_event(site: Site, word: str) -> None:
    topic = new_topic()
    sent = site.sent(topic, message="x")
    event = document(site.client.put(f"/{topic}/{sent['id']}/{word}"))
    assert set(event) == {"id", "sequence_id", "time", "expires", "event", "topic"}
    assert (event["event"], event["sequence_id"]) == ("message_clear", sent["id"])
    assert event["id"] != sent["id"]
    assert int(str(event["expires"])) - int(str(event["time"])) == 12 * 3600
    assert site.poll(topic) == [sent, event]


@has_sequences
def test_deleting_adds_an_event_and_keeps_what_was_delivered(site: Site) -> None:
    topic = new_topic()
    sent = site.sent(topic, message="x")
    event = document(site.client.delete(f"/{topic}/{sent['id']}"))
    assert set(event) == {"id", "sequence_id", "time", "expires", "event", "topic"}
    assert (event["event"], event["sequence_id"]) == ("message_delete", sent["id"])
    assert site.poll(topic) == [sent, event]
    assert site.poll(topic, since="latest") == [event]
    again = document(site.client.delete(f"/{topic}/{sent['id']}"))
    revived = site.sent(topic, message="y", sequence_id=sent["id"])
    assert site.poll(topic) == [sent, event, again, revived]


@has_sequences
def test_nobody_checks_that_the_target_exists(site: Site) -> None:
    topic = new_topic()
    assert document(site.client.delete(f"/{topic}/unknown"))["sequence_id"] == "unknown"
    assert document(site.client.put(f"/{topic}/unknown/clear"))["sequence_id"] == "unknown"
    assert code(site.client.delete("/docs/unknown")) == 40010
    assert code(site.client.delete(f"/{topic}/{'x' * 65}")) == 40401
    assert code(site.client.post(f"/{topic}/unknown/clear")) == 40401


def test_newer_releases_clear_and_delete_by_get(site: Site) -> None:
    for word, event in (("clear", "message_clear"), ("delete", "message_delete")):
        answer = site.client.get(f"/{new_topic()}/seq/{word}")
        if site.version >= (2, 25):
            assert document(answer)["event"] == event
        else:
            assert code(answer) == 40401


@has_sequences
def test_filters_hold_for_events_as_well(site: Site) -> None:
    topic = new_topic()
    sent = site.sent(topic, message="x", priority=5, tags=["a"], title="T")
    event = document(site.client.put(f"/{topic}/{sent['id']}/clear"))
    assert site.poll(topic, priority="5") == [sent]
    assert site.poll(topic, tags="a") == [sent]
    assert site.poll(topic, title="T") == [sent]
    assert site.poll(topic, message="x") == [sent]
    assert site.poll(topic, id=str(sent["id"])) == [sent]
    assert site.poll(topic, id=str(event["id"])) == [event]
    assert site.poll(topic, priority="3") == [event]


@has_sequences
def test_events_reach_open_streams(site: Site) -> None:
    topic = new_topic()
    with site.client.stream("GET", f"/{topic}/json") as answer:
        lines = answer.iter_lines()
        next(lines)
        cleared = document(site.client.put(f"/{topic}/seq/clear"))
        deleted = document(site.client.delete(f"/{topic}/seq"))
        assert [json.loads(next(lines)) for _ in range(2)] == [cleared, deleted]


@has_sequences
def test_a_scheduled_message_is_replaced(site: Site) -> None:
    topic = new_topic()
    first = site.sent(topic, message="v1", delay="1h")
    second = site.sent(topic, message="v2", delay="2h", sequence_id=first["id"])
    assert site.poll(topic, scheduled="1") == [second]
    third = site.sent(topic, message="v3", sequence_id=first["id"])
    assert site.poll(topic, scheduled="1") == site.poll(topic) == [third]


@has_sequences
def test_an_uncached_update_leaves_the_scheduled_message(site: Site) -> None:
    topic = new_topic()
    first = site.sent(topic, message="v1", delay="1h")
    site.sent(topic, message="v2", cache="no", sequence_id=first["id"])
    assert site.poll(topic, scheduled="1") == [first]


@has_sequences
def test_a_scheduled_message_is_cancelled_by_deleting_only(site: Site) -> None:
    topic = new_topic()
    sent = site.sent(topic, message="x", delay="1h", sequence_id="seq")
    other = site.sent(topic, message="x", delay="1h")
    cleared = document(site.client.put(f"/{topic}/seq/clear"))
    assert site.poll(topic, scheduled="1") == [cleared, sent, other]
    deleted = document(site.client.delete(f"/{topic}/seq"))
    assert site.poll(topic, scheduled="1") == [cleared, deleted, other]
    document(site.client.delete(f"/{topic}/{other['id']}"))
    assert other not in site.poll(topic, scheduled="1")


@has_sequences
def test_a_sequence_belongs_to_its_topic(site: Site) -> None:
    one, other = new_topic(), new_topic()
    sent = site.sent(one, message="x", delay="1h", sequence_id="seq")
    site.client.delete(f"/{other}/seq")
    assert site.poll(one, scheduled="1") == [sent]
