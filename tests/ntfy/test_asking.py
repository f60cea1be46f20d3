"""How a question is put and answered: once, by somebody, for exactly this call."""

from __future__ import annotations

import mcp_types as types
import pytest

from tests.backends.ntfy import NtfyBackend
from tests.ntfy.support import ALLOWLIST, MODERN, first_token, serve, use, writes
from tests.ntfy.test_personas import CALLS
from tests.support.clients import (
    ERAS,
    Arguments,
    Era,
    accept,
    connect,
    leg,
    question,
    structured,
    text,
)
from tests.support.person import Person
from tests.support.time import FakeClock

DELETE: dict[str, object] = {"topic": "alerts", "sequence_ids": ["nightly"]}
NO = types.ElicitResult(action="decline")
TOOLS = tuple(CALLS)


@pytest.fixture
def peopled(backend: NtfyBackend) -> NtfyBackend:
    backend.add_user("eve", "eve-password")
    return backend


@pytest.mark.requirement("S-all-4", "R-19")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("action", ["decline", "cancel"])
@pytest.mark.parametrize("tool", TOOLS)
async def test_a_client_that_answers_no_by_itself_is_no_dead_end_and_no_yes(
    tool: str, action: str, era: Era, peopled: NtfyBackend
) -> None:
    server = serve(peopled)
    for _ in range(3):
        person = Person("decline" if action == "decline" else "cancel")
        result = await use(server, tool, CALLS[tool], era=era, person=person)
        assert text(result) == (
            f'Not approved: the client answered "{action}". Nothing was changed. If no dialog was '
            "visible, this client answers by itself; the operator of this server finds the setting "
            "in its README."
        )
        assert len(person.questions) == 1
    assert writes(peopled) == []
    structured(await use(server, tool, CALLS[tool], era=era, person=Person()))
    assert len(writes(peopled)) == 1


@pytest.mark.requirement("S-all-2")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tool", TOOLS)
async def test_a_client_that_can_be_asked_gets_no_token_and_none_counts(
    tool: str, era: Era, peopled: NtfyBackend
) -> None:
    server = serve(peopled)
    token = await first_token(peopled, server, tool, CALLS[tool])
    for given in (token, "0" * 32, "", 7, ["x"]):
        person = Person("decline")
        arguments = {**CALLS[tool], "confirm_token": given}
        result = await use(server, tool, arguments, era=era, person=person)
        assert "Not approved" in text(result)
        assert "confirm_token" not in text(result)
        assert len(person.questions) == 1
    assert writes(peopled) == []


@pytest.mark.requirement("S-all-20", "S-ntfy-17", "R-24")
@pytest.mark.parametrize("tool", TOOLS)
async def test_an_answer_acts_once(tool: str, peopled: NtfyBackend) -> None:
    async with connect(serve(peopled), MODERN, Person()) as client:
        asked = await question(client, tool, CALLS[tool])
        assert writes(peopled) == []
        state = asked.request_state
        done = await leg(client, tool, CALLS[tool], answer=accept(), state=state)
        assert done.result_type == "complete"
        assert len(writes(peopled)) == 1
        await leg(client, tool, CALLS[tool], answer=accept(), state=state)
    assert len(writes(peopled)) == 1


@pytest.mark.requirement("S-ntfy-17", "R-24")
async def test_a_decline_is_final_and_spends_its_state(peopled: NtfyBackend) -> None:
    async with connect(serve(peopled), MODERN, Person()) as client:
        asked = await question(client, "delete_messages", DELETE)
        no = await leg(client, "delete_messages", DELETE, answer=NO, state=asked.request_state)
        assert isinstance(no, types.CallToolResult)
        assert 'answered "decline"' in text(no)
        again = await leg(
            client, "delete_messages", DELETE, answer=accept(), state=asked.request_state
        )
        assert isinstance(again, types.InputRequiredResult)
        assert again.request_state != asked.request_state
    assert writes(peopled) == []


