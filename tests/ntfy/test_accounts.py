"""The own account, and the list of accounts with their rights."""

from __future__ import annotations

import pytest

from ntfy_mcp.access import Grant, User, covers, effective
from tests.backends.ntfy import JsonObject, NtfyBackend
from tests.ntfy.support import (
    ALLOWLIST,
    MODERN,
    NOBODY,
    listed,
    login,
    serve,
    token_login,
    use,
)
from tests.support.clients import connect, structured, text
from tests.support.time import FakeClock

HIDDEN = {
    "phone_numbers": ["+4930123456"],
    "billing": {"customer": True, "subscription": "sub_hidden"},
    "emails": ["hidden@example.org"],
    "reservations": [{"topic": "reserved-hidden", "everyone": "deny-all"}],
    "subscriptions": [{"base_url": "https://n.example", "topic": "subscribed-hidden"}],
}


@pytest.mark.requirement("T-ntfy-33")
async def test_the_own_account_shows_what_is_harmless(backend: NtfyBackend) -> None:
    backend.add_user("ops", "ops-password", tier="pro")
    token = backend.add_token("ops", "laptop", expires=1_900_000_000)
    backend.set_account_extras("ops", HIDDEN | {"language": "de"})
    result = await use(serve(backend, token_login(token)), "get_account")
    account = structured(result)
    assert (account["username"], account["role"], account["language"]) == ("ops", "user", "de")
    assert account["tier"] == {"code": "pro", "name": "pro"}
    (shown,) = listed(account, "tokens")
    assert (shown["token"], shown["label"], shown["expires"]) == (
        "(redacted)",
        "laptop",
        1_900_000_000,
    )
    assert set(shown) == {"token", "label", "last_access", "expires"}
    assert set(account) == {
        "notice",
        "username",
        "role",
        "tier",
        "limits",
        "stats",
        "language",
        "tokens",
        "messages_remaining",
        "requests_remaining_estimate",
        "untrusted",
        "source",
    }
    for secret in (token, "hidden", "+4930", '"st_', "127.0.0.1"):
        assert secret not in text(result)


@pytest.mark.requirement("T-ntfy-33")
@pytest.mark.parametrize("answer", ['"oops"', "[]", "7", "null", "{}"])
async def test_an_account_of_another_shape_is_an_empty_one(
    answer: str, backend: NtfyBackend
) -> None:
    backend.respond_next(200, answer)
    account = structured(await use(serve(backend), "get_account"))
    assert set(account) == {"notice", "requests_remaining_estimate", "untrusted", "source"}


@pytest.mark.parametrize(
    ("answer", "content_type"),
    [("fine", "text/plain"), ('{"username":', "application/json"), ("", "application/json")],
)
async def test_an_account_that_is_no_json_is_an_error_and_not_remembered(
    answer: str, content_type: str, backend: NtfyBackend
) -> None:
    backend.respond_next(200, answer, content_type=content_type)
    server = serve(backend)
    async with connect(server, MODERN) as client:
        assert (await client.call_tool("get_account", {})).is_error
        assert structured(await client.call_tool("get_account", {}))["username"] == "root"


async def test_account_fields_of_other_types_do_not_break_it(backend: NtfyBackend) -> None:
    answer: JsonObject = {
        "username": "x\x1b[2J",
        "role": "user",
        "tokens": [{"label": "a", "token": "tk_secret"}, 7, {"token": "tk_secret"}],
        "stats": {"messages_remaining": True},
        "limits": {"basis": "x" * 70_000},
    }
    backend.respond_next(200, answer)
    account = structured(await use(serve(backend), "get_account"))
    assert account["username"] == "x"
    assert [entry.get("label") for entry in listed(account, "tokens")] == ["a", None]
    assert account["limits"] == {"left_out": "too large"}
    assert "tk_secret" not in str(account)


async def test_tokens_that_are_no_list_are_left_out(backend: NtfyBackend) -> None:
    backend.respond_next(200, {"tokens": {"token": "tk_secret"}, "stats": 1, "username": "x"})
    account = structured(await use(serve(backend), "get_account"))
    assert "tk_secret" not in str(account)
    assert "messages_remaining" not in account


