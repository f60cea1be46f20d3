"""Settings, credentials, accounts and the instance of a real Woodpecker server."""

from __future__ import annotations

from typing import cast

import pytest
from mcp.server import Server

from tests.backends.woodpecker import Json
from tests.live.fake_forge import ForgeRepo
from tests.live.woodpecker_server import (
    USER,
    RealWoodpecker,
)
from tests.live.woodpecker_site import (
    real,
    repo,
    repo_id,
    server,
)
from tests.support.clients import text
from tests.woodpecker.conftest import server_of
from tests.woodpecker.support import answered, failure, result

__all__ = ["real", "repo", "repo_id", "server"]

pytestmark = [
    pytest.mark.live("woodpecker"),
    pytest.mark.timeout(180),
]


async def test_settings_widen_only_after_a_yes(server: Server[object], repo_id: int) -> None:
    plain = await result(server, "update_repository", repo_id=repo_id, timeout=30)
    assert plain["timeout"] == 30
    grant = {"repo_id": repo_id, "trusted_network": True, "require_approval": "none"}
    called, asked = await answered(server, "update_repository", grant)
    assert "from forks to none" in asked[0]
    shown = cast("Json", called.structured_content)
    assert cast("Json", shown["trusted"])["network"] is True
    assert shown["require_approval"] == "none"


@pytest.mark.parametrize("name", ["plain_name", "ci.token-2"])
async def test_a_secret_lives_and_dies(name: str, server: Server[object], repo_id: int) -> None:
    here = {"repo_id": repo_id, "name": name}
    made = await result(server, "create_secret", **here, value="s3cr3t", events=["push"])
    assert "s3cr3t" not in str(made)
    assert "500" in await failure(server, "create_secret", **here, value="x", events=["push"])
    changed, asked = await answered(
        server, "update_secret", {**here, "events": ["push", "pull_request"], "value": "n3w"}
    )
    assert "opens to a pull request event" in asked[0]
    assert not changed.is_error, text(changed)
    listed = await result(server, "list_secrets", repo_id=repo_id)
    (row,) = cast("list[Json]", listed["secrets"])
    assert row["events"] == ["pull_request", "push"]
    gone, _ = await answered(server, "delete_secret", here)
    assert not gone.is_error, text(gone)
    assert "404" in await failure(server, "get_secret", **here)


async def test_registry_credentials_live_and_die(server: Server[object], repo_id: int) -> None:
    here = {"repo_id": repo_id, "address": "reg.example.org"}
    await result(server, "create_registry", **here, username="bot", password="pw-1")
    changed, _ = await answered(server, "update_registry", {**here, "password": "pw-2"})
    shown = cast("Json", cast("Json", changed.structured_content)["registry"])
    assert shown["username"] == "bot"
    assert "pw-" not in text(changed)
    gone, _ = await answered(server, "delete_registry", here)
    assert not gone.is_error, text(gone)
    again, _ = await answered(server, "delete_registry", here)
    assert again.is_error


async def test_a_cron_job_is_switched_on_runs_and_goes(
    server: Server[object], real: RealWoodpecker, repo_id: int
) -> None:
    job = {"repo_id": repo_id, "name": "nightly", "schedule": "0 4 * * *", "timezone": "UTC"}
    made = cast("Json", (await result(server, "create_cron", **job))["cron"])
    assert made["enabled"] is True
    again = await failure(server, "create_cron", **job)
    assert "A cron job of that name exists already: update_cron changes it." in again
    six = await failure(server, "create_cron", **{**job, "name": "b", "schedule": "0 0 4 * * *"})
    assert "five fields" in six
    here = {"repo_id": repo_id, "cron_id": made["id"]}
    paused = await result(server, "update_cron", **here, enabled=False)
    assert cast("Json", paused["cron"])["enabled"] is False
    run = await result(server, "run_cron", **here)
    assert cast("Json", run["pipeline"])["event"] == "cron"
    gone, _ = await answered(server, "delete_cron", here)
    assert not gone.is_error, text(gone)


