"""What an answer is worth: pages, redirects, statuses, sizes, nulls, foreign words."""

from __future__ import annotations

import pytest
from mcp.server import Server

from tests.backends.woodpecker import Answer, WoodpeckerBackend
from tests.woodpecker.conftest import ADMIN_TOKEN, MakeServer, server_of
from tests.woodpecker.support import failure, json_answer, result, text_answer

PAGE = b"<!DOCTYPE html><html><body>Please sign in here</body></html>"


@pytest.mark.requirement("T-woodpecker-7")
@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/octet-stream", ""])
async def test_a_web_page_with_status_200_is_an_error_about_the_address(
    kind: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("GET", "/api/user", Answer(200, PAGE, kind))
    said = await failure(server, "get_current_user")
    assert "web page" in said
    assert "proxy" in said
    assert "WOODPECKER_URL" in said
    assert "sign in" not in said


@pytest.mark.requirement("T-woodpecker-8")
async def test_a_redirect_is_not_followed(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    headers = {"Location": f"{backend.url}/api/elsewhere"}
    backend.script("GET", "/api/user", Answer(302, headers=headers))
    assert "redirect" in await failure(server, "get_current_user")
    assert len(backend.requests) == 1


@pytest.mark.requirement("T-woodpecker-9")
async def test_a_huge_login_page_does_not_hide_the_status(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("GET", "/api/user", Answer(401, PAGE + b"x" * 3_000_000, "text/html"))
    said = await failure(server, "get_current_user")
    assert "401" in said
    assert "WOODPECKER_TOKEN" in said
    assert "sign in" not in said
    assert len(said) < 1_000


@pytest.mark.requirement("T-woodpecker-10")
@pytest.mark.parametrize("token", ["eves-token", ADMIN_TOKEN])
async def test_a_bare_404_names_every_cause(
    token: str, make_server: MakeServer, backend: WoodpeckerBackend
) -> None:
    backend.state.tokens["eves-token"] = "eve"
    backend.script("GET", "/api/repos/7/secrets", text_answer(404))
    if token == ADMIN_TOKEN:
        # Whether the account is an admin cannot be found out.
        backend.script("GET", "/api/user", text_answer(403))
    said = await failure(make_server({"WOODPECKER_TOKEN": token}), "list_secrets", repo_id=7)
    assert "push right" in said
    assert "never activated" in said
    assert "get_repository_permissions" in said
    assert "GET /api/user" in backend.lines()


@pytest.mark.requirement("T-woodpecker-10")
async def test_to_an_admin_a_bare_404_is_no_matter_of_rights(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("GET", "/api/repos/7/secrets", text_answer(404))
    said = await failure(server, "list_secrets", repo_id=7)
    assert "It does not exist" in said
    assert "right" not in said
    assert "get_repository_permissions" not in said


@pytest.mark.requirement("T-woodpecker-11")
@pytest.mark.parametrize(
    ("tool", "arguments", "path", "key"),
    [
        ("list_crons", {"repo_id": 5}, "/api/repos/5/cron", "crons"),
        ("list_repository_branches", {"repo_id": 5}, "/api/repos/5/branches", "branches"),
        ("list_pull_requests", {"repo_id": 5}, "/api/repos/5/pull_requests", "pull_requests"),
        ("list_agent_tasks", {"agent_id": 1}, "/api/agents/1/tasks", "tasks"),
        ("get_pipeline_feed", {}, "/api/user/feed", "feed"),
        ("list_repositories", {}, "/api/user/repos", "repositories"),
        ("list_pipelines", {"repo_id": 5}, "/api/repos/5/pipelines", "pipelines"),
        ("list_secrets", {"scope": "global"}, "/api/secrets", "secrets"),
    ],
)
@pytest.mark.parametrize("answer", [json_answer(None), text_answer(200), json_answer([])])
async def test_null_is_an_empty_list(
    tool: str,
    arguments: dict[str, object],
    path: str,
    key: str,
    answer: Answer,
    server: Server[object],
    backend: WoodpeckerBackend,
) -> None:
    backend.script("GET", path, answer)
    assert (await result(server, tool, **arguments))[key] == []


@pytest.mark.requirement("T-woodpecker-11")
async def test_a_null_log_is_an_empty_one(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("GET", "/api/repos/5/logs/1/9", json_answer(None))
    shown = await result(server, "get_step_logs", repo_id=5, number=1, step_id=9)
    assert (shown["lines"], shown["output"]) == (0, "")
    assert "empty" in str(shown["note"])


@pytest.mark.requirement("T-woodpecker-12")
async def test_a_log_over_the_bound_is_refused(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    body = b"[" + b" " * (40 * 1024 * 1024) + b"]"
    log = Answer(200, body, "application/json", chunked=True)
    backend.script("GET", "/api/repos/5/logs/1/9", log)
    said = await failure(server, "get_step_logs", repo_id=5, number=1, step_id=9)
    assert "larger than" in said


@pytest.mark.requirement("T-woodpecker-13")
async def test_the_instances_words_are_cleaned_and_labelled(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    words = "no \x1b[31mred\x1b[0m and no \u202ereversed"
    backend.script("GET", "/api/user", text_answer(500, words))
    said = await failure(server, "get_current_user")
    assert "no red and no reversed" in said
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert "own words" in said
    assert "<untrusted-" in said


async def test_a_list_that_is_none_is_an_error(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("GET", "/api/repos/5/cron", json_answer({"crons": []}))
    assert "something else than a list" in await failure(server, "list_crons", repo_id=5)


async def test_an_object_that_is_none_is_an_error(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("GET", "/api/user", json_answer([1]))
    assert "JSON that is no object" in await failure(server, "get_current_user")


async def test_damaged_json_is_an_error(server: Server[object], backend: WoodpeckerBackend) -> None:
    backend.script("GET", "/api/user", Answer(200, b'{"login": "ro', "application/json"))
    assert "with no JSON" in await failure(server, "get_current_user")


async def test_a_read_is_repeated_and_a_write_is_not(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("GET", "/api/user", text_answer(503))
    await failure(server, "get_current_user")
    backend.script("POST", "/api/queue/resume", text_answer(503))
    await failure(server, "resume_queue")
    assert [request.method for request in backend.requests] == ["GET", "GET", "GET", "POST"]


async def test_a_server_that_is_away_is_named_with_its_variable() -> None:
    environ = {"WOODPECKER_URL": "http://127.0.0.1:1", "WOODPECKER_TOKEN": ADMIN_TOKEN}
    assert "WOODPECKER_URL" in await failure(server_of(environ), "get_current_user")


@pytest.mark.parametrize(
    "answer", [Answer(200, PAGE, "text/html"), json_answer([]), text_answer(404)]
)
async def test_what_is_no_woodpecker_has_no_version(
    answer: Answer, server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("GET", "/version", answer)
    assert "no Woodpecker server" in await failure(server, "get_server_info")


async def test_an_unhealthy_server_says_why(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.healthy = False
    shown = await result(server, "get_server_info")
    assert shown["healthy"] is False
    assert shown["note"] == "HTTP 500: database is locked"


async def test_an_unknown_token_is_refused(make_server: MakeServer) -> None:
    server = make_server({"WOODPECKER_TOKEN": "another-token"})
    said = await failure(server, "get_current_user")
    assert "401" in said
    assert "another-token" not in said
