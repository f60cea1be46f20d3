"""Content, addresses, buttons, passwords and tokens stay out of everything that is shown."""

from __future__ import annotations

import logging

import pytest

from mcp_serverkit.http.client import HTTP
from mcp_serverkit.http.connection import Connection
from ntfy_mcp.api.client import NtfyClient
from ntfy_mcp.api.credentials import Credentials
from ntfy_mcp.app import build
from ntfy_mcp.definition import NTFY
from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import ALLOWLIST, listed, login, serve, token_login, use
from tests.support.clients import (
    ERAS,
    Arguments,
    Era,
    connect,
    question,
    structured,
    text,
    token_in,
)
from tests.support.person import Person
from tests.support.personas import PERSONAS, Persona, play
from tests.support.servers import values_of

MARK = "planted"
"""Stands in every value that must not be seen."""

CONTENT: dict[str, object] = {
    "message": "planted-message",
    "title": "planted-title",
    "tags": ["planted-tag"],
    "click": "https://planted-click.example",
    "icon": "https://planted-icon.example",
    "actions": [
        {
            "action": "http",
            "label": "planted-label",
            "url": "https://planted-url.example",
            "headers": {"X-Planted": "planted-header"},
            "body": "planted-body",
        },
        {"action": "copy", "label": "planted-copy", "value": "planted-value"},
        {"action": "broadcast", "label": "b", "intent": "planted.intent"},
    ],
}

PHRASE = "Thursday, 07:53"
"""A delay whose words must not be seen either."""

GUARDED: list[tuple[str, Arguments]] = [
    (
        "update_message",
        {"topic": "alerts", "sequence_id": "nightly", **CONTENT, "delay": PHRASE},
    ),
    ("create_user", {"username": "newcomer", "password": "planted-password"}),
]


@pytest.fixture
async def nightly(backend: NtfyBackend) -> NtfyBackend:
    """The notification that is updated exists, with content of the same kind."""
    given = {"topic": "alerts", "sequence_id": "nightly", **CONTENT}
    structured(await use(serve(backend), "update_message", given, person=Person()))
    assert backend.messages("alerts") != []
    return backend


def hidden(shown: str) -> bool:
    """Tell whether nothing of what must not be seen is in a text."""
    return MARK not in shown.lower() and "thursday" not in shown.lower()


@pytest.mark.requirement("S-ntfy-10", "S-ntfy-11")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("persona", PERSONAS, ids=lambda persona: persona.name)
@pytest.mark.parametrize(("tool", "arguments"), GUARDED)
async def test_no_answer_of_a_client_brings_a_secret_to_light(
    tool: str,
    arguments: Arguments,
    persona: Persona,
    era: Era,
    nightly: NtfyBackend,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    if tool == "update_message":
        nightly.respond_next(200, {"id": "Ab3dE5gH7jK9", "sequence_id": "nightly"}, method="POST")
    lines: list[str] = []
    wait = 0.05 if persona.name == "never answers" else 30.0
    server = serve(nightly, log=lines.append, wait=wait)
    results = await play(persona, server, era, tool, arguments)
    assert lines != []
    shown = "".join(text(result) for result in results) + "".join(lines)
    shown += "".join(capsys.readouterr()) + caplog.text
    assert hidden(shown)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("tool", "arguments"), GUARDED)
async def test_question_and_state_hold_no_secret(
    tool: str, arguments: Arguments, era: Era, nightly: NtfyBackend
) -> None:
    person = Person("decline")
    await use(serve(nightly), tool, arguments, era=era, person=person)
    assert hidden(person.questions[0].model_dump_json())
    if era == "2026-07-28":
        async with connect(serve(nightly), era, person) as client:
            assert hidden(text(await question(client, tool, arguments)))


