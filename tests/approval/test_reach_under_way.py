"""What happens to a question while a call waits for it: joined, over, cancelled, not recorded."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path

import pytest

from mcp_approval.reach.asking import Reach
from mcp_approval.reach.channel import NotReached
from mcp_approval.reach.ignored import LINES, SECONDS, Ignored
from mcp_approval.reach.questions import HOUR_SECONDS
from mcp_approval.record.verify import verify
from mcp_approval.typing import JSONValue
from tests.approval.broker import until
from tests.approval.fixture_server import Done
from tests.approval.kept import Kept
from tests.approval.outside import Stand, settle, slowly, stand
from tests.support.clients import ERAS, Era, accept, call, text
from tests.support.clients import connect as connected
from tests.support.time import FakeClock

in_both_eras = pytest.mark.parametrize("era", ERAS)
APPLES, PEARS = {"names": ["apples"]}, {"names": ["pears"]}


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Stand:
    return stand(monkeypatch)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Stand:
    return stand(monkeypatch, APPROVAL_WAIT_SECONDS="45")


@pytest.mark.requirement("A-8")
@in_both_eras
async def test_a_call_that_comes_while_the_question_is_on_its_way_joins_it(
    monkeypatch: pytest.MonkeyPatch, era: Era
) -> None:
    at, slow = slowly(monkeypatch, APPROVAL_WAIT_SECONDS="45")
    async with at.client(era) as client:
        older = asyncio.create_task(call(client, "delete_items", APPLES))
        await until(lambda: slow.putting)
        newer = asyncio.create_task(call(client, "delete_items", APPLES))
        await settle()
        slow.may_show.set()
        await until(lambda: older.done() or newer.done())
        slow.say("approve")
        results = [await older, await newer]
    assert slow.putting == 1
    assert [bool(result.is_error) for result in results] == [True, False]
    assert at.shop.acts == [("delete_items", ["apples"])]


@in_both_eras
async def test_a_call_that_is_cancelled_before_the_question_is_shown_withdraws_it(
    monkeypatch: pytest.MonkeyPatch, era: Era
) -> None:
    at, slow = slowly(monkeypatch)
    slow.may_end.set()
    async with at.client(era) as client:
        calling = asyncio.create_task(call(client, "send", {"to": "anna"}))
        await until(lambda: slow.putting)
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        await until(lambda: slow.words)
        assert slow.words == ["Withdrawn. Nothing was changed."]
        assert at.approver.in_flight.open == 0
    assert (at.shop.limiter.used, at.shop.limiter.reserved) == (0, 0)


async def test_an_end_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_approval.reach.questions.ENDING_SECONDS", 0.01)
    at, slow = slowly(monkeypatch)
    slow.may_show.set()
    async with at.client("2026-07-28") as client:
        await call(client, "delete_items", APPLES)
        slow.say("decline")
        await until(lambda: slow.ending)
        reach = await at.approver.reach()
        await until(lambda: not reach.questions._telling)  # type: ignore[attr-defined]
    assert slow.words == []


@pytest.mark.requirement("A-6")
async def test_a_question_ends_in_its_time_although_nobody_calls_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = stand(monkeypatch)

    async def later(seconds: float) -> None:
        await asyncio.sleep(0)
        at.advance(seconds)

    monkeypatch.setattr("mcp_approval.reach.loading.Reach", partial(Reach, sleep=later))
    async with at.client("2026-07-28") as client:
        await call(client, "delete_items", APPLES)
        await until(lambda: at.window.words)
        assert at.window.words == ["Not answered in time. Nothing was changed."]
        reach = await at.approver.reach()
        assert len(reach.questions._by_key) == 1  # type: ignore[attr-defined]
        at.advance(900 + HOUR_SECONDS)
        assert reach.open == 0
        assert reach.questions._by_key == {}  # type: ignore[attr-defined]


@in_both_eras
async def test_who_joined_a_question_that_reached_nobody_is_told_so(
    monkeypatch: pytest.MonkeyPatch, era: Era
) -> None:
    at, slow = slowly(monkeypatch)

    async def fail(*_: object) -> None:
        await slow.may_show.wait()
        raise NotReached("no display")

    slow.put = fail  # type: ignore[assignment]
    async with at.client(era) as client:
        both = [asyncio.create_task(call(client, "delete_items", APPLES)) for _ in range(2)]
        await settle()
        slow.may_show.set()
        told = [text(await one) for one in both]
    assert all("no person could be reached (window: no display)" in one for one in told)


@in_both_eras
async def test_a_question_that_expires_under_a_call_ends_it(waits: Stand, era: Era) -> None:
    async with waits.client(era) as client:
        waiting = asyncio.create_task(call(client, "delete_items", APPLES))
        await until(lambda: waits.window.shown)
        waits.advance(900)
        waits.window.reply = "decline"
        await call(client, "delete_items", PEARS)
        told = text(await waiting)
    assert told.startswith("Not approved: a person was asked in a window at ")
    assert told.endswith("did not answer in time. Nothing was changed. Calling again asks again.")
    assert len(waits.window.shown) == 2
    assert not any("facts_changed" in line for line in waits.lines)


@in_both_eras
async def test_a_newer_call_with_other_facts_keeps_the_question_it_raised(
    waits: Stand, era: Era
) -> None:
    async with waits.client(era) as client:
        older = asyncio.create_task(call(client, "clear_stock", {"name": "apples"}))
        await until(lambda: waits.window.shown)
        waits.shop.stock["apples"] += 1
        newer = asyncio.create_task(call(client, "clear_stock", {"name": "apples"}))
        await until(lambda: len(waits.window.shown) == 2)
        assert text(await older).startswith("Superseded: the same call was made again")
        waits.window.say("approve")
        assert not (await newer).is_error
    assert len(waits.window.shown) == 2


async def test_what_gives_way_stays_where_nothing_takes_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = stand(monkeypatch)
    async with at.client("2025-11-25") as client:
        await call(client, "clear_stock", {"name": "apples"})
        at.shop.stock["apples"] += 1
        monkeypatch.setattr("mcp_approval.reach.putting.HOURLY_LIMIT", 1)
        monkeypatch.setattr("mcp_approval.reach.questions.HOURLY_LIMIT", 1)
        refused = await call(client, "clear_stock", {"name": "apples"})
        await settle()
        assert "1 questions were put to a person" in text(refused)
        assert at.window.words == []


@in_both_eras
async def test_the_end_of_the_process_asks_nobody_anew(waits: Stand, era: Era) -> None:
    async with waits.client(era) as client:
        waiting = asyncio.create_task(call(client, "delete_items", APPLES))
        await until(lambda: waits.window.shown)
        await waits.approver.aclose()
        assert (await waiting).is_error
    assert len(waits.window.shown) == 1
    assert waits.window.words == ["Withdrawn. Nothing was changed."]


@pytest.mark.requirement("A-11")
async def test_endings_arrive_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    at, slow = slowly(monkeypatch)
    slow.may_show.set()
    async with at.client("2026-07-28") as client:
        await call(client, "delete_items", APPLES)
        slow.say("approve")
        assert not (await call(client, "delete_items", APPLES)).is_error
        await settle()
        slow.may_end.set()
        await until(lambda: len(slow.words) == 2)
    assert slow.words[0].startswith("Approved. It happens when")
    assert slow.words[1] == "Approved and carried out."


async def test_a_person_is_told_when_their_yes_could_not_be_recorded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "record.jsonl"
    at = stand(monkeypatch, APPROVAL_RECORD=str(path))
    async with at.client("2026-07-28") as client:
        await call(client, "delete_items", APPLES)
        whole = path.read_bytes()
        path.write_bytes(whole + b"somebody else\n")
        at.window.say("approve")
        refused = await call(client, "delete_items", APPLES)
        assert text(refused).startswith("Not approved: the answer could not be recorded (")
        await until(lambda: "Approved, but the call failed." in at.window.words)
        path.write_bytes(whole)
    assert at.shop.acts == []


@pytest.mark.requirement("D-5")
async def test_a_yes_that_nobody_used_is_on_record_with_its_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "record.jsonl"
    at = stand(monkeypatch, APPROVAL_RECORD=str(path))
    async with at.client("2026-07-28") as client:
        await call(client, "delete_items", APPLES)
        at.window.say("approve")
        at.advance(901)
        await call(client, "delete_items", PEARS)
        at.window.say("decline")
        await settle()
    told = [json.loads(line) for line in path.read_bytes().splitlines()]
    yes, unused, no = (
        next(event for event in told if event["event"] == name)
        for name in ("approved", "unused", "declined")
    )
    assert (yes["proof"], no["proof"]) == ("window", "window")
    assert unused["approval"] == yes["seq"]
    assert yes["waited_ms"] == 0
    assert verify(str(path)).open == 0


@pytest.mark.requirement("D-5")
@in_both_eras
async def test_a_call_that_is_cancelled_while_it_acts_has_an_unknown_outcome(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, era: Era
) -> None:
    path = tmp_path / "record.jsonl"
    at = stand(monkeypatch, APPROVAL_RECORD=str(path), APPROVAL_WAIT_SECONDS="45")
    at.window.reply = "approve"
    acting = asyncio.Event()

    async def hang(_name: str, _value: JSONValue) -> Done:
        acting.set()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    at.shop.act = hang  # type: ignore[assignment]
    async with at.client(era) as client:
        calling = asyncio.create_task(call(client, "delete_items", APPLES))
        await acting.wait()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        await until(lambda: "Approved; whether it happened is unknown." in at.window.words)
    events = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert [event["event"] for event in events] == ["started", "asked", "approved", "unknown"]
    assert verify(str(path)).open == 0


async def test_a_dialog_that_is_taken_back_has_its_end_on_record(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "record.jsonl")
    shown = asyncio.Event()

    async def never(*_: object) -> object:
        shown.set()
        await asyncio.Event().wait()
        return accept()

    async with connected(kept.server(), "2025-11-25", never) as client:  # type: ignore[arg-type]
        calling = asyncio.create_task(call(client, "delete_items", APPLES))
        await shown.wait()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        await until(lambda: "withdrawn" in kept.events())
    assert kept.events() == ["started", "asked", "withdrawn"]


@pytest.mark.requirement("A-18")
def test_a_flood_of_answers_is_no_flood_of_lines() -> None:
    lines: list[str] = []
    clock = FakeClock()
    ignored = Ignored(lines.append, clock)
    for _ in range(LINES + 90):
        ignored("phone", "forged")
    assert len(lines) == LINES
    clock.advance(SECONDS)
    ignored("phone", "malformed")
    assert lines[LINES:] == [
        "decision=answer_ignored way=phone reason=more count=90",
        "decision=answer_ignored way=phone reason=malformed",
    ]
