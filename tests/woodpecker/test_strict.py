"""The switch that adds questions, and what stays the same with it."""

from __future__ import annotations

import pytest
from mcp.server import Server

from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import ERAS, Era, text
from tests.woodpecker.calls import arrange
from tests.woodpecker.conftest import MakeServer
from tests.woodpecker.support import answered, failure, result

FORGE = {
    "type": "forgejo",
    "url": "https://git.new.example",
    "client": "client-id",
    "oauth_client_secret": "s3cr3t-of-the-forge",
}
SECRET = {"repo_id": 5, "name": "new", "value": "s3cr3t-of-the-caller"}


@pytest.fixture
def strict(make_server: MakeServer) -> Server[object]:
    return make_server({"WOODPECKER_STRICT": "on"})


async def test_without_the_switch_nobody_is_asked(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    made = await result(server, "create_forge", **FORGE)
    assert made["forge"]["type"] == "forgejo"  # type: ignore[index]
    assert backend.state.forges[-1]["stored_secret"] == FORGE["oauth_client_secret"]
    await result(server, "create_secret", **SECRET, events=["pull_request"])
    backend.state.add_pipeline(5, from_fork=True)
    await result(server, "restart_pipeline", repo_id=5, number=1)


@pytest.mark.parametrize("era", ERAS)
async def test_a_new_forge_is_asked_about(
    era: Era, strict: Server[object], backend: WoodpeckerBackend
) -> None:
    called, asked = await answered(strict, "create_forge", FORGE, era=era)
    assert not called.is_error
    assert "add a forge of type forgejo" in asked[0]
    assert "  url: https://git.new.example" in asked[0]
    assert "s3cr3t" not in asked[0] + text(called)


@pytest.mark.parametrize("era", ERAS)
async def test_a_secret_open_to_pull_requests_is_asked_about(
    era: Era, strict: Server[object], backend: WoodpeckerBackend
) -> None:
    arguments = {**SECRET, "events": ["push", "pull_request"]}
    called, asked = await answered(strict, "create_secret", arguments, era=era)
    assert not called.is_error
    assert 'create secret "new" of repository 5, open to pull requests' in asked[0]
    assert "s3cr3t" not in asked[0] + text(called)
    _, asked = await answered(strict, "create_secret", {**SECRET, "name": "b", "events": ["push"]})
    assert asked == []


@pytest.mark.parametrize("era", ERAS)
async def test_a_restart_that_nobody_approved_is_asked_about(
    era: Era, strict: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    backend.state.add_pipeline(5, title="approve me", from_fork=True, event="pull_request")
    arguments = {"repo_id": 5, "number": 3, "variables": {"A": "1"}}
    called, asked = await answered(strict, "restart_pipeline", arguments, era=era)
    assert not called.is_error
    assert "run pipeline 3 of repository 5 again" in asked[0]
    assert "approve me" not in asked[0]
    assert len(backend.writes) == 1


async def test_an_ordinary_restart_asks_nobody(
    strict: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5)
    backend.state.add_pipeline(5, from_fork=True, reviewed_by="root")
    for number in (1, 2):
        _, asked = await answered(strict, "restart_pipeline", {"repo_id": 5, "number": number})
        assert asked == []
    assert len(backend.writes) == 2


async def test_a_pipeline_that_cannot_be_read_is_not_restarted(
    server: Server[object], strict: Server[object], backend: WoodpeckerBackend
) -> None:
    for either in (server, strict):
        assert "404" in await failure(either, "restart_pipeline", repo_id=5, number=9)
    assert backend.writes == []
