"""Facts that the next call needs: branches, names of agents and variables, ids of what is there."""

from __future__ import annotations

from typing import cast

import pytest
from mcp.server import Server

from tests.backends.woodpecker import Json, WoodpeckerBackend
from tests.support.clients import ERAS, Era, call, connect, structured
from tests.woodpecker.conftest import MakeServer
from tests.woodpecker.support import result, text_answer

PULLED: Json = {"event": "pull_request", "branch": "main", "refspec": "feature/x:main"}


def shown(found: Json) -> Json:
    return cast("Json", found["pipeline"])


@pytest.mark.requirement("W-15")
@pytest.mark.parametrize("era", ERAS)
async def test_a_pull_request_names_the_branch_that_it_comes_from(
    era: Era, server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5, refspec="feature/y:main")
    backend.state.add_pipeline(5, **PULLED)
    async with connect(server, era) as client:
        listed = structured(await call(client, "list_pipelines", {"repo_id": 5}))
        one = structured(await call(client, "get_pipeline", {"repo_id": 5, "number": 2}))
    second, first = cast("list[Json]", listed["pipelines"])
    assert (second["branch"], second["head_branch"]) == ("main", "feature/x")
    assert "head_branch" not in first
    assert not {"forge_url", "sender", "variables"} & set(second)
    assert (shown(one)["branch"], shown(one)["head_branch"]) == ("main", "feature/x")


@pytest.mark.requirement("W-15")
async def test_of_variables_only_the_names_are_told(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5, variables={"DEPLOY": "s3cr3t", "X": ""}, sender="bot")
    one = shown(await result(server, "get_pipeline", repo_id=5, number=1))
    assert one["variables"] == ["DEPLOY", "X"]
    assert (one["sender"], one["author"]) == ("bot", "alice")
    assert str(one["forge_url"]).startswith("https://git.example.org/acme/payments-api/commit/")
    again = shown(await result(server, "restart_pipeline", repo_id=5, number=1))
    assert again["variables"] == ["DEPLOY", "X"]
    assert "forge_url" in again
    # Who wrote the commit started this one as well.
    assert "sender" not in again
    assert "s3cr3t" not in str([one, again])


async def test_the_description_of_a_restart_tells_what_becomes_of_variables(
    server: Server[object],
) -> None:
    async with connect(server, "2025-11-25") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    said = str(tools["restart_pipeline"].description)
    assert "keeps all variables" in said
    assert "change none" in said


def run_by(backend: WoodpeckerBackend, *agents: int) -> None:
    """A pipeline of repository 5 whose workflows ran on agents."""
    made = backend.state.add_pipeline(5)
    (flow,) = cast("list[Json]", made["workflows"])
    made["workflows"] = [{**flow, "agent_id": agent} for agent in agents]
    for agent in set(agents):
        backend.state.agents.append({"id": agent, "name": f"runner-{agent}", "org_id": -1})


