"""Reading, streams, pages and status documents: stand-in and real server agree."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.live.ntfy_sites import Site, code, document, new_topic, open_site, site

if TYPE_CHECKING:
    from tests.backends.ntfy import JsonObject

__all__ = ["open_site", "site"]

CONFIG_KEYS = {
    "base_url",
    "app_root",
    "enable_login",
    "enable_signup",
    "enable_payments",
    "enable_calls",
    "enable_emails",
    "enable_reservations",
    "enable_web_push",
    "billing_contact",
    "web_push_public_key",
    "disallowed_topics",
}


def texts(messages: list[JsonObject]) -> list[object]:
    return [message.get("message") for message in messages]


def test_a_poll_is_newline_delimited_json(site: Site) -> None:
    topic = new_topic()
    answer = site.client.get(f"/{topic}/json?poll=1")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"] == "application/x-ndjson; charset=utf-8"
    assert answer.headers["access-control-allow-origin"] == "*"
    sent = [site.sent(topic, message=text) for text in "abc"]
    assert site.poll(topic) == sent


def test_since_selects_the_start(site: Site) -> None:
    topic = new_topic()
    sent = [site.sent(topic, message=text) for text in "abc"]
    first = str(sent[0]["id"])
    last_time = int(str(sent[2]["time"]))
    assert site.poll(topic, since="all") == sent
    assert site.poll(topic, since="latest") == sent[2:]
    assert site.poll(topic, since="none") == []
    assert site.poll(topic, since=first) == sent[1:]
    assert site.poll(topic, since="AAAAAAAAAAAA") == sent
    assert site.poll(topic, since=str(last_time - 60)) == sent
    assert site.poll(topic, since=str(last_time + 60)) == []
    assert site.poll(topic, since="0") == sent
    assert site.poll(topic, since="1") == []
    assert site.poll(topic, since="2") == sent
    for duration in ("10m", "1h30m", "1.5h", "3600000ms"):
        assert site.poll(topic, since=duration) == sent
    assert site.poll(topic, since="-10m") == []


@pytest.mark.parametrize("since", ["1d", "7d", "yesterday", "5 m", "1h 30m", "abc", "-"])
def test_since_knows_no_days_and_no_words(site: Site, since: str) -> None:
    answer = site.client.get(f"/{new_topic()}/json", params={"poll": "1", "since": since})
    assert (answer.status_code, code(answer)) == (400, 40008)


def test_an_id_of_another_topic_is_a_place_in_the_common_order(site: Site) -> None:
    one, other = new_topic(), new_topic()
    early = site.sent(one, message="early")
    mark = str(site.sent(other)["id"])
    late = site.sent(one, message="late")
    assert site.poll(one, since=mark) == [late]
    assert site.poll(one) == [early, late]


def test_several_topics_are_read_at_once(site: Site) -> None:
    one, other = new_topic(), new_topic()
    site.sent(one, message="a")
    site.sent(other, message="b")
    assert sorted(str(text) for text in texts(site.poll(f"{one},{other}"))) == ["a", "b"]
    assert len(site.poll(f"{one},{other}", since="latest")) == 2


def test_filters_select_messages(site: Site) -> None:
    topic = new_topic()
    plain = site.sent(topic, message="plain")
    high = site.sent(topic, message="high", title="T", priority=4, tags=["x", "y"])
    site.sent(topic, message="low", priority=2, tags=["x"])
    assert site.poll(topic, id=str(high["id"])) == [high]
    assert site.poll(topic, title="T") == [high]
    assert site.poll(topic, title="t", since="all") == []
    assert site.poll(topic, message="plain") == [plain]
    assert site.poll(topic, priority="3") == [plain]
    assert texts(site.poll(topic, priority="high,2")) == ["high", "low"]
    assert texts(site.poll(topic, tags="x")) == ["high", "low"]
    assert site.poll(topic, tags="y,x") == [high]
    assert site.poll(topic, tags="x", priority="5") == []
    answer = site.client.get(f"/{topic}/json?poll=1", headers={"X-Tags": "y"})
    assert json.loads(answer.text) == high
    assert code(site.client.get(f"/{topic}/json?poll=1&priority=normal")) == 40007


def test_scheduled_messages_come_on_request(site: Site) -> None:
    topic = new_topic()
    now = site.sent(topic, message="now")
    later = site.sent(topic, message="later", delay="1h")
    after = site.sent(topic, message="after")
    assert site.poll(topic) == [now, after]
    assert site.poll(topic, since="latest") == [after]
    assert site.poll(topic, scheduled="1") == [now, after, later]
    assert site.poll(topic, scheduled="1", since=str(after["id"])) == [later]
    assert site.poll(topic, scheduled="1", id=str(later["id"])) == [later]
    assert site.poll(topic, since=str(later["id"])) == [after]


def test_other_formats_carry_the_same_messages(site: Site) -> None:
    topic = new_topic()
    sent = site.sent(topic, message="a\nb")
    answer = site.client.get(f"/{topic}/raw?poll=1")
    assert (answer.text, answer.headers["content-type"]) == ("a b\n", "text/plain; charset=utf-8")
    answer = site.client.get(f"/{topic}/sse?poll=1")
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert json.loads(answer.text.removeprefix("data: ")) == sent
    assert answer.text.endswith("\n\n")
    assert code(site.client.get(f"/{topic}/ws")) == 40016


def test_a_stream_opens_and_goes_on(site: Site) -> None:
    one, other = new_topic(), new_topic()
    old = site.sent(one, message="old", priority=5)
    params = {"since": "all", "priority": "5"}
    with site.client.stream("GET", f"/{one},{other}/json", params=params) as answer:
        lines = answer.iter_lines()
        opened = json.loads(next(lines))
        assert set(opened) == {"id", "time", "event", "topic"}
        assert (opened["event"], opened["topic"]) == ("open", f"{one},{other}")
        assert json.loads(next(lines)) == old
        site.sent(one, message="not for us")
        new = site.sent(other, message="new", priority=5, cache="no")
        # The real server may tell a message twice that was sent just before.
        received = map(json.loads, lines)
        assert next(one for one in received if one != old) == new


def test_a_stream_starts_with_new_messages_only(site: Site) -> None:
    topic = new_topic()
    site.sent(topic, message="old")
    with site.client.stream("GET", f"/{topic}/json") as answer:
        lines = answer.iter_lines()
        assert json.loads(next(lines))["event"] == "open"
        new = site.sent(topic, message="new")
        assert json.loads(next(lines)) == new


@pytest.mark.parametrize("path", ["/", "/some-topic", "/example.com/topic", "/v1", "/app"])
def test_paths_that_could_be_topics_show_the_web_app(site: Site, path: str) -> None:
    answer = site.client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/a/b"),
        ("GET", "/a/b/c/d"),
        ("GET", "/v1/nope"),
        ("GET", "/a/"),
        ("GET", "/a,b"),
        ("GET", "/a b"),
        ("GET", "/a/json/x"),
        ("GET", "/" + "x" * 65),
        ("POST", "/a,b"),
        ("POST", "/a/b/c"),
        ("DELETE", "/a"),
        ("PATCH", "/a"),
        ("HEAD", "/a"),
        ("PUT", "/a/b/json"),
        ("GET", "/v1/tiers"),
    ],
)
def test_other_paths_are_not_found(site: Site, method: str, path: str) -> None:
    answer = site.client.request(method, path)
    assert answer.status_code == 404
    if method != "HEAD":
        assert code(answer) == 40401


def test_a_wrong_method_under_v1_counts_as_a_reserved_topic_since_sequence_ids(site: Site) -> None:
    expected = 40010 if site.version >= (2, 16) else 40401
    assert code(site.client.post("/v1/health")) == expected
    assert code(site.client.delete("/v1/version")) == expected


def test_an_encoded_path_means_the_same(site: Site) -> None:
    topic = new_topic()
    sent = site.sent(topic)
    encoded = "%74" + topic[1:]
    assert json.loads(site.client.get(f"/{encoded}/json?poll=1").text) == sent
    assert site.client.get("/").status_code == site.client.head("/").status_code == 200
    assert site.client.options(f"/{topic}").status_code == 200


def test_anyone_may_ask_for_the_state_of_the_server(site: Site) -> None:
    assert document(site.client.get("/v1/health")) == {"healthy": True}
    before = document(site.client.get("/v1/stats"))
    assert set(before) == {"messages", "messages_rate"}
    site.sent(new_topic(), cache="no")
    after = document(site.client.get("/v1/stats"))
    assert int(str(after["messages"])) == int(str(before["messages"])) + 1
    assert site.client.get("/config.js").headers["content-type"] == "text/javascript"


def test_the_configuration_grew_with_the_releases(site: Site) -> None:
    answer = site.client.get("/v1/config")
    if site.version < (2, 16):
        assert code(answer) == 40401
        return
    expected = CONFIG_KEYS | {"require_login", "config_hash"}
    if site.version >= (2, 25):
        expected |= {"enable_reset_password"}
    config = document(answer)
    assert set(config) == expected
    assert (config["base_url"], config["app_root"]) == ("", "/")
    topics = config["disallowed_topics"]
    assert isinstance(topics, list)
    assert {"docs", "static", "file", "app", "account", "v1"} <= set(topics)


def test_the_version_is_for_admins_of_newer_releases(site: Site) -> None:
    if site.version < (2, 17):
        assert code(site.as_admin("GET", "/v1/version")) == 40401
        return
    assert set(document(site.as_admin("GET", "/v1/version"))) == {"version", "commit", "date"}
    assert code(site.client.get("/v1/version")) == 40101
    assert code(site.request("GET", "/v1/version", site.new_user())) == 40101


def test_without_user_database_everything_is_open(open_site: Site) -> None:
    topic = new_topic()
    login = ("nobody", "wrong")
    assert open_site.request("POST", "/", login, {"topic": topic}).is_success
    assert open_site.poll(topic, login) == open_site.poll(topic)
    assert open_site.request("GET", f"/{topic}/auth", ("", "tk_wrong")).json() == {"success": True}
    assert code(open_site.request("GET", "/v1/users", login)) == 40401
    assert code(open_site.request("PUT", "/v1/users/access", login, {})) == 40401
    assert code(open_site.request("GET", "/v1/version")) == 40401
    account = document(open_site.request("GET", "/v1/account", login))
    assert (account["username"], account["role"]) == ("*", "anonymous")
    assert open_site.client.get("/v1/auth").status_code == 200
