"""Organisations that do not exist, which Woodpecker takes for one that owns everything."""

from __future__ import annotations

import pytest
from mcp.server import Server

from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import text
from tests.woodpecker.calls import arrange
from tests.woodpecker.support import answered, failure, json_answer, result, text_answer

NOWHERE = {"scope": "organization", "org_id": 999}


async def test_deleting_an_unknown_organisation_would_delete_all_secrets_and_is_refused(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    called, asked = await answered(server, "delete_organization", {"org_id": 999})
    assert called.is_error
    assert "no organisation 999" in text(called)
    assert asked == []
    assert backend.writes == []
    assert [secret["name"] for secret in backend.state.secrets] == ["deploy_key"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("list_secrets", {}),
        ("get_secret", {"name": "deploy_key"}),
        ("create_secret", {"name": "new", "value": "v", "events": ["push"]}),
        ("update_secret", {"name": "deploy_key", "note": "x"}),
        ("delete_secret", {"name": "deploy_key"}),
        ("list_registries", {}),
        ("create_registry", {"address": "a.example", "username": "u", "password": "p"}),
        ("delete_registry", {"address": "reg.example.org"}),
    ],
)
async def test_nothing_is_done_at_the_level_of_an_unknown_organisation(
    tool: str,
    arguments: dict[str, object],
    server: Server[object],
    backend: WoodpeckerBackend,
) -> None:
    arrange(backend)
    said = await failure(server, tool, **{**NOWHERE, **arguments})
    assert "no organisation 999" in said
    assert "confirm_token" not in said
    assert backend.lines() == ["GET /api/orgs/999"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_organization", {}),
        ("get_organization_permissions", {}),
        ("create_agent", {"name": "new"}),
    ],
)
async def test_an_unknown_organisation_is_called_that(
    tool: str, arguments: dict[str, object], server: Server[object]
) -> None:
    assert "no organisation 999" in await failure(server, tool, org_id=999, **arguments)


async def test_who_may_not_read_an_organisation_is_judged_by_the_server(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.script("GET", "/api/orgs/7", text_answer(403, "user not authorized"))
    backend.script("GET", "/api/orgs/7/secrets", json_answer([]))
    shown = await result(server, "list_secrets", scope="organization", org_id=7)
    assert shown["secrets"] == []
