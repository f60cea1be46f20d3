"""Administration of accounts and grants: stand-in and real server agree."""

from __future__ import annotations

import secrets

import pytest

from tests.backends.ntfy import JsonObject
from tests.live.ntfy_sites import TIER, Site, code, new_topic, site

__all__ = ["site"]

USERS = "/v1/users"
ACCESS = "/v1/users/access"
SUCCESS = {"success": True}


def listed(site: Site) -> list[JsonObject]:
    answer = site.as_admin("GET", USERS)
    users = answer.json()
    assert isinstance(users, list)
    return users


def entry(site: Site, username: str) -> JsonObject:
    return next(user for user in listed(site) if user["username"] == username)


def new_name() -> str:
    return "n" + secrets.token_hex(5)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", USERS),
        ("POST", USERS),
        ("PUT", USERS),
        ("DELETE", USERS),
        ("PUT", ACCESS),
        ("POST", ACCESS),
        ("DELETE", ACCESS),
    ],
)
def test_only_admins_get_in(site: Site, method: str, path: str) -> None:
    answer = site.request(method, path, site.new_user(), {})
    assert (answer.status_code, code(answer)) == (401, 40101)
    assert code(site.request(method, path)) == 40101


def test_the_list_holds_admins_users_and_everyone_in_this_order(site: Site) -> None:
    first, second = site.new_user()[0], site.new_user(tier=TIER)[0]
    users = listed(site)
    roles = [str(user["role"]) for user in users]
    assert roles == sorted(roles, key={"admin": 1, "user": 2, "anonymous": 3}.__getitem__)
    names = [user["username"] for user in users if user["role"] == "user"]
    assert names == sorted(str(name) for name in names)
    assert entry(site, first) == {"username": first, "role": "user"}
    assert entry(site, second) == {"username": second, "role": "user", "tier": TIER}
    assert users[-1]["username"] == "*"


def test_a_new_account_can_log_in(site: Site) -> None:
    name = new_name()
    body = {"username": name, "password": "a password"}
    assert site.as_admin("POST", USERS, body).json() == SUCCESS
    assert site.request("GET", "/v1/account", (name, "a password")).json()["username"] == name
    answer = site.as_admin("POST", USERS, body)
    assert (answer.status_code, code(answer)) == (409, 40901)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, 40000),
        ({"username": "new"}, 40000),
        ({"username": "new", "password": ""}, 40000),
        ({"username": "", "password": "x"}, 40000),
        ({"username": "a b", "password": "x"}, 40000),
        ({"username": "*", "password": "x"}, 40000),
        ({"username": "ü", "password": "x"}, 40000),
        ({"username": "new", "password": 1}, 40024),
        ({"username": "new", "password": "x", "tier": "none"}, 40030),
        ({"username": "new", "password": "x" * 73}, 50001),
        ({"username": "new", "password": "ä" * 40}, 50001),
        ([], 40024),
    ],
)
def test_a_bad_account_is_refused(site: Site, body: object, expected: int) -> None:
    answer = site.as_admin("POST", USERS, body)
    assert code(answer) == expected
    assert "new" not in [user["username"] for user in listed(site)]


def test_newer_releases_look_at_password_hashes(site: Site) -> None:
    answer = site.as_admin("POST", USERS, {"username": new_name(), "hash": "not a hash"})
    assert (200 if answer.is_success else code(answer)) == (
        50001 if site.version >= (2, 14) else 200
    )
    good = "$2a$10$" + "abcdefghijklmnopqrstuv" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ01234"
    answer = site.as_admin("POST", USERS, {"username": new_name(), "hash": good})
    assert answer.json() == SUCCESS


def test_names_may_hold_some_punctuation_and_passwords_72_bytes(site: Site) -> None:
    for name in ("a.b-c_d+e@f" + secrets.token_hex(3), secrets.token_hex(40)):
        body = {"username": name, "password": "ä" * 36}
        assert site.as_admin("POST", USERS, body).json() == SUCCESS


def test_a_role_cannot_be_given(site: Site) -> None:
    name = new_name()
    body = {"username": name, "password": "x", "role": "admin"}
    assert site.as_admin("POST", USERS, body).json() == SUCCESS
    assert entry(site, name)["role"] == "user"


def test_bodies_end_at_their_limit(site: Site) -> None:
    body = {"username": "x" * 140_000, "password": "x"}
    assert code(site.as_admin("POST", USERS, body)) == 41303