async def test_an_anonymous_account_is_a_normal_answer(backend: NtfyBackend) -> None:
    account = structured(await use(serve(backend, NOBODY), "get_account"))
    assert (account["username"], account["role"]) == ("*", "anonymous")


async def test_the_own_account_is_read_once_a_minute(backend: NtfyBackend) -> None:
    clock = FakeClock()
    async with connect(serve(backend, clock=clock), MODERN) as client:
        for seconds in (0, 59, 2, 1):
            clock.advance(seconds)
            structured(await client.call_tool("get_account", {}))
    assert len(backend.requests) == 2


async def test_accounts_are_listed_with_their_grants(backend: NtfyBackend) -> None:
    backend.add_user("eve", "eve-password", tier="pro")
    backend.grant("eve", "deploy*", "write-only")
    backend.grant("*", "announcements", "read-only")
    result = structured(await use(serve(backend), "list_users"))
    assert (result["count"], result["total"]) == (3, 3)
    assert listed(result, "users") == [
        {"username": "root", "role": "admin", "grants": []},
        {
            "username": "eve",
            "role": "user",
            "grants": [{"topic": "deploy*", "permission": "write-only"}],
            "tier": "pro",
        },
        {
            "username": "*",
            "role": "anonymous",
            "grants": [{"topic": "announcements", "permission": "read-only"}],
        },
    ]


@pytest.mark.parametrize("username", ["eve", "*"])
async def test_one_account_can_be_picked(username: str, backend: NtfyBackend) -> None:
    backend.add_user("eve", "eve-password")
    result = structured(await use(serve(backend), "list_users", {"username": username}))
    assert [user["username"] for user in listed(result, "users")] == [username]


async def test_limit_and_budget_cut_whole_accounts_from_the_end(backend: NtfyBackend) -> None:
    for number in range(4):
        backend.add_user(f"user{number}", "some-password")
    result = structured(await use(serve(backend), "list_users", {"limit": 2}))
    assert (result["count"], result["total"]) == (2, 6)
    assert "4 more" in str(result["note"])
    grants = [{"topic": "t" * 190 + str(n), "permission": "read-only"} for n in range(600)]
    users = [{"username": f"u{n}", "role": "user", "grants": grants} for n in range(3)]
    backend.respond_next(200, [*users])
    result = structured(await use(serve(backend), "list_users"))
    assert (result["count"], result["dropped"]) == (0, 3)


async def test_accounts_of_another_shape_are_skipped(backend: NtfyBackend) -> None:
    backend.respond_next(
        200,
        [
            None,
            {"username": ""},
            {"username": 7},
            {
                "username": "x",
                "tier": 5,
                "grants": [1, {"topic": 1, "permission": "read-only"}, {"topic": "t"}],
            },
            {"username": "y", "role": "user", "grants": "all"},
        ],
    )
    result = structured(await use(serve(backend), "list_users"))
    assert listed(result, "users") == [
        {"username": "x", "role": "unknown", "grants": []},
        {"username": "y", "role": "user", "grants": []},
    ]


async def test_a_list_of_accounts_that_is_none_is_an_error(backend: NtfyBackend) -> None:
    backend.respond_next(200, {"users": []})
    assert (await use(serve(backend), "list_users")).is_error


@pytest.mark.requirement("T-ntfy-34")
async def test_behind_an_allowlist_grants_are_told_for_allowed_topics_only(
    backend: NtfyBackend,
) -> None:
    backend.add_user("eve", "eve-password")
    for pattern, permission in (
        ("*", "read-only"),
        ("ops-secret", "read-write"),
        ("*erts", "write-only"),
    ):
        backend.grant("eve", pattern, permission)
    server = serve(backend, ALLOWLIST)
    result = await use(server, "list_users", {"topic": "alerts"})
    users = {user["username"]: user for user in listed(structured(result), "users")}
    assert users["eve"]["grants"] == [
        {"topic": "alerts", "permission": "write-only"},
        {"topic": "alerts", "permission": "read-only"},
    ]
    assert users["eve"]["effective"] == "write-only"
    assert "ops-secret" not in text(result)
    backend.clear_requests()
    refused = await use(server, "list_users", {"topic": "ops-secret"})
    assert refused.is_error
    assert "1 topics" in text(refused)
    assert "alerts" not in text(refused)
    assert backend.requests == []


