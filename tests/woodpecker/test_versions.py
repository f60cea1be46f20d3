"""The same calls against servers of every line."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mcp.server import Server

from tests.backends.woodpecker import WoodpeckerBackend
from tests.backends.woodpecker.state import first_step
from tests.woodpecker.conftest import ADMIN_TOKEN, populate, server_of
from tests.woodpecker.support import HERE, STEP, answered, result, store

VERSIONS = ("2.8.3", "3.0.0", "3.11.0", "3.13.0", "3.16.0", "3.18.0")
SECRET = "s3cr3t-of-the-forge"


@pytest.fixture(params=VERSIONS)
def backend(request: pytest.FixtureRequest) -> Iterator[WoodpeckerBackend]:
    with WoodpeckerBackend(request.param) as running:
        populate(running)
        yield running


@pytest.fixture
def server(backend: WoodpeckerBackend) -> Server[object]:
    return server_of({"WOODPECKER_URL": backend.url, "WOODPECKER_TOKEN": ADMIN_TOKEN})


async def test_a_failure_is_explained_on_every_line(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    step = first_step(backend.state.add_pipeline(5, status="failure"))
    step.update(id=STEP, exit_code=2)
    store(backend, ["boom"])
    rows = (await result(server, "list_pipelines", repo_id=5))["pipelines"]
    assert rows[0]["created"] == backend.state.now  # type: ignore[index]
    tree = await result(server, "get_pipeline", repo_id=5, number="latest")
    shown = tree["workflows"][0]["steps"][0]  # type: ignore[index]
    assert (shown["exit_code"], shown["finished"]) == (2, backend.state.now + 5)
    log = await result(server, "get_step_logs", **HERE)
    assert (log["output"], log["exit_code"]) == ("boom", 2)


async def test_a_cron_job_is_switched_on_on_every_line(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    made = await result(server, "create_cron", repo_id=5, name="n", schedule="0 4 * * *")
    assert "note" not in made
    assert backend.state.crons[0]["enabled"] is True


async def test_a_forges_secret_is_stored_on_every_line(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    forge = {"type": "gitea", "url": "https://git.new.example", "client": "client-id"}
    made = await result(server, "create_forge", **forge, oauth_client_secret=SECRET)
    assert SECRET not in str(made)
    stored = backend.state.forges[-1]
    assert (stored["stored_secret"], stored["url"]) == (SECRET, forge["url"])


async def test_an_approved_admin_becomes_one_unless_the_line_cannot(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    called, _ = await answered(server, "create_user", {"login": "newcomer", "admin": True})
    assert not called.is_error
    stored = backend.state.user("newcomer")
    assert stored is not None
    assert stored["admin"] is True


async def test_trust_is_granted_on_every_line(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    flags = dict.fromkeys(("trusted_network", "trusted_volumes", "trusted_security"), True)
    called, asked = await answered(server, "update_repository", {"repo_id": 5, **flags})
    assert not called.is_error
    assert len(asked) == 1
    assert backend.state.repos[0]["trusted"] == dict.fromkeys(
        ("network", "volumes", "security"), True
    )


async def test_a_move_is_a_success_on_every_line(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    called, _ = await answered(server, "move_repository", {"repo_id": 5, "to": "acme/renamed"})
    assert not called.is_error
    assert backend.state.repos[0]["full_name"] == "acme/renamed"