@pytest.mark.requirement("S-all-21", "S-all-22", "R-24")
@pytest.mark.parametrize("tool", TOOLS)
async def test_a_state_that_is_not_this_servers_leads_to_a_fresh_question(
    tool: str, peopled: NtfyBackend
) -> None:
    other_tool = "delete_user" if tool != "delete_user" else "delete_messages"
    async with connect(serve(peopled), MODERN, Person()) as elsewhere:
        foreign = (await question(elsewhere, tool, CALLS[tool])).request_state or ""
    async with connect(serve(peopled), MODERN, Person()) as client:
        good = (await question(client, tool, CALLS[tool])).request_state or ""
        other = (await question(client, other_tool, CALLS[other_tool])).request_state or ""
        flipped = good[:-2] + ("A" if good[-2] != "A" else "B") + good[-1:]
        for state in (None, "", good[:-1], good + "A", flipped, "x" * 1_000_000, foreign, other):
            again = await leg(client, tool, CALLS[tool], answer=accept(), state=state)
            assert isinstance(again, types.InputRequiredResult)
            assert again.request_state not in {state, good}
        assert writes(peopled) == []
        done = await leg(client, tool, CALLS[tool], answer=accept(), state=good)
        assert done.result_type == "complete"
    assert len(writes(peopled)) == 1


CHANGED: list[tuple[str, Arguments]] = [
    ("update_message", {**CALLS["update_message"], "message": "v3"}),
    ("delete_messages", {"topic": "alerts", "sequence_ids": ["nightly", "weekly"]}),
    ("create_user", {**CALLS["create_user"], "username": "other"}),
    ("delete_user", {"username": "carol"}),
    ("manage_user_access", {**CALLS["manage_user_access"], "action": "read_write"}),
]


@pytest.mark.requirement("S-all-5", "R-24")
@pytest.mark.parametrize(("tool", "changed"), CHANGED)
async def test_an_answer_to_one_call_runs_no_other(
    tool: str, changed: Arguments, peopled: NtfyBackend
) -> None:
    peopled.add_user("carol", "carol-password")
    async with connect(serve(peopled), MODERN, Person()) as client:
        asked = await question(client, tool, CALLS[tool])
        again = await leg(client, tool, changed, answer=accept(), state=asked.request_state)
        assert isinstance(again, types.InputRequiredResult)
    assert writes(peopled) == []


@pytest.mark.requirement("R-24")
async def test_a_foreign_key_of_an_answer_is_ignored_and_a_late_answer_counts_as_none(
    peopled: NtfyBackend,
) -> None:
    clock = FakeClock()
    async with connect(serve(peopled, clock=clock), MODERN, Person()) as client:
        asked = await question(client, "delete_messages", DELETE)
        state = asked.request_state
        other = await leg(
            client, "delete_messages", DELETE, answer=accept(), state=state, key="other"
        )
        assert isinstance(other, types.InputRequiredResult)
        clock.advance(901)
        late = await leg(client, "delete_messages", DELETE, answer=accept(), state=state)
        assert isinstance(late, types.InputRequiredResult)
    assert writes(peopled) == []


@pytest.mark.requirement("S-all-5", "S-ntfy-1")
@pytest.mark.parametrize("era", ERAS)
async def test_tools_that_are_not_guarded_ask_nobody(era: Era, peopled: NtfyBackend) -> None:
    person = Person("decline")
    server = serve(peopled, ALLOWLIST)
    published = await use(server, "publish_message", {"message": "x"}, era=era, person=person)
    structured(published)
    message_id = peopled.messages("alerts")[0]["id"]
    calls: list[tuple[str, Arguments]] = [
        ("list_messages", {}),
        ("get_message", {"id": message_id}),
        ("check_topic_access", {}),
        ("get_server_info", {}),
        ("mark_messages_read", {"sequence_ids": [message_id]}),
        ("get_account", {}),
        ("list_users", {}),
    ]
    for tool, arguments in calls:
        structured(await use(server, tool, arguments, era=era, person=person))
    assert person.questions == []


async def test_decisions_are_logged_without_values(peopled: NtfyBackend) -> None:
    lines: list[str] = []
    server = serve(peopled, log=lines.append)
    await use(server, "delete_user", {"username": "eve"}, person=Person())
    start = "ntfy-mcp: approval decision="
    assert [line.split(" target=")[0] for line in lines] == [
        f"{start}asked tool=delete_user",
        f"{start}approved tool=delete_user",
    ]
    assert "eve" not in "".join(lines)
