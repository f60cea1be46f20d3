"""Creating and removing accounts, and changing access."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import bodies, first_token, login, serve, use, writes
from tests.ntfy.test_personas import CALLS
from tests.support.clients import ERAS, Arguments, Era, structured, text
from tests.support.person import Person

ADMIN_CALLS = ("create_user", "delete_user", "manage_user_access")
GRANT: dict[str, object] = {"username": "alice", "topic": "deploy", "action": "read_only"}


@pytest.fixture
def peopled(backend: NtfyBackend) -> NtfyBackend:
    for name in ("eve", "alice", "deploy"):
        backend.add_user(name, f"{name}-password")
    return backend


@pytest.mark.requirement("S-ntfy-2", "S-ntfy-12")
@pytest.mark.parametrize("era", ERAS)
async def test_an_approved_account_is_created_without_any_access(
    era: Era, backend: NtfyBackend
) -> None:
    person = Person()
    arguments = {"username": "publisher", "password": "pässword-1"}
    result = await use(serve(backend), "create_user", arguments, era=era, person=person)
    assert structured(result)["created"] == "publisher"
    assert structured(result)["role"] == "user"
    assert backend.can_log_in("publisher", "pässword-1")
    assert backend.grants("publisher") == {}
    assert bodies(backend) == [arguments]
    assert len(person.questions) == 1


@pytest.mark.requirement("T-ntfy-37")
@pytest.mark.parametrize(
    "password", ["a" * 73, "ä" * 40, "a" * 129, "short12", "", 12345678, None, "a\x00bcdefgh"]
)
async def test_a_password_that_ntfy_cannot_keep_is_refused_and_not_shown(
    password: object, backend: NtfyBackend
) -> None:
    person = Person()
    arguments = {"username": "u", "password": password}
    result = await use(serve(backend), "create_user", arguments, person=person)
    assert text(result).startswith("password:")
    if password:
        assert str(password) not in text(result)
    assert person.questions == []
    assert backend.requests == []


@pytest.mark.requirement("S-ntfy-11", "S-ntfy-13", "T-ntfy-37")
async def test_a_token_for_one_password_works_with_another(backend: NtfyBackend) -> None:
    server = serve(backend)
    call = {"username": "u", "password": "first-password"}
    prompt = text(await use(server, "create_user", call))
    assert "first-password" not in prompt
    assert "password may differ" in prompt
    token = prompt.partition('confirm_token="')[2].partition('"')[0]
    again = {**call, "password": "second-password", "confirm_token": token}
    result = await use(server, "create_user", again)
    assert structured(result)["created"] == "u"
    assert "second-password" not in text(result)
    assert backend.can_log_in("u", "second-password")


@pytest.mark.requirement("T-ntfy-37")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"tier": "pro"}, {"tier": "free"}),
        ({"tier": "pro"}, {}),
        ({}, {"tier": "pro"}),
        ({}, {"username": "other"}),
    ],
)
async def test_a_token_for_one_account_creates_no_other(
    first: dict[str, object], second: dict[str, object], backend: NtfyBackend
) -> None:
    for tier in ("pro", "free"):
        backend.add_tier(tier)
    server = serve(backend)
    call = {"username": "u", "password": "some-password"}
    token = await first_token(backend, server, "create_user", call | first)
    result = await use(server, "create_user", call | second | {"confirm_token": token})
    assert "issued for different arguments" in text(result)
    assert writes(backend) == []


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tool", ADMIN_CALLS)
async def test_a_login_without_the_role_is_told_before_anybody_is_asked(
    tool: str, era: Era, peopled: NtfyBackend
) -> None:
    person = Person()
    server = serve(peopled, login("alice", "alice-password"))
    result = await use(server, tool, CALLS[tool], era=era, person=person)
    assert "role admin" in text(result)
    assert "HTTP 401" in text(result)
    assert person.questions == []
    assert writes(peopled) == []


@pytest.mark.parametrize("tool", ADMIN_CALLS)
async def test_an_instance_without_accounts_is_told_before_anybody_is_asked(tool: str) -> None:
    with NtfyBackend(users=False) as bare:
        person = Person()
        result = await use(serve(bare), tool, CALLS[tool], person=person)
        assert "no user database" in text(result)
        assert person.questions == []
        assert writes(bare) == []


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("create_user", {"username": "eve", "password": "some-password"}, "exists already"),
        ("create_user", {"username": "root", "password": "some-password"}, "exists already"),
        ("delete_user", {"username": "nobody"}, 'no account "nobody"'),
        ("delete_user", {"username": ".."}, 'no account ".."'),
        ("delete_user", {"username": "root"}, "only regular accounts can be removed"),
        ("manage_user_access", {**GRANT, "username": "nobody"}, 'no account "nobody"'),
        (
            "manage_user_access",
            {**GRANT, "username": "nobody", "action": "revoke"},
            'no account "nobody"',
        ),
    ],
)
async def test_a_call_bound_to_fail_asks_nobody(
    tool: str, arguments: Arguments, words: str, peopled: NtfyBackend
) -> None:
    person = Person()
    result = await use(serve(peopled), tool, arguments, person=person)
    assert result.is_error
    assert words in text(result)
    assert person.questions == []
    assert writes(peopled) == []


@pytest.mark.parametrize("fault", [42901, 50001, 0])
@pytest.mark.parametrize("tool", ADMIN_CALLS)
async def test_a_look_up_that_fails_for_a_passing_reason_does_not_stop_the_question(
    tool: str, fault: int, peopled: NtfyBackend
) -> None:
    if fault:
        peopled.fail_next(fault, method="GET", times=9)
    else:
        peopled.respond_next(200, {"users": "none"}, method="GET", times=9)
    person = Person()
    structured(await use(serve(peopled), tool, CALLS[tool], person=person))
    assert len(person.questions) == 1
    if tool == "manage_user_access":
        assert "Rule at present: unknown." in person.messages[0]


@pytest.mark.parametrize(
    ("tool", "code", "words"),
    [
        ("create_user", 40901, "exists already"),
        ("create_user", 40030, "no such tier"),
        ("create_user", 50001, "HTTP 500, code 50001"),
        ("delete_user", 40031, "no such account"),
        ("delete_user", 40101, "only regular accounts can be removed"),
        ("delete_user", 50001, "set by the server's configuration"),
        ("manage_user_access", 40025, "permission"),
        ("manage_user_access", 40301, "role admin"),
    ],
)
async def test_a_refusal_after_the_yes_is_explained(
    tool: str, code: int, words: str, peopled: NtfyBackend
) -> None:
    for method in ("POST", "PUT", "DELETE"):
        peopled.fail_next(code, method=method)
    result = await use(serve(peopled), tool, CALLS[tool], person=Person())
    assert result.is_error
    assert words in text(result)


async def test_revoking_for_an_account_that_just_vanished_says_so(peopled: NtfyBackend) -> None:
    peopled.grant("eve", "deploy", "read-only")
    peopled.grant("alice", "deploy", "read-only")
    peopled.fail_next(50001, method="DELETE")
    revoke = {**GRANT, "action": "revoke"}
    result = await use(serve(peopled), "manage_user_access", revoke, person=Person())
    assert "The account may not exist" in text(result)


@pytest.mark.requirement("T-ntfy-38")
async def test_removing_an_admin_is_not_taken_for_a_bad_login(peopled: NtfyBackend) -> None:
    peopled.fail_next(40101, method="DELETE")
    server = serve(peopled)
    result = await use(server, "delete_user", {"username": "eve"}, person=Person())
    assert "only regular accounts can be removed" in text(result)
    structured(await use(server, "publish_message", {"message": "x", "topics": ["alerts"]}))


@pytest.mark.requirement("T-ntfy-38")
async def test_listing_accounts_needs_the_role(peopled: NtfyBackend) -> None:
    result = await use(serve(peopled, login("eve", "eve-password")), "list_users")
    assert "role admin" in text(result)
    assert "ntfy command" in text(result)


@pytest.mark.parametrize("era", ERAS)
async def test_an_approved_account_is_removed_with_its_grants(
    era: Era, peopled: NtfyBackend
) -> None:
    result = await use(serve(peopled), "delete_user", {"username": "eve"}, era=era, person=Person())
    assert structured(result) == {"deleted": "eve"}
    assert "eve" not in peopled.usernames


@pytest.mark.requirement("S-ntfy-20")
async def test_a_second_creation_or_removal_fails(peopled: NtfyBackend) -> None:
    server = serve(peopled)
    for tool in ("create_user", "delete_user"):
        structured(await use(server, tool, CALLS[tool], person=Person()))
        peopled.clear_requests()
        assert (await use(server, tool, CALLS[tool], person=Person())).is_error
        assert writes(peopled) == []


@pytest.mark.parametrize("username", ["", "a b", "x" * 65, "a/b", "ä", "a\n", "**", "a*", None, 7])
@pytest.mark.parametrize("tool", ADMIN_CALLS)
async def test_other_user_names_are_refused(
    username: object, tool: str, backend: NtfyBackend
) -> None:
    person = Person()
    arguments = {**CALLS[tool], "username": username}
    result = await use(serve(backend), tool, arguments, person=person)
    assert text(result).startswith("username:")
    assert person.questions == []
    assert backend.requests == []


async def test_a_user_name_may_hold_a_plus(backend: NtfyBackend) -> None:
    arguments = {"username": "ops+phone@example.org", "password": "some-password"}
    structured(await use(serve(backend), "create_user", arguments, person=Person()))
    assert "ops+phone@example.org" in backend.usernames
