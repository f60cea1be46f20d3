"""The command that checks a record and shows it."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from mcp_approval.command import main
from tests.approval.records import event, story, written


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "record.jsonl"


@pytest.mark.requirement("D-11")
def test_verify_says_that_a_record_is_whole(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = written(path, story())
    assert main(["verify", str(path), "--head", records[4].hash[:12].upper()]) == 0
    assert capsys.readouterr().out.startswith("ok: 20 records in 1 file")


@pytest.mark.requirement("D-11")
def test_verify_says_where_a_record_is_not_whole(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(path, story())
    path.write_bytes(path.read_bytes().replace(b"anna", b"otto"))
    assert main(["verify", str(path)]) == 1
    assert capsys.readouterr().out == "not whole: record.jsonl line 14: altered\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", "/nonexistent/record.jsonl"],
        ["show", "/nonexistent/record.jsonl"],
    ],
)
def test_a_file_that_cannot_be_read_ends_with_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err == "mcp-approval: No such file or directory\n"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["verify"],
        ["verify", "x", "--head", "abc"],
        ["verify", "x", "--head", "g" * 12],
        ["show", "x", "--last", "-1"],
        ["show", "x", "--last", "many"],
        ["verify", "x", "--he", "0" * 12],
        ["repair", "x"],
    ],
)
def test_a_wrong_call_ends_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2


@pytest.mark.requirement("D-11")
def test_show_tells_each_event_in_a_line(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    waited = event("cancelled", tool="t", target="a" * 12, way="window", waited_ms=20_417)
    over = event("withdrawn", tool="t", target="a" * 12, way="phone", approver="anna", waited_ms=90)
    odd = [
        over,
        event("continued", **{"from": "record.jsonl.000001"}),
        event("refused", tool="t", target="a" * 12, reason="too_many_open"),
    ]
    written(path, [*story(), waited, *odd])
    assert main(["show", str(path)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "2026-11-30 22:28:10Z  #1 ntfy-mcp  started"
    assert out[1].endswith("#2 ntfy-mcp delete_user 000000000000  asked in the client's dialog")
    assert out[3].endswith("done, as approved in #3")
    assert out[13].endswith("asked by phone (anna)")
    assert out[20].endswith("cancelled in a window, 20 s after it was asked")
    assert out[21].endswith(" withdrawn, 0 s after it was asked")
    assert out[22].endswith("continued record.jsonl.000001")
    assert out[23].endswith("refused: too many open")
    assert out[24].startswith("ok: 24 records")


@pytest.mark.requirement("D-11")
def test_show_ends_with_what_is_wrong(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(path, story())
    path.write_bytes(path.read_bytes().replace(b"anna", b"otto"))
    assert main(["show", str(path), "--last", "2"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert [line.split()[2] for line in out[:2]] == ["#12", "#13"]
    assert out[2] == "not whole: record.jsonl line 14: altered"


def test_show_gives_the_lines_as_they_are(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = written(path, story())
    assert main(["show", str(path), "--json", "--last", "1"]) == 0
    assert capsys.readouterr().out.encode() == records[-1].line()


def test_the_module_is_the_command(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(path, story())
    monkeypatch.setattr(sys, "argv", ["mcp-approval", "verify", str(path)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("mcp_approval", run_name="__main__")
    assert ended.value.code == 0


def test_an_empty_file_is_whole(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_bytes(b"")
    assert main(["verify", str(path)]) == 0
    assert capsys.readouterr().out == "ok: 0 records in 1 file\n"
