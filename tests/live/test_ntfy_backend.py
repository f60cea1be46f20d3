"""Publishing: the stand-in and a real ntfy server give the same answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.live.ntfy_sites import Site, code, document, new_topic, open_site, site

if TYPE_CHECKING:
    from tests.backends.ntfy import JsonObject

__all__ = ["open_site", "site"]

VIEW: JsonObject = {"action": "view", "label": "Open", "url": "https://example.com"}


def test_a_plain_message_has_the_minimal_shape(site: Site) -> None:
    topic = new_topic()
    sent = site.sent(topic, message="hello")
    assert set(sent) == {"id", "time", "expires", "event", "topic", "message"}
    assert re.fullmatch(r"[A-Za-z0-9]{12}", str(sent["id"]))
    assert abs(int(str(sent["time"])) - site.now()) < 10
    assert int(str(sent["expires"])) - int(str(sent["time"])) == 12 * 3600
    assert (sent["event"], sent["topic"], sent["message"]) == ("message", topic, "hello")
    assert site.poll(topic) == [sent]


def test_every_field_comes_back(site: Site) -> None:
    topic = new_topic()
    fields: JsonObject = {
        "message": "  body ü€😀 \n",
        "title": " T <&> ",
        "priority": 5,
        "tags": ["warning", " skull "],
        "click": "mailto:x@example.com",
        "icon": "https://example.com/i.png",
        "attach": "https://example.com/dir/a%20b.jpg",
    }
    sent = site.sent(topic, markdown=True, firebase="no", actions=[VIEW], **fields)
    assert sent["message"] == "body ü€😀"
    assert (sent["title"], sent["priority"]) == ("T <&>", 5)
    assert sent["tags"] == ["warning", "skull"]
    assert (sent["click"], sent["icon"]) == (fields["click"], fields["icon"])
    assert sent["attachment"] == {"name": "a b.jpg", "url": fields["attach"]}
    assert sent["content_type"] == "text/markdown"
    actions = sent["actions"]
    assert isinstance(actions, list)
    action = dict(actions[0])
    assert re.fullmatch(r"[A-Za-z0-9]{10}", action.pop("id"))
    assert action == {**VIEW, "clear": False}
    assert site.poll(topic) == [sent]


@pytest.mark.parametrize(
    "fields",
    [
        {"priority": "high"},
        {"priority": 4.0},
        {"priority": True},
        {"priority": 10**20},
        {"tags": "a,b"},
        {"tags": [1]},
        {"tags": {}},
        {"markdown": "yes"},
        {"delay": 60},
        {"cache": False},
        {"firebase": False},
        {"message": 1},
        {"title": ["x"]},
        {"actions": "view"},
        {"actions": {}},
        {"actions": [{"action": "view", "label": 1}]},
        {"actions": [{**VIEW, "clear": "yes"}]},
        {"actions": [{**VIEW, "headers": {"A": 1}}]},
        {"topic": 1},
    ],
)
def test_a_field_of_another_type_refuses_the_whole_body(site: Site, fields: JsonObject) -> None:
    answer = site.client.post("/", json={"topic": new_topic(), **fields})
    assert (answer.status_code, code(answer)) == (400, 40024)


@pytest.mark.parametrize(
    "body",
    ["", "[]", '"x"', "1", "{", '{"topic":"a",}', "{'topic':'a'}", '{"topic":NaN}', "\ufeff{}"],
)
def test_what_is_not_a_json_object_is_refused(site: Site, body: str) -> None:
    assert code(site.client.post("/", content=body.encode())) == 40024


@pytest.mark.parametrize("body", ["null", "{}", '{"topic":""}', '{"topic":"a b"}'])
def test_a_body_without_a_valid_topic_is_refused(site: Site, body: str) -> None:
    assert code(site.client.post("/", content=body)) == 40009


def test_unknown_fields_nulls_other_case_and_trailing_data_do_no_harm(site: Site) -> None:
    topic = new_topic()
    body = f'{{"TOPIC":"{topic}","Message":"a","title":null,"nope":[1],"message":"b"}} trailing'
    sent = document(site.client.post("/", content=body))
    assert (sent["message"], sent.get("title")) == ("b", None)


def test_lone_surrogates_and_broken_utf8_become_replacement_characters(site: Site) -> None:
    topic = new_topic()
    body = f'{{"topic":"{topic}","title":"a\\ud800b","message":"'.encode() + b'\xffx"}'
    sent = document(site.client.post("/", content=body))
    assert (sent["title"], sent["message"]) == ("a\ufffdb", "\ufffdx")


def test_nul_characters_go_away_in_newer_releases(site: Site) -> None:
    sent = site.sent(new_topic(), message="a\x00b", title="c\x00d")
    expected = ("ab", "cd") if site.version >= (2, 19) else ("a\x00b", "c\x00d")
    assert (sent["message"], sent["title"]) == expected


@pytest.mark.parametrize("topic", ["docs", "static", "file", "app", "account", "v1", "login"])
def test_reserved_topics_can_be_neither_written_nor_read(site: Site, topic: str) -> None:
    assert code(site.publish(topic)) == 40010
    assert code(site.client.put(f"/{topic}", content="x")) == 40010
    if topic in {"account", "v1", "login"}:
        refusal = 40010 if site.version >= (2, 23) else 40009
        assert code(site.client.get(f"/{topic}/json?poll=1")) == refusal
        assert code(site.client.get(f"/{topic}/auth")) == refusal


@pytest.mark.parametrize("fields", [{}, {"message": ""}, {"message": " \n "}, {"title": "T"}])
def test_a_message_without_text_says_triggered(site: Site, fields: JsonObject) -> None:
    assert site.sent(new_topic(), **fields)["message"] == "triggered"


def test_a_zero_priority_is_none_and_others_need_one_to_five(site: Site) -> None:
    assert "priority" not in site.sent(new_topic(), priority=0)
    assert site.sent(new_topic(), priority=3)["priority"] == 3
    assert code(site.publish(new_topic(), priority=6)) == 40007
    assert code(site.publish(new_topic(), priority=-1)) == 40007


def test_the_whole_json_stays_below_twice_the_message_limit(site: Site) -> None:
    topic = new_topic()
    frame = f'{{"topic":"{topic}","title":"'.encode()
    full = frame + b"t" * (8192 - len(frame) - 2) + b'"}'
    assert len(full) == 8192
    answer = site.client.post("/", content=full)
    assert (answer.status_code, code(answer)) == (413, 41303)
    assert site.client.post("/", content=full.replace(b"tt", b"t", 1)).status_code == 200


def test_a_message_that_reaches_the_limit_becomes_a_file(site: Site) -> None:
    assert site.sent(new_topic(), message="m" * 4095)["message"] == "m" * 4095
    answer = site.publish(new_topic(), message="m" * 4096)
    if site.version >= (2, 20):
        # The file store compares the length of the file with that of the JSON document.
        assert (answer.status_code, code(answer)) == (500, 50001)
        return
    sent = document(answer)
    assert sent["message"] == "You received a file: attachment.txt"
    _check_file(site, sent, "attachment.txt", b"m" * 4096)


def test_a_json_body_of_unknown_length_becomes_a_file_in_all_releases(site: Site) -> None:
    body = f'{{"topic":"{new_topic()}","message":"{"m" * 4096}"}}'.encode()
    sent = document(site.client.post("/", content=iter([body])))
    _check_file(site, sent, "attachment.txt", b"m" * 4096)


def _check_file(site: Site, sent: JsonObject, name: str, content: bytes) -> None:
    attachment = sent["attachment"]
    assert isinstance(attachment, dict)
    url = attachment.pop("url")
    assert url == str(site.client.base_url.join(f"/file/{sent['id']}.txt"))
    assert attachment.pop("expires") - int(str(sent["time"])) == 3 * 3600
    kind = "text/plain; charset=utf-8"
    assert attachment == {"name": name, "type": kind, "size": len(content)}
    assert site.client.get(url).content == content
    assert code(site.client.get("/file/AAAAAAAAAAAA.txt")) == 40401


def test_without_uploads_a_message_that_reaches_the_limit_is_refused(open_site: Site) -> None:
    assert code(open_site.publish(new_topic(), message="m" * 4096)) == 40014
    assert code(open_site.publish(new_topic(), message="x", filename="a.txt")) == 40014
    assert code(open_site.client.put(f"/{new_topic()}", content=b"\xff\xfe")) == 40014


def test_a_filename_alone_turns_the_text_into_a_file(site: Site) -> None:
    answer = site.publish(new_topic(), message="content", filename="log.txt")
    if site.version >= (2, 20):
        assert code(answer) == 50001
        return
    sent = document(answer)
    assert sent["message"] == "You received a file: log.txt"
    _check_file(site, sent, "log.txt", b"content")


def test_a_filename_with_a_link_names_the_link(site: Site) -> None:
    topic = new_topic()
    sent = site.sent(topic, message=" ", filename="log.txt", attach="http://example.com/")
    assert sent["attachment"] == {"name": "log.txt", "url": "http://example.com/"}
    assert sent["message"] == "You received a file: log.txt"
    sent = site.sent(topic, message="x", attach="http://example.com/")
    assert sent["attachment"] == {"name": "attachment", "url": "http://example.com/"}


def test_a_file_may_not_expire_before_its_delivery(site: Site) -> None:
    assert code(site.publish(new_topic(), message="x", filename="a", delay="4h")) == 40015


@pytest.mark.parametrize("url", ["ftp://example.com/x", "HTTPS://example.com/x", "example.com"])
def test_links_for_files_and_icons_start_with_http(site: Site, url: str) -> None:
    assert code(site.publish(new_topic(), attach=url)) == 40013
    assert code(site.publish(new_topic(), icon=url)) == 40021
    assert site.sent(new_topic(), click=url)["click"] == url


def test_email_and_calls_are_off(site: Site) -> None:
    assert code(site.publish(new_topic(), email="a@example.com")) == 40001
    invalid = code(site.publish(new_topic(), email="nobody"))
    assert invalid == (40050 if site.version >= (2, 21) else 40001)
    assert code(site.publish(new_topic(), call="+123")) == 40032


def test_an_uncached_message_is_not_kept(site: Site) -> None:
    topic = new_topic()
    for word in ("no", "false", "0", "perhaps"):
        assert "expires" not in site.sent(topic, message="x", cache=word)
    assert site.poll(topic) == []
    assert "expires" in site.sent(topic, message="x", cache="yes")


def test_a_put_publishes_as_well(site: Site) -> None:
    assert document(site.client.put("/", json={"topic": new_topic(), "message": "x"}))


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ([VIEW, VIEW, VIEW], 200),
        ([VIEW] * 4, 40018),
        ([{"action": "view", "label": "x"}], 40018),
        ([{"action": "view", "url": "https://example.com"}], 40018),
        ([{"action": "VIEW", "label": "x", "url": "anything"}], 200),
        ([{"action": "open", "label": "x"}], 40018),
        ([{"label": "x", "url": "https://example.com"}], 40018),
        ([{"action": "http", "label": "x"}], 40018),
        ([{"action": "http", "label": "x", "url": "u", "body": "b"}], 200),
        ([{"action": "http", "label": "x", "url": "u", "method": "get", "body": "b"}], 40018),
        ([{"action": "http", "label": "x", "url": "u", "method": "get"}], 200),
        ([{"action": "broadcast", "label": "x", "extras": {"a": "b"}}], 200),
        ([{"action": "copy", "label": "x"}], 40018),
    ],
)
def test_actions_follow_their_rules(site: Site, actions: list[JsonObject], expected: int) -> None:
    answer = site.publish(new_topic(), actions=actions)
    assert (200 if answer.is_success else code(answer)) == expected


def test_copy_buttons_came_later(site: Site) -> None:
    answer = site.publish(new_topic(), actions=[{"action": "copy", "label": "x", "value": "v"}])
    if site.version >= (2, 17):
        assert dict(document(answer)["actions"][0])["value"] == "v"  # type: ignore[index]
    else:
        assert code(answer) == 40018


def test_an_action_is_stored_in_full(site: Site) -> None:
    action: JsonObject = {
        "action": "http",
        "label": "Go",
        "url": "https://example.com",
        "method": "put",
        "headers": {"A": "b"},
        "body": "x",
        "clear": True,
    }
    sent = site.sent(new_topic(), actions=[action])
    stored = dict(sent["actions"][0])  # type: ignore[index]
    stored.pop("id")
    assert stored == {**action, "method": "PUT"}