@pytest.mark.requirement("R-64", "W-15")
async def test_an_admin_is_told_the_names_of_agents(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    run_by(backend, 31, 32, 31, 33, 34, 35, 36)
    found = await result(server, "get_pipeline", repo_id=5, number=1)
    flows = cast("list[Json]", found["workflows"])
    assert [(flow["agent_id"], flow.get("agent")) for flow in flows] == [
        *((agent, f"runner-{agent}") for agent in (31, 32, 31, 33, 34, 35)),
        (36, None),
    ]
    assert len([line for line in backend.lines() if "/api/agents/" in line]) == 5


async def test_an_agent_that_is_gone_hides_no_pipeline(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    run_by(backend, 31, 32)
    backend.script("GET", "/api/agents/31", text_answer(404))
    found = await result(server, "get_pipeline", repo_id=5, number=1)
    assert [flow.get("agent") for flow in cast("list[Json]", found["workflows"])] == [
        None,
        "runner-32",
    ]


async def test_others_see_the_agents_number_and_cause_no_request_for_it(
    make_server: MakeServer, backend: WoodpeckerBackend
) -> None:
    backend.state.add_user("pusher", token="pusher-token")
    backend.state.rights[5, "pusher"] = "push"
    run_by(backend, 31)
    server = make_server({"WOODPECKER_TOKEN": "pusher-token"})
    found = await result(server, "get_pipeline", repo_id=5, number=1)
    (flow,) = cast("list[Json]", found["workflows"])
    assert flow["agent_id"] == 31
    assert "agent" not in flow
    assert not any("/api/agents" in line for line in backend.lines())


@pytest.mark.requirement("W-15")
@pytest.mark.parametrize("era", ERAS)
async def test_only_what_is_not_success_is_shown_on_demand(
    era: Era, server: Server[object], backend: WoodpeckerBackend
) -> None:
    made = backend.state.add_pipeline(5)
    (flow,) = cast("list[Json]", made["workflows"])
    (step,) = cast("list[Json]", flow["children"])
    bad = {**step, "id": 8_001, "state": "failure", "exit_code": 1}
    made["workflows"] = [
        flow,
        {**flow, "name": "lint", "state": "failure", "children": [step, step, bad]},
        # It may fail, so the workflow is a success all the same.
        {**flow, "name": "docs", "children": [step, bad]},
        {**flow, "name": "deploy", "state": "skipped", "children": []},
    ]
    async with connect(server, era) as client:
        arguments = {"repo_id": 5, "number": 1, "failed_only": True}
        found = structured(await call(client, "get_pipeline", arguments))
        whole = structured(await call(client, "get_pipeline", {**arguments, "failed_only": False}))
    flows = cast("list[Json]", found["workflows"])
    assert [flow["name"] for flow in flows] == ["lint", "docs", "deploy"]
    assert [len(cast("list[Json]", flow["steps"])) for flow in flows] == [1, 1, 0]
    assert found["left_out"] == {"workflows": 1, "steps": 4}
    assert len(cast("list[Json]", whole["workflows"])) == 4
    assert "left_out" not in whole


async def test_a_pull_request_has_its_number(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    titles: list[Json] = [{"index": "7", "title": "a"}, {"index": "x-1", "title": "b"}]
    backend.state.pull_requests[5] = titles
    found = await result(server, "list_pull_requests", repo_id=5)
    first, second = cast("list[Json]", found["pull_requests"])
    assert first == {"index": "7", "number": 7, "title": "a"}
    assert second == {"index": "x-1", "title": "b"}


async def test_a_repository_that_is_active_already_tells_its_id(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    found = await result(server, "activate_repository", forge_remote_id="1200")
    assert (found["id"], found["full_name"]) == (12, "acme/web")
    assert "already active" in str(found["note"])
    backend.state.rowless.add((12, "root"))
    found = await result(server, "activate_repository", forge_remote_id="1200")
    assert "id" not in found
    backend.script("GET", "/api/user/repos", text_answer(403))
    found = await result(server, "activate_repository", forge_remote_id="1200")
    assert "already active" in str(found["note"])


@pytest.mark.requirement("W-15")
@pytest.mark.parametrize(
    ("place", "path"),
    [
        ({"repo_id": 5}, "/api/repos/5"),
        ({"scope": "organization", "org_id": 41}, "/api/orgs/41"),
        ({"scope": "global"}, "/api"),
    ],
)
async def test_a_new_registry_is_read_back(
    place: Json, path: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.orgs.append({"id": 41, "forge_id": 1, "name": "team", "is_user": False})
    login = {"username": "bot", "password": "pw"}
    made = await result(server, "create_registry", address="reg.example.org", **place, **login)
    stored = backend.state.registries[-1]
    registry = cast("Json", made["registry"])
    assert (registry["id"], registry["address"]) == (stored["id"], "reg.example.org")
    assert "verified" not in made
    assert f"GET {path}/registries/reg.example.org" in backend.lines()
    backend.script("GET", f"{path}/registries/.*", text_answer(500))
    made = await result(server, "create_registry", address="two.example.org", **place, **login)
    assert made["verified"] is False
    assert "could not be read back" in str(made["note"])
    assert len(backend.state.registries) == 2


@pytest.mark.requirement("W-15")
async def test_tasks_show_the_labels_that_choose_an_agent(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    task: Json = {
        "id": "1",
        "agent_id": 31,
        "labels": {"woodpecker-ci.org/repo-id": "5", "repo": "acme/web", "gpu": ""},
        "run_on": None,
        "dep_status": None,
    }
    backend.state.agents.append({"id": 31, "name": "runner", "org_id": -1, "no_schedule": False})
    backend.state.tasks.append(task)
    backend.state.waiting.append({**task, "id": "2"})
    info = await result(server, "get_queue_info")
    listed = await result(server, "list_agent_tasks", agent_id=31)
    for found in (info["running"], info["pending"], listed["tasks"]):
        (seen,) = cast("list[Json]", found)
        assert seen["labels"] == {"repo": "acme/web", "gpu": ""}
        assert not {"run_on", "dep_status"} & set(seen)
