"""What a deletion leaves behind, looked up in the stand-in's own state."""

from __future__ import annotations

from typing import cast

import pytest
from mcp.server import Server

from tests.backends.woodpecker import Answer, Json, RecordedRequest, WoodpeckerBackend
from tests.backends.woodpecker.state import first_step
from tests.support.clients import ERAS, Era, structured, text
from tests.support.person import Person
from tests.woodpecker.support import STEP, answered, text_answer

PIPELINE = {"repo_id": 5, "number": 1}


@pytest.fixture
def logged(backend: WoodpeckerBackend, step: Json) -> Json:
    """A pipeline whose step wrote a log."""
    backend.state.add_log(STEP, ["one"])
    return step


@pytest.mark.requirement("W-9")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("files", [False, True])
async def test_a_deleted_pipeline_leaves_no_log(
    files: bool, era: Era, server: Server[object], backend: WoodpeckerBackend, logged: Json
) -> None:
    backend.state.file_logs = files
    called, asked = await answered(server, "delete_pipeline", PIPELINE, era=era)
    assert structured(called)["deleted_pipeline"] == 1
    assert "logs and the results of its steps go with it" in asked[0]
    assert backend.state.pipelines[5] == []
    assert backend.state.logs == {}


@pytest.mark.requirement("W-9")
@pytest.mark.parametrize("tool", ["delete_pipeline", "delete_pipeline_logs"])
async def test_a_log_that_is_still_there_is_no_success(
    tool: str, server: Server[object], backend: WoodpeckerBackend, logged: Json
) -> None:
    backend.state.log_store_fails = True
    called, _ = await answered(server, tool, PIPELINE)
    assert called.is_error
    assert f"can still be read: {STEP}" in text(called)
    assert len(backend.state.pipelines[5]) == 1
    assert backend.lines("DELETE") == ["DELETE /api/repos/5/logs/1"]


async def test_of_many_steps_twenty_logs_are_looked_at(
    server: Server[object], backend: WoodpeckerBackend, logged: Json
) -> None:
    workflow = cast("list[Json]", backend.state.pipelines[5][0]["workflows"])[0]
    steps = cast("list[Json]", workflow["children"])
    steps += [{**steps[0], "id": 8000 + number} for number in range(24)]
    called, _ = await answered(server, "delete_pipeline_logs", PIPELINE)
    assert structured(called)["checked"] == 20
    assert len([line for line in backend.lines("GET") if "/logs/" in line]) == 20


async def test_logs_that_cannot_be_looked_at_hide_no_deletion(
    server: Server[object], backend: WoodpeckerBackend, logged: Json
) -> None:
    backend.script("GET", "/api/repos/5/logs/.*", text_answer(500))
    called, _ = await answered(server, "delete_pipeline", PIPELINE)
    assert structured(called)["verified"] is False
    assert backend.state.pipelines[5] == []


@pytest.mark.requirement("W-9")
@pytest.mark.parametrize(("failing", "sent"), [("logs", 1), ("pipelines", 2)])
async def test_a_deletion_that_stops_says_what_is_gone(
    failing: str, sent: int, server: Server[object], backend: WoodpeckerBackend, logged: Json
) -> None:
    backend.script("DELETE", f"/api/repos/5/{failing}/1", text_answer(403))
    called, _ = await answered(server, "delete_pipeline", PIPELINE)
    assert called.is_error
    assert ("Gone already: its logs" in text(called)) is (failing == "pipelines")
    assert len(backend.writes) == sent
    assert len(backend.state.pipelines[5]) == 1


