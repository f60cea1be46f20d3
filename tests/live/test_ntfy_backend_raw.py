"""Publishing by path, headers and query, and delays: stand-in and real server agree."""

from __future__ import annotations

import time

import pytest

from tests.live.ntfy_sites import Site, code, document, new_topic, site

__all__ = ["site"]


def test_headers_carry_the_fields_of_a_raw_publish(site: Site) -> None:
    topic = new_topic()
    headers = {
        "X-Title": "=?UTF-8?B?R3LDvMOfZQ==?=",
        "Priority": "urgent",
        "Tags": "a, b,,c",
        "Click": "https://example.com",
        "Content-Type": "text/markdown",
    }
    sent = document(site.client.post(f"/{topic}", content=" text \n", headers=headers))
    assert (sent["title"], sent["message"], sent["priority"]) == ("Grüße", "text", 5)
    assert sent["tags"] == ["a", "b", "c"]
    assert sent["content_type"] == "text/markdown"


@pytest.mark.parametrize(
    ("header", "title"),
    [
        ("=?utf-8?q?a_=C3=BC?=", "a ü"),
        ("=?utf-8?q?a?= =?iso-8859-1?q?=FC?=", "aü"),
        ("x =?UTF-8?B?w7w=?= y", "x ü y"),
        ("=?koi8-r?q?a?=", "=?koi8-r?q?a?="),
        ("=?utf-8?q?a", "=?utf-8?q?a"),
    ],
)
def test_encoded_words_are_decoded(site: Site, header: str, title: str) -> None:
    answer = site.client.put(f"/{new_topic()}", content="x", headers={"Title": header})
    assert document(answer)["title"] == title


def test_plain_utf8_in_a_header_is_taken_as_such(site: Site) -> None:
    headers = {b"Title": "Grüße".encode()}
    answer = site.client.put(f"/{new_topic()}", content="x", headers=headers)
    assert document(answer)["title"] == "Grüße"


@pytest.mark.parametrize(
    ("word", "number"),
    [("min", 1), ("low", 2), ("default", 3), ("HIGH", 4), ("max", 5), ("urgent", 5), ("2", 2)],
)
def test_priorities_have_names_in_headers(site: Site, word: str, number: int) -> None:
    answer = site.client.put(f"/{new_topic()}", content="x", headers={"X-Priority": word})
    assert document(answer)["priority"] == number


@pytest.mark.parametrize("word", ["normal", "0", "6", "-1", "very high"])
def test_other_priorities_are_refused(site: Site, word: str) -> None:
    answer = site.client.put(f"/{new_topic()}", content="x", headers={"Priority": word})
    assert code(answer) == 40007


def test_the_priority_header_of_http_is_passed_over(site: Site) -> None:
    headers = {"Priority": "u=1, i"}
    sent = document(site.client.put(f"/{new_topic()}", content="x", headers=headers))
    assert "priority" not in sent


@pytest.mark.parametrize("verb", ["publish", "send", "trigger"])
def test_a_get_publishes_from_the_query(site: Site, verb: str) -> None:
    params = {"message": "a\\nb", "title": "T", "p": "4", "tags": "x,y"}
    sent = document(site.client.get(f"/{new_topic()}/{verb}", params=params))
    assert (sent["message"], sent["title"], sent["priority"]) == ("a\nb", "T", 4)
    assert sent["tags"] == ["x", "y"]


def test_headers_win_over_the_query_and_a_body_over_both(site: Site) -> None:
    answer = site.client.post(
        f"/{new_topic()}?title=q&message=q", content="body", headers={"t": "h", "m": "h"}
    )
    sent = document(answer)
    assert (sent["title"], sent["message"]) == ("h", "body")


def test_json_on_the_path_of_a_topic_is_published_as_text(site: Site) -> None:
    sent = document(site.client.post(f"/{new_topic()}", json={"message": "x"}))
    assert sent["message"] == '{"message":"x"}'


def test_a_raw_body_is_a_text_or_a_file(site: Site) -> None:
    topic = new_topic()
    assert document(site.client.put(f"/{topic}"))["message"] == "triggered"
    sent = document(site.client.put(f"/{topic}", content=b"\x00\x01\xff"))
    assert sent["message"] == "You received a file: attachment.bin"
    sent = document(site.client.put(f"/{topic}", content=b"log", headers={"Filename": "a.log"}))
    attachment = sent["attachment"]
    assert isinstance(attachment, dict)
    assert (attachment["name"], attachment["size"]) == ("a.log", 3)
    headers = {"Attach": "https://example.com/x"}
    assert code(site.client.put(f"/{topic}", content=b"\xff", headers=headers)) == 40011


def test_a_chunked_body_is_read_whole(site: Site) -> None:
    sent = document(site.client.put(f"/{new_topic()}", content=iter([b"ab", b"cd"])))
    assert sent["message"] == "abcd"


