"""Text that happens to look like JSON arrives as it was given."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import ALLOWLIST, bodies, listed, publish_refused, serve, use
from tests.support.clients import Arguments, structured
from tests.support.person import Person

LOOKS_LIKE_JSON = [
    '{"status":"down"}',
    "[1,2]",
    "null",
    '"quoted"',
    "123",
    "true",
    "{}",
    "[]",
    "1e5",
]


@pytest.mark.requirement("R-26")
@pytest.mark.parametrize("value", LOOKS_LIKE_JSON)
@pytest.mark.parametrize("tool", ["publish_message", "update_message"])
async def test_text_of_a_notification_arrives_as_given(
    tool: str, value: str, backend: NtfyBackend
) -> None:
    backend.respond_next(200, {"id": "Ab3dE5gH7jK9", "sequence_id": "n"}, method="POST")
    tag = value.replace(",", ";")
    given: dict[str, object] = {
        "message": value,
        "title": value,
        "tags": [tag],
        "actions": [
            {
                "action": "http",
                "label": value,
                "url": "https://h.example",
                "headers": {value: value},
                "body": value,
            },
            {"action": "copy", "label": value, "value": value},
            {"action": "broadcast", "label": value, "extras": {value: value}},
        ],
    }
    arguments = {**given, **({"sequence_id": "n"} if tool == "update_message" else {})}
    structured(await use(serve(backend, ALLOWLIST), tool, arguments, person=Person()))
    (body,) = bodies(backend)
    assert {name: body[name] for name in given} == given


@pytest.mark.requirement("R-26")
@pytest.mark.parametrize("value", LOOKS_LIKE_JSON)
async def test_other_text_arrives_as_given_too(value: str, backend: NtfyBackend) -> None:
    server = serve(backend, ALLOWLIST)
    sought: dict[str, object] = {"title": value, "message": value, "tags": ["null", "7"]}
    for other in ({}, {"title": "x"}, {"message": "x"}, {"tags": ["null"]}):
        structured(await use(server, "publish_message", {**sought, **other}))
    found = structured(await use(server, "list_messages", sought))
    (entry,) = listed(found, "messages")
    assert {name: entry[name] for name in sought} == sought
    attach = {"message": "x", "attach": "https://a.example", "filename": value}
    structured(await use(server, "publish_message", attach))
    assert bodies(backend)[-1]["filename"] == value
    password = value.ljust(8, " ")
    account = {"username": "null", "password": password}
    structured(await use(server, "create_user", account, person=Person()))
    assert backend.can_log_in("null", password)


@pytest.mark.requirement("R-26")
@pytest.mark.parametrize("tool", ["publish_message", "update_message"])
async def test_a_delay_of_digits_arrives_as_the_text_it_was(
    tool: str, backend: NtfyBackend
) -> None:
    backend.respond_next(200, {"id": "Ab3dE5gH7jK9", "sequence_id": "n"}, method="POST")
    given = {"message": "x", "delay": "1798761600"}
    arguments = {**given, **({"sequence_id": "n"} if tool == "update_message" else {})}
    structured(await use(serve(backend, ALLOWLIST), tool, arguments, person=Person()))
    (body,) = bodies(backend)
    assert body["delay"] == "1798761600"


@pytest.mark.requirement("R-26")
@pytest.mark.parametrize("value", [value for value in LOOKS_LIKE_JSON if value != "123"])
async def test_other_text_is_no_delay(value: str, backend: NtfyBackend) -> None:
    assert (await publish_refused(backend, {"message": "x", "delay": value})).startswith("delay:")


@pytest.mark.parametrize("word", ["null", "123", "true"])
async def test_names_that_look_like_json_are_names(word: str, backend: NtfyBackend) -> None:
    backend.add_user(word, "some-password")
    backend.add_tier(word)
    allowlist = {"NTFY_TOPICS": word}
    server = serve(backend, allowlist)
    calls: list[tuple[str, Arguments]] = [
        ("publish_message", {"topics": [word], "message": "x"}),
        ("mark_messages_read", {"topic": word, "sequence_ids": [word]}),
        ("delete_messages", {"topic": word, "sequence_ids": [word]}),
        ("update_message", {"topic": word, "sequence_id": word, "message": word}),
        ("manage_user_access", {"username": word, "topic": word, "action": "deny"}),
        ("list_users", {"username": word, "topic": word}),
        ("delete_user", {"username": word}),
        ("create_user", {"username": word, "password": "some-password", "tier": word}),
    ]
    for tool, arguments in calls:
        structured(await use(server, tool, arguments, person=Person()))
