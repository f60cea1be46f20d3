"""What the stand-in for ntfy can do that nobody can ask of a real server."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.backends.ntfy import JsonObject, Limits, NtfyBackend

if TYPE_CHECKING:
    from collections.abc import Iterator

START = 1_800_000_000.0
ADMIN = ("root", "root-password")


class Clock:
    """A clock that stands still until told otherwise."""

    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def backend(clock: Clock) -> Iterator[NtfyBackend]:
    with NtfyBackend(now=clock) as backend:
        backend.add_user(*ADMIN, "admin")
        yield backend


@pytest.fixture
def client(backend: NtfyBackend) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=backend.url, timeout=5, trust_env=False) as client:
        yield client


def publish(client: httpx.Client, topic: str = "alerts", **fields: object) -> JsonObject:
    answer = client.post("/", json={"topic": topic, **fields})
    assert answer.status_code == 200, answer.text
    document: JsonObject = answer.json()
    return document


def code(answer: httpx.Response) -> object:
    return answer.json()["code"]


def test_a_scheduled_message_is_delivered_when_the_clock_says_so(
    client: httpx.Client, backend: NtfyBackend, clock: Clock
) -> None:
    sent = publish(client, message="later", delay="1h")
    assert sent["time"] == START + 3600
    assert backend.messages("alerts") == []
    assert backend.cached("alerts") == [sent]
    clock.time += 3599
    assert backend.messages("alerts") == []
    clock.time += 1
    assert backend.messages("alerts") == [sent]


def test_an_open_stream_gets_the_scheduled_message(
    client: httpx.Client, backend: NtfyBackend
) -> None:
    sent = publish(client, message="later", delay="1h")
    with client.stream("GET", "/alerts/json") as answer:
        lines = answer.iter_lines()
        assert json.loads(next(lines))["event"] == "open"
        backend.advance(3600)
        assert json.loads(next(lines)) == sent


def test_messages_leave_the_cache_when_they_expire(
    client: httpx.Client, backend: NtfyBackend
) -> None:
    publish(client, message="x")
    backend.advance(12 * 3600 - 1)
    assert len(backend.cached("alerts")) == 1
    backend.advance(1)
    assert backend.cached("alerts") == []


def test_a_token_stops_working_when_it_expires(client: httpx.Client, backend: NtfyBackend) -> None:
    token = backend.add_token("root", "short", expires=int(START) + 60)
    headers = {"Authorization": f"Bearer {token}"}
    assert client.get("/v1/users", headers=headers).status_code == 200
    backend.advance(61)
    assert code(client.get("/v1/users", headers=headers)) == 40101


def test_buckets_refill_with_the_clock(client: httpx.Client, backend: NtfyBackend) -> None:
    backend.set_limits(Limits(requests=2))
    assert [client.get("/a/auth").status_code for _ in range(3)] == [200, 200, 429]
    backend.advance(5)
    assert [client.get("/a/auth").status_code for _ in range(2)] == [200, 429]
    bad = ("", "tk_wrong")
    answers = [client.get("/", auth=bad) for _ in range(31)]
    assert [code(answer) for answer in answers[-2:]] == [40101, 42909]
    backend.advance(60)
    assert code(client.get("/", auth=bad)) == 40101


def test_daily_messages_come_back_at_midnight(client: httpx.Client, backend: NtfyBackend) -> None:
    backend.set_limits(Limits(messages_per_day=1))
    publish(client)
    assert code(client.post("/alerts")) == 42908
    backend.advance(86_400 - START % 86_400)
    publish(client)


def test_a_full_server_takes_no_more_topics() -> None:
    limits = Limits(total_topics=1)
    with NtfyBackend(limits=limits) as backend, httpx.Client(base_url=backend.url) as client:
        publish(client, "one")
        assert code(client.post("/two")) == 42904


def test_requests_are_recorded(client: httpx.Client, backend: NtfyBackend) -> None:
    client.post("/", json={"topic": "a", "message": "ü"}, headers={"X-Some": "Thing"})
    client.get("/a%2Db/json", params={"poll": "1", "since": "all"})
    first, second = backend.requests
    assert (first.method, first.target, first.path) == ("POST", "/", "/")
    assert first.headers["x-some"] == "Thing"
    assert first.json() == {"topic": "a", "message": "ü"}
    assert "ü".encode() in first.body
    assert (second.target, second.path) == ("/a%2Db/json?poll=1&since=all", "/a%2Db/json")
    assert second.query == {"poll": ["1"], "since": ["all"]}
    backend.clear_requests()
    assert backend.requests == []


def test_messages_show_what_a_subscriber_sees(client: httpx.Client, backend: NtfyBackend) -> None:
    first, second = publish(client, message="one"), publish(client, message="two")
    publish(client, message="later", delay="1h")
    update = publish(client, message="one, again", sequence_id=first["id"])
    client.put(f"/alerts/{second['id']}/read")
    assert backend.messages("alerts") == [update, second]
    client.delete(f"/alerts/{first['id']}")
    assert backend.messages("alerts") == [second]
    revived = publish(client, message="back", sequence_id=first["id"])
    assert backend.messages("alerts") == [second, revived]
    assert len(backend.cached("alerts")) == 7


def test_seeding_goes_without_requests(client: httpx.Client, backend: NtfyBackend) -> None:
    backend.add_user("alice", "alice-password", tier="pro")
    backend.grant("alice", "alerts*", "ro")
    backend.grant("*", "alerts*", "deny-all")
    extras: JsonObject = {"phone_numbers": ["+1"], "billing": {"customer": True}}
    backend.set_account_extras("alice", extras)
    token = backend.add_token("alice")
    assert backend.requests == []
    assert backend.usernames == ["root", "alice"]
    assert backend.grants("alice") == {"alerts*": "read-only"}
    assert backend.grants() == {"alerts*": "deny-all"}
    assert backend.can_log_in("alice", "alice-password")
    assert not backend.can_log_in("alice", "other")
    account = client.get("/v1/account", auth=("", token)).json()
    assert account["tier"]["code"] == "pro"
    assert account["tokens"][0]["token"] == token
    assert {**account, **extras} == account
    with pytest.raises(KeyError):
        backend.add_token("nobody")


def test_an_answer_can_be_scripted_once(client: httpx.Client, backend: NtfyBackend) -> None:
    backend.respond_next(502, "<html>", content_type="text/html", path="/v1/*", method="get")
    assert client.post("/alerts").status_code == 200
    answer = client.get("/v1/stats")
    assert (answer.status_code, answer.text) == (502, "<html>")
    assert answer.headers["content-type"] == "text/html"
    assert client.get("/v1/stats").status_code == 200
    backend.respond_next(302, headers={"Location": "https://example.com/"})
    assert client.get("/").headers["location"] == "https://example.com/"
    backend.respond_next(body={"id": 12}, times=2)
    assert [client.post("/a").json() for _ in range(2)] == [{"id": 12}] * 2


def test_an_error_of_ntfy_can_be_scripted(client: httpx.Client, backend: NtfyBackend) -> None:
    backend.fail_next(42901, path="/", times=2)
    backend.fail_next(50001, path="/never")
    assert [client.post("/", json={"topic": "a"}).status_code for _ in range(3)] == [429, 429, 200]
    assert backend.unused_script == 1
    backend.clear_script()
    assert backend.unused_script == 0


def test_an_answer_can_come_late(client: httpx.Client, backend: NtfyBackend) -> None:
    backend.delay_next(0.4, path="/v1/health")
    started = time.monotonic()
    assert client.get("/v1/health").json() == {"healthy": True}
    assert time.monotonic() - started >= 0.4
    backend.delay_next(5)
    with pytest.raises(httpx.ReadTimeout):
        client.post("/", json={"topic": "a"}, timeout=0.1)
    backend.respond_next(200, "slow", body_delay=5)
    with pytest.raises(httpx.ReadTimeout):
        client.get("/", timeout=0.1)


def test_a_connection_can_drop_before_or_after_the_effect(
    client: httpx.Client, backend: NtfyBackend
) -> None:
    backend.drop_next(method="POST")
    with pytest.raises(httpx.RemoteProtocolError):
        publish(client, message="lost")
    assert backend.messages("alerts") == []
    backend.drop_next(method="POST", after_effect=True)
    with pytest.raises(httpx.RemoteProtocolError):
        publish(client, message="arrived")
    assert [message["message"] for message in backend.messages("alerts")] == ["arrived"]


def test_a_body_can_break_off(client: httpx.Client, backend: NtfyBackend) -> None:
    backend.respond_next(200, '{"healthy":true}', cut_after=5)
    with pytest.raises(httpx.RemoteProtocolError):
        client.get("/v1/health")


def test_a_quiet_stream_is_kept_alive_and_let_go() -> None:
    with NtfyBackend(keepalive_seconds=0.05) as backend:
        with httpx.stream("GET", f"{backend.url}/a/json", timeout=5) as answer:
            lines = answer.iter_lines()
            events = [json.loads(next(lines))["event"] for _ in range(3)]
            assert events == ["open", "keepalive", "keepalive"]
            assert backend.open_streams == 1
        give_up = time.monotonic() + 5
        while backend.open_streams and time.monotonic() < give_up:
            time.sleep(0.01)
        assert backend.open_streams == 0


def test_stopping_ends_open_streams() -> None:
    backend = NtfyBackend().start()
    with httpx.stream("GET", f"{backend.url}/a/json", timeout=5) as answer:
        chunks = answer.iter_raw()
        next(chunks)
        backend.stop()
        with pytest.raises(httpx.RemoteProtocolError):
            list(chunks)
    backend.stop()


async def test_asynchronous_clients_are_served_too(backend: NtfyBackend) -> None:
    async with httpx.AsyncClient(base_url=backend.url, trust_env=False) as client:
        answer = await client.post("/", json={"topic": "alerts", "message": "x"})
    assert backend.messages("alerts") == [answer.json()]


@pytest.mark.parametrize(
    ("version", "clear", "version_document", "config", "get_delete"),
    [
        ("2.13.0", 404, 404, 404, 404),
        ("2.16.0", 200, 404, 200, 404),
        ("2.17.0", 200, 200, 200, 404),
        ("2.28.0", 200, 200, 200, 200),
    ],
)
def test_the_release_decides_on_the_routes(
    version: str, clear: int, version_document: int, config: int, get_delete: int
) -> None:
    with NtfyBackend(version) as backend:
        backend.add_user(*ADMIN, "admin")
        with httpx.Client(base_url=backend.url, auth=ADMIN, trust_env=False) as client:
            assert client.put("/a/seq/clear").status_code == clear
            answer = client.get("/v1/version")
            assert answer.status_code == version_document
            if version_document == 200:
                assert answer.json()["version"] == version
            assert client.get("/v1/config").status_code == config
            assert client.get("/a/seq/delete").status_code == get_delete


def test_a_release_must_be_a_number() -> None:
    with pytest.raises(ValueError, match="release"):
        NtfyBackend("latest")


def test_what_is_not_modelled_says_so(client: httpx.Client) -> None:
    assert client.put("/a", headers={"Template": "yes"}).status_code == 501
    assert client.patch("/v1/account/settings").status_code == 501
    answer = client.get("/a/ws", headers={"Upgrade": "websocket"})
    assert answer.status_code == 501
