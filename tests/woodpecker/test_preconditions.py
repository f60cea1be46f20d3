"""Nobody is asked about what cannot happen."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from mcp.server import Server

from tests.backends.woodpecker import WoodpeckerBackend
from tests.backends.woodpecker.state import first_step
from tests.support.clients import ERAS, Arguments, Era, structured, text
from tests.woodpecker.calls import GUARDED, Guarded, arrange
from tests.woodpecker.conftest import MakeServer
from tests.woodpecker.support import STEP, answered, failure, text_answer

PULLER = "token-of-a-reader"
REGISTRY = {"address": "nosuch.example.org"}


@pytest.fixture
def reader(make_server: MakeServer, backend: WoodpeckerBackend) -> Server[object]:
    """A server of an account that may only read."""
    backend.state.add_user("reader", token=PULLER)
    for repo in backend.state.repos:
        backend.state.rights[int(str(repo["id"])), "reader"] = "pull"
    return make_server({"WOODPECKER_TOKEN": PULLER})


@pytest.mark.requirement("W-10")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("guarded", GUARDED, ids=lambda guarded: guarded.name)
async def test_without_the_right_nobody_is_asked(
    guarded: Guarded, era: Era, reader: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    called, asked = await answered(reader, guarded.tool, guarded.arguments, era=era)
    assert called.is_error
    assert asked == []
    assert backend.writes == []
    if guarded.tool == "approve_pipeline":
        assert "lacks the push right in repository 5" in text(called)


def _status(number: int, status: str) -> Callable[[WoodpeckerBackend], None]:
    def change(backend: WoodpeckerBackend) -> None:
        pipeline = backend.state.pipelines[5][number - 1]
        pipeline["status"] = status
        first_step(pipeline)["state"] = status

    return change


def _busy(backend: WoodpeckerBackend) -> None:
    backend.state.tasks.append({"id": "17", "agent_id": 31, "repo_id": 5})


def _nothing(_: WoodpeckerBackend) -> None:
    pass


IMPOSSIBLE: tuple[tuple[str, Arguments, Callable[[WoodpeckerBackend], None]], ...] = (
    ("delete_secret", {"repo_id": 5, "name": "nosuch"}, _nothing),
    ("delete_secret", {"scope": "global", "name": "nosuch"}, _nothing),
    ("update_secret", {"repo_id": 5, "name": "nosuch", "value": "v"}, _nothing),
    ("delete_registry", {"repo_id": 5, **REGISTRY}, _nothing),
    ("update_registry", {"repo_id": 5, **REGISTRY, "password": "p"}, _nothing),
    ("delete_cron", {"repo_id": 5, "cron_id": 99}, _nothing),
    ("approve_pipeline", {"repo_id": 5, "number": 2}, _nothing),
    ("delete_pipeline", {"repo_id": 5, "number": 9}, _nothing),
    *(
        (tool, {"repo_id": 5, "number": 2}, _status(2, status))
        for tool in ("delete_pipeline", "delete_pipeline_logs")
        for status in ("pending", "running", "blocked")
    ),
    *(
        ("delete_step_logs", {"repo_id": 5, "number": 2, "step_id": STEP}, _status(2, status))
        for status in ("pending", "running")
    ),
    ("delete_step_logs", {"repo_id": 5, "number": 2, "step_id": 1}, _nothing),
    ("delete_repository", {"repo_id": 99}, _nothing),
    ("chown_repository", {"repo_id": 99}, _nothing),
    ("move_repository", {"repo_id": 5, "to": "Acme/Payments-API"}, _nothing),
    ("update_repository", {"repo_id": 99, "trusted_network": True}, _nothing),
    ("delete_agent", {"agent_id": 99}, _nothing),
    ("delete_agent", {"agent_id": 31}, _busy),
    ("delete_user", {"login": "nobody"}, _nothing),
    ("update_user", {"login": "nobody", "admin": True}, _nothing),
    ("create_user", {"login": "eve", "admin": True}, _nothing),
    ("delete_forge", {"forge_id": 9}, _nothing),
    ("update_forge", {"forge_id": 9, "client": "x"}, _nothing),
    ("delete_organization", {"org_id": 9}, _nothing),
)


@pytest.mark.requirement("W-10")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("tool", "arguments", "change"), IMPOSSIBLE)
async def test_what_is_bound_to_fail_asks_nobody(
    tool: str,
    arguments: Arguments,
    change: Callable[[WoodpeckerBackend], None],
    era: Era,
    server: Server[object],
    backend: WoodpeckerBackend,
) -> None:
    arrange(backend)
    change(backend)
    called, asked = await answered(server, tool, arguments, era=era)
    assert called.is_error, text(called)
    assert asked == []
    assert backend.writes == []
    assert "confirm_token" not in await failure(server, tool, **arguments)


@pytest.mark.requirement("W-10")
async def test_a_right_that_was_given_a_second_ago_counts(
    reader: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    arguments = {"repo_id": 5, "number": 1}
    assert (await answered(reader, "approve_pipeline", arguments))[0].is_error
    backend.state.rights[5, "reader"] = "push"
    called, asked = await answered(reader, "approve_pipeline", arguments)
    assert not called.is_error
    assert len(asked) == 1


@pytest.mark.requirement("W-10")
@pytest.mark.parametrize("route", ["/api/user", "/api/repos/5/permissions", "/api/queue/info"])
async def test_not_knowing_is_no_reason_to_refuse(
    route: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    backend.script("GET", route, text_answer(500))
    tool = "pause_queue" if "repos" not in route else "delete_cron"
    arguments: Arguments = {} if tool == "pause_queue" else {"repo_id": 5, "cron_id": 71}
    called, asked = await answered(server, tool, arguments)
    assert len(asked) == 1
    assert not called.is_error


@pytest.mark.requirement("W-10")
@pytest.mark.parametrize("era", ERAS)
async def test_what_is_so_already_is_asked_about_and_not_sent(
    era: Era, server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.paused = True
    backend.state.log_level = "disabled"
    for tool, arguments in (("pause_queue", {}), ("set_log_level", {"level": "disabled"})):
        called, asked = await answered(server, tool, arguments, era=era)
        assert "\n\nNothing would change: " in asked[0]
        assert structured(called)["changed"] is False
    assert backend.writes == []


@pytest.mark.requirement("W-7")
async def test_the_own_account_is_named_as_such(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    _, asked = await answered(server, "delete_user", {"login": "root"})
    assert "account of this server's token, so every later call will fail" in asked[0]
    _, asked = await answered(server, "delete_user", {"login": "eve"})
    assert "token, so every" not in " ".join(asked)
