"""Every tool that reads, against what the stand-in holds; the extras are in `test_extras`."""

from __future__ import annotations

import pytest
from mcp.server import Server

from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import ERAS, Era, call, connect, document, structured
from tests.woodpecker.calls import arrange
from tests.woodpecker.conftest import MakeServer
from tests.woodpecker.support import STEP, failure, result
from woodpecker_ci_mcp.order import EXTRAS, READ

REPO = "/api/repos/5"
READS: tuple[tuple[str, dict[str, object], str, str], ...] = (
    ("list_repositories", {}, "/api/user/repos", "repositories"),
    ("get_repository", {"repo_id": 5}, REPO, "full_name"),
    (
        "lookup_repository",
        {"full_name": "Acme/Payments-API"},
        "/api/repos/lookup/Acme/Payments-API",
        "full_name",
    ),
    ("get_repository_permissions", {"repo_id": 5}, f"{REPO}/permissions", "pull"),
    (
        "list_repository_branches",
        {"repo_id": 5, "page": 1, "per_page": 50},
        f"{REPO}/branches?page=1&perPage=50",
        "branches",
    ),
    ("list_pull_requests", {"repo_id": 5}, f"{REPO}/pull_requests", "pull_requests"),
    (
        "list_pipelines",
        {
            "repo_id": 5,
            "branch": "main",
            "event": "push",
            "ref": "heads",
            "before": "2027-01-31T08:00:00Z",
            "after": "2020-01-31T08:00:00+01:00",
        },
        f"{REPO}/pipelines?branch=main&event=push&ref=heads&before=2027-01-31T08%3A00%3A00Z"
        "&after=2020-01-31T08%3A00%3A00%2B01%3A00",
        "pipelines",
    ),
    ("get_pipeline", {"repo_id": 5, "number": 2}, f"{REPO}/pipelines/2", "workflows"),
    ("get_pipeline_config", {"repo_id": 5, "number": 2}, f"{REPO}/pipelines/2/config", "configs"),
    (
        "get_pipeline_metadata",
        {"repo_id": 5, "number": 2},
        f"{REPO}/pipelines/2/metadata",
        "repo",
    ),
    ("list_queued_pipelines", {}, "/api/pipelines", "queued"),
    (
        "get_step_logs",
        {"repo_id": 5, "number": 2, "step_id": STEP},
        f"{REPO}/logs/2/{STEP}",
        "output",
    ),
    ("list_secrets", {"repo_id": 5}, f"{REPO}/secrets", "secrets"),
    (
        "get_secret",
        {"repo_id": 5, "name": "deploy_key"},
        f"{REPO}/secrets/deploy_key",
        "events",
    ),
    ("list_registries", {"repo_id": 5}, f"{REPO}/registries", "registries"),
    (
        "get_registry",
        {"repo_id": 5, "address": "reg.example.org"},
        f"{REPO}/registries/reg.example.org",
        "address",
    ),
    ("list_crons", {"repo_id": 5}, f"{REPO}/cron", "crons"),
    ("get_cron", {"repo_id": 5, "cron_id": 71}, f"{REPO}/cron/71", "schedule"),
    ("list_organizations", {}, "/api/orgs", "organizations"),
    ("get_organization", {"org_id": 41}, "/api/orgs/41", "name"),
    ("lookup_organization", {"name": "doomed"}, "/api/orgs/lookup/doomed", "name"),
    ("get_organization_permissions", {"org_id": 41}, "/api/orgs/41/permissions", "admin"),
    ("get_current_user", {}, "/api/user", "login"),
    ("get_pipeline_feed", {}, "/api/user/feed?latest=true", "feed"),
    ("list_users", {"page": 1, "per_page": 2}, "/api/users?page=1&perPage=2", "users"),
    ("get_user", {"login": "eve"}, "/api/users/eve?forge_id=1", "login"),
    ("list_agents", {}, "/api/agents", "agents"),
    ("get_agent", {"agent_id": 31}, "/api/agents/31", "token"),
    ("list_agent_tasks", {"agent_id": 31}, "/api/agents/31/tasks", "tasks"),
    ("list_forges", {}, "/api/forges", "forges"),
    ("get_forge", {"forge_id": 1}, "/api/forges/1", "client"),
    ("get_server_info", {}, "/version", "version"),
    ("get_queue_info", {}, "/api/queue/info", "running"),
    ("get_log_level", {}, "/api/log-level", "log-level"),
)


def test_every_reading_tool_is_here() -> None:
    assert [*(tool for tool, *_ in READS), *EXTRAS] == list(READ)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("tool", "arguments", "target", "key"), READS, ids=[tool for tool, *_ in READS]
)
async def test_a_read_returns_what_the_instance_holds(
    tool: str,
    arguments: dict[str, object],
    target: str,
    key: str,
    era: Era,
    server: Server[object],
    backend: WoodpeckerBackend,
) -> None:
    arrange(backend)
    backend.state.tasks.append({"id": "1", "agent_id": 31, "name": "task"})
    backend.state.pull_requests[5] = [{"index": "3", "title": "a title", "extra": 1}]
    async with connect(server, era) as client:
        called = await call(client, tool, arguments)
    shown = structured(called)
    assert document(called) == shown
    assert shown[key] or isinstance(shown[key], list)
    assert f"GET {target}" in backend.lines()
    assert backend.writes == []
    for credential in ("agent-secret", "hunter2", "stored"):
        assert credential not in str(shown).replace("stored_", "")


async def test_nobody_but_an_admin_reads_the_instance(
    backend: WoodpeckerBackend, make_server: MakeServer
) -> None:
    backend.state.tokens["eves-token"] = "eve"
    server = make_server({"WOODPECKER_TOKEN": "eves-token"})
    assert "instance admin" in await failure(server, "get_queue_info")
    assert "pull or push right" in await failure(server, "get_repository", repo_id=5)
    backend.state.rights[5, "eve"] = "pull"
    shown = await result(server, "get_repository_permissions", repo_id=5)
    assert (shown["pull"], shown["push"], shown["admin"]) == (True, False, False)
    assert "pull or push right" in await failure(server, "list_secrets", repo_id=5)


async def test_a_whole_repository_comes_without_what_only_a_page_needs(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.repos[0]["config_extension_endpoint"] = "https://evil.example"
    shown = await result(server, "get_repository", repo_id=5)
    assert not {"avatar_url", "netrc_trusted", "config_extension_endpoint"} & set(shown)


async def test_the_queue_goes_on_again(server: Server[object], backend: WoodpeckerBackend) -> None:
    backend.state.paused = True
    assert (await result(server, "resume_queue"))["queue_paused"] is False
    assert backend.state.paused is False


async def test_a_user_can_be_found_by_the_forges_id(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    eve = backend.state.user("eve")
    assert eve is not None
    remote = eve["forge_remote_id"]
    shown = await result(server, "get_user", login="x", forge_remote_id=remote)
    assert shown["login"] == "eve"
