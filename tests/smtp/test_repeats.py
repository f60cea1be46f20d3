"""No mail leaves twice, and the hour is used up by questions."""

from __future__ import annotations

import asyncio

import mcp_types as types
import pytest

from smtp_mcp.policy.limiter import HourlyLimit
from tests.smtp.support import LEGACY, MAIL, MODERN, Desk
from tests.support.clients import (
    ERAS,
    Era,
    accept,
    call,
    connect,
    leg,
    question,
    structured,
    text,
    token_in,
)
from tests.support.person import Person
from tests.support.time import FakeClock

NO = types.ElicitResult(action="decline")


async def test_the_order_of_recipients_is_no_other_message(desk: Desk) -> None:
    """What leaves is in the order that was approved."""
    there, back = ["a@example.test", "b@example.test"], ["b@example.test", "a@example.test"]
    async with connect(desk.server(), MODERN) as client:
        token = token_in(await call(client, "send_mail", {**MAIL, "to": there}))
        repeated = {**MAIL, "to": back, "confirm_token": token}
        structured(await call(client, "send_mail", repeated))
    assert desk.backend.messages[0].parsed["To"] == "a@example.test, b@example.test"


@pytest.mark.requirement("T-smtp-25")
@pytest.mark.parametrize("era", ERAS)
async def test_five_parallel_mails_and_one_place_make_one_dialog(era: Era, desk: Desk) -> None:
    person, server = Person(), desk.server(SMTP_MAX_SENDS_PER_HOUR="1")
    async with connect(server, era, person) as client:
        mails = [{**MAIL, "body": f"mail {number}"} for number in range(5)]
        results = await asyncio.gather(*(call(client, "send_mail", mail) for mail in mails))
    assert sum(not result.is_error for result in results) == 1
    assert sum("rate_limited" in text(result) for result in results) == 4
    assert len(person.messages) == len(desk.backend.messages) == 1


async def test_identical_parallel_calls_send_once(desk: Desk) -> None:
    person, server = Person(), desk.server()
    async with connect(server, LEGACY, person) as client:
        results = await asyncio.gather(*(call(client, "send_mail", MAIL) for _ in range(4)))
    assert sum(bool(result.is_error) for result in results) == 3
    assert len(desk.backend.messages) == 1


@pytest.mark.requirement("T-smtp-26", "R-24")
async def test_a_replayed_answer_delivers_nothing_again(desk: Desk) -> None:
    async with connect(desk.server(), MODERN, Person("decline")) as client:
        asked = await question(client, "send_mail", MAIL)
        state = asked.request_state
        first = await leg(client, "send_mail", MAIL, answer=accept(), state=state)
        again = await leg(client, "send_mail", MAIL, answer=accept(), state=state)
    assert isinstance(first, types.CallToolResult)
    assert isinstance(again, types.CallToolResult)
    sent, repeat = structured(first), structured(again)
    assert (repeat["sent"], repeat["already_sent"]) == (False, True)
    assert (repeat["message_id"], repeat["accepted"]) == (sent["message_id"], sent["accepted"])
    assert repeat["rejected"] == []
    assert len(desk.backend.messages) == 1


@pytest.mark.requirement("T-smtp-26", "R-24")
async def test_a_state_that_does_not_open_asks_anew_and_costs_a_place(desk: Desk) -> None:
    async with connect(desk.server(), MODERN, Person("decline")) as client:
        state = (await question(client, "send_mail", MAIL)).request_state or ""
        for forged in (state[:-1], "A" + state[1:] if state[0] != "A" else "B" + state[1:], "x"):
            answered = await leg(client, "send_mail", MAIL, answer=accept(), state=forged)
            assert isinstance(answered, types.InputRequiredResult)
        other = {**MAIL, "bcc": ["boss@other.test"]}
        foreign = await leg(client, "send_mail", other, answer=accept(), state=state)
        assert isinstance(foreign, types.InputRequiredResult)
    assert desk.remaining == 15
    assert desk.backend.connections == 0


@pytest.mark.requirement("T-smtp-26")
async def test_questions_that_nobody_answers_use_the_hour_up(desk: Desk) -> None:
    async with connect(desk.server(), MODERN, Person("decline")) as client:
        results = [await leg(client, "send_mail", {**MAIL, "body": str(n)}) for n in range(25)]
        kinds = [isinstance(result, types.InputRequiredResult) for result in results]
        assert kinds == [True] * 20 + [False] * 5
        assert "rate_limited" in text(results[20])
        desk.clock.advance(3_601)
        await question(client, "send_mail", MAIL)


async def test_the_answering_leg_needs_no_further_place(desk: Desk) -> None:
    server = desk.server(SMTP_MAX_SENDS_PER_HOUR="1")
    structured(await desk.ask_at(server, "send_mail", MAIL, Person(), MODERN))
    assert desk.remaining == 0


@pytest.mark.requirement("R-08", "S-3")
@pytest.mark.parametrize("era", ERAS)
async def test_a_file_that_changes_under_the_question_is_asked_about_again(
    era: Era, desk: Desk
) -> None:
    path = desk.put("report.pdf", b"%PDF-approved")

    def swap() -> None:
        if len(person.messages) == 1:
            path.write_bytes(b"%PDF-swapped!")

    person = Person(meanwhile=swap)
    result = await desk.ask("send_mail", {**MAIL, "attachments": ["report.pdf"]}, person, era)
    structured(result)
    first, second = person.messages
    said = "Asked again: what this question quotes has changed (attachments)."
    assert said in second.splitlines()
    assert "Asked again" not in first
    [part] = desk.backend.messages[0].parsed.iter_attachments()
    assert part.get_content() == b"%PDF-swapped!"


@pytest.mark.requirement("AP-43")
async def test_a_repeat_within_a_quarter_of_an_hour_is_not_sent_and_costs_nothing(
    desk: Desk,
) -> None:
    person, server = Person(), desk.server()
    first = structured(await desk.ask_at(server, "send_mail", MAIL, person))
    desk.clock.advance(899)
    repeat = structured(await desk.ask_at(server, "send_mail", MAIL, person))
    assert repeat["already_sent"] is True
    assert (len(person.messages), desk.remaining) == (1, 19)
    desk.clock.advance(2)
    third = structured(await desk.ask_at(server, "send_mail", MAIL, person))
    assert third["sent"] is True
    assert third["message_id"] != first["message_id"]
    assert len(desk.backend.messages) == 2


async def test_preview_and_both_legs_carry_one_message_id(desk: Desk) -> None:
    server = desk.server()
    preview = structured(await desk.ask_at(server, "preview_mail", MAIL))
    desk.clock.advance(600)
    result = structured(await desk.ask_at(server, "send_mail", MAIL))
    assert preview["message_id"] == result["message_id"]
    assert desk.backend.messages[0].parsed["Message-ID"] == preview["message_id"]


def test_a_long_open_place_does_not_keep_old_ones_counted() -> None:
    clock = FakeClock()
    limit = HourlyLimit(2, clock)
    held = limit.reserve()
    limit.reserve().commit()
    clock.advance(3_599)
    assert limit.remaining == 0
    clock.advance(2)
    assert limit.remaining == 1
    held.release()
    held.commit()
    assert limit.remaining == 2
