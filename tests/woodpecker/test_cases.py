"""Faults that people reported, and that must not happen here."""

from __future__ import annotations

import json

import pytest
from mcp.server import Server

from tests.backends.woodpecker import Answer, WoodpeckerBackend
from tests.support.clients import text
from tests.woodpecker.calls import arrange
from tests.woodpecker.support import (
    answered,
    failure,
    json_answer,
    result,
    text_answer,
)

PASSWORD = "pw-of-the-registry"


@pytest.mark.requirement("R-15")
@pytest.mark.parametrize(
    ("name", "segment"),
    [
        ("ci/token", "ci%2Ftoken"),
        ("a?b", "a%3Fb"),
        ("a#b", "a%23b"),
        ("a%2Fb", "a%252Fb"),
        ("a b", "a%20b"),
        ("ä", "%C3%A4"),
        ("...", "..."),
        (".hidden", ".hidden"),
    ],
)
async def test_a_secret_of_any_name_can_be_read_changed_and_deleted(
    name: str, segment: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    backend.state.secrets[0]["name"] = name
    here = {"repo_id": 5, "name": name}
    await result(server, "get_secret", **here)
    await result(server, "update_secret", **here, note="neu")
    _, asked = await answered(server, "delete_secret", here)
    path = f"/api/repos/5/secrets/{segment}"
    lines = [line for line in backend.lines() if "permissions" not in line]
    reads = [f"GET {path}"] * 2  # before the question, and when it was answered
    assert lines == [f"GET {path}", f"PATCH {path}", *reads, f"DELETE {path}"]
    if name in {"...", ".hidden"}:
        assert f'"{name}"' in asked[0]
    else:
        assert "the secret named below" in asked[0]
        assert f"  Secret: {name}" in asked[0]


@pytest.mark.requirement("R-15")
@pytest.mark.parametrize("name", ["ci/token", "a b", "ä", "", "x" * 101])
async def test_a_new_secret_has_a_plain_name(
    name: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    said = await failure(server, "create_secret", repo_id=5, name=name, value="v", events=["push"])
    assert said.startswith("name:")
    assert backend.requests == []


@pytest.mark.requirement("R-16")
@pytest.mark.parametrize("address", ["https://reg.example.net", "reg.example.net/", "a b", "-x"])
async def test_a_registry_with_a_scheme_is_not_created(
    address: str, server: Server[object], backend: WoodpeckerBackend
) -> None:
    said = await failure(
        server, "create_registry", repo_id=5, address=address, username="bot", password=PASSWORD
    )
    assert "without https://" in said
    assert PASSWORD not in said
    assert backend.requests == []


@pytest.mark.requirement("R-16")
@pytest.mark.parametrize("status", [400, 422])
async def test_an_address_that_the_server_cannot_parse_is_explained(
    status: int, server: Server[object], backend: WoodpeckerBackend
) -> None:
    words = 'Error inserting registry. parse "10.0.0.8:5000": first path segment'
    backend.script("POST", "/api/repos/5/registries", text_answer(status, words))
    said = await failure(
        server,
        "create_registry",
        repo_id=5,
        address="10.0.0.8:5000",
        username="bot",
        password=PASSWORD,
    )
    assert "first path segment" in said
    assert "host name works" in said
    assert PASSWORD not in said


@pytest.mark.requirement("R-16")
async def test_a_registry_with_a_scheme_can_be_deleted(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    address = "https://reg.example.net:5000/"
    arguments = {"repo_id": 5, "address": address}
    entry = {"id": 7, "address": address, "username": "bot"}
    backend.script("GET", "/api/repos/5/registries/.*", json_answer(entry))
    words = 'Error deleting registry "x". sql: no rows in result set'
    backend.script("DELETE", "/api/repos/5/registries/.*", text_answer(500, words))
    called, asked = await answered(server, "delete_registry", arguments)
    assert f"  Registry: {address}" in asked[0]
    path = "/api/repos/5/registries/https%3A%2F%2Freg.example.net%3A5000%2F"
    assert backend.lines("DELETE") == [f"DELETE {path}"]
    assert called.is_error
    assert "no such entry" in text(called)


@pytest.mark.requirement("T-woodpecker-43", "R-17")
async def test_a_new_cron_job_is_switched_on(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    job = {"repo_id": 21, "name": "nightly", "schedule": "0 4 * * *"}
    made = await result(server, "create_cron", **job)
    assert backend.writes[0].json() == {
        "name": "nightly",
        "schedule": "0 4 * * *",
        "enabled": True,
    }
    cron = made["cron"]
    assert cron["enabled"] is True  # type: ignore[index]
    assert cron["next_exec"]  # type: ignore[index]
    cron_id = cron["id"]  # type: ignore[index]
    await result(server, "update_cron", repo_id=21, cron_id=cron_id, schedule="@daily")
    assert backend.writes[1].json() == {"schedule": "@daily"}
    await result(server, "update_cron", repo_id=21, cron_id=cron_id, enabled=False)
    listed = await result(server, "list_crons", repo_id=21)
    assert listed["crons"][0]["enabled"] is False  # type: ignore[index]
    shown = await result(server, "get_cron", repo_id=21, cron_id=cron_id)
    assert shown["next_exec"] == listed["crons"][0]["next_exec"]  # type: ignore[index]


@pytest.mark.requirement("T-woodpecker-43", "R-17")
async def test_a_cron_job_that_was_stored_switched_off_is_warned_about(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    body = json.dumps({"id": 1, "enabled": False}).encode()
    backend.script("POST", "/api/repos/21/cron", Answer(200, body, "application/json"))
    job = {"repo_id": 21, "name": "nightly", "schedule": "0 4 * * *"}
    assert "switched off" in str((await result(server, "create_cron", **job))["note"])
    paused = await result(server, "create_cron", **job, enabled=False)
    assert "note" not in paused


@pytest.mark.requirement("T-woodpecker-43", "R-17")
@pytest.mark.parametrize(
    ("arguments", "status", "words", "said"),
    [
        ({"schedule": "0 30 4 * * *"}, None, "", ("five fields", "exactly 5 fields")),
        ({"timezone": "Europe/Atlantis"}, None, "", ("unknown time zone Europe/Atlantis",)),
        ({}, 400, "unknown time zone", ("unknown time zone", "timezone")),
        ({}, 409, "", ("name is already used",)),
        ({}, 500, 'Error inserting cron "nightly". UNIQUE failed', ("name is already used",)),
    ],
)
async def test_a_cron_job_that_is_refused_is_explained(
    arguments: dict[str, object],
    status: int | None,
    words: str,
    said: tuple[str, ...],
    server: Server[object],
    backend: WoodpeckerBackend,
) -> None:
    if status is not None:
        backend.script("POST", "/api/repos/21/cron", text_answer(status, words))
    job = {"repo_id": 21, "name": "nightly", "schedule": "0 4 * * *", **arguments}
    refused = await failure(server, "create_cron", **job)
    assert all(part in refused for part in said)


@pytest.mark.requirement("S-wood-5", "R-18")
async def test_an_emptied_list_is_sent_and_a_null_is_not(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    here = {"repo_id": 5, "name": "deploy_key"}
    called, asked = await answered(server, "update_secret", {**here, "images": []})
    assert len(asked) == 1
    assert not called.is_error
    assert backend.writes[0].json() == {"images": []}
    await result(server, "update_secret", **here, images=None, note="neu")
    assert backend.writes[1].json() == {"note": "neu"}
    await result(server, "update_secret", **here, note="")
    assert backend.writes[2].json() == {"note": ""}


@pytest.mark.requirement("R-18")
@pytest.mark.parametrize(
    "change", [{"events": []}, {"value": ""}, {"images": None}, {"events": ["pushed"]}]
)
async def test_what_would_not_do_what_it_says_is_refused(
    change: dict[str, object], server: Server[object], backend: WoodpeckerBackend
) -> None:
    arrange(backend)
    await failure(server, "update_secret", repo_id=5, name="deploy_key", **change)
    assert backend.requests == []
