"""Parts of a log: windows, searches, budgets."""

from __future__ import annotations

import pytest
from mcp.server import Server

from tests.backends.woodpecker import Json, WoodpeckerBackend
from tests.support.clients import text
from tests.woodpecker.conftest import MakeServer
from tests.woodpecker.support import HERE, outcome, result, store


@pytest.mark.requirement("T-woodpecker-16")
async def test_the_end_of_a_long_log_is_shown_unless_told_otherwise(
    server: Server[object], backend: WoodpeckerBackend, step: Json
) -> None:
    store(backend, [f"line {number}" for number in range(1, 5001)])
    shown = await result(server, "get_step_logs", **HERE)
    lines = str(shown["output"]).split("\n")
    assert (lines[0], lines[-1], len(lines)) == ("line 4801", "line 5000", 200)
    assert "200 of 5000" in str(shown["note"])
    assert shown["first_line"] == 4801
    head = await result(server, "get_step_logs", **HERE, **{"from": "head", "limit": 3})
    assert head["output"] == "line 1\nline 2\nline 3"


@pytest.mark.parametrize(
    ("arguments", "first", "last"),
    [
        ({"limit": 10, "offset": 100}, 4891, 4900),
        ({"limit": 10, "offset": 100, "from": "head"}, 101, 110),
        ({"limit": 10, "around_line": 2000}, 1995, 2004),
        ({"limit": 10, "around_line": 1}, 1, 10),
        ({"limit": 10, "around_line": 99999}, 4991, 5000),
        ({"limit": 5000, "from": "head", "offset": 4998}, 4999, 5000),
    ],
)
async def test_any_part_of_a_log_can_be_shown(
    arguments: dict[str, object],
    first: int,
    last: int,
    server: Server[object],
    backend: WoodpeckerBackend,
    step: Json,
) -> None:
    store(backend, [f"line {number}" for number in range(1, 5001)])
    shown = await result(server, "get_step_logs", **HERE, **arguments)
    lines = str(shown["output"]).split("\n")
    assert (lines[0], lines[-1]) == (f"line {first}", f"line {last}")
    assert shown["lines"] == last - first + 1


@pytest.mark.parametrize("arguments", [{"offset": 9000}, {"offset": 9000, "from": "head"}])
async def test_beyond_the_log_there_is_nothing(
    arguments: dict[str, object], server: Server[object], backend: WoodpeckerBackend, step: Json
) -> None:
    store(backend, ["one", "two"])
    shown = await result(server, "get_step_logs", **HERE, **arguments)
    assert (shown["lines"], shown["total_lines"]) == (0, 2)


async def test_an_empty_log_has_nothing_around_a_line(
    server: Server[object], backend: WoodpeckerBackend, step: Json
) -> None:
    assert (await result(server, "get_step_logs", **HERE, around_line=7))["lines"] == 0


@pytest.mark.requirement("T-woodpecker-17")
@pytest.mark.parametrize("end", ["head", "tail"])
async def test_the_budget_counts_bytes_and_cuts_at_line_borders(
    end: str, server: Server[object], backend: WoodpeckerBackend, step: Json
) -> None:
    store(backend, ["漢" * 100 for _ in range(1_000)])
    shown = await result(server, "get_step_logs", **HERE, **{"limit": 5000, "from": end})
    output = str(shown["output"])
    assert len(output.encode()) <= 40_000
    assert set(output.split("\n")) == {"漢" * 100}
    assert "byte limit" in str(shown["note"])


@pytest.mark.parametrize("arguments", [{}, {"from": "head"}, {"around_line": 1}])
async def test_a_single_line_over_the_budget_is_cut(
    arguments: dict[str, object],
    make_server: MakeServer,
    backend: WoodpeckerBackend,
    step: Json,
) -> None:
    store(backend, ["漢" * 2_000])
    server = make_server({"WOODPECKER_LOG_MAX_BYTES": "1000"})
    shown = await result(server, "get_step_logs", **HERE, **arguments)
    assert 0 < len(str(shown["output"]).encode()) <= 1_000
    assert "byte limit" in str(shown["note"])


async def test_a_line_of_a_megabyte_is_cut(
    server: Server[object], backend: WoodpeckerBackend, step: Json
) -> None:
    store(backend, ["x" * 1_000_000])
    assert str((await result(server, "get_step_logs", **HERE))["output"]).endswith("xxx…(cut)")


async def test_the_largest_budget_stays_inside_a_result(
    make_server: MakeServer, backend: WoodpeckerBackend, step: Json
) -> None:
    store(backend, ['"\\' * 50 for _ in range(5_000)])
    server = make_server({"WOODPECKER_LOG_MAX_BYTES": "400000"})
    called = await outcome(server, "get_step_logs", {**HERE, "limit": 5000})
    assert not called.is_error
    assert len(text(called).encode()) < 200_000


async def test_a_search_shows_matches_with_lines_around_them(
    server: Server[object], backend: WoodpeckerBackend, step: Json
) -> None:
    store(backend, [f"line {number}" for number in range(1, 3_001)])
    shown = await result(server, "get_step_logs", **HERE, search="LINE 100", context=1)
    assert shown["matches"] == [100, *range(1000, 1010)]
    assert shown["total_matches"] == 11
    lines = str(shown["output"]).split("\n")
    assert lines[:4] == ["99 +98s: line 99", "100 +99s: line 100", "101 +100s: line 101", "--"]
    assert lines[-1] == "1010 +1009s: line 1010"
    last = await result(server, "get_step_logs", **HERE, search="line 3000", context=2)
    assert str(last["output"]).split("\n")[-1] == "3000 +2999s: line 3000"
    few = await result(server, "get_step_logs", **HERE, search="line", max_matches=2, context=0)
    assert few["output"] == "1 +0s: line 1\n2 +1s: line 2"
    assert "2 of 3000" in str(few["note"])


async def test_a_search_stops_at_the_budget(
    make_server: MakeServer, backend: WoodpeckerBackend, step: Json
) -> None:
    store(backend, ["x" * 300 for _ in range(10)])
    server = make_server({"WOODPECKER_LOG_MAX_BYTES": "1000"})
    shown = await result(server, "get_step_logs", **HERE, search="xx", context=0)
    assert shown["matches"] == [1, 2, 3]
    assert shown["total_matches"] == 10
    assert "byte limit" in str(shown["note"])


async def test_a_search_without_a_match_says_so(
    server: Server[object], backend: WoodpeckerBackend, step: Json
) -> None:
    store(backend, ["one"])
    shown = await result(server, "get_step_logs", **HERE, search="two")
    assert (shown["output"], shown["total_matches"]) == ("", 0)


async def test_lines_can_carry_their_numbers(
    server: Server[object], backend: WoodpeckerBackend, step: Json
) -> None:
    store(backend, ["one", "two"])
    shown = await result(server, "get_step_logs", **HERE, line_numbers=True)
    assert shown["output"] == "1 +0s: one\n2 +1s: two"