def test_an_account_is_changed_or_created_by_put(site: Site) -> None:
    name, _ = site.new_user()
    body: JsonObject = {"username": name, "password": "second"}
    assert site.as_admin("PUT", USERS, body).json() == SUCCESS
    assert site.request("GET", "/v1/account", (name, "second")).is_success
    assert site.as_admin("PUT", USERS, {"username": name, "tier": TIER}).json() == SUCCESS
    assert entry(site, name)["tier"] == TIER
    other = new_name()
    body = {"username": other, "password": "x", "tier": TIER}
    assert site.as_admin("PUT", USERS, body).json() == SUCCESS
    assert entry(site, other)["tier"] == TIER
    assert code(site.as_admin("PUT", USERS, {"username": name})) == 40000
    assert code(site.as_admin("PUT", USERS, {"username": "*", "password": "x"})) == 40000
    body = {"username": site.admin_name, "password": "x"}
    assert code(site.as_admin("PUT", USERS, body)) == 40301
    assert code(site.as_admin("PUT", USERS, {"username": name, "tier": "none"})) == 40030
    assert code(site.as_admin("PUT", USERS, {"username": name, "password": "x" * 73})) == 50001


def test_an_account_is_removed_with_its_grants_and_tokens(site: Site) -> None:
    login = site.new_user()
    site.grant(login[0], new_topic(), "read-only")
    token = site.request("POST", "/v1/account/token", login).json()["token"]
    assert site.as_admin("DELETE", USERS, {"username": login[0]}).json() == SUCCESS
    assert login[0] not in [user["username"] for user in listed(site)]
    assert code(site.request("GET", "/v1/account", ("", token))) == 40101
    assert site.as_admin("POST", USERS, {"username": login[0], "password": "x"}).is_success
    assert "grants" not in entry(site, login[0])


def test_only_regular_accounts_can_be_removed(site: Site) -> None:
    assert code(site.as_admin("DELETE", USERS, {"username": "nobody"})) == 40031
    assert code(site.as_admin("DELETE", USERS, {})) == 40031
    for name in (site.admin_name, "*"):
        answer = site.as_admin("DELETE", USERS, {"username": name})
        assert (answer.status_code, code(answer)) == (401, 40101)
        assert "regular users" in answer.json()["error"]
    assert code(site.as_admin("DELETE", USERS, [])) == 40024


def test_grants_are_listed_longest_first(site: Site) -> None:
    name, _ = site.new_user()
    for pattern, permission in (
        ("bb", "ro"),
        ("aa", "read"),
        ("cc", "RW"),
        ("dd", "wo"),
        ("ee", "none"),
        ("a_bc*", "deny"),
        ("abcde", "read-only"),
    ):
        site.grant(name, pattern, permission)
    assert entry(site, name)["grants"] == [
        {"topic": "a_bc*", "permission": "deny-all"},
        {"topic": "abcde", "permission": "read-only"},
        {"topic": "cc", "permission": "read-write"},
        {"topic": "dd", "permission": "write-only"},
        {"topic": "aa", "permission": "read-only"},
        {"topic": "bb", "permission": "read-only"},
        {"topic": "ee", "permission": "deny-all"},
    ]
    site.grant(name, "bb", "write")
    assert {"topic": "bb", "permission": "write-only"} in entry(site, name)["grants"]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"username": "nobody", "topic": "t", "permission": "ro"}, 40031),
        ({"topic": "t", "permission": "ro"}, 40031),
        ({"username": "*", "topic": "t", "permission": "read_only"}, 40025),
        ({"username": "*", "topic": "t"}, 40025),
        ({"username": "*", "topic": "a b", "permission": "ro"}, 50001),
        ({"username": "*", "topic": "", "permission": "ro"}, 50001),
        ({"username": "*", "topic": "x" * 65, "permission": "ro"}, 50001),
        ({"username": "*", "topic": 1, "permission": "ro"}, 40024),
    ],
)
def test_a_bad_rule_is_refused(site: Site, body: JsonObject, expected: int) -> None:
    assert code(site.as_admin("PUT", ACCESS, body)) == expected
    assert code(site.as_admin("POST", ACCESS, body)) == expected


def test_rules_go_one_by_one_or_all_together(site: Site) -> None:
    name, _ = site.new_user()
    for pattern in ("aa", "bb", "cc*"):
        site.grant(name, pattern, "ro")
    assert site.as_admin("DELETE", ACCESS, {"username": name, "topic": "aa"}).json() == SUCCESS
    assert len(entry(site, name)["grants"]) == 2  # type: ignore[arg-type]
    assert site.as_admin("DELETE", ACCESS, {"username": name, "topic": "cc"}).json() == SUCCESS
    assert len(entry(site, name)["grants"]) == 2  # type: ignore[arg-type]
    assert site.as_admin("DELETE", ACCESS, {"username": name}).json() == SUCCESS
    assert "grants" not in entry(site, name)


def test_resetting_fails_where_allowing_explains(site: Site) -> None:
    name, _ = site.new_user()
    for body in ({"username": "nobody", "topic": "t"}, {"username": name, "topic": "a b"}):
        answer = site.as_admin("DELETE", ACCESS, body)
        assert (answer.status_code, code(answer)) == (500, 50001)


def test_admins_can_be_given_rules_that_do_not_bind_them(site: Site) -> None:
    topic = new_topic()
    site.grant(site.admin_name, topic, "deny")
    assert site.may_write(topic, site.admin)
    body = {"username": site.admin_name, "topic": topic}
    assert site.as_admin("DELETE", ACCESS, body).is_success
