"""Other configurations of the server: stand-in and real server agree."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.live.ntfy_sites import (
    GENEROUS,
    KINDS,
    Site,
    code,
    document,
    new_topic,
    real,
    release_of,
    stand_in,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

HASH = "$2a$10$abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRSTUVWXYZ01234"

every_kind = pytest.mark.parametrize("kind", KINDS)


@contextlib.contextmanager
def closed(kind: str) -> Iterator[Site]:
    """Nobody may do anything without a rule."""
    if kind == "real":
        with real(options={"auth-default-access": "deny-all"}) as site:
            yield site
    else:
        backend = NtfyBackend(release_of(kind), default_access="deny-all", limits=GENEROUS)
        with stand_in(backend) as site:
            yield site


@contextlib.contextmanager
def special(kind: str) -> Iterator[Site]:
    """No cache, no web app, short messages, one more reserved topic."""
    if kind == "real":
        options = {
            "cache-file": "",
            "cache-duration": "0s",
            "web-root": "disable",
            "message-size-limit": "'100'",
            "disallowed-topics": "[docs, static, file, app, mine]",
        }
        with real(users=False, options=options) as site:
            yield site
    else:
        backend = NtfyBackend(
            release_of(kind),
            users=False,
            cache_seconds=0,
            web_app=False,
            message_size_limit=100,
            extra_reserved_topics=("mine",),
            limits=GENEROUS,
        )
        with stand_in(backend, users=False) as site:
            yield site


@contextlib.contextmanager
def provisioned(kind: str) -> Iterator[Site]:
    """One account comes from the configuration."""
    if kind == "real":
        with real(options={"auth-users": f'["fixed:{HASH}:user"]'}) as site:
            if site.version < (2, 14):
                pytest.skip("platform: this release has no accounts in its configuration")
            yield site
    else:
        with stand_in(backend := NtfyBackend(release_of(kind), limits=GENEROUS)) as site:
            backend.add_user("fixed", "fixed-password", provisioned=True)
            yield site


@every_kind
def test_a_closed_server_lets_in_whom_a_rule_lets_in(kind: str) -> None:
    with closed(kind) as site:
        topic, login = new_topic(), site.new_user()
        assert code(site.publish(topic)) == 40301
        assert code(site.client.get(f"/{topic}/auth")) == 40301
        assert not site.may_read(topic, login)
        site.grant(login[0], topic, "write-only")
        assert site.may_write(topic, login)
        assert not site.may_read(topic, login)
        site.grant("*", topic, "read-only")
        assert site.may_read(topic)
        assert not site.may_read(topic, login)
        assert site.may_write(new_topic(), site.admin)
        own = str(document(site.request("GET", "/v1/account", login))["sync_topic"])
        assert site.may_read(own, login) == (site.version >= (2, 26))


@every_kind
def test_a_special_server_says_so(kind: str) -> None:
    with special(kind) as site:
        topic = new_topic()
        site.sent(topic, message="x")
        assert site.poll(topic) == []
        if site.version >= (2, 16):
            document(site.client.delete(f"/{topic}/x"))
            assert site.poll(topic) == []
        assert site.sent(topic, message="m" * 99)["message"] == "m" * 99
        body = {"topic": topic, "title": "t" * 200}
        assert code(site.client.post("/", json=body)) == 41303
        assert code(site.client.get("/")) == 40401
        assert code(site.client.get(f"/{topic}")) == 40401
        assert code(site.client.get("/config.js")) == 40401
        assert site.client.head("/").status_code == 404
        assert code(site.publish("mine")) == 40010
        if site.version >= (2, 16):
            config = document(site.client.get("/v1/config"))
            topics = config["disallowed_topics"]
            assert isinstance(topics, list)
            assert "mine" in topics
            assert config["app_root"] == ""


@pytest.mark.releases(since=(2, 14))
@every_kind
def test_an_account_of_the_configuration_cannot_be_changed(kind: str) -> None:
    with provisioned(kind) as site:
        listed = [user["username"] for user in site.as_admin("GET", "/v1/users").json()]
        assert "fixed" in listed
        for method, body in (
            ("DELETE", {"username": "fixed"}),
            ("PUT", {"username": "fixed", "password": "other"}),
        ):
            answer = site.as_admin(method, "/v1/users", body)
            assert (answer.status_code, code(answer)) == (500, 50001)
        site.grant("fixed", new_topic(), "read-only")
        assert site.as_admin("PUT", "/v1/users", {"username": "fixed", "tier": "pro"}).is_success
