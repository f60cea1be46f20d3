"""The first of two calls: what its answer says."""

from __future__ import annotations

import mcp_types as types
import pytest
from mcp.client.context import ClientRequestContext

from tests.approval.conftest import MakeStand, Stand
from tests.support.clients import (
    ERAS,
    Arguments,
    Era,
    accept,
    call,
    connect,
    text,
    token_in,
)

ITEMS: Arguments = {"names": ["a", "b"]}


def _with(token: object, arguments: Arguments = ITEMS) -> Arguments:
    return {**arguments, "confirm_token": token}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.requirement("AP-29")
async def test_the_prompt_is_an_error_result_that_says_all_and_claims_nothing(
    era: Era, stand: Stand
) -> None:
    async with connect(stand.server, era) as client:
        await client.list_tools()
        prompt = await call(client, "delete_items", ITEMS)
    token = token_in(prompt)
    assert prompt.structured_content is None
    assert text(prompt) == (
        "Confirmation needed. Nothing was changed.\n\n"
        "This will delete 2 items.\n\nThey cannot be brought back.\n\n"
        "Values below are supplied by the caller, not by this server:\n  Item: a\n  Item: b\n\n"
        "To go on, call delete_items again with the same arguments and "
        f'confirm_token="{token}". The token works once, within 5 minutes.\n\n'
        "This client cannot show a dialog, so no person was asked. The token proves that the call "
        "was made twice with the same arguments, and nothing more: it is not a person's approval."
    )


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.requirement("AP-30")
async def test_with_dialogs_off_a_client_that_could_be_asked_gets_the_token_and_the_reason(
    era: Era, make_stand: MakeStand
) -> None:
    async def never(context: ClientRequestContext, params: types.ElicitRequestParams) -> object:
        raise AssertionError("no question may come")

    stand = make_stand(dialog=False)
    async with connect(stand.server, era, never) as client:  # type: ignore[arg-type]
        prompt = await call(client, "delete_items", ITEMS)
        await call(client, "delete_items", _with(token_in(prompt)))
    assert "shop-mcp was started with ELICITATION=false, so this server asked no person." in text(
        prompt
    )
    assert "client cannot" not in text(prompt)
    assert len(stand.shop.acts) == 1


async def test_null_is_the_same_as_no_token(stand: Stand) -> None:
    async with connect(stand.server, "2025-11-25") as client:
        assert token_in(await call(client, "delete_items", _with(None)))


async def test_the_prompt_names_what_a_repeat_may_change(stand: Stand) -> None:
    async with connect(stand.server, "2025-11-25") as client:
        prompt = await call(client, "create_login", {"name": "eve", "password": "hunter2-hunter2"})
    assert "with the same arguments (password may differ) and confirm_token=" in text(prompt)
    assert "hunter2" not in text(prompt)


@pytest.mark.parametrize("era", ERAS)
async def test_an_answer_with_a_yes_is_worth_nothing_to_a_client_that_was_never_asked(
    era: Era, stand: Stand
) -> None:
    async with connect(stand.server, era) as client:
        outcome = await client.session.call_tool(
            "delete_items",
            dict(ITEMS),
            input_responses={"confirm": accept()},
            request_state="x" * 119,
            allow_input_required=True,
        )
    assert 'confirm_token="' in text(outcome)
    assert stand.shop.acts == []
