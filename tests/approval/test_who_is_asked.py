"""Who is asked on 2026-07-28, and what a client that can be asked never gets by with."""

from __future__ import annotations

import mcp_types as types
import pytest
from mcp.client.context import ClientRequestContext

from tests.approval.conftest import MakeStand, Stand
from tests.approval.raw import FORM, is_question, modern, result, state_of, wire, words
from tests.support.clients import Arguments, Era, call, connect, question, text

MODERN: Era = "2026-07-28"
ITEMS: Arguments = {"names": ["a", "b"]}


async def _never(
    context: ClientRequestContext, params: types.ElicitRequestParams
) -> types.ElicitResult:
    raise AssertionError("the legs are driven by hand")


@pytest.mark.parametrize(
    ("capabilities", "asks"),
    [
        pytest.param({"elicitation": {}}, True, id="AP-16: {}"),
        pytest.param({"elicitation": {"form": {}}}, True, id="AP-16: form"),
        pytest.param({"elicitation": {"form": {}, "url": {}}}, True, id="AP-16: both"),
        pytest.param({"elicitation": {"url": {}}}, False, id="AP-16: url only"),
        pytest.param({}, False, id="AP-17: nothing in this envelope"),
        pytest.param({"sampling": {}}, False, id="AP-16: something else"),
    ],
)
@pytest.mark.requirement("AP-16")
async def test_who_is_asked_follows_from_what_this_request_declares(
    capabilities: dict[str, object], asks: bool, stand: Stand
) -> None:
    async with wire(stand.server) as client:
        await client.request("tools/call", modern("delete_items", dict(ITEMS), FORM))
        reply = await client.request(
            "tools/call", modern("delete_items", dict(ITEMS), capabilities)
        )
    assert is_question(reply) is asks
    if not asks:
        assert result(reply)["isError"] is True
        assert 'confirm_token="' in words(reply)
    assert stand.shop.acts == []


@pytest.mark.requirement("AP-17")
async def test_a_handshake_lends_nothing_to_an_enveloped_request(stand: Stand) -> None:
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", FORM)
        reply = await client.request("tools/call", modern("delete_items", dict(ITEMS), {}))
    assert "error" in reply
    assert stand.shop.acts == []
    assert stand.lines == []


@pytest.mark.parametrize("token", ["", "0" * 32, 7, None, ["x"], {"a": 1}, "ä" * 10_000])
@pytest.mark.requirement("AP-18")
async def test_a_client_that_can_be_asked_never_gets_by_with_a_token(
    token: object, make_stand: MakeStand
) -> None:
    stand = make_stand()
    async with connect(stand.server, MODERN, _never) as client:
        outcome = await question(client, "delete_items", {**ITEMS, "confirm_token": token})
    assert "token" not in text(outcome)
    assert stand.approver.tokens.pending == 0
    assert stand.shop.acts == []


@pytest.mark.requirement("AP-18")
async def test_even_a_right_token_is_ignored_where_a_dialog_is_possible(stand: Stand) -> None:
    async with wire(stand.server) as client:
        given = await client.request("tools/call", modern("delete_items", dict(ITEMS), {}))
        token = words(given).partition('confirm_token="')[2][:32]
        arguments = {**ITEMS, "confirm_token": token}
        reply = await client.request("tools/call", modern("delete_items", arguments, FORM))
    assert is_question(reply)
    assert stand.shop.acts == []


async def test_a_valid_sealed_answer_counts_whatever_the_retry_declares(stand: Stand) -> None:
    async with wire(stand.server) as client:
        state = state_of(await client.request("tools/call", modern("delete_items", dict(ITEMS))))
        answers = {"confirm": {"action": "accept", "content": {"confirm": True}}}
        more = {"inputResponses": answers, "requestState": state}
        await client.request("tools/call", modern("delete_items", dict(ITEMS), {}, **more))
    assert len(stand.shop.acts) == 1


@pytest.mark.parametrize("asks", [True, False])
async def test_without_a_valid_seal_even_a_decline_is_no_answer(asks: bool, stand: Stand) -> None:
    capabilities: dict[str, object] = FORM if asks else {}
    more = {"inputResponses": {"confirm": {"action": "decline"}}, "requestState": "x" * 119}
    async with wire(stand.server) as client:
        params = modern("delete_items", dict(ITEMS), capabilities, **more)
        reply = await client.request("tools/call", params)
    assert is_question(reply) is asks
    assert asks or 'confirm_token="' in words(reply)


async def test_the_question_is_one_required_box_without_a_default(stand: Stand) -> None:
    async with connect(stand.server, MODERN, _never) as client:
        asked = await question(client, "delete_items", ITEMS)
    assert asked.input_requests is not None
    assert list(asked.input_requests) == ["confirm"]
    params = asked.input_requests["confirm"].params
    assert isinstance(params, types.ElicitRequestFormParams)
    assert params.message == (
        "This will delete 2 items.\n\nThey cannot be brought back.\n\n"
        "Values below are supplied by the caller, not by this server:\n  Item: a\n  Item: b"
    )
    schema = params.requested_schema
    assert schema["required"] == ["confirm"]
    box = schema["properties"]["confirm"]
    assert box["type"] == "boolean"
    assert "default" not in box
    assert box["title"]
    assert box["description"].endswith("(shop-mcp at shop.example.org)")


async def test_a_token_prompt_never_reaches_a_client_that_declined(stand: Stand) -> None:
    async def decline(
        context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        return types.ElicitResult(action="decline")

    async with connect(stand.server, MODERN, decline) as client:
        ends = [await call(client, "delete_items", ITEMS) for _ in range(3)]
    assert [end.is_error for end in ends] == [True] * 3
    assert [end for end in ends if "token" in text(end)] == []
    assert stand.approver.tokens.pending == 0
