"""How many questions a person may have before them, and how many within an hour."""

from __future__ import annotations

import asyncio

import pytest

from mcp_approval.in_flight import OpenQuestion
from mcp_approval.verdict import Reservation
from tests.approval.broker import until
from tests.approval.outside import Stand, slowly, stand
from tests.support.clients import accept, call, text

APPLES, PEARS = {"names": ["apples"]}, {"names": ["pears"]}


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Stand:
    return stand(monkeypatch)


@pytest.mark.requirement("A-6")
async def test_at_most_eight_questions_wait_and_thirty_are_put_in_an_hour(at: Stand) -> None:
    async with at.client("2025-11-25") as client:
        for number in range(8):
            await call(client, "approve_run", {"repo_id": 1, "number": number})
        ninth = await call(client, "approve_run", {"repo_id": 1, "number": 9})
        assert text(ninth).startswith("8 questions are already waiting for an answer.")
        for number in range(8, 30):
            at.window.say("decline", 0 if number == 8 else -1)
            await call(client, "approve_run", {"repo_id": 2, "number": number})
        at.window.say("decline")
        refused = await call(client, "approve_run", {"repo_id": 3, "number": 1})
        assert text(refused) == (
            "Not approved: 30 questions were put to a person within an hour. Nothing was changed."
        )
        at.advance(3_600)
        assert text(await call(client, "approve_run", {"repo_id": 3, "number": 1})).startswith(
            "Awaiting"
        )
    assert len(at.window.shown) == 31
    assert at.shop.acts == []


@pytest.mark.requirement("A-6")
async def test_eight_questions_may_wait_and_only_a_pushed_one_gives_way(at: Stand) -> None:
    pushed: list[asyncio.Event] = []

    async def never(*_: object) -> object:
        pushed.append(asyncio.Event())
        await pushed[-1].wait()
        return accept()

    async with at.client("2025-11-25") as plain, at.client("2025-11-25", answer=never) as showing:
        for number in range(7):
            await call(plain, "approve_run", {"repo_id": 1, "number": number})
        first = asyncio.create_task(call(showing, "delete_items", APPLES))
        await until(lambda: len(pushed) == 1)
        ninth = text(await call(plain, "delete_items", PEARS))
        assert ninth == (
            "8 questions are already waiting for an answer. Nothing was changed. Wait until some "
            "are answered."
        )
        assert "or 60 seconds: then the oldest" in text(await call(showing, "delete_items", PEARS))
        at.advance(61)
        second = asyncio.create_task(call(showing, "delete_items", PEARS))
        await until(lambda: len(pushed) == 2)
        assert "its place was needed for a newer question" in text(await first)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        await until(lambda: at.approver.in_flight.open == 7)
        await call(plain, "approve_run", {"repo_id": 2, "number": 1})
        at.advance(61)
        assert text(await call(showing, "delete_items", PEARS)) == ninth
    assert [line for line in at.lines if "too_many_open" in line] != []
    assert at.window.words == ["Withdrawn. Nothing was changed."] * 8
    assert at.shop.acts == []


async def test_questions_on_their_way_count_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    at, slow = slowly(monkeypatch)
    monkeypatch.setattr("mcp_approval.reach.questions.HOURLY_LIMIT", 1)
    async with at.client("2025-11-25") as client:
        first = asyncio.create_task(call(client, "delete_items", APPLES))
        await until(lambda: slow.putting)
        assert "within an hour" in text(await call(client, "delete_items", PEARS))
        slow.may_show.set()
        assert text(await first).startswith("Awaiting")
        slow.say("decline")
        assert "within an hour" in text(await call(client, "delete_items", PEARS))


async def test_room_is_looked_for_again_after_the_wait_for_the_limiter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = stand(monkeypatch)
    monkeypatch.setattr("mcp_approval.reach.putting.OPEN_LIMIT", 1)
    real, waiting, may_go = at.shop.limiter.reserve, asyncio.Event(), asyncio.Event()

    async def slow() -> Reservation:
        waiting.set()
        await may_go.wait()
        return await real()

    monkeypatch.setattr(at.shop.limiter, "reserve", slow)
    async with at.client("2025-11-25") as client:
        first = asyncio.create_task(call(client, "send", {"to": "anna"}))
        await waiting.wait()
        await call(client, "delete_items", APPLES)
        may_go.set()
        assert text(await first).startswith("1 questions are already waiting")
    assert len(at.window.shown) == 1
    assert (at.shop.limiter.used, at.shop.limiter.reserved) == (0, 0)


def test_a_question_may_end_before_the_client_was_sent_it() -> None:
    question = OpenQuestion(0.0)
    question.withdraw("room")
    assert question.withdrawn == "room"


async def test_a_call_that_acts_after_the_wait_for_the_limiter_keeps_the_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = stand(monkeypatch)
    real = at.shop.limiter.reserve

    async def slow() -> Reservation:
        monkeypatch.setattr(at.approver.in_flight, "acts_for_another", lambda *_: True)
        return await real()

    monkeypatch.setattr(at.shop.limiter, "reserve", slow)
    async with at.client("2025-11-25") as client:
        said = text(await call(client, "send", {"to": "anna"}))
    assert said.startswith("This very call is already being carried out.")
    assert at.window.shown == []
    assert (at.shop.limiter.used, at.shop.limiter.reserved) == (0, 0)
