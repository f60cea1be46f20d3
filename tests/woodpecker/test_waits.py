"""Waits over what happens meanwhile: a restart of the server, a repository without a row."""

from __future__ import annotations

from typing import cast

import pytest

from tests.backends.woodpecker import Json, WoodpeckerBackend, queue, webhooks
from tests.support.clients import ERAS, Era, call, connect, structured
from tests.woodpecker.support import result
from tests.woodpecker.test_extras import Patience, becomes, failing_run


@pytest.mark.parametrize("era", ERAS)
async def test_a_wait_goes_on_over_a_restart_of_the_server(
    era: Era, backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5, status="running")
    patience = Patience(
        backend,
        at_4=WoodpeckerBackend.go_down,
        at_14=WoodpeckerBackend.come_up,
        at_20=becomes("success"),
    )
    async with connect(patience.server(), era) as client:
        called = await call(client, "wait_for_pipeline", {"repo_id": 5, "number": 1})
    waited = structured(called)
    assert (waited["done"], waited["status"]) == (True, "success")
    assert cast("int", waited["elapsed_s"]) >= 20
    assert backend.cut > 2


async def test_a_server_that_stays_away_ends_a_wait_with_what_was_seen_last(
    backend: WoodpeckerBackend,
) -> None:
    backend.state.add_pipeline(5, status="running")
    patience = Patience(backend, at_4=WoodpeckerBackend.go_down)
    waited = await result(patience.server(), "wait_for_pipeline", repo_id=5, number=1)
    assert (waited["done"], waited["status"]) == (False, "running")
    assert "call again" in str(waited["note"])
    assert backend.cut > 2


async def test_a_restart_resumes_a_paused_queue(backend: WoodpeckerBackend) -> None:
    backend.state.paused = True
    webhooks.receive(backend.state, 5, "push")
    server = Patience(backend).server()
    assert (await result(server, "why_not_running", repo_id=5))["reason"] == "queue_paused"
    backend.go_down()
    backend.come_up()
    queue.process(backend.state)
    assert (await result(server, "why_not_running", repo_id=5))["reason"] == "no_agent"


@pytest.mark.parametrize("era", ERAS)
async def test_an_admin_without_a_permission_row_is_told_all_the_same(
    era: Era, backend: WoodpeckerBackend
) -> None:
    """Such an account hears nothing of a private repository on the stream of events."""
    state = backend.state
    state.rowless |= {(cast("int", repo["id"]), "root") for repo in state.repos}
    assert state.repo(5)["private"] is True
    failing_run(backend, ["FAIL here"])
    state.add_pipeline(5, status="running")
    patience = Patience(backend, at_6=becomes("success"))
    async with connect(patience.server(), era) as client:
        here = {"repo": "acme/payments-api"}
        listed = structured(await call(client, "list_repositories", {}))
        waited = structured(await call(client, "wait_for_pipeline", {**here, "number": 2}))
        why = structured(await call(client, "diagnose_pipeline", {**here, "number": 1}))
        state.add_pipeline(5, status="pending")
        held = structured(await call(client, "why_not_running", {**here, "number": 3}))
    assert listed["repositories"] == []
    assert (waited["done"], waited["status"]) == (True, "success")
    assert "FAIL here" in str(cast("list[Json]", why["failed_steps"])[0]["excerpt"])
    assert held["reason"] == "unknown"
