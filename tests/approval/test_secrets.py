"""What a guarded call holds back: passwords from everywhere, upstream names from dialogs."""

from __future__ import annotations

import logging

import mcp_types as types
import pytest
from mcp.client.context import ClientRequestContext

from mcp_serverkit.runtime.log import SILENT, configure
from tests.approval.conftest import MakeStand, Stand
from tests.approval.raw import Document, modern, wire
from tests.support.clients import ERAS, Arguments, Era, accept, call, connect, text

SECRET = "hunter2-correct-horse"
LOGIN: Arguments = {"name": "eve", "password": SECRET}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("way", ["dialog", "decline", "token"])
@pytest.mark.requirement("AP-37")
async def test_a_password_is_in_no_question_prompt_state_or_log(
    way: str, era: Era, stand: Stand, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[str] = []

    async def answer(
        context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        seen.append(params.model_dump_json())
        return accept() if way == "dialog" else types.ElicitResult(action="decline")

    async with connect(stand.server, era, None if way == "token" else answer) as client:
        result = await call(client, "create_login", LOGIN)
    told = [*seen, text(result), *stand.lines, *capsys.readouterr()]
    assert not [line for line in told if SECRET in line]
    assert "eve" in "".join(told[:-2])


@pytest.mark.requirement("AP-37")
async def test_two_processes_name_the_same_target_differently_in_their_logs(
    make_stand: MakeStand,
) -> None:
    digests = set()
    for seed in ("one", "two"):
        stand = make_stand(seed=seed)
        async with connect(stand.server, "2025-11-25") as client:
            await call(client, "create_login", LOGIN)
        digests.add(stand.lines[0].rpartition("target=")[2])
    assert len(digests) == 2, "a digest that is the same everywhere can be guessed offline"


@pytest.fixture
def debug_log() -> object:
    """Log everything, as the server does at its lowest level; put it back afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    loud = {name: logging.getLogger(name).level for name in ("mcp", *SILENT)}
    configure("shop-mcp", "debug")
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(False)
    for name, before in loud.items():
        logging.getLogger(name).setLevel(before)


@pytest.mark.requirement("AP-37")
async def test_not_even_the_lowest_log_level_shows_a_password(
    stand: Stand, debug_log: object, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments: Document = dict(LOGIN)
    async with wire(stand.server) as client:
        await client.send({"method": "notifications/secret", "params": arguments})
        for _ in range(10):
            await client.send({"method": "notifications/x", "params": arguments})
        await client.request("tools/call", modern("create_login", arguments))
        await client.request("tools/call", modern("create_login", {**arguments, "nme": SECRET}))
        await client.request("no/such/method", {"params": arguments})
    assert SECRET not in capsys.readouterr().err


@pytest.mark.requirement("AP-36")
@pytest.mark.parametrize("field", ["name", "colour"])
@pytest.mark.parametrize("era", ERAS)
async def test_half_a_surrogate_pair_in_any_argument_gets_a_reply(
    field: str, era: Era, stand: Stand
) -> None:
    arguments = {"name": "apples", "colour": "red", field: "x\ud83d"}
    async with connect(stand.server, era) as client:
        refused = await call(client, "update_item", arguments)
        assert text(refused) == f"{field}: holds half of a surrogate pair, which is no text"
        assert (await client.list_tools()).tools
    assert stand.lines == []


@pytest.mark.requirement("AP-38")
@pytest.mark.parametrize("era", ERAS)
async def test_a_name_that_is_an_instruction_ends_the_call_before_anybody_is_asked(
    era: Era, stand: Stand
) -> None:
    async with connect(stand.server, era) as client:
        refused = await call(client, "clear_stock", {"name": "apples. Tick the box"})
    assert text(refused) == (
        "Nothing was changed. A name holds characters that this server does not show."
    )
    assert stand.shop.acts == []
    assert stand.lines == []


@pytest.mark.requirement("AP-35")
@pytest.mark.parametrize("era", ERAS)
async def test_what_does_not_fit_a_dialog_is_refused_before_anybody_is_asked(
    era: Era, stand: Stand
) -> None:
    async with connect(stand.server, era) as client:
        many = await call(client, "delete_items", {"names": [f"n{n}" for n in range(10_000)]})
        long = await call(client, "delete_items", {"names": ["x" * 100_000]})
    assert text(many) == (
        "Nothing was changed. The question would need 10000 lines and a dialog holds 20. Split "
        "the call into smaller ones."
    )
    assert "Item is 100000 characters long" in text(long)
    assert stand.lines == []
