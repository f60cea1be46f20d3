"""Answers that must be cut, and how they say so."""

from __future__ import annotations

import base64

import pytest
from mcp.server import Server

from tests.backends.woodpecker import WoodpeckerBackend
from tests.support.clients import document, text
from tests.woodpecker.support import (
    failure,
    json_answer,
    outcome,
    result,
)


@pytest.mark.requirement("T-woodpecker-55")
async def test_a_full_queue_is_cut_to_its_budget(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.waiting = [
        {"id": str(number), "name": "n" * 900, "labels": {"repo": "漢" * 370}}
        for number in range(400)
    ]
    called = await outcome(server, "get_queue_info", {})
    assert len(text(called).encode()) <= 100_000
    shown = document(called)
    assert "truncated" in shown
    assert shown["stats"]["pending_count"] == 400  # type: ignore[index]


async def test_a_queue_of_small_tasks_is_halved(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.waiting = [{"id": str(number), "name": "n" * 150} for number in range(2_000)]
    called = await outcome(server, "get_queue_info", {})
    assert len(text(called).encode()) <= 100_000
    shown = document(called)
    left = len(shown["pending"])  # type: ignore[arg-type]
    assert shown["truncated"]["entries_left_out"] == 2_000 - left  # type: ignore[index]


async def test_what_cannot_be_cut_is_an_error(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    keys = {f"key-{number}": "x" * 150 for number in range(2_000)}
    backend.script("GET", "/api/queue/info", json_answer(keys))
    assert "cannot be cut" in await failure(server, "get_queue_info")


async def test_a_long_list_drops_its_last_entries(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    branches = [f"branch-{number}-" + "x" * 200 for number in range(1_000)]
    backend.script("GET", "/api/repos/5/branches", json_answer(branches))
    shown = await result(server, "list_repository_branches", repo_id=5)
    kept = len(shown["branches"])  # type: ignore[arg-type]
    assert shown["branches"] == branches[:kept]
    assert shown["truncated"]["shown"] == kept  # type: ignore[index]
    assert shown["truncated"]["total"] == 1_000  # type: ignore[index]


def file(name: str, content: str) -> dict[str, object]:
    return {"name": name, "hash": "h", "data": base64.b64encode(content.encode()).decode()}


async def test_configuration_files_are_decoded_and_bounded(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    backend.state.add_pipeline(5)
    small = file("small", "steps:\n  - image: alpine\n")
    large = file("large", "漢" * 300_000)
    odd: dict[str, object] = {"name": "odd", "hash": "h", "data": "abc"}
    backend.state.configs[5, 1] = [small, large, odd, {"name": "none"}]
    called = await outcome(server, "get_pipeline_config", {"repo_id": 5, "number": "latest"})
    configs = document(called)["configs"]
    assert configs[0]["content"] == "steps:\n  - image: alpine\n"  # type: ignore[index]
    assert "characters are shown" in configs[1]["note"]  # type: ignore[index]
    assert "no base64" in configs[2]["content"]  # type: ignore[index]
    assert configs[3]["content"] == ""  # type: ignore[index]
    assert len(text(called).encode()) <= 100_000
    backend.state.configs[5, 1] = [file(f"f{number}", "x") for number in range(25)]
    shown = await result(server, "get_pipeline_config", repo_id=5, number=1)
    assert shown["truncated"]["total"] == 25  # type: ignore[index]
    backend.state.configs[5, 1] = []
    assert (await result(server, "get_pipeline_config", repo_id=5, number=1))["configs"] == []
