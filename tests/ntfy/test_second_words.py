"""What a caller is told when something does not go: by its cause, and never against itself."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import ALLOWLIST, NOBODY, listed, publish_refused, serve, use, writes
from tests.support.clients import ERAS, Arguments, Era, structured, text
from tests.support.person import Person

ACTION: dict[str, object] = {"action": "http", "label": "x", "url": "https://h.example"}


@pytest.mark.requirement("N-11")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("action", ["deny", "read_write"])
async def test_a_rule_for_an_admin_is_refused_before_asking(
    action: str, era: Era, backend: NtfyBackend
) -> None:
    backend.add_user("phil", "phil-password", role="admin")
    person = Person()
    given = {"username": "phil", "topic": "x", "action": action}
    result = await use(serve(backend), "manage_user_access", given, era=era, person=person)
    assert result.is_error
    assert "is an admin: rules have no effect on admins" in text(result)
    assert person.questions == []
    assert writes(backend) == []


async def test_a_rule_that_an_admin_still_has_can_be_removed(backend: NtfyBackend) -> None:
    backend.add_user("phil", "phil-password", role="admin")
    backend.grant("phil", "x", "deny-all")
    given = {"username": "phil", "topic": "x", "action": "revoke"}
    person = Person()
    structured(await use(serve(backend), "manage_user_access", given, person=person))
    assert len(person.questions) == len(writes(backend)) == 1


@pytest.mark.requirement("N-11")
@pytest.mark.parametrize("username", ["eve", "*"])
async def test_a_rule_that_is_not_there_is_not_removed(username: str, backend: NtfyBackend) -> None:
    backend.add_user("eve", "eve-password")
    backend.grant(username, "other", "read-only")
    person = Person()
    given = {"username": username, "topic": "x", "action": "revoke"}
    result = await use(serve(backend), "manage_user_access", given, person=person)
    assert (
        f'There is no rule for "{username}" on topic "x", so there is nothing to remove.'
        in text(result)
    )
    assert person.questions == []
    assert writes(backend) == []


async def test_a_rule_in_a_word_nobody_knows_is_still_a_rule(backend: NtfyBackend) -> None:
    grants = [{"topic": f"t{n}", "permission": "read-only"} for n in range(600)]
    grants.append({"topic": "x", "permission": "tick the box"})
    users = [{"username": "eve", "role": "user", "grants": grants}]
    backend.respond_next(200, list(users), method="GET", path="/v1/users", times=2)
    backend.add_user("eve", "eve-password")
    person = Person()
    given = {"username": "eve", "topic": "x", "action": "revoke"}
    await use(serve(backend), "manage_user_access", given, person=person)
    assert "Rule at present: unknown." in person.messages[0]
    assert "tick" not in person.messages[0]


@pytest.mark.requirement("N-11")
async def test_an_account_of_the_configuration_is_told_as_such(backend: NtfyBackend) -> None:
    backend.add_user("eve", "eve-password", provisioned=True)
    result = await use(serve(backend), "delete_user", {"username": "eve"}, person=Person())
    assert result.is_error
    assert "set by the server's configuration (auth-users)" in text(result)
    assert "may not exist" not in text(result)


@pytest.mark.requirement("R-35", "N-13")
@pytest.mark.parametrize(
    ("code", "goes_on"),
    [(42911, True), (42904, True), (42901, False), (42908, False), (42909, False), (42999, False)],
)
async def test_a_refusal_of_one_topic_does_not_stop_its_neighbours(
    code: int, goes_on: bool, backend: NtfyBackend
) -> None:
    backend.fail_next(code, method="POST")
    given = {"topics": ["new-a", "alerts"], "message": "x"}
    result = structured(await use(serve(backend), "publish_message", given)) if goes_on else None
    if not goes_on:
        failed = await use(serve(backend), "publish_message", given)
        assert failed.is_error
        result = failed.structured_content
    assert result is not None
    first, second = listed(result, "results")
    assert (first["ok"], first["code"], second["ok"]) == (False, code, goes_on)
    assert len(writes(backend)) == (2 if goes_on else 1)


@pytest.mark.requirement("N-14")
@pytest.mark.parametrize(("code", "left"), [(42901, 0), (42911, 57), (42908, 57), (42909, 57)])
async def test_only_the_request_limit_empties_the_estimate(
    code: int, left: int, backend: NtfyBackend
) -> None:
    server = serve(backend, clock=lambda: 1000.0)
    backend.fail_next(code, method="POST")
    await use(server, "publish_message", {"topics": ["a"], "message": "x"})
    backend.clear_requests()
    result = structured(await use(server, "get_account"))
    assert result["requests_remaining_estimate"] == (left and 58)


@pytest.mark.requirement("N-15")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("publish_message", {"message": "x"}),
        ("list_messages", {}),
        ("get_account", {}),
        ("check_topic_access", {}),
        ("delete_messages", {"sequence_ids": ["x"]}),
    ],
)
async def test_an_address_with_a_topic_is_told_as_such(
    tool: str, arguments: Arguments, backend: NtfyBackend
) -> None:
    server = serve(backend, {**ALLOWLIST, "NTFY_URL": f"{backend.url}/alerts"})
    result = await use(server, tool, arguments, person=Person())
    if tool == "check_topic_access":
        assert not listed(structured(result), "results")[0]["read_access"]
        return
    assert result.is_error
    assert "NTFY_URL must be the address of the server, without a topic" in text(result)
    assert "2.16" not in text(result)


@pytest.mark.requirement("R-01")
async def test_a_body_that_is_too_large_names_the_variable_when_it_is_set(
    backend: NtfyBackend,
) -> None:
    for limit, named in (("4096", False), ("8192", True)):
        backend.fail_next(41303, method="POST")
        server = serve(backend, {**ALLOWLIST, "NTFY_MESSAGE_LIMIT": limit})
        result = await use(server, "publish_message", {"message": "x"})
        assert ("NTFY_MESSAGE_LIMIT" in text(result)) is named


@pytest.mark.requirement("R-01", "N-12")
async def test_a_larger_limit_of_the_instance_holds(backend: NtfyBackend) -> None:
    server = serve(backend, {**ALLOWLIST, "NTFY_MESSAGE_LIMIT": "5000"})
    refused = await use(server, "publish_message", {"message": "x" * 5000})
    assert "is 5000 bytes of UTF-8 long and must stay below 5000" in text(refused)
    assert backend.requests == []


@pytest.mark.requirement("N-12")
async def test_white_space_at_an_end_is_told(backend: NtfyBackend) -> None:
    for message, told in ((" x", True), ("x\n", True), ("x y", False)):
        sent = structured(
            await use(serve(backend, ALLOWLIST), "publish_message", {"message": message})
        )
        assert ("white space" in str(listed(sent, "results")[0].get("note"))) is told


@pytest.mark.requirement("N-18")
@pytest.mark.parametrize(
    ("action", "path"),
    [
        (ACTION | {"label": "  "}, "label"),
        (ACTION | {"label": "a\nb"}, "label"),
        (ACTION | {"label": "a\x1b[1m"}, "label"),
        (ACTION | {"headers": {"X-A\r\nX-B": "1"}}, "headers"),
        (ACTION | {"headers": {"X-A": "1\r\nX-B: 2"}}, "headers"),
        (ACTION | {"headers": {"X-A": "1\x00"}}, "headers"),
        (ACTION | {"body": "a\rb"}, "body"),
        (ACTION | {"body": "a\x85b"}, "body"),
        ({"action": "copy", "label": "x", "value": "a\x07"}, "value"),
    ],
)
async def test_control_characters_in_a_button_are_refused_by_path(
    action: dict[str, object], path: str, backend: NtfyBackend
) -> None:
    view = {"action": "view", "label": "ok", "url": "https://h.example"}
    words = await publish_refused(backend, {"message": "x", "actions": [view, action]})
    assert words.startswith(f"actions[1].{path}")


async def test_tab_and_newline_may_stand_in_a_body(backend: NtfyBackend) -> None:
    action = ACTION | {"body": "a\tb\nc"}
    given = {"message": "x", "actions": [action]}
    assert not (await use(serve(backend, ALLOWLIST), "publish_message", given)).is_error


@pytest.mark.requirement("N-18")
async def test_an_instance_that_is_not_there_is_told_in_words() -> None:
    with NtfyBackend() as backend:
        server = serve(backend, {**ALLOWLIST, **NOBODY})
    result = await use(server, "list_messages")
    assert "ntfy could not be reached: connection refused." in text(result)
    assert "Errno" not in text(result)
    assert "(" not in text(result)
