"""The two-call token, where nobody can be asked."""

from __future__ import annotations

import re

import pytest

from mcp_approval.tokens import LIFETIME_SECONDS, PENDING_LIMIT
from tests.approval.conftest import MakeStand, Stand
from tests.support.clients import (
    ERAS,
    Arguments,
    Era,
    Result,
    call,
    connect,
    text,
    token_in,
)

ITEMS: Arguments = {"names": ["a", "b"]}
REFUSED = (
    "confirm_token refused: it is unknown, expired, already used, or issued for different "
    "arguments or an earlier state. Nothing was changed. To get a token, leave confirm_token out "
    "and call delete_items with the arguments you mean."
)


def _with(token: object, arguments: Arguments = ITEMS) -> Arguments:
    return {**arguments, "confirm_token": token}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.requirement("AP-25")
async def test_the_first_call_shows_a_token_the_second_acts_the_third_is_refused(
    era: Era, stand: Stand
) -> None:
    async with connect(stand.server, era) as client:
        prompt = await call(client, "delete_items", ITEMS)
        assert stand.shop.acts == []
        token = token_in(prompt)
        done = await call(client, "delete_items", _with(token))
        third = await call(client, "delete_items", _with(token))
    assert re.fullmatch(r"[0-9a-f]{32}", token)
    assert done.is_error is False
    assert third.is_error is True
    assert text(third) == REFUSED
    assert stand.shop.acts == [("delete_items", ["a", "b"])]
    assert stand.decisions == ["token_issued", "token_accepted", "token_refused"]


@pytest.mark.parametrize(
    ("first", "second", "acts"),
    [
        pytest.param(
            ("delete_items", {"names": ["a"]}),
            ("delete_items", {"names": ["b"]}),
            0,
            id="AP-26: a token for A on B",
        ),
        pytest.param(
            ("delete_items", {"names": ["a"]}),
            ("delete_items", {"names": ["a", "b"]}),
            0,
            id="AP-26: a widened set",
        ),
        pytest.param(
            ("delete_items", {"names": ["a", "b"]}),
            ("delete_items", {"names": ["b", "a"]}),
            1,
            id="AP-26: a set in another order",
        ),
        pytest.param(
            ("approve_run", {"repo_id": 5, "number": 12}),
            ("approve_run", {"repo_id": 12, "number": 5}),
            0,
            id="AP-26: a tuple in another order",
        ),
        pytest.param(
            ("approve_run", {"repo_id": 5, "number": 12}),
            ("release_run", {"repo_id": 5, "number": 12}),
            0,
            id="AP-26: another tool",
        ),
        pytest.param(
            ("approve_run", {"repo_id": 5, "number": 12}),
            ("approve_run", {"repo_id": "5", "number": "12"}),
            1,
            id="AP-26: the same numbers as text",
        ),
        pytest.param(
            ("update_item", {"name": "a", "colour": "red"}),
            ("update_item", {"name": "a", "colour": "red", "public": True}),
            0,
            id="AP-26: a body with one more field",
        ),
        pytest.param(
            ("update_item", {"name": "a", "colour": "red"}),
            ("update_item", {"name": "a", "colour": "red", "public": None}),
            1,
            id="AP-26: the same body, a null beside it",
        ),
        pytest.param(
            ("create_login", {"name": "eve", "password": "one"}),
            ("create_login", {"name": "eve", "password": "two"}),
            1,
            id="a password that is not bound",
        ),
    ],
)
@pytest.mark.requirement("AP-26")
async def test_a_token_is_good_for_its_own_target(
    first: tuple[str, Arguments], second: tuple[str, Arguments], acts: int, stand: Stand
) -> None:
    async with connect(stand.server, "2025-11-25") as client:
        token = token_in(await call(client, *first))
        ended = await call(client, second[0], _with(token, second[1]))
        assert len(stand.shop.acts) == acts
        assert ended.is_error is (acts == 0)
        if not acts:
            await call(client, first[0], _with(token, first[1]))
            assert len(stand.shop.acts) == 1, "the mix-up spent the token"


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param("", id="AP-27: empty"),
        pytest.param("   ", id="AP-27: white space"),
        pytest.param("0" * 32, id="AP-27: unknown"),
        pytest.param("a" * 10_000, id="AP-27: 10 kB"),
        pytest.param("ü" * 32, id="AP-27: non-ASCII"),
        pytest.param("\ud800" * 32, id="AP-27: half surrogates"),
        pytest.param("x\x00y", id="AP-27: NUL"),
        pytest.param(0, id="a number"),
        pytest.param(False, id="a switch"),
        pytest.param([], id="a list"),
        pytest.param({"a": None}, id="an object"),
    ],
)
@pytest.mark.requirement("AP-27")
async def test_a_wrong_token_is_refused_in_the_same_words_and_leaves_the_right_one(
    wrong: object, stand: Stand
) -> None:
    async with connect(stand.server, "2026-07-28") as client:
        token = token_in(await call(client, "delete_items", ITEMS))
        refused = await call(client, "delete_items", _with(wrong))
        assert stand.shop.acts == []
        await call(client, "delete_items", _with(token))
    assert refused.is_error is True
    assert text(refused) == REFUSED
    assert len(stand.shop.acts) == 1


