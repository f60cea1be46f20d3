"""Facts that a question quotes are bound with it, and read again before the act."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import mcp_types as types
import pytest
from mcp.client.context import ClientRequestContext

from tests.approval.conftest import Stand
from tests.support.clients import (
    ERAS,
    Arguments,
    Era,
    accept,
    call,
    connect,
    leg,
    question,
    text,
    token_in,
)
from tests.support.person import Person

APPLES: Arguments = {"name": "apples"}


def headlines(person: Person) -> list[str]:
    return [message.partition("\n")[0] for message in person.messages]


def _set(stand: Stand, counts: Iterator[int | None]) -> Callable[[], None]:
    def change() -> None:
        count = next(counts, None)
        if count is None:
            stand.shop.stock.pop("apples", None)
        else:
            stand.shop.stock["apples"] = count

    return change


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.requirement("AP-41")
async def test_facts_that_stay_are_asked_about_once(era: Era, stand: Stand) -> None:
    person = Person()
    async with connect(stand.server, era, person) as client:
        done = await call(client, "clear_stock", APPLES)
    assert not done.is_error
    assert headlines(person) == ['This will throw away 12 pieces of "apples".']
    assert stand.shop.acts == [("clear_stock", ["apples", 12])]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.requirement("AP-41")
async def test_facts_that_changed_under_the_question_are_asked_about_anew(
    era: Era, stand: Stand
) -> None:
    counts = iter([13, 13])
    person = Person(meanwhile=_set(stand, counts))
    async with connect(stand.server, era, person) as client:
        done = await call(client, "clear_stock", APPLES)
    assert not done.is_error, text(done)
    assert headlines(person) == [
        'This will throw away 12 pieces of "apples".',
        "Asked again: what this question quotes has changed (count).",
    ]
    assert stand.shop.acts == [("clear_stock", ["apples", 13])]


@pytest.mark.requirement("AP-41")
async def test_after_three_pushed_questions_about_changing_facts_the_call_fails(
    stand: Stand,
) -> None:
    person = Person(meanwhile=_set(stand, iter([13, 14, 15, 16])))
    async with connect(stand.server, "2025-11-25", person) as client:
        ended = await call(client, "clear_stock", APPLES)
        assert len(headlines(person)) == 3
        assert ended.is_error is True
        assert "changed while it was being answered, 3 times in a row" in text(ended)
        assert "Nothing was changed." in text(ended)
        assert stand.shop.acts == []
        steady = Person()
    assert stand.decisions == ["asked", "approved", "facts_changed"] * 3
    async with connect(stand.server, "2025-11-25", steady) as client:
        await call(client, "clear_stock", APPLES)
    assert len(stand.shop.acts) == 1, "the failed call kept its claims"


async def test_the_third_pushed_question_may_still_be_answered(stand: Stand) -> None:
    person = Person(meanwhile=_set(stand, iter([13, 14, 14])))
    async with connect(stand.server, "2025-11-25", person) as client:
        await call(client, "clear_stock", APPLES)
    assert len(headlines(person)) == 3
    assert stand.shop.acts == [("clear_stock", ["apples", 14])]


@pytest.mark.parametrize("era", ERAS)
async def test_unknown_is_a_value_like_any_other(era: Era, stand: Stand) -> None:
    stand.shop.stock.clear()
    person = Person()
    async with connect(stand.server, era, person) as client:
        await call(client, "clear_stock", APPLES)
    assert headlines(person) == ['This will throw away an unknown number of pieces of "apples".']
    assert stand.shop.acts == [("clear_stock", ["apples", None])]


@pytest.mark.parametrize("era", ERAS)
async def test_a_fact_that_became_unknown_is_asked_about_anew(era: Era, stand: Stand) -> None:
    person = Person(meanwhile=_set(stand, iter([None, None])))
    async with connect(stand.server, era, person) as client:
        await call(client, "clear_stock", APPLES)
    assert len(headlines(person)) == 2
    assert stand.shop.acts == [("clear_stock", ["apples", None])]


async def test_a_token_issued_for_other_facts_is_refused(stand: Stand) -> None:
    async with connect(stand.server, "2025-11-25") as client:
        token = token_in(await call(client, "clear_stock", APPLES))
        stand.shop.stock["apples"] = 13
        refused = await call(client, "clear_stock", {**APPLES, "confirm_token": token})
        assert "or an earlier state" in text(refused)
        assert stand.shop.acts == []
        stand.shop.stock["apples"] = 12
        await call(client, "clear_stock", {**APPLES, "confirm_token": token})
    assert len(stand.shop.acts) == 1


async def test_a_no_after_changed_facts_is_a_no(stand: Stand) -> None:
    answers = iter([accept(), types.ElicitResult(action="decline")])

    async def person(
        context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        stand.shop.stock["apples"] += 1
        return next(answers)

    async with connect(stand.server, "2025-11-25", person) as client:
        ended = await call(client, "clear_stock", APPLES)
    assert 'the client answered "decline"' in text(ended)
    assert stand.shop.acts == []


async def test_the_facts_are_read_on_each_leg(stand: Stand) -> None:
    reads = 0

    def count() -> None:
        nonlocal reads
        reads += 1

    stand.shop.reads = count
    async with connect(stand.server, "2026-07-28", Person()) as client:
        state = (await question(client, "clear_stock", APPLES)).request_state
        assert reads == 1
        await leg(client, "clear_stock", APPLES, answer=accept(), state=state)
    assert reads == 2
