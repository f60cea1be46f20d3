"""Reported faults of clients and transports, sprung on this server."""

from __future__ import annotations

import pytest
from mcp.server import Server

from tests.backends.woodpecker import Answer, WoodpeckerBackend
from tests.support.clients import call, connect, text, token_in
from tests.support.person import Person
from tests.woodpecker.calls import arrange
from tests.woodpecker.conftest import ADMIN_TOKEN, MakeServer, server_of
from tests.woodpecker.support import HERE, answered, failure, outcome, result, store
from woodpecker_ci_mcp.order import EXTRAS, ORDER


@pytest.mark.requirement("R-19")
async def test_a_client_that_declines_by_itself_gets_no_way_round(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    no = Person("decline")
    for _ in range(3):
        called, _ = await answered(server, "pause_queue", {}, person=no)
        assert called.is_error
        assert "decline" in text(called)
        assert "confirm_token" not in text(called)
        assert "ELICITATION" not in text(called)
    assert backend.writes == []
    called, _ = await answered(server, "pause_queue", {})
    assert not called.is_error


@pytest.mark.requirement("R-20")
async def test_half_a_surrogate_pair_reaches_the_client_as_a_replacement(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    body = b'[{"number": 1, "status": "success", "message": "fix \\ud83d"}]'
    backend.script("GET", "/api/repos/5/pipelines", Answer(200, body, "application/json"))
    async with connect(server, "2025-11-25") as client:
        called = await call(client, "list_pipelines", {"repo_id": 5})
        assert "fix \ufffd" in text(called)
        assert len((await client.list_tools()).tools) == len(ORDER) - len(EXTRAS)


@pytest.mark.requirement("R-22")
async def test_numbers_and_lists_in_the_wrong_wrapping_are_unwrapped(
    server: Server[object], backend: WoodpeckerBackend, step: object
) -> None:
    store(backend, ["text"])
    wrapped = {"repo_id": "5", "number": "1", "step_id": "7001", "limit": None}
    assert await result(server, "get_step_logs", **wrapped) == await result(
        server, "get_step_logs", **HERE
    )
    arrange(backend)
    backend.state.pipelines[5][1]["status"] = "success"
    asked = await outcome(server, "delete_pipeline", {"repo_id": "5", "number": "2"})
    token = token_in(asked)
    wider = await failure(server, "delete_pipeline", repo_id=5, number=3, confirm_token=token)
    assert "refused" in wider
    await result(server, "delete_pipeline", repo_id=5, number=2, confirm_token=token)


@pytest.mark.requirement("R-22")
@pytest.mark.parametrize(
    ("name", "value"), [("repo_id", True), ("repo_id", 5.5), ("repo_id", "x"), ("number", [1])]
)
async def test_nothing_else_is_unwrapped(
    name: str, value: object, server: Server[object], backend: WoodpeckerBackend
) -> None:
    arguments = {"repo_id": 5, "number": 1, name: value}
    assert name in await failure(server, "get_pipeline", **arguments)
    assert backend.requests == []


@pytest.mark.requirement("R-23")
@pytest.mark.parametrize(
    "proxies",
    [
        {"ALL_PROXY": "socks://127.0.0.1:10808"},
        {"HTTPS_PROXY": "127.0.0.1:7890"},
        {"HTTPS_PROXY": "http://user:geheim@proxy.example.net:3128", "NO_PROXY": "*"},
    ],
)
async def test_proxies_of_the_desktop_do_not_reach_this_machine(
    proxies: dict[str, str], backend: WoodpeckerBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in proxies.items():
        monkeypatch.setenv(name, value)
    environ = {"WOODPECKER_URL": backend.url, "WOODPECKER_TOKEN": ADMIN_TOKEN}
    shown = await outcome(server_of(environ), "get_current_user", {})
    assert not shown.is_error
    assert "geheim" not in text(shown)


@pytest.mark.requirement("R-26")
@pytest.mark.parametrize("value", ['{"k":1}', "[1,2]", "null", '"quoted"', "123", "true", " x "])
async def test_text_arrives_exactly_as_given(
    value: str, make_server: MakeServer, backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    server = make_server()
    arguments = {"repo_id": 5, "name": "deploy_key", "value": value}
    await answered(server, "update_secret", arguments)
    await result(server, "trigger_pipeline", repo_id=5, branch="main", variables={"CFG": value})
    secret, build = (request.json() for request in backend.writes)
    assert secret == {"value": value}
    assert build == {"branch": "main", "variables": {"CFG": value}}
