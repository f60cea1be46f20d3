"""The two-call token: for clients without dialogs, and for servers told not to ask."""

from __future__ import annotations

import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import first_token, serve, use, writes
from tests.ntfy.test_personas import CALLS
from tests.support.clients import ERAS, Era, structured, text
from tests.support.person import Person
from tests.support.time import FakeClock

DELETE: dict[str, object] = {"topic": "alerts", "sequence_ids": ["nightly"]}
TOOLS = tuple(CALLS)


@pytest.fixture
def peopled(backend: NtfyBackend) -> NtfyBackend:
    backend.add_user("eve", "eve-password")
    return backend


@pytest.mark.requirement("S-all-7", "S-all-8", "S-all-9", "S-all-10")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tool", TOOLS)
async def test_a_client_without_dialogs_needs_two_calls(
    tool: str, era: Era, peopled: NtfyBackend
) -> None:
    server = serve(peopled)
    prompt = await use(server, tool, CALLS[tool], era=era)
    assert prompt.is_error
    assert "This client cannot show a dialog" in text(prompt)
    assert "made twice with the same arguments, and nothing more" in text(prompt)
    assert "not a person's approval" in text(prompt)
    assert writes(peopled) == []
    token = text(prompt).partition('confirm_token="')[2].partition('"')[0]
    assert len(token) == 32
    again = {**CALLS[tool], "confirm_token": token}
    structured(await use(server, tool, again, era=era))
    assert len(writes(peopled)) == 1


@pytest.mark.requirement("S-all-12", "S-all-15")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tool", TOOLS)
async def test_with_dialogs_off_the_server_names_itself_and_still_guards(
    tool: str, era: Era, peopled: NtfyBackend
) -> None:
    server = serve(peopled, {"ELICITATION": "false"})
    person = Person()
    result = await use(server, tool, CALLS[tool], era=era, person=person)
    assert "ntfy-mcp was started with ELICITATION=false" in text(result)
    assert "client cannot" not in text(result)
    assert person.questions == []
    assert writes(peopled) == []
    token = text(result).partition('confirm_token="')[2].partition('"')[0]
    again = {**CALLS[tool], "confirm_token": token}
    structured(await use(server, tool, again, era=era, person=person))
    assert person.questions == []


@pytest.mark.requirement("S-ntfy-18")
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("wrong", ["0" * 32, "", "x", "A" * 400, 7, True, ["x"], {"a": 1}])
async def test_a_wrong_token_is_refused_with_the_reason_and_the_right_one_stays(
    wrong: object, tool: str, peopled: NtfyBackend
) -> None:
    server = serve(peopled)
    token = await first_token(peopled, server, tool, CALLS[tool])
    result = await use(server, tool, {**CALLS[tool], "confirm_token": wrong})
    assert text(result) == (
        "confirm_token refused: it is unknown, expired, already used, or issued for different "
        "arguments or an earlier state. Nothing was changed. To get a token, leave confirm_token "
        f"out and call {tool} with the arguments you mean."
    )
    assert writes(peopled) == []
    structured(await use(server, tool, {**CALLS[tool], "confirm_token": token}))


async def test_null_as_token_is_a_first_call(peopled: NtfyBackend) -> None:
    result = await use(serve(peopled), "delete_messages", {**DELETE, "confirm_token": None})
    assert 'confirm_token="' in text(result)


async def test_a_token_expires_and_a_new_one_replaces_it(peopled: NtfyBackend) -> None:
    clock = FakeClock()
    server = serve(peopled, clock=clock)
    first = await first_token(peopled, server, "delete_messages", DELETE)
    second = await first_token(peopled, server, "delete_messages", DELETE)
    assert "refused" in text(
        await use(server, "delete_messages", {**DELETE, "confirm_token": first})
    )
    clock.advance(301)
    assert "expired" in text(
        await use(server, "delete_messages", {**DELETE, "confirm_token": second})
    )
    assert writes(peopled) == []


async def test_a_token_of_one_tool_does_not_work_for_another(peopled: NtfyBackend) -> None:
    server = serve(peopled)
    token = await first_token(peopled, server, "delete_user", {"username": "eve"})
    for tool in set(TOOLS) - {"delete_user"}:
        result = await use(server, tool, {**CALLS[tool], "confirm_token": token})
        assert "refused" in text(result)
    assert writes(peopled) == []


@pytest.mark.requirement("S-ntfy-19")
async def test_a_restarted_server_knows_no_earlier_token_or_state(peopled: NtfyBackend) -> None:
    token = await first_token(peopled, serve(peopled), "delete_messages", DELETE)
    after = serve(peopled)
    result = await use(after, "delete_messages", {**DELETE, "confirm_token": token})
    assert "refused" in text(result)
    assert writes(peopled) == []
