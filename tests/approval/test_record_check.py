# ruff: noqa: ASYNC240 (a file of a few lines, looked at between two calls)
"""`--check` says whether the record can be built upon, and writes nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mcp_approval.approver import Approver
from mcp_approval.checking import check_outside
from tests.approval.outside import stand
from tests.approval.records import story, written


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "record.jsonl"


async def told(path: Path) -> tuple[list[str], bool]:
    before = {one: one.read_bytes() for one in path.parent.iterdir()}
    approver = Approver("shop", settings={"approval_record": str(path)})
    found = await check_outside(approver)
    assert {one: one.read_bytes() for one in path.parent.iterdir()} == before
    return found.lines, found.works


@pytest.mark.requirement("D-2")
async def test_a_record_is_told_with_its_length_and_its_head(path: Path) -> None:
    records = written(path, story())
    head = records[-1].hash[:16]
    assert await told(path) == ([f"record: 20 records, head {head}, can be written"], True)


async def test_none_yet_is_no_fault(path: Path) -> None:
    assert await told(path) == (["record: none yet, can be written"], True)
    path.touch(mode=0o600)
    assert await told(path) == (["record: none yet, can be written"], True)


async def test_a_record_that_was_set_aside_is_the_one_to_follow(path: Path) -> None:
    records = written(path, story())
    path.rename(f"{path}.000001")
    head = records[-1].hash[:16]
    assert await told(path) == ([f"record: 20 records, head {head}, can be written"], True)


@pytest.mark.requirement("D-2")
async def test_what_it_did_not_write_is_a_fault(path: Path) -> None:
    path.write_bytes(b"not ours\n")
    lines, works = await told(path)
    assert not works
    assert lines == [
        "record: its last line is not its own; the operator can run mcp-approval verify"
    ]


@pytest.mark.requirement("D-2")
async def test_what_cannot_be_written_is_a_fault(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(path, story())
    tried = list[object]()

    def access(asked: str, mode: int) -> bool:
        tried.append((asked, mode))
        return False

    # Root may write everywhere, and tests may run as root.
    monkeypatch.setattr(os, "access", access)
    assert await told(path) == (["record: cannot be written"], False)
    assert tried == [(str(path), os.W_OK)]
    path.unlink()
    assert await told(path) == (["record: cannot be written"], False)
    assert tried[1:] == [(str(path.parent), os.W_OK)]


async def test_without_a_record_nothing_is_said_of_one() -> None:
    found = await check_outside(Approver("shop"))
    assert found == ([], True)


@pytest.mark.parametrize(("refuses", "works"), [("", True), ("no display", False)])
async def test_the_record_comes_after_the_ways_to_a_person(
    path: Path, refuses: str, works: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = stand(monkeypatch, APPROVAL_RECORD=str(path))
    at.window.refuses = refuses
    found = await check_outside(at.approver)
    said = refuses or "works"
    assert found.lines == [f"window: {said}", "record: none yet, can be written"]
    assert found.works is works
    assert at.window.closed
