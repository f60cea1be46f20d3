"""A person decides outside the client: once, for exactly this, within the time, and is told."""

from __future__ import annotations

import asyncio

import pytest

from tests.approval.broker import until
from tests.approval.outside import Stand, settle, stand
from tests.support.clients import ERAS, Era, call, text

in_both_eras = pytest.mark.parametrize("era", ERAS)
APPLES = {"names": ["apples"]}
WAITS = {"APPROVAL_WAIT_SECONDS": "45"}


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Stand:
    return stand(monkeypatch)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Stand:
    return stand(monkeypatch, **WAITS)


@pytest.mark.requirement("A-9")
@in_both_eras
async def test_a_yes_lets_the_call_act_once(waits: Stand, era: Era) -> None:
    waits.window.reply = "approve"
    async with waits.client(era) as client:
        result = await call(client, "delete_items", APPLES)
    assert not result.is_error, text(result)
    assert waits.shop.acts == [("delete_items", ["apples"])]
    await settle()
    assert waits.window.words == ["Approved and carried out."]
    [shown] = waits.window.shown
    assert shown.message.startswith("This will delete 1 items.")
    assert shown.title == "shop-mcp at shop.example.org: Allow this?"


@pytest.mark.requirement("A-7")
@in_both_eras
async def test_a_no_ends_the_call_and_answers_the_same_call_for_five_minutes(
    waits: Stand, era: Era
) -> None:
    waits.window.reply = "decline"
    async with waits.client(era) as client:
        first = await call(client, "delete_items", APPLES)
        second = await call(client, "delete_items", APPLES)
        assert len(waits.window.shown) == 1
        waits.advance(301)
        third = await call(client, "delete_items", APPLES)
    assert text(first) == "Not approved: a person declined in a window. Nothing was changed."
    assert "a person declined in a window at" in text(second)
    assert "It can be asked again from" in text(second)
    assert text(third) == text(first)
    assert len(waits.window.shown) == 2
    assert waits.shop.acts == []
    await settle()
    assert waits.window.words == ["Declined. Nothing was changed."] * 2


@pytest.mark.requirement("A-6", "A-7")
@in_both_eras
async def test_no_answer_in_time_is_awaited_and_a_repeat_learns_it(at: Stand, era: Era) -> None:
    async with at.client(era) as client:
        first = await call(client, "delete_items", APPLES)
        assert first.is_error
        assert text(first).startswith("Awaiting a person: a person was asked in a window at")
        assert "Call delete_items again with the same arguments" in text(first)
        assert first.meta is not None
        told = first.meta["mcp-approval/awaiting"]
        assert told["way"] == "window"
        second = await call(client, "delete_items", APPLES)
        assert text(second) == text(first)
        assert len(at.window.shown) == 1
        at.window.say("approve")
        await settle()
        assert at.window.words[0].startswith("Approved. It happens when the agent repeats")
        other = await call(client, "delete_items", {"names": ["pears"]})
        assert text(other).startswith("Awaiting a person")
        assert at.shop.acts == []
        third = await call(client, "delete_items", APPLES)
        fourth = await call(client, "delete_items", APPLES)
    assert not third.is_error
    assert at.shop.acts == [("delete_items", ["apples"])]
    assert text(fourth).startswith("Awaiting a person")
    assert len(at.window.shown) == 3


@pytest.mark.requirement("A-4")
@in_both_eras
async def test_no_token_is_made_or_taken(at: Stand, era: Era) -> None:
    async with at.client(era) as client:
        for token in ("", "0" * 32, 5, None, ["x"]):
            result = await call(client, "delete_items", {**APPLES, "confirm_token": token})
            assert "confirm_token" not in text(result)
    assert at.shop.acts == []
    assert at.approver.tokens.pending == 0


@pytest.mark.requirement("A-6")
@in_both_eras
async def test_a_question_expires_and_is_asked_again_with_the_reason(at: Stand, era: Era) -> None:
    async with at.client(era) as client:
        await call(client, "delete_items", APPLES)
        at.advance(900)
        at.window.say("approve", 0)
        await settle()
        assert at.window.words == ["Not answered in time. Nothing was changed."]
        await call(client, "delete_items", APPLES)
    assert at.shop.acts == []
    again = at.window.shown[1].message
    assert again.startswith("Asked again: no answer came within the 15 minutes")
    assert any("decision=answer_ignored way=window reason=late" in line for line in at.lines)


@pytest.mark.requirement("A-6")
@in_both_eras
async def test_a_yes_that_nobody_used_in_time_is_void(at: Stand, era: Era) -> None:
    async with at.client(era) as client:
        await call(client, "delete_items", APPLES)
        at.advance(899)
        at.window.say("approve")
        at.advance(299)
        await settle()
        result = await call(client, "delete_items", APPLES)
        assert not result.is_error
        await call(client, "delete_items", {"names": ["pears"]})
        at.window.say("approve")
        at.advance(901)
        late = await call(client, "delete_items", {"names": ["pears"]})
    assert text(late).startswith("Awaiting")
    assert at.shop.acts == [("delete_items", ["apples"])]
    await settle()
    assert "Approved, but the call was not repeated in time. Nothing was changed." in (
        at.window.words
    )


@in_both_eras
async def test_the_first_answer_counts(at: Stand, era: Era) -> None:
    async with at.client(era) as client:
        await call(client, "delete_items", APPLES)
        at.window.say("decline")
        at.window.say("approve")
        result = await call(client, "delete_items", APPLES)
    assert "declined" in text(result)
    assert at.shop.acts == []


