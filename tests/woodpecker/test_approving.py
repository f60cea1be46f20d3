"""Approving a blocked pipeline, and what an approval is bound to."""

from __future__ import annotations

import pytest
from mcp.server import Server

from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import ERAS, Era, text, token_in
from tests.support.time import FakeClock
from tests.woodpecker.calls import arrange
from tests.woodpecker.conftest import MakeServer
from tests.woodpecker.support import (
    STEP,
    Person,
    answered,
    failure,
    json_answer,
    outcome,
    result,
    text_answer,
)


@pytest.mark.trap(27)
@pytest.mark.requirement("S-wood-8")
@pytest.mark.requirement("S-wood-9")
@pytest.mark.parametrize("era", ERAS)
async def test_the_approval_shows_facts_and_nothing_that_a_pusher_wrote(
    era: Era, server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    backend.state.secrets[0]["events"] = ["pull_request"]
    called, asked = await answered(server, "approve_pipeline", {"repo_id": 5, "number": 1}, era=era)
    assert not called.is_error
    assert asked == [
        "This will approve pipeline 1 of repository 5.\n\n"
        "It runs with this repository's secrets, and its code comes from whoever opened it. "
        "Event: pull_request; from a fork: yes; status at present: blocked. "
        "1 secret of the repository is open to that event."
    ]
    assert [f"{request.method} {request.path}" for request in backend.writes] == [
        "POST /api/repos/5/pipelines/1/approve"
    ]


async def test_what_cannot_be_read_is_unknown_in_the_question(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    backend.script("GET", "/api/repos/5/pipelines/1", text_answer(500))
    _, asked = await answered(server, "approve_pipeline", {"repo_id": 5, "number": 1})
    assert "Event: unknown; from a fork: unknown; status at present: unknown." in asked[0]
    assert "unknown number of secrets" in asked[0]


async def test_an_event_that_is_missing_is_unknown(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    del backend.state.pipelines[5][0]["event"]
    _, asked = await answered(server, "approve_pipeline", {"repo_id": 5, "number": 1})
    assert "Event: unknown; from a fork: yes; status at present: blocked." in asked[0]


async def test_many_secrets_are_counted_as_at_least(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    page = [{"name": f"s{number}", "events": ["pull_request"]} for number in range(50)]
    backend.script("GET", "/api/repos/5/secrets", json_answer(page))
    _, asked = await answered(server, "approve_pipeline", {"repo_id": 5, "number": 1})
    assert "At least 200 secrets of the repository are open" in asked[0]


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
            if not person.questions:
                backend.state.pipelines[5][0]["event"] = "push"
            return await person(context, params)

    called, _ = await answered(
        server, "approve_pipeline", {"repo_id": 5, "number": 1}, person=Meanwhile()
    )
    assert not called.is_error
    assert ["push" in question for question in person.questions] == [False, True]
    assert len(backend.writes) == 1


@pytest.mark.trap(28)
@pytest.mark.requirement("S-wood-10")
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


@pytest.mark.trap(28)
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


@pytest.mark.trap(29)
@pytest.mark.requirement("S-wood-11")
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


@pytest.mark.trap(29)
@pytest.mark.requirement("S-wood-11")
async def test_an_answer_in_a_dialog_acts_once(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    _, first = await answered(server, "pause_queue", {})
    _, second = await answered(server, "pause_queue", {})
    assert len(first) == len(second) == 1
    assert len(backend.writes) == 2