@pytest.mark.parametrize(
    ("own", "everyone", "topic", "right"),
    [
        ([], [], "deploy", "server default"),
        ([], [("*", "read-only")], "deploy", "read-only"),
        ([("deploy", "write-only")], [("deploy", "read-only")], "deploy", "write-only"),
        ([("*", "deny-all")], [("deploy", "read-write")], "deploy", "deny-all"),
        ([("dep*", "read-only"), ("deploy", "deny-all")], [], "deploy", "deny-all"),
        ([("*", "read-write"), ("dep*", "deny-all")], [], "deploy", "deny-all"),
        ([("dep*", "read-only"), ("*loy", "write-only")], [], "deploy", "write-only"),
        ([("d*y", "read-only"), ("*-prod", "read-write")], [], "deploy", "read-only"),
        ([("*-prod", "read-write")], [], "web-prod", "read-write"),
        ([("a*b", "read-only")], [], "axxb", "read-only"),
        ([("a*b", "read-only")], [], "axxbc", "server default"),
        ([("ab*ba", "read-only")], [], "aba", "server default"),
        ([("a*x*c", "read-only")], [], "abc", "server default"),
        ([("DEPLOY", "read-only")], [], "deploy", "server default"),
        ([("de.loy", "read-write")], [], "deploy", "server default"),
        ([("a_*", "read-only"), ("a*bc", "write-only")], [], "a_bc", "write-only"),
        ([("**", "read-only"), ("*", "write-only")], [], "deploy", "read-only"),
    ],
)
async def test_effective_rights_are_what_the_instance_decides(
    own: list[tuple[str, str]],
    everyone: list[tuple[str, str]],
    topic: str,
    right: str,
    backend: NtfyBackend,
) -> None:
    user = User("eve", "user", None, tuple(Grant(*rule) for rule in own))
    others = User("*", "anonymous", None, tuple(Grant(*rule) for rule in everyone))
    assert effective(user, others, topic, any_case=False) == right
    await _agrees_with_the_instance(backend, own, everyone, topic, right)


async def _agrees_with_the_instance(
    backend: NtfyBackend,
    own: list[tuple[str, str]],
    everyone: list[tuple[str, str]],
    topic: str,
    right: str,
) -> None:
    if any("." in pattern for pattern, _ in own):
        return  # no instance stores that
    backend.add_user("eve", "eve-password")
    for pattern, permission in own:
        backend.grant("eve", pattern, permission)
    for pattern, permission in everyone:
        backend.grant("*", pattern, permission)
    users = structured(await use(serve(backend), "list_users", {"topic": topic}))
    shown = {user["username"]: user["effective"] for user in listed(users, "users")}
    assert (shown["root"], shown["eve"]) == ("read-write", right)
    server = serve(backend, login("eve", "eve-password"))
    given = {"topics": [topic]}
    (read,) = listed(structured(await use(server, "check_topic_access", given)), "results")
    published = await use(server, "publish_message", {**given, "message": "x"})
    may = {
        "server default": (True, True),
        "read-write": (True, True),
        "read-only": (True, False),
        "write-only": (False, True),
        "deny-all": (False, False),
    }[right]
    assert (read["read_access"], not published.is_error) == may


def test_a_pattern_full_of_wildcards_is_decided_in_linear_time() -> None:
    assert covers("*a" * 30 + "*b", "a" * 64, any_case=True) is False
    assert covers("*a" * 30 + "*", "a" * 64, any_case=True) is True
    assert covers("*", "", any_case=False) is True
