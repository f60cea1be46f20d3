"""Identity, time and credentials, on the stand-in and on a real server alike."""

from __future__ import annotations

import asyncio
import contextlib
import json
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import cast

import pytest
from mcp.server import Server

from mcp_serverkit.config.settings import read_settings
from mcp_serverkit.config.typed_settings import secret
from mcp_serverkit.http.client import HTTP
from mcp_serverkit.http.connection import Connection
from mcp_serverkit.server import build_server
from ntfy_mcp.allowlist import TopicAllowlist
from ntfy_mcp.api.client import NtfyClient
from ntfy_mcp.api.credentials import Credentials
from ntfy_mcp.app import Ntfy, NtfySettings
from ntfy_mcp.definition import NTFY
from tests.backends.ntfy import JsonObject, NtfyBackend
from tests.live.ntfy_sites import (
    GENEROUS,
    KINDS,
    Site,
    has_sequences,
    new_topic,
    real,
    site,
    stand_in,
)
from tests.live.test_ntfy_mcp import YES, Document, first, messages
from tests.support.clients import ERAS, Era, call, connect, structured, text

__all__ = ["site"]


def server(site: Site, topic: str, ahead: float = 0.0, **environ: str) -> Server[object]:
    """A server without a login whose own clock goes wrong by so many seconds."""
    url = str(site.client.base_url).rstrip("/")
    reading = read_settings(
        NTFY.variables, NTFY.prefix, {"NTFY_URL": url, "NTFY_TOPICS": topic, **environ}
    )
    assert reading.problems == []
    settings = NtfySettings.from_values(reading.values)
    http = HTTP(Connection(url, "ntfy", "NTFY_URL", 15, "tests"), repeat_429=False, path_safe=",")
    client = NtfyClient(http, Credentials(secret(settings.token)), now=lambda: site.now() + ahead)
    app = Ntfy(settings, client, TopicAllowlist(settings.topics))
    return build_server(NTFY, reading.values, app=app)


async def use(
    site: Site,
    topic: str,
    tool: str,
    arguments: Document,
    *,
    era: Era = "2026-07-28",
    ahead: float = 0,
) -> Document:
    """Make an approved call."""
    async with connect(server(site, topic, ahead), era, YES) as client:
        return structured(await call(client, tool, arguments))


def script(site: Site, topic: str, message: str, sequence_id: str = "job", **fields: object) -> str:
    """Publish under a script's own id; return the id of the message."""
    return str(site.sent(topic, message=message, sequence_id=sequence_id, **fields)["id"])


@has_sequences
@pytest.mark.parametrize("era", ERAS)
async def test_the_id_of_a_revision_deletes_and_replaces(site: Site, era: Era) -> None:
    topic = new_topic()
    script(site, topic, "run 1")
    revision = script(site, topic, "run 2")
    revise: Document = {"sequence_id": revision, "message": "run 3"}
    revised = await use(site, topic, "update_message", revise, era=era)
    assert (revised["outcome"], revised["sequence_id"]) == ("replaced", "job")
    current = await use(site, topic, "list_messages", {"view": "current"}, era=era)
    assert [entry["message"] for entry in messages(current)] == ["run 3"]
    deleted = await use(site, topic, "delete_messages", {"sequence_ids": [revision]}, era=era)
    assert first(deleted) == {
        "id": revision,
        "sequence_id": "job",
        "ok": True,
        "found": True,
        "was": "delivered",
    }
    assert messages(await use(site, topic, "list_messages", {"view": "current"}, era=era)) == []
    again = await use(site, topic, "delete_messages", {"sequence_ids": ["job"]}, era=era)
    assert first(again)["was"] == "deleted"
    absent = await use(site, topic, "delete_messages", {"sequence_ids": ["Kd83ksLq0aZ2"]}, era=era)
    assert (first(absent)["ok"], first(absent)["found"]) == (True, False)


@has_sequences
@pytest.mark.parametrize("era", ERAS)
async def test_an_own_id_creates_and_then_replaces(site: Site, era: Era) -> None:
    topic = new_topic()
    given: Document = {"sequence_id": "nightly", "message": "run 3"}
    assert (await use(site, topic, "update_message", given, era=era))["outcome"] == "created"
    assert (await use(site, topic, "update_message", given, era=era))["outcome"] == "replaced"
    gone: Document = {"sequence_ids": ["nightly"]}
    await use(site, topic, "delete_messages", gone, era=era)
    assert (await use(site, topic, "update_message", given, era=era))["outcome"] == "created"


