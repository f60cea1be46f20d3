"""Arguments of every tool: topics, null, wrappings, and text that looks like JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from mcp.server import Server

from mcp_serverkit.tools.schema import input_schema
from ntfy_mcp.tools import TOOLS
from tests.backends.ntfy import NtfyBackend
from tests.ntfy import support
from tests.ntfy.conftest import ADMIN
from tests.ntfy.support import ALLOWLIST, bodies, first_token, use, writes
from tests.support.arguments import minimal
from tests.support.clients import Arguments, structured, text
from tests.support.person import Person

SAMPLES: dict[str, object] = {
    "id": "Ab3dE5gH7jK9",
    "message": "x",
    "sequence_id": "n",
    "sequence_ids": ["n"],
    "username": "eve",
    "password": "some-password",
    "topic": "alerts",
    "action": "deny",
    "question": "x",
    "answers": ["Yes"],
}
"""A value that passes, by the name of an argument."""

AT_ONCE: dict[str, object] = {"timeout_s": 1, "since": "all"}
"""What keeps a tool that waits from waiting."""


def properties(tool: str) -> dict[str, dict[str, object]]:
    """The arguments that a tool declares."""
    found = input_schema(TOOLS[tool])["properties"]
    assert isinstance(found, dict)
    return found


def smallest(tool: str) -> dict[str, object]:
    """The smallest call of a tool that ends by itself."""
    waits = "timeout_s" in properties(tool)
    quick = {name: AT_ONCE[name] for name in properties(tool) if waits and name in AT_ONCE}
    writes_text = "message" in properties(tool) and not TOOLS[tool].annotations.read_only
    content = {"message": SAMPLES["message"]} if writes_text else {}
    return {**minimal(TOOLS[tool], SAMPLES), **content, **quick}


MINIMAL = {tool.name: smallest(tool.name) for tool in TOOLS}


def serve(backend: NtfyBackend, environ: Mapping[str, str] | None = None) -> Server[object]:
    """A server that offers every tool, those that are off by default included."""
    given = {"NTFY_EXTRAS": "true", "NTFY_REPLY_TOPIC": "answers", **(environ or {})}
    if topics := given.get("NTFY_TOPICS"):
        given["NTFY_TOPICS"] = f"{topics},answers"
    return support.serve(backend, given)


TOPIC_ARGUMENTS = [
    (tool.name, name)
    for tool in TOOLS
    for name in ("topic", "topics")
    if name in properties(tool.name)
]
OPTIONAL_ARGUMENTS = [
    (tool, name)
    for tool, needed in MINIMAL.items()
    for name in properties(tool)
    if name not in needed
]
BAD_TOPICS = [
    "k" * 65,
    "alerts,payroll",
    "alerts/../v1/users",
    "alerts\n",
    "",
    " alerts",
    "alerts ",
    "älarm",
    "alerts?auth=x",
    "..",
    ".",
    "alerts\u2028",
    "alerts\u200b",
    "alerts%2Fx",
]


@pytest.mark.requirement("S-ntfy-5", "R-04", "R-25")
@pytest.mark.parametrize(("tool", "name"), TOPIC_ARGUMENTS)
@pytest.mark.parametrize("topic", BAD_TOPICS)
async def test_a_name_that_is_no_topic_is_refused_and_not_repeated(
    topic: str, tool: str, name: str, backend: NtfyBackend
) -> None:
    person = Person()
    arguments = {**MINIMAL[tool], name: [topic] if name == "topics" else topic}
    result = await use(serve(backend, ALLOWLIST), tool, arguments, person=person)
    assert text(result).startswith(name)
    assert "1 to 64 letters, digits, -" in text(result)
    assert len(topic) < 5 or topic not in text(result)
    assert "payroll" not in text(result)
    assert person.questions == []
    assert backend.requests == []


@pytest.mark.requirement("S-ntfy-5")
@pytest.mark.parametrize(("tool", "name"), TOPIC_ARGUMENTS)
async def test_a_topic_outside_of_the_allowlist_is_refused_without_the_other_names(
    tool: str, name: str, backend: NtfyBackend
) -> None:
    person = Person()
    allowlist = {"NTFY_TOPICS": "alerts,inner-secret"}
    for topic in ("deploy", "Alerts"):
        arguments = {**MINIMAL[tool], name: ["alerts", topic] if name == "topics" else topic}
        result = await use(serve(backend, allowlist), tool, arguments, person=person)
        assert text(result) == f'{name}: "{topic}" is not among the 3 topics of NTFY_TOPICS'
    assert person.questions == []
    assert backend.requests == []


DEFAULTED = sorted({tool for tool, _ in TOPIC_ARGUMENTS} - {"list_users", "manage_user_access"})


@pytest.mark.parametrize("tool", DEFAULTED)
async def test_the_first_topic_of_the_allowlist_is_the_default(
    tool: str, backend: NtfyBackend
) -> None:
    server = serve(backend, {"NTFY_TOPICS": "first-topic,alerts"})
    await use(server, tool, MINIMAL[tool], person=Person())
    # Answers of people are heard in a topic of their own.
    requests = [request for request in backend.requests if request.path != "/answers/json"]
    sent = [f"{request.target} {request.body.decode()}" for request in requests]
    assert sent != []
    assert [place for place in sent if "first-topic" not in place or "alerts" in place] == []


@pytest.mark.parametrize("tool", DEFAULTED)
async def test_without_an_allowlist_a_topic_is_needed(tool: str, backend: NtfyBackend) -> None:
    person = Person()
    result = await use(serve(backend), tool, MINIMAL[tool], person=person)
    assert "NTFY_TOPICS sets no default topic" in text(result)
    assert person.questions == []
    assert backend.requests == []


async def requests_of(tool: str, arguments: Arguments) -> list[tuple[str, str, bytes]]:
    """What a call sends to an instance of its own, without what differs from call to call."""
    with NtfyBackend() as backend:
        backend.add_user(*ADMIN, role="admin")
        backend.add_user("eve", "eve-password")
        # A message that ends a wait at once.
        await use(serve(backend, ALLOWLIST), "publish_message", {"message": "x"})
        backend.clear_requests()
        await use(serve(backend, ALLOWLIST), tool, arguments, person=Person())
        return [
            (
                request.method,
                re.sub(r"since=\d+", "since=", request.target),
                re.sub(rb"re-\w{22}|:\d+/", b"", request.body),
            )
            for request in backend.requests
        ]


@pytest.mark.requirement("R-22")
@pytest.mark.parametrize(("tool", "name"), OPTIONAL_ARGUMENTS)
async def test_null_is_the_same_as_leaving_it_out(tool: str, name: str) -> None:
    sent = await requests_of(tool, {**MINIMAL[tool], name: None})
    assert sent != []
    assert sent == await requests_of(tool, MINIMAL[tool])
    assert b"null" not in b"".join(body for _, _, body in sent)


@pytest.mark.requirement("R-22")
@pytest.mark.parametrize("tool", MINIMAL)
async def test_null_for_a_required_argument_is_refused(tool: str, backend: NtfyBackend) -> None:
    required = input_schema(TOOLS[tool]).get("required", [])
    assert isinstance(required, list)
    person = Person()
    for name in required:
        for arguments in (
            {**MINIMAL[tool], name: None},
            {k: v for k, v in MINIMAL[tool].items() if k != name},
        ):
            result = await use(serve(backend, ALLOWLIST), tool, arguments, person=person)
            assert text(result).startswith(f"{name}:")
    assert person.questions == []
    assert backend.requests == []


@pytest.mark.requirement("R-22")
async def test_wrapped_lists_numbers_and_switches_are_unwrapped(backend: NtfyBackend) -> None:
    arguments = {
        "topics": '["alerts"]',
        "message": "x",
        "priority": "4",
        "tags": '["a"]',
        "markdown": "true",
        "actions": '[{"action":"http","label":"L","url":"https://h.example","clear":"true",'
        '"headers":"{\\"A\\":\\"b\\"}","body":"{}"}]',
        "click": None,
        "icon": None,
    }
    structured(await use(serve(backend), "publish_message", arguments))
    assert bodies(backend) == [
        {
            "topic": "alerts",
            "message": "x",
            "priority": 4,
            "tags": ["a"],
            "markdown": True,
            "actions": [
                {
                    "action": "http",
                    "label": "L",
                    "url": "https://h.example",
                    "clear": True,
                    "headers": {"A": "b"},
                    "body": "{}",
                }
            ],
        }
    ]


@pytest.mark.requirement("S-all-11", "R-22")
async def test_the_approval_is_computed_from_the_unwrapped_value(backend: NtfyBackend) -> None:
    server = serve(backend, ALLOWLIST)
    wrapped: Arguments = {"sequence_ids": '["Ab3dE5gH7jK9"]'}
    token = await first_token(backend, server, "delete_messages", wrapped)
    wider = {"sequence_ids": ["Ab3dE5gH7jK9", "Mn8bV7cX6zA5"], "confirm_token": token}
    assert "issued for different arguments" in text(await use(server, "delete_messages", wider))
    assert writes(backend) == []
    plain = {"sequence_ids": ["Ab3dE5gH7jK9"], "confirm_token": token}
    structured(await use(server, "delete_messages", plain))
    assert [request.target for request in writes(backend)] == ["/alerts/Ab3dE5gH7jK9"]


@pytest.mark.parametrize("tool", MINIMAL)
async def test_an_unknown_argument_is_refused_by_every_tool(
    tool: str, backend: NtfyBackend
) -> None:
    person = Person()
    for name in ("confirm", "force", "Topic", "x" * 70, "a b"):
        given = {**MINIMAL[tool], name: True}
        result = await use(serve(backend, ALLOWLIST), tool, given, person=person)
        assert "is no argument of this tool" in text(result)
        assert "x" * 70 not in text(result)
    assert person.questions == []
    assert backend.requests == []


@pytest.mark.parametrize("value", ["\x00", "a\x1b[2Jb", "a\x7fb", "a\x85b", "half \ud83d"])
async def test_control_characters_are_refused_on_the_way_in(
    value: str, backend: NtfyBackend
) -> None:
    calls: list[tuple[str, dict[str, object], str]] = [
        ("publish_message", {"message": value}, "message"),
        ("publish_message", {"message": "x", "tags": ["fine", value]}, "tags[1]"),
        ("publish_message", {"message": "x", "actions": [{"label": value}]}, "actions[0].label"),
        ("create_user", {"username": "u", "password": value * 8}, "password"),
    ]
    for tool, arguments, path in calls:
        result = await use(serve(backend, ALLOWLIST), tool, arguments, person=Person())
        assert text(result).startswith(f"{path}: holds ")
        assert value not in text(result)
    assert backend.requests == []


async def test_line_ends_and_tabs_are_text(backend: NtfyBackend) -> None:
    arguments = {"message": " a\tb\r\nc \n"}
    structured(await use(serve(backend, ALLOWLIST), "publish_message", arguments))
    assert bodies(backend)[0]["message"] == " a\tb\r\nc \n"
