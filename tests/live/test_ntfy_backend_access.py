"""Logins, grants and the account document: stand-in and real server agree."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.live.ntfy_sites import TIER, Auth, Site, code, document, new_topic, site

if TYPE_CHECKING:
    from tests.backends.ntfy import JsonObject

__all__ = ["site"]

LIMIT_KEYS = {
    "basis",
    "messages",
    "messages_expiry_duration",
    "emails",
    "calls",
    "reservations",
    "attachment_total_size",
    "attachment_file_size",
    "attachment_expiry_duration",
    "attachment_bandwidth",
}
STATS_KEYS = {
    "messages",
    "messages_remaining",
    "emails",
    "emails_remaining",
    "calls",
    "calls_remaining",
    "reservations",
    "reservations_remaining",
    "attachment_total_size",
    "attachment_total_size_remaining",
}


def name_of(site: Site, header: str) -> str:
    answer = site.client.get("/v1/account", headers={"Authorization": header})
    return str(document(answer)["username"])


def new_token(site: Site, login: Auth, **fields: object) -> JsonObject:
    return document(site.request("POST", "/v1/account/token", login, fields))


def basic(user: str, password: str) -> str:
    return base64.b64encode(f"{user}:{password}".encode()).decode()


def test_there_are_four_ways_to_log_in(site: Site) -> None:
    login = site.new_user()
    token = str(new_token(site, login)["token"])
    assert len(token) == 32
    assert name_of(site, f"Basic {basic(*login)}") == login[0]
    assert name_of(site, f"basic {basic(*login)}") == login[0]
    assert name_of(site, f"Bearer {token}") == login[0]
    assert name_of(site, f"Basic {basic('', token)}") == login[0]
    hidden = base64.urlsafe_b64encode(f"Bearer {token}".encode()).decode().rstrip("=")
    answer = site.client.get("/v1/account", params={"auth": hidden})
    assert document(answer)["username"] == login[0]


def test_other_authorization_schemes_are_no_login(site: Site) -> None:
    for header in ("Digest x", "WebPush abc", "Bearer", "tk_abc"):
        assert name_of(site, header) == "*"


@pytest.mark.parametrize(
    "header",
    [
        "Bearer tk_wrong",
        "Basic " + basic("root", "wrong"),
        "Basic " + basic("*", ""),
        "Basic not-base64",
        "bearer tk_lower_case_word",
    ],
)
def test_a_bad_login_is_refused(site: Site, header: str) -> None:
    answer = site.client.get("/v1/health", headers={"Authorization": header})
    assert (answer.status_code, code(answer)) == (401, 40101)


def test_a_bad_login_is_refused_before_routing(site: Site) -> None:
    bad = ("", "tk_" + "a" * 29)
    topic = new_topic()
    for method, path in (
        ("GET", "/no/such/path"),
        ("GET", "/"),
        ("POST", "/"),
        ("GET", f"/{topic}/auth"),
        ("GET", "/v1/config"),
        ("OPTIONS", f"/{topic}"),
    ):
        answer = site.request(method, path, bad)
        assert (answer.status_code, code(answer)) == (401, 40101)


def test_an_unreadable_login_in_the_query_is_an_internal_error(site: Site) -> None:
    assert code(site.client.get("/v1/health?auth=%21%21")) == 50001


def test_a_token_expires_when_asked_to(site: Site) -> None:
    login = site.new_user()
    plain = new_token(site, login)
    assert set(plain) == {"token", "last_access", "last_origin", "expires"}
    assert abs(int(str(plain["expires"])) - site.now() - 72 * 3600) < 10
    assert set(new_token(site, login, label="L", expires=0)) == {
        "token",
        "label",
        "last_access",
        "last_origin",
    }
    expired = ("", str(new_token(site, login, expires=1000)["token"]))
    assert code(site.request("GET", "/v1/account", expired)) == 40101
    assert code(site.client.post("/v1/account/token")) == 40101


def test_without_access_anonymous_requests_are_forbidden(site: Site) -> None:
    topic = new_topic()
    site.grant("*", topic, "deny-all")
    for answer in (
        site.publish(topic),
        site.client.get(f"/{topic}/json?poll=1"),
        site.client.get(f"/{topic}/json"),
        site.client.get(f"/{new_topic()},{topic}/auth"),
        site.client.get(f"/{topic}/publish"),
    ):
        assert (answer.status_code, code(answer)) == (403, 40301)
    if site.version >= (2, 16):
        assert code(site.client.delete(f"/{topic}/x")) == 40301
        assert code(site.client.put(f"/{topic}/x/clear")) == 40301
    assert site.client.get(f"/{topic}").status_code == 200


def test_reading_and_writing_are_separate_rights(site: Site) -> None:
    topic, login = new_topic(), site.new_user()
    site.grant("*", topic, "deny-all")
    for permission, rights in (
        ("read-write", (True, True)),
        ("read-only", (True, False)),
        ("write-only", (False, True)),
        ("deny-all", (False, False)),
    ):
        site.grant(login[0], topic, permission)
        assert (site.may_read(topic, login), site.may_write(topic, login)) == rights
        assert not site.may_read(topic)
    assert site.may_read(topic, site.admin)
    assert site.may_write(topic, site.admin)


def test_own_rules_come_before_those_for_everyone(site: Site) -> None:
    topic, login = new_topic(), site.new_user()
    site.grant("*", topic, "read-write")
    site.grant(login[0], topic[:4] + "*", "deny")
    assert site.may_read(topic)
    assert not site.may_read(topic, login)


def test_the_longer_pattern_wins(site: Site) -> None:
    topic, login = new_topic(), site.new_user()
    site.grant(login[0], "*" + topic[1:], "read-only")
    site.grant(login[0], topic[:6] + "*", "deny")
    assert site.may_read(topic, login)
    site.grant(login[0], topic + "*", "write-only")
    assert not site.may_read(topic, login)
    assert site.may_write(topic, login)
    site.grant(login[0], topic, "read-only")
    assert not site.may_read(topic, login)


def test_an_underscore_weighs_double(site: Site) -> None:
    topic, login = new_topic() + "_a", site.new_user()
    site.grant(login[0], topic[:-2] + "*a", "deny")
    site.grant(login[0], topic[:-1] + "*", "read-only")
    assert site.may_read(topic, login)


def test_at_equal_length_the_rule_that_allows_writing_wins(site: Site) -> None:
    topic, login = new_topic(), site.new_user()
    site.grant("*", topic, "deny")
    site.grant(login[0], "*" + topic[1:], "write-only")
    site.grant(login[0], topic[:-1] + "*", "read-only")
    assert site.may_write(topic, login)
    assert not site.may_read(topic, login)


def test_stars_stand_for_anything_anywhere(site: Site) -> None:
    login = site.new_user()
    mark = new_topic()
    site.grant("*", f"*{mark}*", "deny")
    site.grant(login[0], f"a*{mark}*-prod", "read-only")
    assert site.may_read(f"a{mark}-prod", login)
    assert site.may_read(f"ab{mark}x-prod", login)
    assert not site.may_read(f"ab{mark}-dev", login)
    assert not site.may_read(f"b{mark}-prod", login)


def test_an_underscore_is_no_wildcard(site: Site) -> None:
    login, topic = site.new_user(), new_topic()
    site.grant("*", f"{topic}*", "deny")
    site.grant(login[0], f"{topic}_x", "read-only")
    assert site.may_read(f"{topic}_x", login)
    assert not site.may_read(f"{topic}-x", login)


def test_older_releases_match_topics_in_any_case(site: Site) -> None:
    login, topic = site.new_user(), new_topic()
    site.grant("*", topic, "deny")
    site.grant(login[0], topic, "read-only")
    assert site.may_read(topic, login)
    denied_in_upper_case = not site.may_read(topic.upper())
    assert denied_in_upper_case == (site.version < (2, 24))


def test_the_account_document_of_a_login(site: Site) -> None:
    login = site.new_user()
    token = new_token(site, login, label="phone")
    account = document(site.request("GET", "/v1/account", login))
    assert set(account) == {"username", "role", "sync_topic", "tokens", "limits", "stats"}
    assert (account["username"], account["role"]) == (login[0], "user")
    assert str(account["sync_topic"]).startswith("st_")
    assert account["tokens"] == [token]
    limits, stats = account["limits"], account["stats"]
    assert isinstance(limits, dict)
    assert isinstance(stats, dict)
    assert (set(limits), set(stats)) == (LIMIT_KEYS, STATS_KEYS)
    assert limits["basis"] == "ip"
    assert limits["messages"] == 17280
    assert limits["messages_expiry_duration"] == 43200
    assert (limits["attachment_total_size"], limits["attachment_file_size"]) == (
        100 * 1024 * 1024,
        15 * 1024 * 1024,
    )
    assert (limits["emails"], limits["calls"], limits["reservations"]) == (24, 0, 0)
    assert (limits["attachment_expiry_duration"], limits["attachment_bandwidth"]) == (
        10800,
        500 * 1024 * 1024,
    )
    admin = document(site.as_admin("GET", "/v1/account"))
    assert admin["role"] == "admin"


def test_the_account_document_without_a_login(site: Site) -> None:
    account = document(site.client.get("/v1/account"))
    assert set(account) == {"username", "role", "limits", "stats"}
    assert (account["username"], account["role"]) == ("*", "anonymous")


def test_a_tier_brings_limits_of_its_own(site: Site) -> None:
    login = site.new_user(tier=TIER)
    account = document(site.request("GET", "/v1/account", login))
    assert account["tier"] == {"code": TIER, "name": TIER.title()}
    limits = account["limits"]
    assert isinstance(limits, dict)
    assert (limits["basis"], limits["messages"]) == ("tier", 5000)
    assert limits == {**limits, "emails": 20, "reservations": 3, "messages_expiry_duration": 43200}
    assert limits["attachment_expiry_duration"] == 6 * 3600
    assert limits["attachment_bandwidth"] == 1024**3


def test_losing_a_grant_or_the_account_ends_open_streams(site: Site) -> None:
    topic, login = new_topic(), site.new_user()
    site.grant(login[0], topic, "read-only")
    url, auth = f"/{topic}/json", httpx.BasicAuth(*login)
    with site.client.stream("GET", url, auth=auth) as answer:
        lines = answer.iter_lines()
        next(lines)
        body = {"username": login[0], "topic": topic}
        assert site.as_admin("DELETE", "/v1/users/access", body).is_success
        assert list(lines) == []
    with site.client.stream("GET", url, auth=auth) as answer:
        lines = answer.iter_lines()
        next(lines)
        assert site.as_admin("DELETE", "/v1/users", {"username": login[0]}).is_success
        assert list(lines) == []