async def _altered(stand: Stand, change: str) -> Result:
    async with connect(stand.server, "2025-11-25") as client:
        token = token_in(await call(client, "delete_items", ITEMS))
        if change == "expired":
            stand.clock.advance(LIFETIME_SECONDS)
        altered = {"upper case": token.upper(), "padded": f" {token} ", "short": token[:-1]}
        return await call(client, "delete_items", _with(altered.get(change, token)))


@pytest.mark.parametrize("change", ["expired", "upper case", "padded", "short"])
@pytest.mark.requirement("AP-27")
async def test_a_token_that_is_not_exactly_the_issued_one_in_time_is_refused(
    change: str, stand: Stand
) -> None:
    assert text(await _altered(stand, change)) == REFUSED
    assert stand.shop.acts == []


async def test_a_token_is_good_until_its_last_second(stand: Stand) -> None:
    assert LIFETIME_SECONDS == 5 * 60
    async with connect(stand.server, "2025-11-25") as client:
        token = token_in(await call(client, "delete_items", ITEMS))
        stand.clock.advance(LIFETIME_SECONDS - 1)
        await call(client, "delete_items", _with(token))
    assert len(stand.shop.acts) == 1


@pytest.mark.requirement("AP-28")
async def test_a_new_token_for_the_same_target_voids_the_old_one(stand: Stand) -> None:
    async with connect(stand.server, "2025-11-25") as client:
        old = token_in(await call(client, "delete_items", ITEMS))
        new = token_in(await call(client, "delete_items", {"names": ["b", "a"]}))
        assert text(await call(client, "delete_items", _with(old))) == REFUSED
        await call(client, "delete_items", _with(new))
    assert len(stand.shop.acts) == 1


@pytest.mark.requirement("AP-28")
async def test_the_hundred_and_first_token_drops_the_oldest_and_no_renewed_one(
    stand: Stand,
) -> None:
    tokens: dict[str, str] = {}

    async with connect(stand.server, "2025-11-25") as client:

        async def issue(name: str) -> None:
            tokens[name] = token_in(await call(client, "delete_items", {"names": [name]}))

        for number in range(PENDING_LIMIT):
            await issue(f"n{number}")
        await issue("n0")
        await issue("one more")
        assert stand.approver.tokens.pending == PENDING_LIMIT == 100
        for name in ("n0", "n1", "n2", "one more"):
            await call(client, "delete_items", _with(tokens[name], {"names": [name]}))
    acted = [names for _, names in stand.shop.acts]
    assert acted == [["n0"], ["n2"], ["one more"]]


@pytest.mark.requirement("AP-28")
async def test_expired_tokens_go_before_live_ones(stand: Stand) -> None:
    async with connect(stand.server, "2025-11-25") as client:
        await call(client, "delete_items", {"names": ["old"]})
        stand.clock.advance(LIFETIME_SECONDS)
        await call(client, "delete_items", {"names": ["new"]})
    assert stand.approver.tokens.pending == 1


@pytest.mark.requirement("AP-40")
async def test_a_spent_token_stays_spent_when_the_act_fails(stand: Stand) -> None:
    stand.shop.broken = True
    async with connect(stand.server, "2025-11-25") as client:
        token = token_in(await call(client, "delete_items", ITEMS))
        failed = await call(client, "delete_items", _with(token))
        again = await call(client, "delete_items", _with(token))
    assert "The shop failed." in text(failed)
    assert text(again) == REFUSED
    assert stand.shop.acts == []


async def test_a_token_of_before_a_restart_is_refused(make_stand: MakeStand) -> None:
    before, after = make_stand(seed="one"), make_stand(seed="two")
    async with connect(before.server, "2025-11-25") as client:
        token = token_in(await call(client, "delete_items", ITEMS))
    async with connect(after.server, "2025-11-25") as client:
        assert text(await call(client, "delete_items", _with(token))) == REFUSED
    assert after.shop.acts == []