@has_sequences
async def test_a_rescheduled_one_is_read_by_its_first_id(site: Site) -> None:
    topic = new_topic()
    sent = await use(site, topic, "publish_message", {"message": "soon", "delay": "1h"})
    name = first(sent)["id"]
    given: Document = {"sequence_id": name, "message": "later", "carry_over": True}
    await use(site, topic, "update_message", given)
    shown = cast("Document", (await use(site, topic, "get_message", {"id": name}))["message"])
    assert (shown["message"], shown["delivered"]) == ("later", False)
    assert "time" not in shown


@has_sequences
async def test_filters_see_what_is_there_now(site: Site) -> None:
    topic = new_topic()
    script(site, topic, "d", "disk", title="Disk", priority=5)
    script(site, topic, "b", "build", title="Build")
    await use(site, topic, "delete_messages", {"sequence_ids": ["disk"]})
    script(site, topic, "b", "build", title="Build done")
    filters: list[tuple[Document, int]] = [
        ({"title": "Disk"}, 0),
        ({"priority": [5]}, 0),
        ({"title": "Build"}, 0),
        ({"title": "Build done"}, 1),
    ]
    for given, count in filters:
        listed = await use(site, topic, "list_messages", {"view": "current", **given})
        assert listed["count"] == count, given


@has_sequences
async def test_a_pending_revision_stands_beside_the_delivered_one(site: Site) -> None:
    topic = new_topic()
    script(site, topic, "now")
    script(site, topic, "later", delay="1h")
    given: Document = {"view": "current", "scheduled": True}
    shown = messages(await use(site, topic, "list_messages", given))
    assert [(one["message"], one.get("delivered")) for one in shown] == [
        ("now", None),
        ("later", False),
    ]


@has_sequences
async def test_our_own_clock_decides_nothing(site: Site) -> None:
    topic = new_topic()
    due = int(site.now()) + 120
    script(site, topic, "pending", title="T", delay=str(due))
    given: Document = {"sequence_id": "job", "carry_over": True, "message": "x"}
    revised = await use(site, topic, "update_message", given, ahead=300)
    assert revised["scheduled"] is True
    (entry,) = [one for one in site.poll(topic, scheduled="1") if one["event"] == "message"]
    assert (entry["message"], entry["time"]) == ("x", due)
    script(site, topic, "fresh", "other")
    listed = await use(site, topic, "list_messages", {}, ahead=-90)
    assert ["delivered" in one for one in messages(listed)] == [False]
    assert str(listed["next_since"]).count(".") == 1


async def test_a_cursor_sees_what_was_scheduled_before(site: Site) -> None:
    topic = new_topic()
    site.sent(topic, message="A")
    site.sent(topic, message="S", delay="11s")
    site.sent(topic, message="B")
    listed = await use(site, topic, "list_messages", {})
    assert [one["message"] for one in messages(listed)] == ["A", "B"]
    # ntfy looks every ten seconds for what is due.
    await asyncio.to_thread(site.pass_time, 24)
    listed = await use(site, topic, "list_messages", {"since": listed["next_since"]})
    assert [one["message"] for one in messages(listed)] == ["S"]
    listed = await use(site, topic, "list_messages", {"since": listed["next_since"]})
    assert listed["count"] == 0


BUTTON: JsonObject = {
    "action": "http",
    "label": "Open",
    "url": "https://ha.example/api?auth=QmFz&id=4",
    "headers": {"Authorization": "Bearer tk_abcdefghijklmnopqrst", "Content-Type": "text/plain"},
    "body": '{"token": "s3cret"}',
}


async def test_a_button_is_shown_without_its_credentials_and_kept_whole(site: Site) -> None:
    topic = new_topic()
    before = site.sent(topic, message="m", actions=[BUTTON])
    (shown,) = messages(await use(site, topic, "list_messages", {}))
    assert "tk_abcdefghij" not in json.dumps(shown)
    assert "QmFz" not in json.dumps(shown)
    assert "s3cret" not in json.dumps(shown)
    if site.version >= (2, 16):
        given: Document = {"sequence_id": before["id"], "title": "n", "carry_over": True}
        await use(site, topic, "update_message", given)
    after = site.poll(topic)[-1]
    for message in (before, after):
        for action in cast("list[JsonObject]", message["actions"]):
            action.pop("id", None)
    assert json.dumps(after["actions"]) == json.dumps(before["actions"])


