"""Tools that ask only where reach is given away, and what their approval is bound to."""

from __future__ import annotations

import pytest
from mcp.server import Server

from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import ERAS, Era, accept, connect, leg, question, text, token_in
from tests.support.person import Person
from tests.woodpecker.calls import GUARDED, Guarded, arrange
from tests.woodpecker.conftest import MakeServer
from tests.woodpecker.support import answered, failure, json_answer, outcome, result, text_answer

SECRET = {"repo_id": 5, "name": "deploy_key"}
VALUE = "s3cr3t-of-the-caller"


@pytest.mark.requirement("T-woodpecker-31")
async def test_an_unknown_present_approval_counts_as_the_strictest(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.repos[0]["require_approval"] = "something new"
    arguments = {"repo_id": 5, "require_approval": "all_events"}
    called, asked = await answered(server, "update_repository", arguments)
    assert not called.is_error
    assert "Approval (require_approval) goes from unknown to all_events" in asked[0]
    assert "something new" not in asked[0]


@pytest.mark.requirement("S-wood-4", "T-woodpecker-31")
@pytest.mark.parametrize("status", [403, 404, 500])
async def test_a_comparison_that_fails_ends_the_call(
    status: int, server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("GET", "/api/repos/5", text_answer(status))
    arguments = {"repo_id": 5, "visibility": "public"}
    called, asked = await answered(server, "update_repository", arguments)
    assert called.is_error
    assert asked == []
    assert backend.writes == []


@pytest.mark.requirement("S-wood-10", "T-woodpecker-32")
async def test_an_approved_grant_does_not_carry_a_second_one(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    grant = {"repo_id": 5, "trusted_network": True}
    wider = {**grant, "visibility": "public"}
    async with connect(server, "2026-07-28", Person()) as client:
        asked = await question(client, "update_repository", grant)
        state = asked.request_state
        again = await leg(client, "update_repository", wider, answer=accept(), state=state)
        assert "input_required" in text(again)
        assert backend.writes == []
    token = token_in(await outcome(server, "update_repository", grant))
    assert "refused" in await failure(server, "update_repository", **wider, confirm_token=token)
    assert backend.writes == []


async def test_a_mixed_call_is_asked_about_once_and_shows_every_field(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arguments = {
        "repo_id": 5,
        "trusted_security": True,
        "trusted_network": False,
        "require_approval": "none",
        "visibility": "public",
        "timeout": 90,
        "allow_deploy": True,
        "config_file": "ci/\u202efile with a long tale " + "x" * 300,
        "cancel_previous_pipeline_events": ["push", "tag"],
    }
    called, asked = await answered(server, "update_repository", arguments)
    assert not called.is_error
    assert len(asked) == 1
    for words in (
        "Trust for security",
        "Approval (require_approval) goes from forks to none",
        "Visibility goes from private to public",
        "  timeout: 90",
        "  allow_deploy: on",
        "  trusted: network off, security on",
        "  cancel_previous_pipeline_events: push, tag",
        f"  config_file: {len(str(arguments['config_file']))} characters",
    ):
        assert words in asked[0]
    assert "Trust for networks" not in asked[0]
    assert backend.writes[0].json() == {
        "config_file": arguments["config_file"],
        "timeout": 90,
        "visibility": "public",
        "allow_deploy": True,
        "require_approval": "none",
        "cancel_previous_pipeline_events": ["push", "tag"],
        "trusted": {"network": False, "security": True},
    }


async def test_a_reason_that_is_gone_after_the_yes_is_asked_about_anew(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    class Meanwhile(Person):
        async def __call__(self, context: object, params: object) -> object:  # type: ignore[override]
            backend.state.repos[0]["visibility"] = "public"
            return await super().__call__(context, params)

    person = Meanwhile()
    arguments = {"repo_id": 5, "visibility": "public"}
    called, _ = await answered(server, "update_repository", arguments, person=person)
    assert not called.is_error
    assert len(person.messages) == 2
    assert "At present none of it widens anything." in person.messages[1]


@pytest.mark.requirement("S-wood-5", "T-woodpecker-33")
async def test_each_reason_of_a_secret_is_told(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    changes = {"events": ["push", "pull_request_closed"], "images": [], "value": VALUE}
    called, asked = await answered(server, "update_secret", {**SECRET, **changes})
    assert not called.is_error
    for words in (
        'change secret "deploy_key" of repository 5',
        "value is replaced",
        "opens to a pull request event",
        "restriction to certain images is lifted",
        "  events: push, pull_request_closed",
        "  images: none",
        "  value: a new one, not shown",
    ):
        assert words in asked[0]


@pytest.mark.requirement("T-woodpecker-33")
async def test_a_secret_that_changed_meanwhile_is_compared_again(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)

    class Meanwhile(Person):
        async def __call__(self, context: object, params: object) -> object:  # type: ignore[override]
            backend.state.secrets[0]["images"] = []
            return await super().__call__(context, params)

    person = Meanwhile()
    called, _ = await answered(server, "update_secret", {**SECRET, "images": []}, person=person)
    assert not called.is_error
    assert len(person.messages) == 2


@pytest.mark.requirement("T-woodpecker-34")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "guarded",
    [guarded for guarded in GUARDED if VALUE in str(guarded.arguments)],
    ids=lambda guarded: guarded.name,
)
async def test_a_value_shows_up_nowhere(
    guarded: Guarded,
    era: Era,
    make_server: MakeServer,
    backend: WoodpeckerBackend,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arrange(backend)
    lines: list[str] = []
    server = make_server(log=lines.append)
    prompt = text(await outcome(server, guarded.tool, guarded.arguments))
    called, asked = await answered(server, guarded.tool, guarded.arguments, era=era)
    assert not called.is_error
    captured = capsys.readouterr()
    for said in (prompt, text(called), *asked, *lines, captured.err, captured.out):
        assert VALUE not in said
    assert VALUE in backend.writes[0].body.decode()


@pytest.mark.requirement("S-wood-6", "T-woodpecker-35")
async def test_a_changed_registry_is_read_back(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    arguments = {"repo_id": 5, "address": "reg.example.org", "password": VALUE}
    called, asked = await answered(server, "update_registry", arguments)
    assert len(asked) == 1
    assert called.structured_content is not None
    shown = called.structured_content["registry"]
    assert shown == {
        "id": 61,
        "repo_id": 5,
        "address": "reg.example.org",
        "username": "bot",
        "readonly": False,
    }


@pytest.mark.requirement("S-wood-2", "T-woodpecker-38")
async def test_only_levels_that_exist_are_taken(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    for level in ("", "silent", 5):
        assert "level" in await failure(server, "set_log_level", level=level)
    assert backend.requests == []
    assert (await result(server, "set_log_level", level="warn"))["log-level"] == "warn"
    assert (await result(server, "get_log_level"))["log-level"] == "warn"


@pytest.mark.requirement("T-woodpecker-39")
async def test_a_repair_names_the_repositories_that_failed(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    body = {"error": "some repositories failed", "failed_repos": [3, 9]}
    backend.script("POST", "/api/repos/repair", json_answer(body, 500))
    called, _ = await answered(server, "repair_repository", {"scope": "instance"})
    assert called.structured_content is not None
    assert called.structured_content["failed_repositories"] == [3, 9]


@pytest.mark.requirement("T-woodpecker-39")
@pytest.mark.parametrize("body", ["", "{", "[]", '{"failed_repos": null}'])
async def test_a_repair_that_failed_without_a_list_is_an_error(
    body: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("POST", "/api/repos/repair", text_answer(500, body))
    called, _ = await answered(server, "repair_repository", {"scope": "instance"})
    assert called.is_error


@pytest.mark.requirement("T-woodpecker-39")
async def test_one_repair_and_all_of_them_are_two_things(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    token = token_in(await outcome(server, "repair_repository", {"scope": "instance"}))
    both = {"scope": "instance", "repo_id": 5}
    assert "scope" in await failure(server, "repair_repository", **both, confirm_token=token)
    assert "repo_id" in await failure(server, "repair_repository")
    assert backend.writes == []
    await result(server, "repair_repository", scope="instance", confirm_token=token)
    assert len(backend.writes) == 1


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("update_repository", {"repo_id": 5}),
        ("update_secret", SECRET),
        ("update_registry", {"repo_id": 5, "address": "reg.example.org"}),
        ("update_cron", {"repo_id": 5, "cron_id": 71}),
        ("update_user", {"login": "eve"}),
        ("update_agent", {"agent_id": 31}),
        ("update_forge", {"forge_id": 1}),
    ],
)
async def test_a_change_of_nothing_is_an_error_before_anything_else(
    tool: str, arguments: dict[str, object], server: Server[object], backend: WoodpeckerBackend
) -> None:
    assert "nothing to update" in await failure(server, tool, **arguments)
    assert backend.requests == []
