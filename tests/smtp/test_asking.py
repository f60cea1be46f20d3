"""Four gates before a mail leaves, and what each of them costs."""

from __future__ import annotations

import asyncio
from typing import cast

import mcp_types as types
import pytest
from mcp.client.session import ElicitationFnT

from smtp_mcp.order import EXTRAS
from smtp_mcp.tools import TOOLS
from tests.backends.smtp import HANG, Fault
from tests.smtp.support import LEGACY, MAIL, MODERN, SENDING, Desk
from tests.support.clients import (
    ERAS,
    Arguments,
    Era,
    accept,
    call,
    connect,
    structured,
    text,
    token_in,
)
from tests.support.person import Person

NO = types.ElicitResult(action="decline")


@pytest.mark.requirement("S-smtp-1")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tool", SENDING)
async def test_each_mail_of_each_sending_tool_is_asked_about(
    tool: str, era: Era, desk: Desk
) -> None:
    person = Person()
    server = desk.server()
    for number in range(3):
        arguments = {**SENDING[tool], "body": f"mail {number}"}
        structured(await desk.ask_at(server, tool, arguments, person, era))
    assert len(person.messages) == len(desk.backend.messages) == 3


@pytest.mark.requirement("S-smtp-1")
@pytest.mark.parametrize("era", ERAS)
async def test_the_other_four_never_ask(era: Era, desk: Desk) -> None:
    person, server = Person("decline"), desk.server()
    checked: Arguments = {"addresses": ["a@example.test"]}
    arguments = {"preview_mail": MAIL, "validate_recipients": checked}
    others = [tool.name for tool in TOOLS if tool.name not in {*SENDING, *EXTRAS}]
    assert len(others) == 4
    for tool in others:
        structured(await desk.ask_at(server, tool, arguments.get(tool, {}), person, era))
    assert person.messages == []
    assert desk.remaining == 20
    assert "MAIL" not in desk.backend.verbs()


@pytest.mark.requirement("S-all-18", "S-smtp-12")
def test_no_tool_is_destructive_and_the_sending_ones_act_twice() -> None:
    for tool in TOOLS:
        hints, sends = tool.annotations, tool.name in SENDING
        writes = sends or tool.name in EXTRAS
        assert hints.destructive is False
        assert hints.open_world is False
        assert hints.read_only is not writes
        assert hints.idempotent is not sends


@pytest.mark.requirement("S-smtp-2")
async def test_the_dialog_is_the_last_gate(desk: Desk) -> None:
    """Whoever fails an earlier one is not asked and loses no slot of the hour."""
    person, server = Person(), desk.server(SMTP_MAX_SENDS_PER_HOUR="1")
    failing = [
        {**MAIL, "to": ["x@elsewhere.test"]},
        {**MAIL, "attachments": ["absent.pdf"]},
        {**MAIL, "subject": "a\nb"},
    ]
    for arguments in failing:
        assert (await desk.ask_at(server, "send_mail", arguments, person)).is_error
    assert (person.messages, desk.remaining) == ([], 1)
    structured(await desk.ask_at(server, "send_mail", MAIL, person))
    limited = await desk.ask_at(server, "send_mail", {**MAIL, "body": "2"}, person)
    assert text(limited).startswith("code: rate_limited\n")
    assert len(person.messages) == 1


@pytest.mark.requirement("S-all-5", "S-all-6", "S-smtp-7", "T-smtp-23")
@pytest.mark.parametrize("era", ERAS)
async def test_a_token_for_other_recipients_or_bytes_is_refused_and_costs_nothing(
    era: Era, desk: Desk
) -> None:
    desk.put("report.pdf", b"%PDF-1")
    given = {**MAIL, "bcc": ["boss@other.test"], "attachments": ["report.pdf"]}
    async with connect(desk.server(), era) as client:
        token = token_in(await call(client, "send_mail", given))
        swapped = {**given, "to": given["bcc"], "bcc": given["to"]}
        wider = {**given, "to": ["anna@example.test", "bert@example.test"]}
        for other in (swapped, wider, {**given, "body": "Hello."}):
            refused = await call(client, "send_mail", {**other, "confirm_token": token})
            assert "confirm_token refused" in text(refused)
        desk.put("report.pdf", b"%PDF-2")
        refused = await call(client, "send_mail", {**given, "confirm_token": token})
        assert "confirm_token refused" in text(refused)
        assert desk.remaining == 20
        desk.put("report.pdf", b"%PDF-1")
        structured(await call(client, "send_mail", {**given, "confirm_token": token}))
    assert desk.remaining == 19
    assert len(desk.backend.messages) == 1


@pytest.mark.requirement("S-smtp-5", "S-smtp-6", "T-smtp-24")
@pytest.mark.parametrize("era", ERAS)
async def test_a_decline_costs_a_place_and_says_so(era: Era, desk: Desk) -> None:
    person, server = Person("decline"), desk.server(SMTP_MAX_SENDS_PER_HOUR="2")
    for _ in range(2):
        declined = await desk.ask_at(server, "send_mail", MAIL, person, era)
        assert 'the client answered "decline"' in text(declined)
        assert "counts against SMTP_MAX_SENDS_PER_HOUR" in text(declined)
    limited = await desk.ask_at(server, "send_mail", MAIL, person, era)
    assert text(limited).startswith("code: rate_limited\n")
    assert "free in 60 minutes" in text(limited)
    assert len(person.messages) == 2
    assert desk.backend.connections == 0


