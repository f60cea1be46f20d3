"""The example of the README, as it stands, under every kind of client."""

from __future__ import annotations

import asyncio

import mcp_types as types
import pytest
from mcp.client.context import ClientRequestContext
from mcp.shared.exceptions import MCPError

from tests.library.servers import FRAMEWORKS, SDK, example_text, load, wire_server
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
from tests.support.personas import PERSONAS, Persona, play

CALL: Arguments = {"branch": "main"}
DONE = "deleted main"

REACHING = [persona for persona in PERSONAS if persona.name != "forges states"]
"""A state that the framework did not seal is refused before the tool is reached; see below."""


async def _unanswered(
    context: ClientRequestContext, params: types.ElicitRequestParams
) -> types.ElicitResult:
    raise AssertionError("the legs are driven by hand")


@pytest.mark.requirement("L-1")
def test_it_is_at_most_fifteen_lines_of_code() -> None:
    code = [line for line in example_text(SDK).splitlines() if line.strip()]
    assert len(code) <= 15


@pytest.mark.requirement("L-1")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("persona", REACHING, ids=lambda persona: persona.name)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_only_a_yes_deletes(framework: str, persona: Persona, era: Era) -> None:
    shop = load(example_text(framework))
    shop.approver.wait_seconds = persona.wait_seconds
    server = wire_server(shop.server)
    results = await play(persona, server, era, "delete_branch", CALL)
    done = [text(result) for result in results if not result.is_error]
    assert done == [DONE] * persona.approves


@pytest.mark.requirement("L-6")
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_forged_state_is_refused_by_the_framework(framework: str) -> None:
    server = wire_server(load(example_text(framework)).server)
    async with connect(server, "2026-07-28", _unanswered) as client:
        good = (await question(client, "delete_branch", CALL)).request_state or ""
        flipped = good[:-6] + ("A" if good[-6] != "A" else "B") + good[-5:]
        for state in ("", "x", "A" * 120, flipped):
            with pytest.raises(MCPError) as refused:
                await leg(client, "delete_branch", CALL, answer=accept(), state=state)
            assert refused.value.error.code == types.INVALID_PARAMS


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_token_works_once_and_for_its_call(framework: str, era: Era) -> None:
    server = wire_server(load(example_text(framework)).server)
    async with connect(server, era) as client:
        token = token_in(await call(client, "delete_branch", CALL))
        for other in (
            {"branch": "other", "confirm_token": token},
            {"branch": "main", "force": True, "confirm_token": token},
            {"branch": "main", "confirm_token": "0" * 32},
        ):
            refused = await call(client, "delete_branch", other)
            assert text(refused).startswith("confirm_token refused")
        done = await call(client, "delete_branch", {**CALL, "confirm_token": token})
        assert text(done) == DONE
        again = await call(client, "delete_branch", {**CALL, "confirm_token": token})
        assert text(again).startswith("confirm_token refused")
        empty = await call(client, "delete_branch", {**CALL, "confirm_token": ""})
        assert text(empty).startswith("Confirmation needed.")


@pytest.mark.requirement("L-6")
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_used_or_missing_state_is_asked_again_and_another_call_is_refused(
    framework: str,
) -> None:
    server = wire_server(load(example_text(framework)).server)
    async with connect(server, "2026-07-28", _unanswered) as client:
        asked = await question(client, "delete_branch", CALL)
        state = asked.request_state
        with pytest.raises(MCPError):
            await leg(client, "delete_branch", {"branch": "b"}, answer=accept(), state=state)
        missing = await leg(client, "delete_branch", CALL, answer=accept())
        assert isinstance(missing, types.InputRequiredResult)
        done = await leg(client, "delete_branch", CALL, answer=accept(), state=state)
        assert text(done) == DONE
        used = await leg(client, "delete_branch", CALL, answer=accept(), state=state)
        assert isinstance(used, types.InputRequiredResult)


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_two_retries_at_once_delete_once(framework: str) -> None:
    server = wire_server(load(example_text(framework)).server)
    async with connect(server, "2026-07-28", _unanswered) as client:
        state = (await question(client, "delete_branch", CALL)).request_state
        both = await asyncio.gather(
            *(leg(client, "delete_branch", CALL, answer=accept(), state=state) for _ in range(2))
        )
    done = [one for one in both if isinstance(one, types.CallToolResult) and not one.is_error]
    assert len(done) == 1
