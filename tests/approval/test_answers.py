"""Answers on 2026-07-28: which of them count, and for what."""

from __future__ import annotations

import mcp_types as types
import pytest
from mcp.client.context import ClientRequestContext
from mcp.shared.exceptions import MCPError

from tests.approval.conftest import Stand
from tests.approval.raw import is_question, modern, result, state_of, wire, words
from tests.support.clients import Arguments, Era, accept, connect, leg, question, text

MODERN: Era = "2026-07-28"
ITEMS: Arguments = {"names": ["a", "b"]}


async def _never(
    context: ClientRequestContext, params: types.ElicitRequestParams
) -> types.ElicitResult:
    raise AssertionError("the legs are driven by hand")


def _asked(outcome: types.CallToolResult | types.InputRequiredResult) -> str:
    assert isinstance(outcome, types.InputRequiredResult), text(outcome)
    assert outcome.request_state is not None
    return outcome.request_state


@pytest.mark.requirement("AP-1")
async def test_the_right_answer_with_its_state_acts_once(stand: Stand) -> None:
    async with connect(stand.server, MODERN, _never) as client:
        state = _asked(await question(client, "delete_items", ITEMS))
        done = await leg(client, "delete_items", ITEMS, answer=accept(), state=state)
    assert isinstance(done, types.CallToolResult)
    assert done.is_error is False
    assert stand.shop.acts == [("delete_items", ["a", "b"])]
    assert stand.decisions == ["asked", "approved"]


@pytest.mark.requirement("AP-2")
async def test_an_answer_without_a_state_leads_to_a_fresh_question(stand: Stand) -> None:
    async with connect(stand.server, MODERN, _never) as client:
        _asked(await question(client, "delete_items", ITEMS))
        _asked(await leg(client, "delete_items", ITEMS, answer=accept()))
    assert stand.shop.acts == []


@pytest.mark.requirement("AP-2")
async def test_a_state_without_an_answer_stays_good_for_the_answer(stand: Stand) -> None:
    async with connect(stand.server, MODERN, _never) as client:
        state = _asked(await question(client, "delete_items", ITEMS))
        _asked(await leg(client, "delete_items", ITEMS, state=state))
        await leg(client, "delete_items", ITEMS, answer=accept(), state=state)
    assert len(stand.shop.acts) == 1
    assert "unanswered" in stand.lines[1]


@pytest.mark.parametrize(
    ("asked", "tool", "arguments"),
    [
        pytest.param(
            ("approve_run", {"repo_id": 5, "number": 12}),
            "release_run",
            {"repo_id": 5, "number": 12},
            id="AP-3: another tool, same arguments",
            marks=pytest.mark.requirement("AP-3"),
        ),
        pytest.param(
            ("delete_items", ITEMS),
            "delete_items",
            {"names": ["a", "b", "c"]},
            id="AP-4: one more target",
            marks=pytest.mark.requirement("AP-4"),
        ),
        pytest.param(
            ("delete_items", ITEMS),
            "delete_items",
            {"names": ["a"]},
            id="AP-4: one target less",
            marks=pytest.mark.requirement("AP-4"),
        ),
        pytest.param(
            ("approve_run", {"repo_id": 5, "number": 12}),
            "approve_run",
            {"repo_id": 12, "number": 5},
            id="AP-5: swapped positions",
            marks=pytest.mark.requirement("AP-5"),
        ),
        pytest.param(
            ("update_item", {"name": "apples", "colour": "red"}),
            "update_item",
            {"name": "apples", "colour": "red", "public": True},
            id="AP-6: the body gains a field",
            marks=pytest.mark.requirement("AP-6"),
        ),
        pytest.param(
            ("delete_items", {"names": ["a,b"]}),
            "delete_items",
            {"names": ["a", "b"]},
            id="AP-4: a separator inside a name",
            marks=pytest.mark.requirement("AP-4"),
        ),
    ],
)
async def test_an_approval_runs_nothing_but_its_own_target(
    asked: tuple[str, Arguments], tool: str, arguments: Arguments, stand: Stand
) -> None:
    async with connect(stand.server, MODERN, _never) as client:
        state = _asked(await question(client, *asked))
        _asked(await leg(client, tool, arguments, answer=accept(), state=state))
        assert stand.shop.acts == []
        await leg(client, *asked, answer=accept(), state=state)
    assert [name for name, _ in stand.shop.acts] == [asked[0]], "the mix-up spent the answer"


@pytest.mark.requirement("AP-26")
async def test_the_members_of_a_set_may_come_in_another_order(stand: Stand) -> None:
    async with connect(stand.server, MODERN, _never) as client:
        state = _asked(await question(client, "delete_items", ITEMS))
        turned = {"names": ["b", "a"]}
        await leg(client, "delete_items", turned, answer=accept(), state=state)
    assert stand.shop.acts == [("delete_items", ["b", "a"])]


