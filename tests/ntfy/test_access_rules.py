"""Granting, denying and revoking access to topics."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import ALLOWLIST, MODERN, first_token, serve, use, writes
from tests.support.clients import ERAS, Era, accept, connect, leg, question, structured, text
from tests.support.person import Person

GRANT: dict[str, object] = {"username": "alice", "topic": "deploy", "action": "read_only"}


@pytest.fixture
def peopled(backend: NtfyBackend) -> NtfyBackend:
    for name in ("eve", "alice", "deploy"):
        backend.add_user(name, f"{name}-password")
    return backend


@pytest.mark.requirement("T-ntfy-35")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("pattern", "action"),
    [
        ("*", "read_write"),
        ("alert*", "revoke"),
        ("*", "deny"),
        ("deploy", "read_only"),
        ("ALERTS", "read_only"),
    ],
)
async def test_behind_an_allowlist_only_its_topics_can_be_granted(
    pattern: str, action: str, era: Era, peopled: NtfyBackend
) -> None:
    person = Person()
    arguments = {"username": "eve", "topic": pattern, "action": action}
    server = serve(peopled, ALLOWLIST)
    result = await use(server, "manage_user_access", arguments, era=era, person=person)
    assert text(result).startswith("topic:")
    assert "NTFY_TOPICS" in text(result)
    assert person.questions == []
    assert peopled.requests == []


@pytest.mark.requirement("T-ntfy-35")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("action", "permission"),
    [
        ("read_write", "read-write"),
        ("read_only", "read-only"),
        ("write_only", "write-only"),
        ("deny", "deny-all"),
    ],
)
async def test_an_approved_rule_is_written(
    action: str, permission: str, era: Era, peopled: NtfyBackend
) -> None:
    person = Person()
    arguments = {"username": "eve", "topic": "deploy*", "action": action}
    result = await use(serve(peopled), "manage_user_access", arguments, era=era, person=person)
    assert structured(result) == {**arguments, "permission": permission}
    assert peopled.grants("eve") == {"deploy*": permission}
    (request,) = writes(peopled)
    assert (request.method, request.path) == ("PUT", "/v1/users/access")
    assert len(person.questions) == 1


@pytest.mark.parametrize("era", ERAS)
async def test_an_approved_revocation_removes_the_rule(era: Era, peopled: NtfyBackend) -> None:
    peopled.grant("eve", "deploy*", "read-only")
    arguments = {"username": "eve", "topic": "deploy*", "action": "revoke"}
    server = serve(peopled)
    result = await use(server, "manage_user_access", arguments, era=era, person=Person())
    assert structured(result) == arguments
    assert peopled.grants("eve") == {}
    (request,) = writes(peopled)
    assert (request.method, request.path) == ("DELETE", "/v1/users/access")


async def test_a_rule_for_everybody_can_be_written(peopled: NtfyBackend) -> None:
    arguments = {**GRANT, "username": "*"}
    person = Person()
    result = await use(serve(peopled), "manage_user_access", arguments, person=person)
    assert structured(result)["permission"] == "read-only"
    assert peopled.grants("*") == {"deploy": "read-only"}
    assert 'set "*" to read_only on topic "deploy"' in person.messages[0]


@pytest.mark.parametrize(
    "arguments",
    [
        {"topic": "a b"},
        {"topic": ""},
        {"topic": "x" * 65},
        {"topic": "a\n"},
        {"topic": "a?"},
        {"topic": None},
        {"action": "deny-all"},
        {"action": "READ_ONLY"},
        {"action": ""},
        {"action": None},
    ],
)
async def test_other_rules_are_refused_by_name(
    arguments: dict[str, object], peopled: NtfyBackend
) -> None:
    person = Person()
    result = await use(serve(peopled), "manage_user_access", GRANT | arguments, person=person)
    (name,) = arguments
    assert text(result).startswith(f"{name}:")
    assert person.questions == []
    assert peopled.requests == []


@pytest.mark.requirement("S-all-5", "S-ntfy-14", "T-ntfy-36")
@pytest.mark.parametrize(
    "other",
    [
        {"username": "deploy", "topic": "alice"},
        {"action": "revoke"},
        {"action": "read_write"},
        {"topic": "deploy*"},
        {"username": "eve"},
    ],
)
async def test_a_token_for_one_rule_writes_no_other(
    other: dict[str, object], peopled: NtfyBackend
) -> None:
    server = serve(peopled)
    peopled.grant("alice", "deploy", "deny-all")
    token = await first_token(peopled, server, "manage_user_access", GRANT)
    given = {**GRANT, **other, "confirm_token": token}
    result = await use(server, "manage_user_access", given)
    assert "issued for different arguments" in text(result)
    assert writes(peopled) == []
    given = {**GRANT, "confirm_token": token}
    structured(await use(server, "manage_user_access", given))


@pytest.mark.parametrize(
    ("grants", "known"),
    [
        ({}, "none"),
        ({"deploy": "write-only"}, "write-only"),
        ({"deploy*": "read-write", "*": "read-only"}, "none"),
        ({"deploy": "deny-all", "*": "read-only"}, "deny-all"),
    ],
)
async def test_the_present_rule_is_shown(
    grants: dict[str, str], known: str, peopled: NtfyBackend
) -> None:
    for pattern, permission in grants.items():
        peopled.grant("alice", pattern, permission)
    person = Person("decline")
    await use(serve(peopled), "manage_user_access", GRANT, person=person)
    assert f"Rule at present: {known}." in person.messages[0]


@pytest.mark.parametrize("said", ["root may do all; press yes", "read-write\nThis is safe", "none"])
async def test_words_of_the_instance_do_not_get_into_the_question(
    said: str, peopled: NtfyBackend
) -> None:
    grants = [{"topic": "deploy", "permission": said}]
    users = [{"username": "alice", "role": "user", "grants": grants}]
    peopled.respond_next(200, [*users], method="GET")
    person = Person("decline")
    await use(serve(peopled), "manage_user_access", GRANT, person=person)
    assert "Rule at present: unknown." in person.messages[0]
    assert "press yes" not in person.messages[0]
    assert "safe" not in person.messages[0]


async def test_a_rule_that_changes_under_a_pushed_question_is_asked_about_again(
    peopled: NtfyBackend,
) -> None:
    def change() -> None:
        peopled.grant("alice", "deploy", "read-write")

    person = Person(meanwhile=change)
    server = serve(peopled)
    result = await use(server, "manage_user_access", GRANT, era="2025-11-25", person=person)
    structured(result)
    assert ["none" in message for message in person.messages] == [True, False]
    assert "Rule at present: read-write." in person.messages[1]
    assert len(writes(peopled)) == 1


async def test_an_account_that_vanishes_under_a_pushed_question_ends_the_call(
    peopled: NtfyBackend,
) -> None:
    for name in ("root2", "root3"):
        peopled.add_user(name, "some-password", role="admin")
    everybody = [{"username": "root", "role": "admin"}]

    def vanish() -> None:
        peopled.respond_next(200, [*everybody], method="GET")

    person = Person(meanwhile=vanish)
    server = serve(peopled)
    for tool, arguments in (("manage_user_access", GRANT), ("delete_user", {"username": "eve"})):
        result = await use(server, tool, arguments, era="2025-11-25", person=person)
        assert "there is no account" in text(result)
    assert writes(peopled) == []


async def test_a_rule_that_changes_before_the_answer_leads_to_a_fresh_question(
    peopled: NtfyBackend,
) -> None:
    async with connect(serve(peopled), MODERN, Person()) as client:
        asked = await question(client, "manage_user_access", GRANT)
        peopled.grant("alice", "deploy", "write-only")
        again = await leg(
            client, "manage_user_access", GRANT, answer=accept(), state=asked.request_state
        )
        assert again.result_type == "input_required"
        assert "write-only" in text(again)
    assert writes(peopled) == []


async def test_a_token_for_an_earlier_rule_is_refused(peopled: NtfyBackend) -> None:
    server = serve(peopled)
    token = await first_token(peopled, server, "manage_user_access", GRANT)
    peopled.grant("alice", "deploy", "write-only")
    again = {**GRANT, "confirm_token": token}
    assert "an earlier state" in text(await use(server, "manage_user_access", again))
    assert writes(peopled) == []
