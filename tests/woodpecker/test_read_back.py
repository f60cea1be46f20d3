"""A reading after a write never hides the write, and a marker never becomes a value."""

from __future__ import annotations

from collections import defaultdict

import pytest
from mcp.server import Server

from mcp_serverkit.tools.registry import Tool
from mcp_serverkit.tools.schema import input_schema
from tests.backends.woodpecker import Answer, Json, RecordedRequest, WoodpeckerBackend
from tests.support.arguments import minimal
from tests.support.clients import structured, text
from tests.woodpecker.calls import arrange
from tests.woodpecker.support import answered, failure, result, text_answer
from woodpecker_ci_mcp.redaction import REDACTED
from woodpecker_ci_mcp.tools import TOOLS


def failing_after_a_write(backend: WoodpeckerBackend, route: str) -> None:
    """Let a route fail once something was written."""

    def answer(_request: RecordedRequest) -> Answer | None:
        return text_answer(403) if backend.writes else None

    backend.script("GET", route, answer)


@pytest.mark.requirement("W-7")
@pytest.mark.parametrize(
    ("tool", "arguments", "route"),
    [
        ("update_user", {"login": "eve", "email": "new@example.org"}, "/api/users/eve"),
        ("create_user", {"login": "newcomer", "admin": True}, "/api/users/newcomer"),
        (
            "update_registry",
            {"repo_id": 5, "address": "reg.example.org", "username": "x"},
            "/api/repos/5/registries/.*",
        ),
    ],
)
async def test_what_cannot_be_read_back_is_a_success_that_says_so(
    tool: str,
    arguments: dict[str, object],
    route: str,
    server: Server[object],
    backend: WoodpeckerBackend,
) -> None:
    arrange(backend)
    failing_after_a_write(backend, route)
    called, _ = await answered(server, tool, arguments)
    shown = structured(called)
    assert shown["verified"] is False
    assert "sent and accepted" in str(shown["note"])
    assert "HTTP 403" in str(shown["note"])


@pytest.mark.requirement("W-7")
async def test_the_own_admin_right_is_not_given_away(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    said = await failure(server, "update_user", login="root", admin=False)
    assert "Another admin can" in said
    assert backend.writes == []
    await result(server, "update_user", login="eve", admin=False)


@pytest.mark.requirement("W-7")
async def test_an_account_that_was_created_is_named_when_the_rest_fails(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("PATCH", "/api/users/.*", text_answer(403))
    called, _ = await answered(server, "create_user", {"login": "newcomer", "admin": True})
    assert "account newcomer was created" in text(called)
    assert "Nothing was changed" not in text(called)


async def test_a_forge_that_was_created_is_named_when_the_rest_fails(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.version = "3.11.0"
    backend.script("PATCH", "/api/forges/.*", text_answer(403))
    said = await failure(
        server,
        "create_forge",
        type="gitea",
        url="https://git.example.org",
        client="c",
        oauth_client_secret="s",
    )
    assert "was created" in said
    assert "Nothing was changed" not in said


def _texts(schema: Json) -> bool:
    return "string" in str(schema) and "enum" not in schema


@pytest.mark.requirement("W-8")
def test_a_marker_is_refused_wherever_a_text_is_written() -> None:
    """Walks the registry, so that a new argument is under the rule at once."""
    from mcp_serverkit.errors import BadArgument
    from mcp_serverkit.tools.validation import check_arguments

    looked_at = 0
    for tool in TOOLS:
        if tool.annotations.read_only:
            continue
        for name, schema in _properties(tool).items():
            if (tool.name, name) == ("update_cron", "variables") or not _texts(schema):
                continue
            values: list[object] = [REDACTED]
            if "object" in str(schema):
                values = [{"KEY": REDACTED}]
            elif "array" in str(schema):
                values = [[REDACTED]]
            for value in values:
                with pytest.raises(BadArgument, match=name):
                    check_arguments(tool, {**_required(tool), name: value})
            looked_at += 1
    assert looked_at > 40


def _properties(tool: Tool) -> dict[str, Json]:
    found = input_schema(tool)["properties"]
    assert isinstance(found, dict)
    return {name: schema for name, schema in found.items() if name != "confirm_token"}


def _required(tool: Tool) -> Json:
    """Plain values for the other arguments."""
    samples: Json = {
        "branch": "main",
        "name": "n",
        "value": "v",
        "events": ["push"],
        "address": "a",
        "username": "u",
        "password": "p",
        "schedule": "@daily",
        "login": "l",
        "type": "gitea",
        "url": "https://example.org",
        "client": "c",
        "oauth_client_secret": "s",
        "to": "a/b",
        "forge_remote_id": "1",
        "level": "info",
    }
    return minimal(tool, defaultdict(lambda: 1, samples))


@pytest.mark.requirement("W-8")
async def test_a_hidden_variable_of_a_cron_job_is_kept_by_its_marker(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    cron = backend.state.crons[0]
    cron["variables"] = {"DEPLOY_TOKEN": "s3cr3t", "X": "1"}
    here = {"repo_id": 5, "cron_id": 71}
    shown = await result(server, "get_cron", **here)
    assert shown["variables"] == {"DEPLOY_TOKEN": REDACTED, "X": "1"}
    assert shown["hidden"] == ["DEPLOY_TOKEN"]
    changed = await result(
        server, "update_cron", **here, variables={"DEPLOY_TOKEN": REDACTED, "X": "2"}
    )
    assert cron["variables"] == {"DEPLOY_TOKEN": "s3cr3t", "X": "2"}
    assert "s3cr3t" not in str(changed)
    said = await failure(server, "update_cron", **here, variables={"OTHER_TOKEN": REDACTED})
    assert said.startswith("variables:")
    assert len(backend.writes) == 1