@pytest.mark.requirement("W-9")
async def test_the_cron_jobs_of_a_repository_go_before_it(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    state = backend.state
    for number in (71, 72):
        state.crons.append({"id": number, "repo_id": 5, "name": str(number), "branch": ""})
    state.crons.append({"id": 73, "repo_id": 12, "name": "other", "branch": ""})
    called, asked = await answered(server, "delete_repository", {"repo_id": 5})
    assert not called.is_error
    assert "and 2 cron jobs of it" in asked[0]
    assert "keeps logs in files keeps those files" in asked[0]
    assert [cron["id"] for cron in state.crons] == [73]
    assert [repo["id"] for repo in state.repos] == [12, 21]


async def test_a_cron_job_that_stays_keeps_the_repository(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    for number in (71, 72):
        backend.state.crons.append({"id": number, "repo_id": 5, "name": "n", "branch": ""})
    backend.script("DELETE", "/api/repos/5/cron/72", text_answer(503))
    called, _ = await answered(server, "delete_repository", {"repo_id": 5})
    assert text(called).startswith("code: outcome_unknown")
    assert "Gone already: cron job 71." in text(called)
    assert "DELETE /api/repos/5?remove=true" not in backend.lines()


async def test_switching_off_keeps_everything(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.crons.append({"id": 71, "repo_id": 5, "name": "n", "branch": ""})
    called, _ = await answered(server, "delete_repository", {"repo_id": 5, "keep_data": True})
    assert not called.is_error
    assert len(backend.state.crons) == 1
    assert len(backend.state.repos) == 3


@pytest.fixture
def org(backend: WoodpeckerBackend) -> int:
    """An organisation with a registry and an agent."""
    number = cast("int", backend.state.add_org("doomed")["id"])
    backend.state.registries.append(
        {"id": 1, "org_id": number, "repo_id": 0, "address": "reg.example.org", "username": "b"}
    )
    backend.state.agents.append({"id": 31, "name": "runner", "org_id": number, "token": "t"})
    return number


@pytest.mark.requirement("W-9")
@pytest.mark.parametrize("era", ERAS)
async def test_the_registries_of_an_organisation_go_and_its_agents_are_named(
    era: Era, server: Server[object], backend: WoodpeckerBackend, org: int
) -> None:
    called, asked = await answered(server, "delete_organization", {"org_id": org}, era=era)
    result = structured(called)
    assert result["left_agents"] == [31]
    assert "1 registry" in asked[0]
    assert "Left behind with tokens: 1 agent" in asked[0]
    assert backend.lines("DELETE") == [
        f"DELETE /api/orgs/{org}/registries/reg.example.org",
        f"DELETE /api/orgs/{org}",
    ]
    assert backend.state.registries == []
    assert len(backend.state.agents) == 1


@pytest.mark.requirement("W-9")
async def test_counts_that_change_are_asked_about_again(
    server: Server[object], backend: WoodpeckerBackend, org: int
) -> None:
    class Meanwhile(Person):
        async def __call__(self, context: object, params: object) -> object:  # type: ignore[override]
            backend.state.agents.clear()
            return await super().__call__(context, params)

    person = Meanwhile()
    called, asked = await answered(server, "delete_organization", {"org_id": org}, person=person)
    assert not called.is_error
    assert len(asked) == 2


async def test_what_only_informs_may_be_unknown(
    server: Server[object], backend: WoodpeckerBackend, org: int
) -> None:
    backend.script("GET", f"/api/orgs/{org}/agents", text_answer(500))
    called, asked = await answered(server, "delete_organization", {"org_id": org})
    assert "an unknown number of agents" in asked[0]
    assert "list_agents" in str(structured(called)["note"])


async def test_a_registry_that_is_gone_already_stops_nothing(
    server: Server[object], backend: WoodpeckerBackend, org: int
) -> None:
    def gone(_request: RecordedRequest) -> Answer:
        return text_answer(404)

    backend.script("DELETE", f"/api/orgs/{org}/registries/.*", gone)
    called, _ = await answered(server, "delete_organization", {"org_id": org})
    assert not called.is_error


async def test_the_pipeline_that_was_shown_is_the_one_that_goes(
    server: Server[object], backend: WoodpeckerBackend, logged: Json
) -> None:
    class Meanwhile(Person):
        async def __call__(self, context: object, params: object) -> object:  # type: ignore[override]
            if not self.messages:
                backend.state.pipelines[5].clear()
                first_step(backend.state.add_pipeline(5))
            return await super().__call__(context, params)

    person = Meanwhile()
    await answered(server, "delete_pipeline", PIPELINE, person=person)
    assert len(person.messages) == 2