@pytest.mark.parametrize("first", [accept(), types.ElicitResult(action="decline")])
@pytest.mark.requirement("AP-11")
async def test_a_used_answer_asks_again(first: types.ElicitResult, stand: Stand) -> None:
    async with connect(stand.server, MODERN, _never) as client:
        state = _asked(await question(client, "delete_items", ITEMS))
        await leg(client, "delete_items", ITEMS, answer=first, state=state)
        before = list(stand.shop.acts)
        _asked(await leg(client, "delete_items", ITEMS, answer=accept(), state=state))
    assert stand.shop.acts == before
    assert 'reason="used"' in stand.lines[-2] or "reason=used" in stand.lines[-2]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param({"confirm": False}, id="AP-13: false"),
        pytest.param({"confirm": "true"}, id='AP-13: "true"'),
        pytest.param({"confirm": 1}, id="AP-13: 1"),
        pytest.param({"confirm": 1.0}, id="AP-13: 1.0"),
        pytest.param({"confirm": ["true"]}, id="AP-13: a list"),
        pytest.param({}, id="AP-13: nothing ticked"),
        pytest.param(None, id="AP-13: null content"),
        pytest.param({"Confirm": True}, id="AP-13: another spelling"),
        pytest.param({"confirmed": True, "yes": True}, id="AP-13: other fields"),
    ],
)
@pytest.mark.requirement("AP-13")
async def test_an_accept_without_the_tick_is_no_yes(content: object, stand: Stand) -> None:
    answer = {"action": "accept", "content": content}
    async with wire(stand.server) as client:
        state = state_of(await client.request("tools/call", modern("delete_items", dict(ITEMS))))
        more = {"inputResponses": {"confirm": answer}, "requestState": state}
        reply = await client.request("tools/call", modern("delete_items", dict(ITEMS), **more))
    assert result(reply)["isError"] is True
    assert 'answered "accept" without the tick' in words(reply)
    assert stand.shop.acts == []
    assert stand.decisions == ["asked", "not_ticked"]


@pytest.mark.requirement("AP-13")
async def test_extra_fields_beside_the_tick_do_no_harm(stand: Stand) -> None:
    answer = types.ElicitResult(action="accept", content={"confirm": True, "remark": "fine"})
    async with connect(stand.server, MODERN, _never) as client:
        state = _asked(await question(client, "delete_items", ITEMS))
        await leg(client, "delete_items", ITEMS, answer=answer, state=state)
    assert len(stand.shop.acts) == 1


@pytest.mark.parametrize(
    ("action", "decision"),
    [
        pytest.param("decline", "declined", id="AP-14: decline"),
        pytest.param("cancel", "cancelled", id="AP-14: cancel"),
    ],
)
@pytest.mark.requirement("AP-14")
async def test_a_no_ends_the_call_and_is_logged_in_its_own_word(
    action: str, decision: str, stand: Stand
) -> None:
    no = types.ElicitResult.model_validate({"action": action})
    async with connect(stand.server, MODERN, _never) as client:
        state = _asked(await question(client, "delete_items", ITEMS))
        ended = await leg(client, "delete_items", ITEMS, answer=no, state=state)
    assert text(ended) == (
        f'Not approved: the client answered "{action}". Nothing was changed. If no dialog was '
        "visible, this client answers by itself; the operator of this server finds the setting "
        "in its README."
    )
    assert stand.decisions == ["asked", decision]
    assert stand.shop.acts == []


@pytest.mark.requirement("AP-15")
async def test_an_answer_under_another_key_is_no_answer(stand: Stand) -> None:
    async with connect(stand.server, MODERN, _never) as client:
        state = _asked(await question(client, "delete_items", ITEMS))
        other = await leg(client, "delete_items", ITEMS, answer=accept(), state=state, key="ok")
        _asked(other)
    assert stand.shop.acts == []


@pytest.mark.requirement("AP-15")
async def test_unknown_answers_beside_the_right_one_are_ignored(stand: Stand) -> None:
    async with wire(stand.server) as client:
        state = state_of(await client.request("tools/call", modern("delete_items", dict(ITEMS))))
        answers = {
            "other": {"action": "decline"},
            "confirm": {"action": "accept", "content": {"confirm": True}},
        }
        more = {"inputResponses": answers, "requestState": state}
        await client.request("tools/call", modern("delete_items", dict(ITEMS), **more))
    assert len(stand.shop.acts) == 1


@pytest.mark.requirement("AP-15")
async def test_an_answer_of_another_kind_is_no_answer(stand: Stand) -> None:
    async with wire(stand.server) as client:
        state = state_of(await client.request("tools/call", modern("delete_items", dict(ITEMS))))
        more = {"inputResponses": {"confirm": {"roots": []}}, "requestState": state}
        reply = await client.request("tools/call", modern("delete_items", dict(ITEMS), **more))
    assert is_question(reply)
    assert stand.shop.acts == []


@pytest.mark.requirement("AP-20")
@pytest.mark.parametrize("tool", ["list_items", "no_such_tool"])
async def test_a_state_is_worth_nothing_to_another_tool(tool: str, stand: Stand) -> None:
    async with wire(stand.server) as client:
        state = state_of(await client.request("tools/call", modern("delete_items", dict(ITEMS))))
        answers = {"confirm": {"action": "accept", "content": {"confirm": True}}}
        more = {"inputResponses": answers, "requestState": state}
        await client.request("tools/call", modern(tool, {}, **more))
        get = await client.request("prompts/get", {**modern("p", {}, **more)})
    assert "error" in get
    assert stand.shop.acts == []


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"requestState": 7}, id="AP-7: a state that is no text"),
        pytest.param({"inputResponses": []}, id="answers that are no object"),
        pytest.param({"inputResponses": {"confirm": {"action": "maybe"}}}, id="a bogus action"),
    ],
)
async def test_malformed_answers_are_the_sdk_s_to_refuse(
    more: dict[str, object], stand: Stand
) -> None:
    async with wire(stand.server) as client:
        reply = await client.request("tools/call", modern("delete_items", dict(ITEMS), **more))
    error = reply["error"]
    assert isinstance(error, dict)
    assert error["code"] == types.INVALID_PARAMS
    assert stand.shop.acts == []


async def test_an_unknown_tool_is_a_protocol_error(stand: Stand) -> None:
    async with connect(stand.server, MODERN, _never) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("delete_everything", {})
    assert caught.value.code == types.INVALID_PARAMS
    assert str(caught.value) == "Unknown tool: delete_everything"
