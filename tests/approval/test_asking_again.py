"""A question that is asked again says why, and who gave up silently locks nobody out."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from mcp_approval.in_flight import OPEN_LIMIT
from mcp_approval.seal import LIFETIME_SECONDS
from tests.approval.conftest import MakeStand, Stand
from tests.approval.fixture_server import HOURLY
from tests.approval.raw import (
    FORM,
    Document,
    Wire,
    is_question,
    modern,
    result,
    state_of,
    wire,
    words,
)

ITEMS: Document = {"names": ["a"]}
YES: Document = {"action": "accept", "content": {"confirm": True}}
CALLED_AGAIN = "Asked again: the same call was made again while this question was open."
NOT_IN_TIME = "Asked again: no answer came within the 15 minutes of the earlier question."
CHANGED = "Asked again: what this question quotes has changed (count)."
PLAIN = "This will delete 1 items."


async def _open(
    client: Wire, arguments: Document = ITEMS, tool: str = "delete_items"
) -> tuple[int, Document]:
    """Make a guarded call and return its id and the question that came for it."""
    call_id = await client.start("tools/call", {"name": tool, "arguments": arguments})
    message = await client.receive()
    while message.get("method") != "elicitation/create":
        message = await client.receive()
    return call_id, message


async def _say(client: Wire, question: Document, answer: Document = YES) -> None:
    await client.send({"id": question["id"], "result": answer})


def _lines(question: Document) -> list[str]:
    return str(cast("Document", question["params"])["message"]).split("\n")


def _asked(reply: Document) -> list[str]:
    requests = cast("dict[str, dict[str, dict[str, str]]]", result(reply)["inputRequests"])
    return requests["confirm"]["params"]["message"].split("\n")


def _answered(state: str) -> Document:
    return {"inputResponses": {"confirm": YES}, "requestState": state}


@pytest.mark.requirement("R-74", "C-20")
async def test_the_same_call_takes_an_unanswered_question_over(stand: Stand) -> None:
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", FORM)
        first_id, first = await _open(client, {"names": ["a", "b"]})
        second_id, second = await _open(client, {"names": ["b", "a"]})
        assert _lines(first)[0] == "This will delete 2 items."
        assert _lines(second)[:3] == [CALLED_AGAIN, "", "This will delete 2 items."]
        ended = result(await client.reply_to(first_id))
        closed = client.notified("notifications/cancelled")
        await _say(client, first)
        await client.request("tools/list", {})
        assert stand.shop.acts == []
        await _say(client, second)
        await client.reply_to(second_id)
    assert ended["isError"] is True
    assert str(ended["content"]).count(
        "Superseded: the same call was made again and the question moved to it. "
        "Nothing was changed."
    )
    assert [cast("Document", one["params"])["requestId"] for one in closed] == [first["id"]]
    assert len(stand.shop.acts) == 1
    assert stand.decisions == ["asked", "asked", "superseded", "approved"]


@pytest.mark.requirement("C-20")
async def test_a_question_that_was_taken_over_costs_its_slot_too(stand: Stand) -> None:
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", FORM)
        for _ in range(HOURLY):
            await _open(client, {"to": "a"}, "send")
        call: Document = {"name": "send", "arguments": {"to": "a"}}
        refused = await client.request("tools/call", call)
        assert "The hour is full" in words(refused)
        assert stand.shop.limiter.used == HOURLY - 1
        assert stand.shop.limiter.reserved == 1
        assert stand.decisions.count("superseded") == HOURLY - 1


@pytest.mark.requirement("R-74", "C-20")
@pytest.mark.parametrize(("seconds", "asked"), [(59.0, False), (61.0, True)])
async def test_the_ninth_question_ends_the_oldest_once_that_had_its_minute(
    seconds: float, asked: bool, stand: Stand
) -> None:
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", FORM)
        opened = [await _open(client, {"names": [str(number)]}) for number in range(OPEN_LIMIT)]
        stand.clock.advance(seconds)
        ninth: Document = {"names": ["ninth"]}
        if not asked:
            call: Document = {"name": "delete_items", "arguments": ninth}
            refused = words(await client.request("tools/call", call))
            assert "8 questions are already waiting" in refused
            assert "or 1 second: then the oldest gives way." in refused
            return
        ninth_id, question = await _open(client, ninth)
        ended = result(await client.reply_to(opened[0][0]))
        assert "Superseded: its place was needed for a newer question. Nothing" in str(ended)
        await _say(client, opened[0][1])
        await _say(client, question)
        await client.reply_to(ninth_id)
    assert stand.shop.acts == [("delete_items", ["ninth"])]


@pytest.mark.requirement("R-74")
async def test_the_same_call_needs_no_room_of_its_own(stand: Stand) -> None:
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", FORM)
        for number in range(OPEN_LIMIT):
            await _open(client, {"names": [str(number)]})
        again_id, again = await _open(client, {"names": ["3"]})
        await _say(client, again)
        await client.reply_to(again_id)
    assert stand.shop.acts == [("delete_items", ["3"])]


@pytest.mark.requirement("R-78", "C-19")
async def test_after_a_time_out_the_next_question_says_so_once(make_stand: MakeStand) -> None:
    stand = make_stand(wait_seconds=0.02)
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", FORM)
        firsts = []
        for seconds in (0.0, LIFETIME_SECONDS - 1.0, float(LIFETIME_SECONDS)):
            stand.clock.advance(seconds)
            call_id, question = await _open(client)
            firsts.append(_lines(question)[0])
            assert words(await client.reply_to(call_id)).endswith(" Calling again asks again.")
    assert firsts == [PLAIN, NOT_IN_TIME, PLAIN]


@pytest.mark.requirement("R-78", "C-19")
@pytest.mark.parametrize("seconds", [LIFETIME_SECONDS, 2 * LIFETIME_SECONDS - 1])
async def test_a_yes_that_comes_late_is_told_so(seconds: float, stand: Stand) -> None:
    async with wire(stand.server) as client:
        state = state_of(await client.request("tools/call", modern("delete_items", ITEMS)))
        stand.clock.advance(seconds)
        late = modern("delete_items", ITEMS, **_answered(state))
        again = await client.request("tools/call", late)
        assert _asked(again)[:3] == [NOT_IN_TIME, "", PLAIN]
        done = modern("delete_items", ITEMS, **_answered(state_of(again)))
        await client.request("tools/call", done)
    assert len(stand.shop.acts) == 1


async def test_a_yes_that_comes_much_too_late_is_as_good_as_unknown(stand: Stand) -> None:
    async with wire(stand.server) as client:
        state = state_of(await client.request("tools/call", modern("delete_items", ITEMS)))
        stand.clock.advance(2 * LIFETIME_SECONDS)
        await client.request("tools/call", modern("delete_items", {"names": ["other"]}))
        late = modern("delete_items", ITEMS, **_answered(state))
        assert _asked(await client.request("tools/call", late))[0] == PLAIN


@pytest.mark.requirement("R-78", "C-19")
async def test_a_yes_to_facts_that_changed_names_them(stand: Stand) -> None:
    clear: Document = {"name": "apples"}
    async with wire(stand.server) as client:
        state = state_of(await client.request("tools/call", modern("clear_stock", clear)))
        stand.shop.stock["apples"] = 13
        reply = modern("clear_stock", clear, **_answered(state))
        again = await client.request("tools/call", reply)
        assert _asked(again)[0] == CHANGED
        assert "12" not in "\n".join(_asked(again))
        await client.request(
            "tools/call", modern("clear_stock", clear, **_answered(state_of(again)))
        )
    assert stand.shop.acts == [("clear_stock", ["apples", 13])]


@pytest.mark.requirement("C-19")
async def test_a_pushed_question_whose_facts_changed_names_them(stand: Stand) -> None:
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", FORM)
        _, question = await _open(client, {"name": "apples"}, "clear_stock")
        stand.shop.stock["apples"] = 13
        await _say(client, question)
        again = await client.receive()
    assert _lines(again)[:3] == [CHANGED, "", 'This will throw away 13 pieces of "apples".']


@pytest.mark.requirement("C-19")
@pytest.mark.parametrize("state", ["", "forged", "A" * 163])
async def test_of_a_state_that_this_process_never_sealed_nothing_is_known(
    state: str, stand: Stand
) -> None:
    async with wire(stand.server) as client:
        await client.request("tools/call", modern("delete_items", ITEMS))
        forged = modern("delete_items", ITEMS, **_answered(state))
        assert _asked(await client.request("tools/call", forged))[0] == PLAIN


@pytest.mark.requirement("C-19")
async def test_neither_a_used_nor_a_foreign_state_gives_a_reason(stand: Stand) -> None:
    async with wire(stand.server) as client:
        state = state_of(await client.request("tools/call", modern("delete_items", ITEMS)))
        foreign = modern("delete_items", {"names": ["b"]}, **_answered(state))
        assert _asked(await client.request("tools/call", foreign))[0] == PLAIN
        good = modern("delete_items", ITEMS, **_answered(state))
        await client.request("tools/call", good)
        assert _asked(await client.request("tools/call", good))[0] == PLAIN
    assert len(stand.shop.acts) == 1


@pytest.mark.requirement("C-20")
async def test_of_two_questions_about_the_same_call_the_first_answer_ends_both(
    stand: Stand,
) -> None:
    async with wire(stand.server) as client:
        first = await client.request("tools/call", modern("delete_items", ITEMS))
        second = await client.request("tools/call", modern("delete_items", ITEMS))
        assert _asked(first)[0] == PLAIN
        assert _asked(second)[:2] == [CALLED_AGAIN, ""]
        no: Document = {"confirm": {"action": "decline"}}
        declined = modern("delete_items", ITEMS, inputResponses=no, requestState=state_of(second))
        assert result(await client.request("tools/call", declined))["isError"] is True
        late = modern("delete_items", ITEMS, **_answered(state_of(first)))
        assert is_question(await client.request("tools/call", late))
    assert stand.shop.acts == []


@pytest.mark.requirement("C-20")
async def test_a_call_that_has_its_yes_is_not_taken_over(stand: Stand) -> None:
    stand.shop.held = asyncio.Event()
    async with wire(stand.server) as client:
        state = state_of(await client.request("tools/call", modern("delete_items", ITEMS)))
        acting = await client.start("tools/call", modern("delete_items", ITEMS, **_answered(state)))
        twin = await client.request("tools/call", modern("delete_items", ITEMS))
        assert words(twin).startswith("This very call is already being carried out.")
        stand.shop.held.set()
        await client.reply_to(acting)
    assert len(stand.shop.acts) == 1
