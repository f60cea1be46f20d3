"""Credentials of others in buttons and addresses: in no result, and in every revision."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ntfy_mcp.redaction import Redactor
from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import ALLOWLIST, answer_with, bodies, inner, line, listed, serve, use
from tests.support.clients import structured, text
from tests.support.person import Person

TOKEN = "tk_abcdefghijklmnopqrst"
BUTTON: dict[str, object] = {
    "action": "http",
    "label": "Open the door",
    "url": "https://ha.example/api?auth=QmFz&id=4",
    "headers": {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
    "clear": False,
}


async def shown(backend: NtfyBackend, **fields: object) -> dict[str, object]:
    """The view of one message with these fields."""
    answer_with(backend, line("Message00001") | fields)
    result = structured(await use(serve(backend, ALLOWLIST), "list_messages"))
    return listed(result, "messages")[0]


async def button(backend: NtfyBackend, **fields: object) -> dict[str, object]:
    """The view of one button with these fields."""
    action = {"action": "http", "label": "x", "url": "https://h.example", **fields}
    return listed(await shown(backend, actions=[action]), "actions")[0]


@pytest.mark.requirement("R-32", "N-9")
@pytest.mark.parametrize("tool", ["list_messages", "get_message"])
async def test_a_button_shows_what_it_does_and_not_with_what(
    tool: str, backend: NtfyBackend
) -> None:
    server = serve(backend, ALLOWLIST)
    sent = structured(
        await use(server, "publish_message", {"message": "Who is it?", "actions": [BUTTON]})
    )
    name = listed(sent, "results")[0]["id"]
    arguments = {"id": name}
    result = await use(server, tool, arguments)
    assert TOKEN not in text(result)
    assert "QmFz" not in text(result)
    document = structured(result)
    message = (
        inner(document, "message") if "message" in document else listed(document, "messages")[0]
    )
    (action,) = listed(message, "actions")
    assert action["headers"] == {
        "Authorization": "(redacted)",
        "Content-Type": "application/json",
    }
    assert action["url"] == "https://ha.example/api?auth=(redacted)&id=4"
    assert action["label"] == "Open the door"
    assert message["redacted"] == 2


@pytest.mark.requirement("N-9")
async def test_a_revision_that_carries_over_sends_the_original(backend: NtfyBackend) -> None:
    server = serve(backend, ALLOWLIST)
    sent = structured(await use(server, "publish_message", {"message": "m", "actions": [BUTTON]}))
    backend.clear_requests()
    given = {"sequence_id": listed(sent, "results")[0]["id"], "title": "n", "carry_over": True}
    person = Person()
    result = await use(server, "update_message", given, person=person)
    assert bodies(backend)[0]["actions"] == [BUTTON]
    assert TOKEN not in text(result) + person.messages[0]


@pytest.mark.requirement("N-9")
@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://u:p@h.example/x", "https://(redacted)@h.example/x"),
        ("https://tok@h.example", "https://(redacted)@h.example"),
        ("//u:p@h.example/x", "//(redacted)@h.example/x"),
        ("https://h.example/a@b?x=1", "https://h.example/a@b?x=1"),
        ("https://h.example/?Api-Key=abc&n=1", "https://h.example/?Api-Key=(redacted)&n=1"),
        ("https://h.example/?a=1;sess.ion=2", "https://h.example/?a=1;sess.ion=(redacted)"),
        ("https://h.example/?%61uth=abc", "https://h.example/?%61uth=(redacted)"),
        ("https://h.example/#access_token=abc", "https://h.example/#access_token=(redacted)"),
        ("https://h.example/#/p?jwt=abc", "https://h.example/#/p?jwt=(redacted)"),
        ("https://h.example/?q=a=b&token=a=b", "https://h.example/?q=a=b&token=(redacted)"),
        ("https://h.example/?token=&n=1", "https://h.example/?token=&n=1"),
        (
            "https://h.example/api/webhook/abc123?x=1",
            "https://h.example/api/webhook/(redacted)?x=1",
        ),
        (
            "https://h.example/services/T0/B0/xx",
            "https://h.example/services/(redacted)/(redacted)/(redacted)",
        ),
        (
            "https://api.example/bot12345:AAAAAAAAAAAAAAAAAAAAAA/send",
            "https://api.example/(redacted)/send",
        ),
        (f"https://h.example/{TOKEN}/x", "https://h.example/(redacted)/x"),
        ("geo:52.5,13.4", "geo:52.5,13.4"),
        ("https://h.example/sky-blue/?page=2", "https://h.example/sky-blue/?page=2"),
    ],
)
async def test_an_address_loses_its_credentials(
    address: str, expected: str, backend: NtfyBackend
) -> None:
    view = await shown(
        backend,
        click=address,
        icon=address,
        attachment={"name": "f", "url": address},
        actions=[{"action": "view", "label": "x", "url": address}],
    )
    assert (view["click"], view["icon"]) == (expected, expected)
    assert inner(view, "attachment") == {"name": "f", "url": expected}
    assert listed(view, "actions")[0]["url"] == expected
    assert ("redacted" in view) is (address != expected)


async def test_an_address_that_cannot_be_read_is_left_out(backend: NtfyBackend) -> None:
    view = await shown(backend, click="https://[half", message="m")
    assert "click" not in view
    assert view["redacted"] == 1


@pytest.mark.requirement("N-9")
@pytest.mark.parametrize(
    ("body", "hidden", "kept"),
    [
        ('{"entity":"light","access_token":"s3cret"}', "s3cret", "light"),
        ('{"a":[{"b":{"Pass-Word":["s3cret",4711]}}]}', "s3cret", '"b"'),
        ('{"a":[{"b":{"Pass-Word":["s3cret",4711]}}]}', "4711", '"b"'),
        ('{"token":"s3cret","token":true}', "s3cret", "token"),
        ('[{"api.key":12345678}]', "12345678", "api.key"),
        ("entity=light&password=s3 cret", "cret", "light"),
        ("grant=x\nclient_secret=s3cret", "s3cret", "grant=x"),
        ('{"text":"use Bearer abcdefgh12345 now"}', "abcdefgh12345", "now"),
        ('{"jwt_less":"eyJhbGciOi.eyJzdWIi.c2ln"}', "eyJhbGciOi", "jwt_less"),
        ("[" * 3000 + '"token=s3cret"', "s3cret", ""),
        ("plain glpat-abcdefghijklmnop123 text", "glpat", "plain"),
        ("re-abcdefghijklmnopqrstuv", "abcdefghij", "(redacted)"),
    ],
)
async def test_a_body_loses_its_credentials(
    body: str, hidden: str, kept: str, backend: NtfyBackend
) -> None:
    action = await button(backend, body=body)
    assert hidden not in json.dumps(action)
    assert kept in str(action["body"])


async def test_a_harmless_body_stays_as_it_is(backend: NtfyBackend) -> None:
    body = '{"entity_id" : "light.kitchen", "on": true}'
    assert (await button(backend, body=body))["body"] == body


@pytest.mark.requirement("N-9")
@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("User-Agent", "curl", "curl"),
        ("X-Title", "Hello", "Hello"),
        ("priority", "5", "5"),
        ("Click", "https://u:p@h.example", "https://(redacted)@h.example"),
        ("Cookie", "a=b", "(redacted)"),
        ("X-Api-Key", "abc", "(redacted)"),
        ("X-Anything", "", "(redacted)"),
        ("Title", TOKEN, "(redacted)"),
    ],
)
async def test_headers_are_shown_by_name(
    name: str, value: str, expected: str, backend: NtfyBackend
) -> None:
    assert (await button(backend, headers={name: value}))["headers"] == {name: expected}


async def test_everything_else_of_a_button_loses_what_looks_like_a_credential(
    backend: NtfyBackend,
) -> None:
    action = await button(
        backend,
        value=f"copy {TOKEN}",
        intent="x",
        extras={"auth": "abc", "cmd": "open", "n": f"Basic {TOKEN}"},
        other=[{"deep": TOKEN}],
    )
    assert action["value"] == "copy (redacted)"
    assert action["extras"] == {"auth": "(redacted)", "cmd": "open", "n": "Basic (redacted)"}
    assert action["other"] == [{"deep": "(redacted)"}]
    assert action["label"] == "x"


async def test_a_credential_in_pieces_of_nothing_visible_is_whole(backend: NtfyBackend) -> None:
    action = await button(backend, value="tk_\u200babcdefghijkl\u200bmnopqrst")
    assert action["value"] == "(redacted)"


@pytest.mark.requirement("N-9")
async def test_title_and_text_are_the_message(backend: NtfyBackend) -> None:
    view = await shown(backend, title=TOKEN, message=f"Bearer {TOKEN}")
    assert (view["title"], view["message"]) == (TOKEN, f"Bearer {TOKEN}")
    assert "redacted" not in view


@pytest.mark.requirement("N-9")
@pytest.mark.parametrize("tool", ["publish_message", "update_message"])
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("actions", [{**BUTTON, "headers": {"Authorization": "(redacted)"}}]),
        ("actions", [{**BUTTON, "url": "https://ha.example/api?auth=%28redacted%29"}]),
        ("click", "https://h.example/?token=(redacted)"),
        ("icon", "https://(redacted)@h.example/i.png"),
        ("attach", "https://h.example/?sig=(redacted)"),
    ],
)
async def test_what_was_taken_out_is_not_sent_back(
    field: str, value: object, tool: str, backend: NtfyBackend
) -> None:
    given: dict[str, object] = {"message": "x", field: value}
    if tool == "update_message":
        given["sequence_id"] = "job"
    person = Person()
    result = await use(serve(backend, ALLOWLIST), tool, given, person=person)
    assert text(result).startswith(field)
    assert "carry_over" in text(result) or (tool, field) == ("update_message", "attach")
    assert person.questions == []
    assert backend.requests == []


@given(st.text(max_size=200), st.text('abc{}[]":,=&', max_size=60))
def test_any_text_can_be_redacted(address: str, body: str) -> None:
    redactor = Redactor()
    redactor.address(address)
    once = redactor.action({"action": "http", "url": address, "body": body, "headers": [body]})
    assert redactor.action(once).get("headers") == "(redacted)"


def test_redaction_takes_linear_time() -> None:
    for unit in ("?a=", "Bearer ", "eyJa.", "/webhook/", "bot1:", "tk_", "a=b&", "sk-", "//@"):
        Redactor().action({"url": unit * 20_000, "body": unit * 20_000, "value": unit * 20_000})
