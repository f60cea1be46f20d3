"""Bounds of arguments, and what is said where nothing is found."""

from __future__ import annotations

import pytest
from mcp.server import Server

from tests.backends.woodpecker import WoodpeckerBackend
from tests.woodpecker.support import failure, result
from woodpecker_ci_mcp.redaction import redacted


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({f"v{number}": "x" for number in range(101)}, "100 entries"),
        ({"x" * 201: "v"}, "200 characters"),
        ({"x": "v" * 10_001}, "10000 characters"),
    ],
)
async def test_variables_have_bounds(
    variables: dict[str, str], words: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    said = await failure(server, "trigger_pipeline", repo_id=5, branch="main", variables=variables)
    assert words in said
    assert backend.requests == []


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("get_step_logs", {"repo_id": 5, "number": 1, "step_id": 1, "limit": 5001}, "limit"),
        ("get_step_logs", {"repo_id": 5, "number": 1, "step_id": 1, "context": 51}, "context"),
        ("get_step_logs", {"repo_id": 5, "number": 1, "step_id": 1, "from": "middle"}, "from"),
        ("list_pipelines", {"repo_id": 5, "before": "yesterday"}, "before"),
        ("list_pipelines", {"repo_id": 5, "per_page": 51}, "per_page"),
        ("list_pipelines", {"repo_id": 5, "page": 0}, "page"),
        ("update_repository", {"repo_id": 5, "timeout": 10_081}, "timeout"),
        ("create_user", {"login": "bob smith"}, "login"),
        ("create_user", {"login": "bob", "email": "nobody"}, "email"),
        (
            "create_cron",
            {"repo_id": 5, "name": "n", "schedule": "x", "timezone": "a b"},
            "timezone",
        ),
        ("activate_repository", {"forge_remote_id": "a/b"}, "forge_remote_id"),
        ("lookup_organization", {"name": ".."}, "name"),
        ("get_repository", {"repo_id": 5, "id": 7}, "id"),
    ],
)
async def test_a_bad_argument_is_named_and_nothing_is_sent(
    tool: str,
    arguments: dict[str, object],
    named: str,
    server: Server[object],
    backend: WoodpeckerBackend,
) -> None:
    assert (await failure(server, tool, **arguments)).startswith(f"{named}:")
    assert backend.requests == []


async def test_without_a_push_the_latest_pipeline_is_the_newest_of_any_event(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    said = await failure(server, "get_pipeline", repo_id=5, number="latest")
    assert "There is no pipeline in repository 5 yet." in said
    backend.state.add_pipeline(5, event="cron")
    backend.state.add_pipeline(5, event="manual")
    shown = await result(server, "get_pipeline", repo_id=5, number="latest")
    pipeline = shown["pipeline"]
    assert isinstance(pipeline, dict)
    assert (pipeline["number"], pipeline["event"]) == (2, "manual")
    assert shown["note"] == "there is no push, so this is the newest pipeline of any event"


async def test_a_push_is_the_latest_pipeline_whatever_came_after_it(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5, event="push")
    backend.state.add_pipeline(5, event="manual")
    shown = await result(server, "get_pipeline", repo_id=5, number="latest")
    pipeline = shown["pipeline"]
    assert isinstance(pipeline, dict)
    assert (pipeline["number"], pipeline["event"]) == (1, "push")
    assert "note" not in shown


def test_a_document_without_end_is_cut_rather_than_shown() -> None:
    document: object = "hunter2"
    for _ in range(40):
        document = {"password-holder": document}
    assert "hunter2" in str(document)
    assert "hunter2" not in str(redacted({"deep": document}))