@pytest.mark.parametrize(("tool", "arguments"), GUARDED)
@pytest.mark.parametrize("dialog", ["true", "false"])
async def test_the_prompt_of_the_two_call_token_holds_no_secret(
    tool: str, arguments: Arguments, dialog: str, nightly: NtfyBackend
) -> None:
    server = serve(nightly, {"ELICITATION": dialog})
    first = await use(server, tool, arguments)
    assert token_in(first)
    assert hidden(text(first))
    wrong = {**arguments, "confirm_token": "planted-token"}
    assert hidden(text(await use(server, tool, wrong)))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("publish_message", {**CONTENT, "priority": "planted"}),
        ("publish_message", {"message": "planted", "click": "planted"}),
        ("publish_message", {"message": "planted", "tags": ["planted,"]}),
        ("publish_message", {"message": "planted" * 700}),
        ("publish_message", {"message": "planted", "delay": {"planted": 1}}),
        ("publish_message", {"message": "planted", "delay": "planted tomorrow"}),
        ("update_message", {"sequence_id": "nightly", "delay": "tomorrow at planted"}),
        ("publish_message", {"message": "planted", "attach": "planted", "filename": "a/planted"}),
        ("publish_message", {"message": "planted", "actions": [{"planted value": "planted"}]}),
        ("publish_message", {"message": "planted", "planted name!": 1}),
        ("create_user", {"username": "u", "password": "planted" * 11}),
        ("create_user", {"username": "u", "password": ["planted"]}),
        ("create_user", {"username": "planted name", "password": "planted-password"}),
        ("list_messages", {"since": "planted ago", "topics": ["alerts"]}),
        ("list_messages", {"topics": ["planted topic"]}),
        ("get_message", {"id": "planted id"}),
    ],
)
async def test_a_refused_argument_is_not_repeated(
    tool: str, arguments: Arguments, backend: NtfyBackend, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    result = await use(serve(backend, ALLOWLIST), tool, arguments, person=Person())
    assert result.is_error
    assert MARK not in text(result).lower() + caplog.text.lower()
    assert backend.requests == []


@pytest.mark.parametrize("fault", ["refused", "dropped", "page", "broken", "unreachable"])
@pytest.mark.parametrize("kind", ["token", "password"])
async def test_a_failing_instance_brings_no_login_to_light(
    kind: str, fault: str, backend: NtfyBackend, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    environ = token_login("tk_planted") if kind == "token" else login("ops", "planted-password")
    server = serve(backend, {**ALLOWLIST, **environ})
    match fault:
        case "dropped":
            backend.drop_next(times=9)
        case "page":
            backend.respond_next(200, b"<html>", content_type="text/html", times=9)
        case "broken":
            backend.respond_next(200, b"{", times=9)
        case "unreachable":
            backend.stop()
        case _:
            pass
    for tool in ("list_messages", "get_account", "get_server_info"):
        shown = text(await use(server, tool)) + caplog.text
        assert MARK not in shown.lower()
        assert "cGxhbnRlZ" not in shown


@pytest.mark.requirement("T-ntfy-6")
async def test_a_token_that_no_header_carries_is_an_error_without_it(
    backend: NtfyBackend, caplog: pytest.LogCaptureFixture
) -> None:
    connection = Connection(backend.url, "ntfy", "NTFY_URL", 5, "tests")
    for token in ("tk_plan\nted", "tk_plän", "tk_plan\x00ted"):
        client = NtfyClient(HTTP(connection), Credentials(token=token))
        with pytest.raises(Exception, match="cannot stand there") as caught:
            await client.account()
        assert "tk_pl" not in str(caught.value) + repr(caught.value) + caplog.text
        await client.aclose()
    assert backend.requests == []


def test_no_representation_holds_a_login(backend: NtfyBackend) -> None:
    for environ in (token_login("tk_planted"), login("ops", "planted-password")):
        app = build(values_of(NTFY, {"NTFY_URL": backend.url, **environ}), ())
        shown = f"{app!r} {app} {app.settings!r} {app.settings.model_dump()} {app.client!r}"
        assert MARK not in shown


async def test_tokens_of_others_stay_with_the_instance(backend: NtfyBackend) -> None:
    values = [backend.add_token("root", f"label{number}") for number in range(2)]
    result = await use(serve(backend), "get_account")
    assert result.structured_content is not None
    entries = listed(result.structured_content, "tokens")
    assert {entry["token"] for entry in entries} == {"(redacted)"}
    assert not [value for value in values if value in text(result)]