async def test_a_text_stays_below_the_limit(site: Site) -> None:
    topic = new_topic()
    sent = await use(site, topic, "publish_message", {"message": "x" * 4095})
    assert (first(sent)["ok"], "note" in first(sent)) == (True, False)
    (entry,) = site.poll(topic)
    assert entry["message"] == "x" * 4095
    assert "attachment" not in entry
    async with connect(server(site, topic), "2026-07-28") as client:
        refused = await call(client, "publish_message", {"message": "x" * 4096})
    assert "4096 bytes" in text(refused)
    assert len(site.poll(topic)) == 1
    answer = site.publish(topic, message="x" * 4096)
    assert answer.status_code >= 400 or "attachment" in answer.json()


async def test_an_address_with_a_topic_is_told_as_such(site: Site) -> None:
    topic = new_topic()
    url = str(site.client.base_url).rstrip("/")
    calls: list[tuple[str, Document]] = [
        ("publish_message", {"message": "x"}),
        ("get_account", {}),
        ("list_messages", {}),
    ]
    for tool, arguments in calls:
        environ = {"NTFY_URL": f"{url}/alerts", "NTFY_TOPICS": topic}
        reading = read_settings(NTFY.variables, NTFY.prefix, environ)
        made = build_server(NTFY, reading.values)
        async with connect(made, "2026-07-28") as client:
            refused = await call(client, tool, arguments)
        assert refused.is_error, tool
        assert "without a topic" in text(refused), tool


@pytest.mark.parametrize("kind", ["start", "cursor"])
async def test_a_pressed_button_ends_a_wait(site: Site, kind: str) -> None:
    topic = new_topic()
    url = str(site.client.base_url)
    body = json.dumps({"topic": topic, "message": "yes"})
    button = {"action": "http", "label": "Yes", "url": url, "body": body}
    made = server(site, topic, NTFY_EXTRAS="true")
    async with connect(made, "2025-11-25") as client:
        asked: Document = {"message": "go on?", "actions": [button]}
        sent = structured(await call(client, "publish_message", asked))
        since = first(sent)["id"]
        if kind == "cursor":
            quiet: Document = {"since": since, "timeout_s": 1}
            silence = structured(await call(client, "wait_for_message", quiet))
            assert silence["timed_out"] is True
            since = silence["next_since"]
        wait: Document = {"since": since, "timeout_s": 20}
        waiting = asyncio.create_task(call(client, "wait_for_message", wait))
        await asyncio.to_thread(press, site, topic)
        answered = structured(await waiting)
    assert cast("Document", answered["message"])["message"] == "yes"


def press(site: Site, topic: str) -> None:
    """What a phone does."""
    (action,) = cast("list[JsonObject]", site.poll(topic)[0]["actions"])
    request = urllib.request.Request(
        str(action["url"]), data=str(action["body"]).encode(), method="POST"
    )
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10).close()


@contextlib.contextmanager
def tokyo(kind: str) -> Iterator[Site]:
    """A server whose words mean the time of Tokyo."""
    if kind == "real":
        with real(users=False, attachments=False, time_zone="Asia/Tokyo") as found:
            yield found
    else:
        zone = timezone(timedelta(hours=9))
        backend = NtfyBackend(users=False, limits=GENEROUS, time_zone=zone)
        with stand_in(backend, users=False) as found:
            yield found


@pytest.mark.parametrize("kind", ["stand-in", KINDS[-1]])
async def test_a_time_of_day_is_that_of_the_instance(kind: str) -> None:
    with tokyo(kind) as site:
        for words, hour in (("tomorrow 10am", 1), ("tomorrow, 16:00", 7), ("tomorrow 8:30 pm", 11)):
            given: Document = {"message": "x", "delay": words}
            sent = first(await use(site, new_topic(), "publish_message", given))
            due = datetime.fromisoformat(str(sent["delivers_at"]))
            assert due.hour == hour, words
            assert "time zone of the instance" in str(sent["note"])
        moment = datetime.fromtimestamp(int(site.now()) + 3600, UTC).isoformat()
        given = {"message": "x", "delay": moment}
        sent = first(await use(site, new_topic(), "publish_message", given))
        assert datetime.fromisoformat(str(sent["delivers_at"])) == datetime.fromisoformat(moment)