@pytest.mark.requirement("A-6")
@in_both_eras
async def test_facts_that_changed_replace_the_question(at: Stand, era: Era) -> None:
    async with at.client(era) as client:
        await call(client, "clear_stock", {"name": "apples"})
        at.shop.stock["apples"] = 13
        at.window.say("approve")
        result = await call(client, "clear_stock", {"name": "apples"})
        assert text(result).startswith("Awaiting")
        assert at.shop.acts == []
        assert at.window.shown[1].message.startswith(
            "Asked again: what this question quotes has changed (count)."
        )
        at.window.say("approve")
        done = await call(client, "clear_stock", {"name": "apples"})
    assert not done.is_error
    assert at.shop.acts == [("clear_stock", ["apples", 13])]
    await settle()
    assert any(
        words.startswith("Replaced: what it quotes has changed.") for words in at.window.words
    )


@in_both_eras
async def test_facts_that_change_while_the_call_waits_are_asked_about_anew(
    waits: Stand, era: Era
) -> None:
    waits.window.reply = "approve"
    waits.shop.reads = lambda: waits.shop.stock.update(apples=waits.shop.stock["apples"] + 1)
    async with waits.client(era) as client:
        result = await call(client, "clear_stock", {"name": "apples"})
    assert "changed while it was being answered, 3 times in a row" in text(result)
    assert waits.shop.acts == []
    assert len(waits.window.shown) == 3


@pytest.mark.requirement("A-8")
@in_both_eras
async def test_a_newer_call_takes_the_wait_over(waits: Stand, era: Era) -> None:
    async with waits.client(era) as client:
        older = asyncio.create_task(call(client, "delete_items", APPLES))
        await until(lambda: waits.window.shown)
        newer = asyncio.create_task(call(client, "delete_items", APPLES))
        assert text(await older).startswith("Awaiting a person")
        waits.window.say("approve")
        assert not (await newer).is_error
    assert len(waits.window.shown) == 1
    assert waits.shop.acts == [("delete_items", ["apples"])]


@pytest.mark.requirement("A-8")
@in_both_eras
async def test_a_call_that_is_cancelled_takes_its_question_back(waits: Stand, era: Era) -> None:
    async with waits.client(era) as client:
        calling = asyncio.create_task(call(client, "delete_items", APPLES))
        await until(lambda: waits.window.shown)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        await until(lambda: waits.window.words)
        assert waits.window.words == ["Withdrawn. Nothing was changed."]
        waits.window.say("approve")
        waits.window.reply = "decline"
        await call(client, "delete_items", APPLES)
    assert waits.shop.acts == []


@pytest.mark.requirement("A-8")
@in_both_eras
async def test_the_end_withdraws_what_is_open(at: Stand, era: Era) -> None:
    async with at.client(era) as client:
        await call(client, "delete_items", APPLES)
    assert at.window.words == ["Withdrawn. Nothing was changed."]
    assert at.window.closed


@pytest.mark.requirement("A-7", "A-16")
@in_both_eras
async def test_nobody_reached_means_nothing_happens(
    monkeypatch: pytest.MonkeyPatch, era: Era
) -> None:
    at = stand(monkeypatch, APPROVAL_REACH="window")
    at.window.refuses = "no display"
    async with at.client(era) as client:
        result = await call(client, "send", {"to": "anna"})
    assert text(result) == (
        "Not approved: no person could be reached (window: no display). Nothing was changed."
    )
    assert at.shop.acts == []
    assert (at.shop.limiter.used, at.shop.limiter.reserved) == (0, 0)
    [line] = [line for line in at.lines if "decision=unreached" in line]
    assert 'reason="window: no display"' in line


@pytest.mark.requirement("A-4", "A-16")
async def test_the_first_channel_that_shows_a_question_keeps_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    phone = {
        "APPROVAL_NTFY_URL": "https://ntfy.example",
        "APPROVAL_NTFY_ASK_TOPIC": "ask",
        "APPROVAL_NTFY_ANSWER_TOPIC": "answers",
        "APPROVAL_NTFY_TOKEN": "tk_server",
        "APPROVAL_NTFY_BUTTON_TOKEN": "tk_button",
    }
    at = stand(monkeypatch, APPROVAL_REACH="phone,window", **phone)
    at.channels["phone"].refuses = "ntfy could not be reached"
    async with at.client("2026-07-28") as client:
        await call(client, "send", {"to": "anna"})
        assert len(at.window.shown) == 1
        at.channels["phone"].refuses = ""
        await call(client, "send", {"to": "anna"})
        assert at.channels["phone"].shown == []
        await call(client, "send", {"to": "otto"})
        assert len(at.channels["phone"].shown) == 1
    assert (at.shop.limiter.used, at.shop.limiter.reserved) == (2, 0)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (False, "Approved and carried out."),
        (True, "Approved, but the call failed."),
    ],
)
async def test_the_person_is_told_how_it_ended(waits: Stand, broken: bool, words: str) -> None:
    waits.window.reply = "approve"
    waits.shop.broken = broken
    async with waits.client("2026-07-28") as client:
        await call(client, "delete_items", APPLES)
    assert waits.window.words[0] == words


@pytest.mark.requirement("A-19")
async def test_what_does_not_ask_loads_no_channel(at: Stand) -> None:
    async with at.client("2026-07-28") as client:
        await call(client, "list_items")
    assert at.approver._reach is None


async def test_a_no_that_is_forgotten_leaves_a_newer_question_alone(at: Stand) -> None:
    async with at.client("2026-07-28") as client:
        await call(client, "clear_stock", {"name": "apples"})
        at.window.say("decline")
        at.shop.stock["apples"] = 13
        await call(client, "clear_stock", {"name": "apples"})
        at.advance(300)
        at.shop.stock["apples"] = 14
        await call(client, "clear_stock", {"name": "apples"})
        await settle()
    assert at.window.words[1].startswith("Replaced: what it quotes has changed.")
    assert len(at.window.shown) == 3