async def test_an_agent_is_made_drained_and_removed(server: Server[object]) -> None:
    made = cast("Json", (await result(server, "create_agent", name="spare"))["agent"])
    token = str(made["token"])
    assert len(token) > 20
    drained = await result(server, "update_agent", agent_id=made["id"], no_schedule=True)
    agent = cast("Json", drained["agent"])
    assert (agent["name"], agent["no_schedule"]) == ("spare", True)
    assert token not in str(await result(server, "list_agents"))
    gone, _ = await answered(server, "delete_agent", {"agent_id": made["id"]})
    assert not gone.is_error, text(gone)


async def test_accounts_are_made_raised_and_removed(server: Server[object]) -> None:
    raised, _ = await answered(server, "create_user", {"login": "carol", "admin": True})
    assert not raised.is_error, text(raised)
    shown = cast("Json", cast("Json", raised.structured_content)["user"])
    assert (shown["login"], shown["admin"]) == ("carol", True)
    assert "only one of them" in await failure(server, "create_user", login="dave")
    mailed = await result(server, "update_user", login=USER, email="new@example.org")
    user = cast("Json", mailed["user"])
    assert (user["email"], user.get("admin", False)) == ("new@example.org", False)
    lowered = await result(server, "update_user", login="carol", admin=False)
    assert cast("Json", lowered["user"]).get("admin", False) is False
    gone, asked = await answered(server, "delete_user", {"login": "carol"})
    assert "0 repositories" in asked[0]
    assert not gone.is_error, text(gone)


async def test_a_forge_keeps_what_was_not_changed(server: Server[object]) -> None:
    forge = {
        "type": "gitea",
        "url": "http://127.0.0.1:9",
        "client": "client-id",
        "oauth_client_secret": "s3cr3t",
    }
    made = cast("Json", (await result(server, "create_forge", **forge))["forge"])
    called, _ = await answered(
        server, "update_forge", {"forge_id": made["id"], "skip_verify": True}
    )
    shown = cast("Json", cast("Json", called.structured_content)["forge"])
    assert (shown["url"], shown["client"], shown["skip_verify"]) == (
        "http://127.0.0.1:9",
        "client-id",
        True,
    )
    gone, _ = await answered(server, "delete_forge", {"forge_id": made["id"]})
    assert not gone.is_error, text(gone)


async def test_the_queue_pauses_and_goes_on(server: Server[object]) -> None:
    paused, _ = await answered(server, "pause_queue", {})
    assert not paused.is_error, text(paused)
    queue = await result(server, "get_queue_info")
    assert queue["paused"] is True
    await result(server, "resume_queue")
    queue = await result(server, "get_queue_info")
    assert queue["paused"] is False


async def test_the_log_level_is_set(server: Server[object]) -> None:
    before = (await result(server, "get_log_level"))["log-level"]
    silent, _ = await answered(server, "set_log_level", {"level": "disabled"})
    assert cast("Json", silent.structured_content)["log-level"] == "disabled"
    back = await result(server, "set_log_level", level=before)
    assert back["log-level"] == before


async def test_a_repository_moves_with_its_forge(
    server: Server[object], real: RealWoodpecker, repo: ForgeRepo, repo_id: int
) -> None:
    repo.name = f"{repo.name}-moved"
    arguments = {"repo_id": repo_id, "to": repo.full_name}
    called, asked = await answered(server, "move_repository", arguments)
    assert f"  To: {repo.full_name}" in asked[0]
    assert cast("Json", called.structured_content)["full_name"] == repo.full_name
    owned, _ = await answered(server, "chown_repository", {"repo_id": repo_id})
    assert not owned.is_error, text(owned)
    await result(server, "repair_repository", repo_id=repo_id)


async def test_who_may_not_is_told_so(real: RealWoodpecker, repo_id: int) -> None:
    server = server_of({"WOODPECKER_URL": real.url, "WOODPECKER_TOKEN": real.tokens[USER]})
    assert "instance admin" in await failure(server, "get_queue_info")
    assert "pull or push right" in await failure(server, "list_secrets", repo_id=repo_id)
    forges = await result(server, "list_forges")
    assert set(cast("list[Json]", forges["forges"])[0]) == {"id", "type", "url"}
