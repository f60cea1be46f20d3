"""The sealed state under attack: no variant is an answer, none is an error."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable

import pytest

from mcp_approval.seal import LIFETIME_SECONDS, PENDING_LIMIT, Seal
from tests.approval.conftest import MakeStand, Stand
from tests.approval.raw import Wire, is_question, modern, result, state_of, wire
from tests.approval.scripted import keys
from tests.support.time import FakeClock, FakeRandom

ITEMS: dict[str, object] = {"names": ["a"]}
YES = {"confirm": {"action": "accept", "content": {"confirm": True}}}


def _flip(position: int) -> Callable[[str], str]:
    def damage(state: str) -> str:
        raw = bytearray(base64.urlsafe_b64decode(state + "=" * (-len(state) % 4)))
        raw[position] ^= 1
        return base64.urlsafe_b64encode(bytes(raw)).rstrip(b"=").decode()

    return damage


def _spare_bits(state: str) -> str:
    """Another spelling of the same bytes: the bits behind the last whole byte."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return state[:-1] + alphabet[alphabet.index(state[-1]) ^ 1]


DAMAGES: dict[str, Callable[[str], str]] = {
    "a flipped bit in the version": _flip(0),
    "a flipped bit in the key": _flip(1),
    "a flipped bit in the nonce": _flip(40),
    "a flipped bit in the time": _flip(56),
    "a flipped bit in the MAC": _flip(-1),
    "truncated": lambda state: state[:-1],
    "half of it": lambda state: state[: len(state) // 2],
    "empty": lambda _state: "",
    "1 MB long": lambda state: state + "A" * 1_000_000,
    "1 MB of nothing": lambda _state: "A" * 1_000_000,
    "non-ASCII": lambda state: state[:-1] + "é",
    "non-ASCII digits": lambda state: state[:-1] + "٣",
    "a suffix behind padding": lambda state: state + "=-TAMPERED",
    "a suffix": lambda state: state + "-TAMPERED",
    "a blank before": lambda state: " " + state,
    "a blank behind": lambda state: state + " ",
    "a blank inside": lambda state: state[:40] + " " + state[40:],
    "a newline behind": lambda state: state + "\n",
    "a newline in place of a character": lambda state: state[:-1] + "\n",
    "padding added": lambda state: state + "=",
    "two of padding": lambda state: state + "==",
    "the standard alphabet": lambda state: state.replace("-", "+").replace("_", "/"),
    "spare bits set": _spare_bits,
    "lower case": lambda state: state.lower(),
    "twice": lambda state: state + state,
    "NUL behind": lambda state: state + "\x00",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=[f"AP-7: {name}" for name in DAMAGES])
@pytest.mark.requirement("AP-7")
async def test_a_state_that_was_touched_leads_to_a_fresh_question(
    damage: Callable[[str], str], stand: Stand
) -> None:
    async with wire(stand.server) as client:
        state = await _telling_state(client)
        touched = {"inputResponses": YES, "requestState": damage(state)}
        reply = await client.request("tools/call", modern("delete_items", ITEMS, **touched))
        assert damage(state) != state
        assert is_question(reply)
        assert stand.shop.acts == []
        good = {"inputResponses": YES, "requestState": state}
        await client.request("tools/call", modern("delete_items", ITEMS, **good))
    assert len(stand.shop.acts) == 1, "the damaged copy spent the good one"


async def _telling_state(client: Wire) -> str:
    """Raise questions until a state holds both characters in which the alphabets differ."""
    while True:
        state = state_of(await client.request("tools/call", modern("delete_items", ITEMS)))
        if {"-", "_"} <= set(state):
            return state


async def _first_state(stand: Stand) -> str:
    async with wire(stand.server) as client:
        return state_of(await client.request("tools/call", modern("delete_items", ITEMS)))


@pytest.mark.requirement("AP-8")
async def test_a_state_of_another_process_leads_to_a_fresh_question(make_stand: MakeStand) -> None:
    before, after = make_stand(seed="before"), make_stand(seed="after the restart")
    more = {"inputResponses": YES, "requestState": await _first_state(before)}
    async with wire(after.server) as client:
        reply = await client.request("tools/call", modern("delete_items", ITEMS, **more))
    assert is_question(reply)
    assert after.shop.acts == []


@pytest.mark.parametrize(
    ("seconds", "acts"),
    [
        pytest.param(LIFETIME_SECONDS - 1, 1, id="AP-9: one second before expiry"),
        pytest.param(LIFETIME_SECONDS, 0, id="AP-9: at expiry"),
        pytest.param(LIFETIME_SECONDS + 1, 0, id="AP-9: one second after expiry"),
        pytest.param(86_400 * 400, 0, id="AP-9: a year later"),
        pytest.param(
            -0.5, 0, id="AP-10: issued in the future", marks=pytest.mark.requirement("AP-10")
        ),
        pytest.param(
            -5_000, 0, id="AP-10: issued long ahead", marks=pytest.mark.requirement("AP-10")
        ),
    ],
)
@pytest.mark.requirement("AP-9")
async def test_a_state_is_good_for_fifteen_minutes_from_its_issue(
    seconds: float, acts: int, stand: Stand
) -> None:
    state = await _first_state(stand)
    stand.clock.advance(seconds)
    more = {"inputResponses": YES, "requestState": state}
    async with wire(stand.server) as client:
        reply = await client.request("tools/call", modern("delete_items", ITEMS, **more))
    assert is_question(reply) is (acts == 0)
    assert len(stand.shop.acts) == acts
    assert LIFETIME_SECONDS == 15 * 60


@pytest.mark.requirement("AP-12")
async def test_of_two_parallel_retries_exactly_one_acts(stand: Stand) -> None:
    stand.shop.held = asyncio.Event()
    async with wire(stand.server) as client:
        state = state_of(await client.request("tools/call", modern("delete_items", ITEMS)))
        params = modern("delete_items", ITEMS, inputResponses=YES, requestState=state)
        first = await client.start("tools/call", params)
        second = await client.start("tools/call", params)
        refused = await client.reply_to(second)
        stand.shop.held.set()
        done = await client.reply_to(first)
    assert result(done).get("isError") is not True
    assert is_question(refused) or result(refused)["isError"] is True
    assert len(stand.shop.acts) == 1


@pytest.mark.requirement("AP-19")
async def test_ten_questions_in_a_row_leave_every_store_at_its_cap(stand: Stand) -> None:
    states: list[str] = []
    async with wire(stand.server) as client:
        for number in range(PENDING_LIMIT + 1):
            params = modern("delete_items", {"names": [f"item-{number}"]})
            states.append(state_of(await client.request("tools/call", params)))
        assert stand.approver.seal.pending == PENDING_LIMIT
        for number in (0, PENDING_LIMIT):
            more = {"inputResponses": YES, "requestState": states[number]}
            params = modern("delete_items", {"names": [f"item-{number}"]}, **more)
            await client.request("tools/call", params)
    assert stand.shop.acts == [("delete_items", [f"item-{PENDING_LIMIT}"])]


@pytest.mark.requirement("AP-19")
def test_a_full_list_of_questions_forgets_the_oldest_and_fails_closed() -> None:
    seal = Seal(b"k" * 32, clock=FakeClock(), random_bytes=FakeRandom(), pending_limit=9)
    targets = [keys(bytes([number]) * 32) for number in range(10)]
    states = [seal.issue(target) for target in targets]
    assert seal.pending == 9
    answers = [seal.redeem(*pair) for pair in zip(states, targets, strict=True)]
    assert answers == ["used", *[None] * 9]


async def test_of_two_questions_about_one_target_only_one_answer_acts(stand: Stand) -> None:
    async with wire(stand.server) as client:
        asked = [await client.request("tools/call", modern("delete_items", ITEMS)) for _ in "ab"]
        answered = []
        for question in asked:
            more = {"inputResponses": YES, "requestState": state_of(question)}
            params = modern("delete_items", ITEMS, **more)
            answered.append(await client.request("tools/call", params))
    assert [is_question(reply) for reply in answered] == [False, True]
    assert len(stand.shop.acts) == 1


@pytest.mark.requirement("AP-40")
async def test_an_approval_is_gone_when_the_act_fails(stand: Stand) -> None:
    stand.shop.broken = True
    async with wire(stand.server) as client:
        state = state_of(await client.request("tools/call", modern("delete_items", ITEMS)))
        params = modern("delete_items", ITEMS, inputResponses=YES, requestState=state)
        failed = await client.request("tools/call", params)
        assert result(failed)["isError"] is True
        assert is_question(await client.request("tools/call", params))
    assert stand.shop.acts == []


async def test_no_reply_reveals_what_a_state_holds(stand: Stand) -> None:
    async with wire(stand.server) as client:
        reply = await client.request(
            "tools/call", modern("create_login", {"name": "eve", "password": "hunter2-hunter2"})
        )
        raw = base64.urlsafe_b64decode(state_of(reply) + "=")
    assert b"eve" not in raw
    assert b"hunter2" not in raw
    assert "hunter2" not in str(reply)
