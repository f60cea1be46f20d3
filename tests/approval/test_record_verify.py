"""A record that was touched anywhere is found; one that was not is whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mcp_approval.record import story as remembered
from mcp_approval.record.chain import LINE_BYTES, BrokenLineError, chained, read_line
from mcp_approval.record.file import TAIL_BYTES
from mcp_approval.record.lines import FaultFound
from mcp_approval.record.verify import verify
from tests.approval.records import chain, event, story, written

Lines = list[bytes]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "record.jsonl"


@pytest.mark.requirement("D-11")
def test_a_whole_record_says_what_it_holds(file: Path) -> None:
    records = written(file, story())
    findings = verify(str(file), [records[3].hash[:12], records[-1].hash])
    assert findings.lines() == [
        "ok: 20 records in 1 file, 2026-11-30 to 2026-11-30, head " + records[-1].hash[:16],
        "1 approval without an outcome",
    ]


@pytest.mark.requirement("D-3")
def test_each_changed_byte_is_found(file: Path) -> None:
    lines = [record.line() for record in written(file, story())]
    for line in lines:
        for place in range(len(line) - 1):
            for change in (1, 0x20, 0x80, 0xFF):
                changed = line[:place] + bytes([line[place] ^ change]) + line[place + 1 : -1]
                with pytest.raises(BrokenLineError):
                    read_line(changed)
    for at in range(len(lines)):
        joined = [*lines[:at], lines[at][:-1] + b"\x0b", *lines[at + 1 :]]
        file.write_bytes(b"".join(joined))
        with pytest.raises(FaultFound):
            verify(str(file))


TOUCHED: dict[str, Callable[[Lines, int], Lines]] = {
    "removed": lambda lines, at: lines[:at] + lines[at + 1 :],
    "doubled": lambda lines, at: lines[: at + 1] + lines[at:],
    "swapped with the next": lambda lines, at: (
        [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]
        if at + 1 < len(lines)
        else lines[:-2] + lines[:-3:-1]
    ),
    "replaced by a foreign one": lambda lines, at: [*lines[:at], b"{}\n", *lines[at + 1 :]],
    "replaced by a blank one": lambda lines, at: [*lines[:at], b"\n", *lines[at + 1 :]],
    "ended with CRLF": lambda lines, at: [
        *lines[:at],
        lines[at].replace(b"\n", b"\r\n"),
        *lines[at + 1 :],
    ],
}


@pytest.mark.requirement("D-3")
@pytest.mark.parametrize("touch", TOUCHED.values(), ids=TOUCHED)
def test_each_touched_line_is_found(file: Path, touch: Callable[[Lines, int], Lines]) -> None:
    records = written(file, story())
    lines = [record.line() for record in records]
    for at in range(len(lines)):
        file.write_bytes(b"".join(touch(lines, at)))
        with pytest.raises(FaultFound):
            verify(str(file), [records[-1].hash])


@pytest.mark.requirement("D-11")
def test_a_cut_end_is_found_with_a_head_only(file: Path) -> None:
    records = written(file, story())
    file.write_bytes(b"".join(record.line() for record in records[:-2]))
    assert verify(str(file)).records == 18
    with pytest.raises(FaultFound, match="the end was cut off, or everything was rewritten"):
        verify(str(file), [records[-1].hash[:16]])


def test_a_cut_beginning_is_found(file: Path) -> None:
    records = written(file, story())
    file.write_bytes(b"".join(record.line() for record in records[1:]))
    with pytest.raises(FaultFound, match="line 1: the chain is broken"):
        verify(str(file))


def test_a_head_of_another_file_is_in_no_record(file: Path) -> None:
    written(file, story())
    with pytest.raises(FaultFound, match="head 0123456789ab is in no record"):
        verify(str(file), ["0123456789ab"])


@pytest.mark.requirement("D-11")
@pytest.mark.parametrize(
    ("more", "fault"),
    [
        (event("done", target="0" * 12, approval=3), "a second outcome for record 3"),
        (event("declined", target="0" * 12, asked=2), "a second end of record 2"),
        (event("approved", target="0" * 12, asked=1), "a question that was never asked"),
        (event("approved", target="1" * 12, asked=2), "a question that was never asked"),
        (event("approved", target="0" * 12, asked=99), "a question that was never asked"),
        (event("done", target="0" * 12, approval=2), "an approval that was never given"),
        (
            event("done", target="f" * 12, approval=20) | {"process": "00000000"},
            "an approval that was never given",
        ),
    ],
)
def test_a_story_that_does_not_fit_is_found_in_a_whole_chain(
    file: Path, more: dict[str, object], fault: str
) -> None:
    written(file, [*story(), more])  # type: ignore[list-item]
    with pytest.raises(FaultFound, match=f"line 21: .*{fault}"):
        verify(str(file))


def test_an_answer_whose_question_is_no_longer_known_is_no_fault(file: Path) -> None:
    written(file, [*story(), event("expired", target="a" * 12, asked=None)])
    assert verify(str(file)).records == 21


def test_a_file_that_follows_on_another_says_so(tmp_path: Path) -> None:
    records = list(chain([*story(), event("continued", **{"from": "record.jsonl.000001"})]))
    file = tmp_path / "record.jsonl"
    file.write_bytes(records[-1].line())
    assert verify(str(file)).lines()[1:] == ["begins at record 21; record.jsonl.000001 is not here"]
    (tmp_path / "record.jsonl.000001").write_bytes(b"".join(r.line() for r in records[:-1]))
    assert verify(str(file)).lines()[0].startswith("ok: 21 records in 2 files")


def test_an_answer_to_what_was_asked_in_a_file_that_is_gone_is_no_fault(file: Path) -> None:
    gone = event("continued", **{"from": "record.jsonl.000001"})
    later = event("done", target="f" * 12, approval=20)
    records = list(chain([*story(), gone, later]))
    file.write_bytes(b"".join(record.line() for record in records[-2:]))
    assert verify(str(file)).records == 2


def test_a_record_of_set_aside_files_alone_is_whole(file: Path) -> None:
    written(file, story())
    file.rename(f"{file}.000001")
    assert verify(str(file)).lines()[0].startswith("ok: 20 records in 1 file")


def test_a_line_without_an_end_is_read_in_pieces_and_is_no_record(file: Path) -> None:
    written(file, story())
    for size in (LINE_BYTES * 3, TAIL_BYTES * 3):
        whole = file.read_bytes()
        file.write_bytes(whole + b"x" * size)
        with pytest.raises(FaultFound, match="line 21: "):
            verify(str(file))
        file.write_bytes(whole)


def test_what_is_too_long_ago_is_not_judged(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "REMEMBERED", 2)
    late = event("declined", target="0" * 12, asked=2)
    written(file, [*story(), late])
    assert verify(str(file)).records == 21
    written(file, [*story(), event("declined", target="d" * 12, asked=16)])
    with pytest.raises(FaultFound, match="a question that was never asked"):
        verify(str(file))


def test_an_unfinished_line_is_told(file: Path) -> None:
    records = written(file, story())
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(FaultFound, match="line 20: ends in an incomplete line"):
        verify(str(file))
    file.write_bytes(file.read_bytes()[: -len(records[-1].line()) // 2])
    with pytest.raises(FaultFound, match="line 20: ends in an incomplete line"):
        verify(str(file))


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"", "no record"),
        (b"[1]", "no record"),
        (b"\xff", "no record"),
        (b"{" + b" " * LINE_BYTES + b"}", "no record"),
        (b"[" * 2_000, "no record"),
        (b'{"a": 1}', "not in canonical form"),
        (b'{"a":1,"a":1}', "not in canonical form"),
        (b'{"v":2}', "written by a newer version"),
        (b'{"hash":"x","v":1}', "altered"),
        (b'{"seq":true,"v":true}', "altered"),
    ],
)
def test_what_is_no_record_is_called_by_its_name(line: bytes, fault: str) -> None:
    with pytest.raises(BrokenLineError, match=fault):
        read_line(line)


def test_an_event_that_fits_no_line_is_refused() -> None:
    with pytest.raises(OSError, match="too large"):
        chained({"event": "x" * LINE_BYTES}, 1, "0" * 64)
