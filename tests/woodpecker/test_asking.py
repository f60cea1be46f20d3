"""Asking and the two-call token, as this server does them."""

from __future__ import annotations

import pytest
from mcp.server import Server

from mcp_serverkit.tools.schema import parameters
from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import ERAS, Era, call, connect, text, token_in
from tests.support.person import Person
from tests.woodpecker.calls import GUARDED, Guarded, arrange
from tests.woodpecker.conftest import MakeServer
from tests.woodpecker.support import answered, failure, outcome, result
from woodpecker_ci_mcp.tools import TOOLS


@pytest.mark.requirement("S-all-1")
async def test_no_argument_that_a_model_can_set_approves(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    for tool in TOOLS:
        assert not {"confirm", "force", "yes", "approve"} & set(parameters(tool.function))
    for name in ("confirm", "approved"):
        said = await failure(server, "pause_queue", **{name: True})
        assert f"{name}:" in said
    assert backend.requests == []


@pytest.mark.requirement("S-all-2")
@pytest.mark.parametrize("era", ERAS)
async def test_a_token_is_worth_nothing_where_somebody_can_be_asked(
    era: Era, server: Server[object], backend: WoodpeckerBackend
) -> None:
    token = token_in(await outcome(server, "pause_queue", {}))
    person = Person()
    called, asked = await answered(
        server, "pause_queue", {"confirm_token": token}, era=era, person=person
    )
    assert not called.is_error
    assert len(asked) == 1
    assert token not in text(called) + asked[0]


@pytest.mark.requirement("S-all-7", "S-all-9", "S-all-10")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("guarded", GUARDED, ids=lambda guarded: guarded.name)
async def test_a_client_without_dialogs_calls_twice(
    guarded: Guarded, era: Era, server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    async with connect(server, era) as client:
        prompt = await call(client, guarded.tool, guarded.arguments)
        assert "This client cannot show a dialog" in text(prompt)
        assert "not a person's approval" in text(prompt)
        assert backend.writes == []
        again = {**guarded.arguments, "confirm_token": token_in(prompt)}
        called = await call(client, guarded.tool, again)
    assert not called.is_error, text(called)
    writes = [f"{request.method} {request.target}" for request in backend.writes]
    assert writes == list(guarded.writes)


@pytest.mark.requirement("S-all-12", "S-all-15")
@pytest.mark.parametrize("era", ERAS)
async def test_with_dialogs_off_the_server_names_itself_and_asks_nobody(
    era: Era, make_server: MakeServer, backend: WoodpeckerBackend
) -> None:
    server = make_server({"ELICITATION": "false"})
    person = Person()
    called, asked = await answered(server, "pause_queue", {}, era=era, person=person)
    assert asked == []
    assert "woodpecker-ci-mcp was started with ELICITATION=false" in text(called)
    assert backend.writes == []


@pytest.mark.requirement("S-all-5", "S-all-11")
async def test_a_token_opens_nothing_but_its_own_call(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    token = token_in(await outcome(server, "delete_cron", {"repo_id": 5, "cron_id": 71}))
    for tool, arguments in (
        ("delete_cron", {"repo_id": 5, "cron_id": 72}),
        ("delete_cron", {"repo_id": 12, "cron_id": 71}),
        ("delete_pipeline", {"repo_id": 5, "number": 71}),
        ("delete_pipeline_logs", {"repo_id": 5, "number": 71}),
    ):
        assert "refused" in await failure(server, tool, **arguments, confirm_token=token)
    assert backend.writes == []
    await result(server, "delete_cron", repo_id=5, cron_id=71, confirm_token=token)
