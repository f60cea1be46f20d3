"""What is remembered of refused logins, and what is known of rates."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import Limits, NtfyBackend
from tests.ntfy.support import (
    ALLOWLIST,
    MODERN,
    NOBODY,
    inner,
    listed,
    login,
    serve,
    token_login,
    use,
)
from tests.support.clients import connect, structured, text
from tests.support.time import FakeClock

PUBLISH = {"message": "x", "topics": ["alerts"]}


@pytest.mark.requirement("T-ntfy-31")
async def test_a_login_without_the_role_goes_on_working(backend: NtfyBackend) -> None:
    backend.add_user("eve", "eve-password")
    async with connect(serve(backend, login("eve", "eve-password")), MODERN) as client:
        info = structured(await client.call_tool("get_server_info", {}))
        assert "401" in str(inner(info, "version")["unavailable"])
        assert (info["authenticated_as"], info["admin_tools_available"]) == ("user", False)
        assert (await client.call_tool("list_users", {})).is_error
        structured(await client.call_tool("publish_message", PUBLISH))
    assert len(backend.messages("alerts")) == 1


@pytest.mark.requirement("T-ntfy-31")
async def test_a_refused_login_is_repeated_from_memory_for_ten_seconds(
    backend: NtfyBackend,
) -> None:
    clock = FakeClock()
    server = serve(backend, {**ALLOWLIST, **login("root", "wrong")}, clock=clock)
    async with connect(server, MODERN) as client:
        first = await client.call_tool("list_messages", {})
        assert "HTTP 401, code 40101" in text(first)
        clock.advance(9.5)
        second = await client.call_tool("publish_message", {"message": "x"})
        assert second.is_error
        assert "possible in" in text(second)
        assert "nothing was sent" in text(second)
        assert len(backend.requests) == 1
        clock.advance(0.6)
        third = await client.call_tool("list_messages", {})
        assert "HTTP 401, code 40101" in text(third)
        assert len(backend.requests) == 2


async def test_a_missing_right_is_not_remembered(backend: NtfyBackend) -> None:
    backend.fail_next(40301)
    server = serve(backend, ALLOWLIST)
    assert (await use(server, "list_messages")).is_error
    structured(await use(server, "list_messages"))


async def test_a_refusal_of_nobody_is_not_remembered(backend: NtfyBackend) -> None:
    backend.fail_next(40101)
    server = serve(backend, {**ALLOWLIST, **NOBODY})
    assert (await use(server, "list_messages")).is_error
    structured(await use(server, "list_messages"))


@pytest.mark.requirement("T-ntfy-32")
async def test_a_bad_token_still_gets_what_needs_no_login(backend: NtfyBackend) -> None:
    server = serve(backend, token_login("tk_wrong"))
    info = structured(await use(server, "get_server_info"))
    assert inner(info, "health") == {"healthy": True}
    assert "disallowed_topics" in inner(info, "config")
    assert inner(info, "stats")["messages"] == 0
    assert "not asked" in str(inner(info, "version")["unavailable"])
    assert (info["authenticated_as"], info["admin_tools_available"]) == ("unknown", "unknown")
    assert len([r for r in backend.requests if "authorization" in r.headers]) == 1
    assert "tk_wrong" not in str(info)


async def test_an_admin_sees_version_features_and_allowlist(backend: NtfyBackend) -> None:
    info = structured(await use(serve(backend, ALLOWLIST), "get_server_info"))
    assert inner(info, "version")["version"] == "2.28.0"
    assert info["features"] == {"updates": True, "copy_action": True}
    assert (info["authenticated_as"], info["admin_tools_available"]) == ("admin", True)
    assert info["topics_restricted_to"] == ["alerts"]
    assert "note" not in info


@pytest.mark.parametrize(
    ("version", "features"),
    [
        ("2.17.0", {"updates": True, "copy_action": True}),
        ("2.16.3", {"updates": True, "copy_action": False}),
        ("v2.13", {"updates": False, "copy_action": False}),
        ("3.0.0-rc1", {"updates": True, "copy_action": True}),
        ("2", None),
        ("two.three", None),
        ("2.²", None),
        (7, None),
    ],
)
async def test_features_follow_the_version(
    version: object, features: object, backend: NtfyBackend
) -> None:
    backend.respond_next(200, {"version": version}, path="/v1/version")
    info = structured(await use(serve(backend), "get_server_info"))
    assert info.get("features") == features


async def test_an_older_instance_has_no_version_to_tell() -> None:
    with NtfyBackend(version="2.15.0") as old:
        old.add_user("root", "root-password", role="admin")
        info = structured(await use(serve(old), "get_server_info"))
        assert "404" in str(inner(info, "version")["unavailable"])
        assert inner(info, "health") == {"healthy": True}


async def test_an_instance_without_accounts_is_told_as_open() -> None:
    with NtfyBackend(users=False) as bare:
        info = structured(await use(serve(bare), "get_server_info"))
        assert info["authenticated_as"] == "anonymous"
        assert "everything on it is open" in str(info["note"])
        info = structured(await use(serve(bare, NOBODY), "get_server_info"))
        assert "note" not in info


async def test_bad_parts_do_not_fail_the_whole(backend: NtfyBackend) -> None:
    backend.respond_next(200, {"x": "y" * 50_000}, path="/v1/config")
    backend.respond_next(200, "[]", path="/v1/stats")
    backend.drop_next(path="/v1/version", times=9)
    info = structured(await use(serve(backend), "get_server_info"))
    assert inner(info, "config") == {"unavailable": "too large"}
    assert "no object" in str(inner(info, "stats")["unavailable"])
    assert "unavailable" in inner(info, "version")
    assert inner(info, "health") == {"healthy": True}


@pytest.mark.parametrize("status", [401, 403])
async def test_a_proxy_that_wants_the_login_gets_it(status: int, backend: NtfyBackend) -> None:
    backend.respond_next(status, b"", path="/v1/health")
    info = structured(await use(serve(backend), "get_server_info"))
    assert inner(info, "health") == {"healthy": True}
    asked = [r for r in backend.requests if r.path == "/v1/health"]
    assert ["authorization" in request.headers for request in asked] == [False, True]


@pytest.mark.parametrize("environ", [NOBODY, {}])
async def test_a_part_that_is_refused_says_why(
    environ: dict[str, str], backend: NtfyBackend
) -> None:
    backend.respond_next(403, b"", path="/v1/health", times=2)
    info = structured(await use(serve(backend, environ), "get_server_info"))
    assert inner(info, "health") == {"unavailable": "HTTP 403"}


@pytest.mark.requirement("T-ntfy-39")
async def test_access_checks_stop_at_a_refused_login(backend: NtfyBackend) -> None:
    server = serve(backend, login("root", "wrong"))
    arguments = {"topics": ["a", "b", "c", "d"]}
    result = structured(await use(server, "check_topic_access", arguments))
    first, *rest = listed(result, "results")
    assert (first["read_access"], first["status"]) == (False, 401)
    assert rest == [{"topic": topic, "not_checked": True} for topic in "bcd"]
    assert len(backend.requests) == 1


@pytest.mark.requirement("T-ntfy-39")
async def test_no_right_to_read_says_nothing_of_publishing(backend: NtfyBackend) -> None:
    backend.add_user("writer", "writer-password")
    backend.grant("writer", "*", "write-only")
    backend.grant("writer", "chat", "read-write")
    server = serve(backend, login("writer", "writer-password"))
    arguments = {"topics": ["a", "chat"]}
    result = structured(await use(server, "check_topic_access", arguments))
    first, second = listed(result, "results")
    assert (first["read_access"], first["status"]) == (False, 403)
    assert "publishing may be allowed" in str(first["note"])
    assert second == {"topic": "chat", "read_access": True, "status": 200}


async def test_access_checks_stop_at_the_rate_limit(backend: NtfyBackend) -> None:
    backend.set_limits(Limits(requests=1))
    arguments = {"topics": ["a", "b", "c"]}
    result = structured(await use(serve(backend), "check_topic_access", arguments))
    first, second, third = listed(result, "results")
    assert first["read_access"] is True
    assert (second["read_access"], second["status"]) == (False, 429)
    assert third == {"topic": "c", "not_checked": True}


async def test_another_answer_is_called_unexpected(backend: NtfyBackend) -> None:
    backend.respond_next(418, b"")
    result = structured(await use(serve(backend, ALLOWLIST), "check_topic_access"))
    assert listed(result, "results") == [
        {"topic": "alerts", "read_access": False, "status": 418, "note": "unexpected answer"}
    ]


@pytest.mark.requirement("T-ntfy-39")
async def test_a_slow_instance_gets_thirty_seconds_for_all_topics(backend: NtfyBackend) -> None:
    clock = FakeClock()

    def ticking() -> float:
        clock.advance(4.0)
        return clock.seconds

    arguments = {"topics": [f"t{number}" for number in range(8)]}
    server = serve(backend, clock=ticking)
    result = structured(await use(server, "check_topic_access", arguments))
    entries = listed(result, "results")
    assert [entry["topic"] for entry in entries] == arguments["topics"]
    checked = [entry for entry in entries if "not_checked" not in entry]
    assert 0 < len(checked) == len(backend.requests) < 8
    assert entries[-1] == {"topic": "t7", "not_checked": True}


@pytest.mark.requirement("T-ntfy-39")
async def test_the_last_check_ends_when_the_thirty_seconds_do(backend: NtfyBackend) -> None:
    times = iter([0.0, 0.0, 29.5])
    server = serve(backend, clock=lambda: next(times, 29.5))
    backend.delay_next(10.0)
    arguments = {"topics": ["a", "b"]}
    result = structured(await use(server, "check_topic_access", arguments))
    assert listed(result, "results") == [
        {"topic": "a", "not_checked": True},
        {"topic": "b", "not_checked": True},
    ]
    assert len(backend.requests) == 1


async def test_an_instance_that_does_not_answer_fails_the_check(backend: NtfyBackend) -> None:
    server = serve(backend, ALLOWLIST)
    backend.stop()
    assert (await use(server, "check_topic_access")).is_error


async def test_the_request_estimate_falls_and_refills(backend: NtfyBackend) -> None:
    clock = FakeClock()
    async with connect(serve(backend, clock=clock), MODERN) as client:

        async def estimate() -> object:
            account = structured(await client.call_tool("get_account", {}))
            return account["requests_remaining_estimate"]

        assert await estimate() == 59
        for _ in range(3):
            await client.call_tool("publish_message", PUBLISH)
        assert await estimate() == 56
        clock.advance(10)
        assert await estimate() == 58
        clock.advance(45)
        assert await estimate() == 60
        backend.fail_next(42901)
        await client.call_tool("publish_message", PUBLISH)
        assert await estimate() == 0
        clock.advance(10)
        # Two came back, and by now reading the account is a request again.
        assert await estimate() == 1


async def test_the_messages_of_the_day_are_told(backend: NtfyBackend) -> None:
    backend.set_limits(Limits(messages_per_day=7))
    server = serve(backend)
    structured(await use(server, "publish_message", PUBLISH))
    assert structured(await use(server, "get_account"))["messages_remaining"] == 6
