"""Lists of repositories: pages, parts of names, and what an account is not shown."""

from __future__ import annotations

from typing import cast

import pytest
from mcp.server import Server

from tests.backends.woodpecker import Json, WoodpeckerBackend
from tests.support.clients import ERAS, Era, call, connect, structured
from tests.woodpecker.conftest import MakeServer
from tests.woodpecker.support import result


def fill(backend: WoodpeckerBackend, count: int) -> None:
    """Let an instance have so many repositories, and no others."""
    backend.state.repos.clear()
    for number in range(count):
        backend.state.add_repo(1_000 + number, f"acme/svc{number:04}")


def names(shown: Json) -> list[str]:
    rows = cast("list[Json]", shown["repositories"])
    return [str(row["full_name"]).removeprefix("acme/svc") for row in rows]


@pytest.mark.requirement("W-12")
@pytest.mark.parametrize("era", ERAS)
async def test_a_name_is_found_behind_the_first_page(
    era: Era, server: Server[object], backend: WoodpeckerBackend
) -> None:
    fill(backend, 65)
    async with connect(server, era) as client:
        arguments = {"scope": "instance", "name": "SVC0055"}
        shown = structured(await call(client, "list_repositories", arguments))
    assert names(shown) == ["0055"]
    assert shown["searched"] == 65
    assert "more" not in shown


@pytest.mark.requirement("W-12")
async def test_what_a_search_finds_is_paged_here(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    fill(backend, 130)
    asked = {"scope": "instance", "name": "svc00", "per_page": 40}
    first = await result(server, "list_repositories", **asked)
    assert (len(names(first)), first["more"], first["next_page"]) == (40, True, 2)
    third = await result(server, "list_repositories", **asked, page=3)
    assert names(third) == [f"{number:04}" for number in range(80, 100)]
    assert "more" not in third
    assert len(backend.lines()) == 2 * 3


@pytest.mark.requirement("W-12")
async def test_a_search_has_a_bound_and_says_so(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    fill(backend, 1_001)
    shown = await result(server, "list_repositories", scope="instance", name="svc1000")
    assert (names(shown), shown["searched"], shown["more"]) == ([], 1_000, True)
    assert "lookup_repository" in str(shown["note"])
    assert len(backend.lines()) == 20


@pytest.mark.parametrize("inactive", [False, True])
@pytest.mark.parametrize("name", [None, "acme"])
async def test_the_instance_shows_what_is_switched_off_only_on_demand(
    name: str | None, inactive: bool, server: Server[object], backend: WoodpeckerBackend
) -> None:
    fill(backend, 2)
    backend.state.repos[0]["active"] = False
    asked = {"scope": "instance", "include_inactive": inactive}
    shown = await result(server, "list_repositories", **asked, **({"name": name} if name else {}))
    assert names(shown) == (["0000", "0001"] if inactive else ["0001"])
    assert "ignored" not in shown


@pytest.mark.requirement("W-12")
@pytest.mark.parametrize(
    ("asked", "rows", "following"),
    [
        ({}, range(64), None),
        ({"page": 2, "per_page": 10}, range(10, 20), 3),
        ({"page": 2}, range(50, 64), None),
        ({"page": 4, "per_page": 16}, range(48, 64), None),
        ({"name": "svc006", "per_page": 2}, range(60, 62), 2),
        ({"page": 9}, range(0), None),
    ],
)
async def test_the_accounts_list_is_paged_here(
    asked: Json,
    rows: range,
    following: int | None,
    server: Server[object],
    backend: WoodpeckerBackend,
) -> None:
    fill(backend, 64)
    shown = await result(server, "list_repositories", **asked)
    assert names(shown) == [f"{number:04}" for number in rows]
    assert shown.get("next_page") == following
    assert shown.get("more") is (True if following else None)
    assert backend.lines() == ["GET /api/user/repos"]


@pytest.mark.requirement("R-65")
async def test_an_empty_list_says_what_an_account_is_not_shown(
    make_server: MakeServer, backend: WoodpeckerBackend
) -> None:
    backend.state.add_user("eve-too", token="eve-token")
    backend.state.rights[5, "eve-too"] = "pull"
    server = make_server({"WOODPECKER_TOKEN": "eve-token"})
    shown = await result(server, "list_repositories")
    assert names(shown) == []
    for words in ("synchronisation", "include_inactive", "lookup_repository", "scope=instance"):
        assert words in str(shown["note"])
    assert backend.writes == []


async def test_an_admin_without_a_permission_row_finds_it_in_the_instance(
    server: Server[object], backend: WoodpeckerBackend
) -> None:
    fill(backend, 1)
    backend.state.rowless.add((1_000, "root"))
    assert "scope=instance" in str((await result(server, "list_repositories"))["note"])
    assert (await result(server, "get_pipeline_feed"))["feed"] == []
    shown = await result(server, "list_repositories", scope="instance")
    assert names(shown) == ["0000"]
    assert "note" not in shown