@pytest.mark.requirement("S-smtp-7", "T-smtp-24")
async def test_wrong_tokens_cost_nothing(desk: Desk) -> None:
    async with connect(desk.server(SMTP_MAX_SENDS_PER_HOUR="2"), LEGACY) as client:
        for attempt in ("", "x", "0" * 32, "f" * 32, 12):
            wrong = await call(client, "send_mail", {**MAIL, "confirm_token": attempt})
            assert "confirm_token refused" in text(wrong)
        token_in(await call(client, "send_mail", MAIL))
    assert desk.remaining == 2


@pytest.mark.requirement("R-19")
@pytest.mark.parametrize("era", ERAS)
async def test_a_host_that_declines_by_itself_cannot_wear_anybody_out(era: Era, desk: Desk) -> None:
    person, server = Person(replies=[NO, NO, NO]), desk.server(SMTP_MAX_SENDS_PER_HOUR="3")
    for _ in range(3):
        result = text(await desk.ask_at(server, "send_mail", MAIL, person, era))
        assert "Nothing was sent." in result
        assert "confirm_token" not in result
        assert "If no dialog was visible" in result
    fourth = text(await desk.ask_at(server, "send_mail", MAIL, person, era))
    assert fourth.startswith("code: rate_limited\n")
    assert len(person.messages) == 3


async def test_a_client_that_does_not_know_the_request_showed_nothing_and_pays_nothing(
    desk: Desk,
) -> None:
    async def unknown(_context: object, _params: object) -> types.ErrorData:
        return types.ErrorData(code=types.METHOD_NOT_FOUND, message="what?")

    async with connect(desk.server(), LEGACY, cast("ElicitationFnT", unknown)) as client:
        result = await call(client, "send_mail", MAIL)
    assert "did not know the request" in text(result)
    assert "counts against" not in text(result)
    assert desk.remaining == 20


async def test_a_dialog_that_times_out_costs_its_place(desk: Desk) -> None:
    async def never(_context: object, _params: object) -> types.ElicitResult:
        await asyncio.Event().wait()
        return NO

    server = desk.server(0.05)
    async with connect(server, LEGACY, cast("ElicitationFnT", never)) as client:
        result = await call(client, "send_mail", MAIL)
    assert "answered nothing in time" in text(result)
    assert desk.remaining == 19


@pytest.mark.requirement("S-all-15", "T-smtp-28")
@pytest.mark.parametrize("era", ERAS)
async def test_dialogs_off_means_the_token_and_names_this_server(era: Era, desk: Desk) -> None:
    person, server = Person(), desk.server(ELICITATION="false")
    prompt = await desk.ask_at(server, "send_mail", MAIL, person, era)
    assert person.messages == []
    assert "smtp-mcp was started with ELICITATION=false" in text(prompt)
    assert "This client cannot" not in text(prompt)
    assert "the call was made twice with the same arguments, and nothing more" in text(prompt)
    redeemed = {**MAIL, "confirm_token": token_in(prompt)}
    structured(await desk.ask_at(server, "send_mail", redeemed, person, era))
    assert desk.remaining == 19


@pytest.mark.requirement("T-smtp-29")
@pytest.mark.parametrize("variable", ["SMTP_PASSWORD", "SMTP_USER", "SMTP_HOST", "SMTP_FROM"])
async def test_what_is_missing_is_told_before_anybody_is_asked(variable: str, desk: Desk) -> None:
    person = Person()
    result = await desk.ask("send_mail", MAIL, person, **{variable: ""})
    assert text(result).startswith("code: not_configured\n")
    assert variable in text(result)
    assert (person.messages, desk.remaining) == ([], 20)


@pytest.mark.requirement("S-all-4")
async def test_a_cancelled_call_sends_nothing_whatever_is_answered_later(desk: Desk) -> None:
    shown, answer_now = asyncio.Event(), asyncio.Event()

    async def slow(_context: object, _params: object) -> types.ElicitResult:
        shown.set()
        await answer_now.wait()
        return accept()

    async with connect(desk.server(), LEGACY, cast("ElicitationFnT", slow)) as client:
        calling = asyncio.create_task(call(client, "send_mail", MAIL))
        await shown.wait()
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        answer_now.set()
        structured(await call(client, "get_server_info"))
    assert desk.backend.connections == 0
    assert desk.remaining == 19


async def test_a_call_cut_short_while_it_connects_sends_nothing(desk: Desk) -> None:
    desk.backend.faults = [Fault("EHLO", HANG)]
    async with connect(desk.server(), MODERN, Person()) as client:
        calling = asyncio.create_task(call(client, "send_mail", MAIL))
        await desk.backend.spoken_to.wait()
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        structured(await call(client, "get_server_info"))
    assert desk.backend.messages == []
