"""Approving a blocked pipeline, and what an approval is bound to."""

from __future__ import annotations

import pytest
from mcp.server import Server

from tests.backends.woodpecker import WoodpeckerBackend, webhooks
from tests.support.clients import ERAS, Era, text, token_in
from tests.support.person import Person
from tests.support.time import FakeClock
from tests.woodpecker.calls import arrange
from tests.woodpecker.conftest import MakeServer
from tests.woodpecker.support import (
    STEP,
    answered,
    failure,
    json_answer,
    outcome,
    result,
    text_answer,
)


@pytest.mark.requirement("S-wood-8", "S-wood-9", "T-woodpecker-27")
@pytest.mark.parametrize("era", ERAS)
async def test_the_approval_shows_facts_and_nothing_that_a_pusher_wrote(
    era: Era, server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    backend.state.secrets[0]["events"] = ["pull_request"]
    backend.state.pipelines[5][0].update(id=1234, commit="613ee43d046d" + "0" * 28)
    called, asked = await answered(server, "approve_pipeline", {"repo_id": 5, "number": 1}, era=era)
    assert not called.is_error
    assert asked == [
        "This will approve pipeline 1 of repository 5.\n\n"
        "It runs with this repository's secrets, and its code comes from whoever opened it. "
        "Pipeline id 1234, commit 613ee43d046d. "
        "Event: pull_request; from a fork: yes; status at present: blocked. "
        "1 secret reaches it: 1 of the repository, 0 of its organisation, 0 of the instance."
    ]
    assert [f"{request.method} {request.path}" for request in backend.writes] == [
        "POST /api/repos/5/pipelines/1/approve"
    ]


@pytest.mark.parametrize("status", [403, 404, 500])
async def test_a_pipeline_that_cannot_be_read_is_not_asked_about(
    status: int, server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    backend.script("GET", "/api/repos/5/pipelines/1", text_answer(status))
    called, asked = await answered(server, "approve_pipeline", {"repo_id": 5, "number": 1})
    assert called.is_error
    assert asked == []
    assert backend.writes == []


@pytest.mark.requirement("W-3")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("status", ["pending", "running", "success", "killed", "declined", "odd"])
async def test_nobody_is_asked_to_approve_what_is_not_blocked(
    status: str, era: Era, server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5, status=status)
    called, asked = await answered(server, "approve_pipeline", {"repo_id": 5, "number": 1}, era=era)
    assert asked == []
    assert "Only a blocked pipeline can be approved" in text(called)
    assert ("status is unknown" in text(called)) is (status == "odd")
    assert backend.writes == []


@pytest.mark.requirement("C-25", "W-5")
@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("event", None, "Event: unknown; from a fork: yes"),
        ("event", "harmless_tick_the_box", "Event: unknown; from a fork: yes"),
        ("commit", "613EE43D046D613EE43D046D", "Pipeline id 1234. Event"),
        ("commit", "harmless", "Pipeline id 1234. Event"),
        ("commit", "613ee43", "Pipeline id 1234, commit 613ee43. Event"),
        ("from_fork", None, "from a fork: no"),
    ],
)
async def test_words_of_the_server_come_from_closed_lists(
    field: str, value: object, words: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    backend.state.pipelines[5][0].update({"id": 1234, field: value})
    _, asked = await answered(server, "approve_pipeline", {"repo_id": 5, "number": 1})
    assert words in asked[0]
    assert "harmless" not in asked[0]


@pytest.mark.requirement("W-3")
@pytest.mark.parametrize("era", ERAS)
async def test_a_pipeline_of_the_same_number_is_another_one(
    era: Era, server: Server[object], backend: WoodpeckerBackend
) -> None:
    """The number of a deleted pipeline is given again; here while the dialog is open."""
    first = webhooks.receive(backend.state, 5, "pull_request", from_fork=True)
    first["commit"] = "1" * 40
    person = Person()

    class Meanwhile(Person):
        async def __call__(self, context: object, params: object) -> object:  # type: ignore[override]
            if not person.messages:
                backend.state.pipelines[5].clear()
                webhooks.receive(backend.state, 5, "pull_request", from_fork=True, commit="2" * 40)
            return await person(context, params)

    arguments = {"repo_id": 5, "number": 1}
    await answered(server, "approve_pipeline", arguments, era=era, person=Meanwhile())
    assert ["commit 222222222222" in question for question in person.messages] == [False, True]
    assert backend.state.pipelines[5][0]["number"] == 1
    assert len(backend.writes) == 1


async def _asked_about_secrets(server: Server[object]) -> str:
    _, asked = await answered(server, "approve_pipeline", {"repo_id": 5, "number": 1})
    (question,) = asked
    return question.rpartition("blocked. ")[2]


@pytest.mark.requirement("W-4")
async def test_secrets_are_counted_at_all_three_levels(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    state = backend.state
    made = webhooks.receive(state, 5, "pull_request_closed", from_fork=True)
    org = state.repo(5)["org_id"]
    state.add_secret("org", org_id=org, events=["pull_request"])
    state.add_secret("instance", events=["pull_request", "push"])
    assert await _asked_about_secrets(server) == (
        "2 secrets reach it: 0 of the repository, 1 of its organisation, 1 of the instance."
    )
    backend.state.ran.clear()
    made["status"] = "blocked"
    for name in ("a", "b", "c"):
        state.add_secret(name, repo_id=5, events=[] if name == "a" else ["pull_request"])
    # Closed to the event, it hides the open one of the instance all the same.
    state.add_secret("instance", repo_id=5, events=["push"])
    state.add_secret("later", repo_id=5, events=["pull_request_closed"])
    assert await _asked_about_secrets(server) == (
        "4 secrets reach it: 3 of the repository, 1 of its organisation, 0 of the instance."
    )
    assert sorted(state.ran[0][1]) == ["a", "b", "c", "org"]


@pytest.mark.requirement("W-4")
async def test_a_level_that_cannot_be_read_is_said(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    state = backend.state
    made = webhooks.receive(state, 5, "pull_request", from_fork=True)
    state.repo(5)["secret_extension_endpoint"] = "https://secrets.example.org"
    state.add_secret("one", repo_id=5, events=[])
    backend.script("GET", "/api/orgs/[0-9]+/secrets", text_answer(403))
    assert await _asked_about_secrets(server) == (
        "At least 1 secret reaches it: 1 of the repository, 0 of the instance; those of its "
        "organisation cannot be counted by this account. What its secret extension gives out is "
        "not counted."
    )
    made["status"] = "blocked"
    state.repo(5)["secret_extension_endpoint"] = ""
    backend.script("GET", "/api/(repos/5/)?secrets", text_answer(500))
    assert await _asked_about_secrets(server) == (
        "How many secrets reach it is unknown; those of the repository and of its organisation "
        "and of the instance cannot be counted by this account."
    )
    made["status"] = "blocked"
    backend.script("GET", "/api/repos/5", text_answer(500))
    assert await _asked_about_secrets(server) == "How many secrets reach it is unknown."


async def test_a_repository_without_an_organisation_looks_at_no_other_level(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    webhooks.receive(backend.state, 5, "pull_request", from_fork=True)
    backend.state.repo(5)["org_id"] = 0
    assert "those of its organisation cannot be counted" in await _asked_about_secrets(server)
    assert not any("orgs" in line for line in backend.lines())


async def test_very_many_secrets_are_counted_as_at_least(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    webhooks.receive(backend.state, 5, "pull_request", from_fork=True)
    page = [{"name": f"s{number}", "events": ["pull_request"]} for number in range(50)]
    backend.script("GET", "/api/repos/5/secrets", json_answer(page))
    assert (await _asked_about_secrets(server)).startswith("At least 1000 secrets reach it")


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_nobody_is_asked_about_a_pipeline_that_is_not_there(
    status: int, server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("GET", "/api/repos/5/pipelines/8", text_answer(status))
    called, asked = await answered(server, "approve_pipeline", {"repo_id": 5, "number": 8})
    assert called.is_error
    assert str(status) in text(called)
    assert asked == []


async def test_facts_that_change_during_the_question_lead_to_another(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    person = Person()

    class Meanwhile(Person):
        async def __call__(self, context: object, params: object) -> object:  # type: ignore[override]
            if not person.messages:
                backend.state.pipelines[5][0]["event"] = "push"
            return await person(context, params)

    called, _ = await answered(
        server, "approve_pipeline", {"repo_id": 5, "number": 1}, person=Meanwhile()
    )
    assert not called.is_error
    assert ["push" in question for question in person.messages] == [False, True]
    assert len(backend.writes) == 1


@pytest.mark.requirement("S-wood-10", "T-woodpecker-28")
async def test_a_token_for_one_pipeline_does_not_open_the_mirrored_one(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    for repo_id, count in ((5, 12), (12, 5)):
        for _ in range(count):
            backend.state.add_pipeline(repo_id, status="blocked")
    asked = await outcome(server, "approve_pipeline", {"repo_id": 5, "number": 12})
    token = token_in(asked)
    mirrored = {"repo_id": 12, "number": 5, "confirm_token": token}
    assert "refused" in await failure(server, "approve_pipeline", **mirrored)
    assert backend.writes == []
    await result(server, "approve_pipeline", repo_id=5, number=12, confirm_token=token)
    assert len(backend.writes) == 1


@pytest.mark.requirement("T-woodpecker-28")
async def test_a_token_for_one_log_does_not_open_a_permuted_one(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    here = {"repo_id": 5, "number": 2, "step_id": STEP}
    token = token_in(await outcome(server, "delete_step_logs", here))
    for ids in ((2, 5, STEP), (5, STEP, 2), (STEP, 2, 5)):
        permuted = dict(zip(("repo_id", "number", "step_id"), ids, strict=True))
        said = await failure(server, "delete_step_logs", **permuted, confirm_token=token)
        assert "refused" in said
    assert backend.writes == []


@pytest.mark.requirement("S-wood-11", "T-woodpecker-29")
async def test_a_token_works_once_and_for_five_minutes(
    make_server: MakeServer, backend: WoodpeckerBackend
) -> None:
    clock = FakeClock()
    server = make_server(clock=clock)
    arguments = {"level": "disabled"}
    token = token_in(await outcome(server, "set_log_level", arguments))
    await result(server, "set_log_level", **arguments, confirm_token=token)
    assert "refused" in await failure(server, "set_log_level", **arguments, confirm_token=token)
    late = token_in(await outcome(server, "set_log_level", arguments))
    clock.advance(301)
    assert "refused" in await failure(server, "set_log_level", **arguments, confirm_token=late)
    assert len(backend.writes) == 1


@pytest.mark.requirement("S-wood-11", "T-woodpecker-29")
async def test_an_answer_in_a_dialog_acts_once(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    _, first = await answered(server, "pause_queue", {})
    backend.state.paused = False
    _, second = await answered(server, "pause_queue", {})
    assert len(first) == len(second) == 1
    assert len(backend.writes) == 2
