"""What a person reads, to the letter."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import serve, use
from tests.support.clients import ERAS, Arguments, Era, structured
from tests.support.person import Person

HEADING = "Values below are supplied by the caller, not by this server:"

ACTIONS: list[dict[str, object]] = [
    {"action": "view", "label": "Open", "url": "https://v.example"},
    {"action": "http", "label": "Close", "url": "https://h.example"},
]

EVERY_FIELD: dict[str, object] = {
    "topic": "alerts",
    "sequence_id": "nightly",
    "message": "two words",
    "title": "é",
    "priority": "high",
    "tags": ["warning"],
    "click": "https://c.example",
    "icon": "https://i.example/i.png",
    "markdown": True,
    "actions": ACTIONS,
    "delay": "30m",
}

REPLACE = (
    'This will replace the content of notification "nightly" on topic "alerts".\n\n'
    "The text that subscribers were shown cannot be recovered on their devices. Everything "
    "listed is replaced, buttons included; an http button sends its request from the recipient's "
    "device. Fields not listed are dropped."
)
NEW = " Nothing with this id is in the cache, so this may be a new notification."
ABSENT = "Sequence id (not in the cache, expired or mistyped)"

DIALOGS: list[tuple[str, Arguments, str]] = [
    (
        "delete_messages",
        {"topic": "alerts", "sequence_ids": ["nightly", "Kd83ksLq0aZ1", "nightly"]},
        'This will delete 2 notifications from topic "alerts", scheduled ones included.\n\n'
        "They cannot be brought back. Those still scheduled are not sent.\n\n"
        f"{HEADING}\n"
        f"  {ABSENT}: nightly\n"
        f"  {ABSENT}: Kd83ksLq0aZ1",
    ),
    (
        "delete_messages",
        {"topic": "alerts", "sequence_ids": ["nightly"]},
        'This will delete 1 notification from topic "alerts", scheduled ones included.\n\n'
        "They cannot be brought back. Those still scheduled are not sent.\n\n"
        f"{HEADING}\n"
        f"  {ABSENT}: nightly",
    ),
    (
        "update_message",
        EVERY_FIELD,
        f"{REPLACE}{NEW}\n\n{HEADING}\n"
        "  Message: 9 characters\n"
        "  Title: 1 character\n"
        "  Priority: 4\n"
        "  Tags: 1 entry\n"
        "  Click address: 17 characters\n"
        "  Icon address: 23 characters\n"
        "  Markdown: on\n"
        "  Buttons: 2 entries (view, http)\n"
        "  Delivery: in 30m",
    ),
    (
        "update_message",
        {"topic": "alerts", "sequence_id": "nightly", "markdown": False, "tags": [], "actions": []},
        f"{REPLACE}{NEW}\n\n{HEADING}\n  Tags: 0 entries\n  Markdown: off\n  Buttons: 0 entries",
    ),
    (
        "update_message",
        {"topic": "alerts", "sequence_id": "nightly", "title": "x", "delay": 4102444800},
        f"{REPLACE}{NEW}\n\n{HEADING}\n  Title: 1 character\n  Delivery: at 2100-01-01T00:00:00Z",
    ),
    (
        "update_message",
        {"topic": "alerts", "sequence_id": "nightly", "title": "x", "delay": "tomorrow 10am"},
        f"{REPLACE}{NEW}\n\n{HEADING}\n  Title: 1 character\n  Delivery: 13 characters",
    ),
    (
        "create_user",
        {"username": "publisher", "password": "some-password"},
        'This will create the account "publisher".\n\n'
        "It becomes an account of this instance. It reaches nothing until manage_user_access "
        "grants a topic, but whoever has the password can then log in as it.",
    ),
    (
        "create_user",
        {"username": "publisher", "password": "some-password", "tier": "pro"},
        'This will create the account "publisher".\n\n'
        "It becomes an account of this instance. It reaches nothing until manage_user_access "
        "grants a topic, but whoever has the password can then log in as it.\n\n"
        f"{HEADING}\n"
        "  Tier: pro",
    ),
    (
        "delete_user",
        {"username": "eve"},
        'This will delete the account "eve" and all its topic grants.\n\n'
        "Account and grants are gone, and its open connections are cut.",
    ),
    (
        "manage_user_access",
        {"username": "eve", "topic": "deploy*", "action": "write_only"},
        'This will set "eve" to write_only on topic "deploy*".\n\n'
        "It takes effect at once for everyone who uses that account. Rule at present: read-only.",
    ),
    (
        "manage_user_access",
        {"username": "eve", "topic": "deploy*", "action": "revoke"},
        'This will remove the rule for "eve" on topic "deploy*".\n\n'
        "It takes effect at once for everyone who uses that account. Rule at present: read-only. "
        "Afterwards a wider rule or the instance's default applies. A rule that the server's "
        "configuration sets comes back when ntfy restarts.",
    ),
    (
        "manage_user_access",
        {"username": "*", "topic": "deploy*", "action": "read_only"},
        'This will set "\\*" to read_only on topic "deploy\\*".\n\n'
        "It takes effect at once for everybody, also for people without an account. "
        "Rule at present: none.",
    ),
]


@pytest.mark.requirement("S-all-3", "S-all-20", "S-ntfy-9", "S-ntfy-12", "S-ntfy-16", "N-11")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("tool", "arguments", "message"), DIALOGS)
async def test_a_question_says_what_follows_and_what_the_caller_chose(
    tool: str, arguments: Arguments, message: str, era: Era, backend: NtfyBackend
) -> None:
    backend.add_user("eve", "eve-password")
    backend.grant("eve", "deploy*", "read-only")
    person = Person("decline")
    await use(serve(backend), tool, arguments, era=era, person=person)
    (asked,) = person.questions
    assert asked.message == message
    host = backend.url.removeprefix("http://")
    assert asked.requested_schema == {
        "type": "object",
        "properties": {
            "confirm": {
                "type": "boolean",
                "title": "Allow this?",
                "description": (
                    "Tick to allow it. To stop it, leave this empty, decline or close the dialog. "
                    f"(ntfy-mcp at {host})"
                ),
            }
        },
        "required": ["confirm"],
    }


@pytest.mark.parametrize("era", ERAS)
async def test_the_largest_batch_is_shown_in_full(era: Era, backend: NtfyBackend) -> None:
    ids = [f"{number:02}" + "x" * 62 for number in range(25)]
    person = Person()
    arguments = {"topic": "t" * 64, "sequence_ids": ids}
    structured(await use(serve(backend), "delete_messages", arguments, era=era, person=person))
    assert [item for item in ids if f"  {ABSENT}: {item}" in person.messages[0]] == ids