def test_push_messages_keep_their_bytes(site: Site) -> None:
    topic = new_topic()
    sent = document(site.client.put(f"/{topic}?up=1", content=b"\xff\xfe"))
    assert (sent["message"], sent["encoding"]) == ("//4=", "base64")
    assert document(site.client.put(f"/{topic}?up=1", content=" x "))["message"] == " x "
    assert site.client.get(f"/{topic}?up=1").json() == {"unifiedpush": {"version": 1}}


def test_a_poll_request_is_not_kept(site: Site) -> None:
    topic = new_topic()
    sent = document(site.client.put(f"/{topic}", headers={"X-Poll-ID": "abc"}))
    assert (sent["event"], sent["message"], sent["poll_id"]) == (
        "poll_request",
        "New message",
        "abc",
    )
    assert site.poll(topic) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("view, Open, https://example.com", 1),
        ("view, Open, url=https://example.com, clear=true; http, Go, https://example.com", 2),
        ("action=broadcast, label='a, b; c', extras.x=y, intent=i", 1),
        ('http, "say \\"x\\"", https://example.com, method=PUT, headers.A=b, body=t', 1),
        ('[{"action":"view","label":"x","url":"y"}]', 1),
        ("view, Open, https://example.com;", 1),
    ],
)
def test_actions_have_a_short_notation(site: Site, text: str, count: int) -> None:
    answer = site.client.put(f"/{new_topic()}", content="x", headers={"Actions": text})
    actions = document(answer)["actions"]
    assert isinstance(actions, list)
    assert len(actions) == count
    if count == 2:
        assert (actions[0]["clear"], actions[1]["url"]) == (True, "https://example.com")


@pytest.mark.parametrize(
    "text",
    [
        "view",
        "view, Open",
        "open, Open, https://example.com",
        "view, Open, https://example.com, extra",
        "view, Open, url=x, clear=maybe",
        "view, 'Open",
        "view, Open, colour=red",
        "[",
        '[{"action":"view","label":1,"url":"y"}]',
        '[{"action":"view","label":"x","url":"y"}] x',
    ],
)
def test_broken_actions_in_a_header_are_refused(site: Site, text: str) -> None:
    answer = site.client.put(f"/{new_topic()}", content="x", headers={"Actions": text})
    assert code(answer) == 40018


@pytest.mark.parametrize(
    ("delay", "seconds"),
    [
        ("10s", 10),
        ("30m", 1800),
        ("1h30m", 5400),
        ("1.5h", 5400),
        ("3 hours", 10800),
        ("45 mins", 2700),
        ("20Seconds", None),
        ("2d", 172800),
        ("2 days", 172800),
        ("3d", 259200),
        ("in 2 hours", 7200),
        ("tomorrow", 86400),
    ],
)
def test_a_delay_sets_the_delivery_time(site: Site, delay: str, seconds: int | None) -> None:
    topic = new_topic()
    answer = site.publish(topic, message="later", delay=delay)
    if seconds is None:
        assert code(answer) == 40004
        return
    sent = document(answer)
    assert abs(int(str(sent["time"])) - site.now() - seconds) < 5
    assert int(str(sent["expires"])) - int(str(sent["time"])) == 12 * 3600
    assert site.poll(topic) == []
    assert site.poll(topic, scheduled="1") == [sent]


def test_a_delay_may_be_a_moment(site: Site) -> None:
    due = int(site.now()) + 3600
    assert site.sent(new_topic(), delay=str(due))["time"] == due
    clock = int(str(site.sent(new_topic(), delay="tomorrow, 10am")["time"]))
    assert clock > site.now()
    assert time.localtime(clock)[3:5] == (10, 0)
    assert int(str(site.sent(new_topic(), delay="7:30pm")["time"])) > site.now()


@pytest.mark.parametrize(
    ("delay", "expected"),
    [
        ("9s", 40005),
        ("0", 40005),
        ("-5m", 40005),
        ("3d1h", 40004),
        ("4d", 40006),
        ("73h", 40006),
        ("9999999999", 40006),
        ("1000000000", 40004),
        ("5", 40004),
        ("soonish", 40004),
        ("1w", 40004),
    ],
)
def test_delays_outside_the_window_are_refused(site: Site, delay: str, expected: int) -> None:
    assert code(site.publish(new_topic(), delay=delay)) == expected


def test_a_delayed_message_must_be_cached(site: Site) -> None:
    assert code(site.publish(new_topic(), delay="1h", cache="no")) == 40002


@pytest.mark.parametrize("name", ["X-Delay", "Delay", "X-At", "At", "X-In", "In"])
def test_a_delay_has_many_header_names(site: Site, name: str) -> None:
    topic = new_topic()
    sent = document(site.client.put(f"/{topic}", content="x", headers={name: "1h"}))
    assert site.poll(topic, sched="yes") == [sent]


def test_a_due_message_is_delivered(site: Site) -> None:
    topic = new_topic()
    sent = site.sent(topic, delay="10s", message="soon")
    assert site.poll(topic) == []
    for _ in range(25):
        site.pass_time(1)
        if site.poll(topic):
            break
    assert site.poll(topic) == [sent]
