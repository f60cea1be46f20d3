"""Appending: one chain whoever writes, on disk, or refused and said."""

from __future__ import annotations

import os
import sys
import textwrap
from collections import Counter
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from mcp_approval.accounting import CannotRecord
from mcp_approval.environment import private_file
from mcp_approval.record import system
from mcp_approval.record.chain import read_line
from mcp_approval.record.file import RecordFile, numbered
from mcp_approval.record.lines import FaultFound
from mcp_approval.record.verify import verify
from tests.approval.records import event, story, written

unix_only = pytest.mark.skipif(os.name == "nt", reason="platform: modes of files")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "record.jsonl"


def test_the_first_event_makes_the_file_for_its_owner_alone(path: Path) -> None:
    [record] = RecordFile(str(path)).append([event("started")])
    assert (record.seq, record["prev"]) == (1, "0" * 64)
    if os.name != "nt":
        assert path.stat().st_mode & 0o777 == 0o600
    assert verify(str(path), [record.hash]).records == 1


def test_events_continue_the_chain_that_is_there(path: Path) -> None:
    before = written(path, story())
    after = RecordFile(str(path)).append([event("started"), event("refused", target="1")])
    assert [record.seq for record in after] == [21, 22]
    assert after[0]["prev"] == before[-1].hash
    assert verify(str(path)).records == 22
    last = RecordFile(str(path)).last()
    assert last is not None
    assert last.hash == after[-1].hash


def test_a_line_that_only_lacks_its_end_gets_it(path: Path) -> None:
    written(path, story())
    path.write_bytes(path.read_bytes()[:-1])
    RecordFile(str(path)).append([event("started")])
    assert verify(str(path)).records == 21


@pytest.mark.requirement("D-7")
@pytest.mark.parametrize("left", [1, 9, 200])
def test_a_torn_line_is_kept_and_named_by_the_next(path: Path, left: int) -> None:
    lines = written(path, story())
    torn = lines[-1].line()[:left]
    path.write_bytes(b"".join(line.line() for line in lines[:-1]) + torn)
    RecordFile(str(path)).append([event("started")])
    assert torn in path.read_bytes()
    assert f"line 20: torn write of {left} bytes, named by the next record" in "\n".join(
        verify(str(path)).lines()
    )
    path.write_bytes(path.read_bytes().replace(torn + b"\n", b"!" * left + b"\n"))
    with pytest.raises(FaultFound):
        verify(str(path))


def test_a_file_of_a_torn_line_alone_is_begun(path: Path) -> None:
    path.write_bytes(b'{"v":1')
    [record] = RecordFile(str(path)).append([event("started")])
    assert record.seq == 1
    assert verify(str(path)).torn == [("record.jsonl line 1", 6)]


def test_writers_that_stop_half_way_again_and_again_leave_one_chain(path: Path) -> None:
    def half(descriptor: int, data: bytes) -> int:
        return os.write(descriptor, data[: max(2, len(data) // 2)])

    RecordFile(str(path)).append([event("started")])
    for _ in range(3):
        with pytest.raises(CannotRecord, match="only a part of a line"):
            RecordFile(str(path), write=half).append([event("asked", target="1")])
    [record] = RecordFile(str(path)).append([event("started")])
    assert record.seq == 2
    assert verify(str(path)).records == 2


@pytest.mark.requirement("D-7")
@pytest.mark.parametrize("foreign", [b"hello\n", b"{}\n", b"\n", b"x" * 70_000])
def test_what_it_did_not_write_is_not_built_upon(path: Path, foreign: bytes) -> None:
    written(path, story())
    with path.open("ab") as file:
        file.write(foreign)
    before = path.read_bytes()
    with pytest.raises(CannotRecord, match="its last line is not its own"):
        RecordFile(str(path)).append([event("started")])
    assert path.read_bytes() == before
    with pytest.raises(CannotRecord):
        RecordFile(str(path)).last()


@pytest.mark.requirement("D-7")
def test_what_is_appended_is_on_disk_before_anybody_goes_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = list[int]()
    sync = system.sync

    def seen(descriptor: int) -> None:
        synced.append(os.fstat(descriptor).st_size)
        sync(descriptor)

    monkeypatch.setattr(system, "sync", seen)
    RecordFile(str(path)).append([event("started"), event("refused", target="1")])
    assert synced == [path.stat().st_size]


@pytest.mark.requirement("D-7")
def test_a_lock_that_is_held_is_waited_for_two_seconds(path: Path) -> None:
    now = [0.0]
    lock = f"{path}.lock"
    with (
        system.locked(lock),
        pytest.raises(system.BusyError, match="it is busy"),
        system.locked(lock, clock=lambda: now[0], sleep=lambda _: now.__setitem__(0, now[0] + 0.5)),
    ):
        raise AssertionError("two held it")
    assert now[0] == 2.0


@pytest.mark.requirement("D-2")
@unix_only
def test_a_file_that_others_could_have_written_is_refused(path: Path, tmp_path: Path) -> None:
    assert private_file.problem_with(str(path)) == ""
    assert private_file.problem_with("record.jsonl") == "must be an absolute path"
    assert "folder that is not there" in private_file.problem_with(str(tmp_path / "no" / "record"))
    (tmp_path / "plain").write_bytes(b"")
    assert "folder that is not there" in private_file.problem_with(
        str(tmp_path / "plain" / "record")
    )
    path.write_bytes(b"")
    path.chmod(0o620)
    assert private_file.problem_with(str(path)) == "may be written by others"
    with pytest.raises(CannotRecord, match="it may be written by others"):
        RecordFile(str(path)).append([event("started")])
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    assert private_file.problem_with(str(path)) == "is a link"
    with pytest.raises(CannotRecord):
        RecordFile(str(path)).append([event("started")])
    assert not (tmp_path / "elsewhere").exists()
    assert private_file.problem_with(str(tmp_path)) == "is no regular file"
    with pytest.MonkeyPatch.context() as patched:
        path.unlink()
        path.touch(0o600)
        patched.setattr(os, "geteuid", lambda: os.getuid() + 1)
        assert private_file.problem_with(str(path)) == "belongs to another user"
    assert private_file.problem_with(str(tmp_path / ("n" * 300))).startswith("cannot be looked at")
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    tmp_path.chmod(0o777)
    assert private_file.problem_with(str(path)) == "lies in a folder in which anybody may write"
    tmp_path.chmod(0o1777)
    assert private_file.problem_with(str(path)) == "is a link"


def test_on_windows_a_regular_file_is_all_that_is_asked_for(path: Path) -> None:
    path.touch(0o622)
    present = path.stat()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "name", "nt")
        assert private_file.problem_of_file(present) == ""


@pytest.mark.requirement("D-8")
def test_a_large_file_is_set_aside_and_continued(path: Path) -> None:
    file = RecordFile(str(path), rotate_bytes=1_500)
    for _ in range(12):
        file.append([event("refused", tool="delete_user", target="1" * 12, reason="busy")])
    names = numbered(str(path))
    assert names[0] == "record.jsonl.000001"
    assert len(names) > 1
    found = verify(str(path))
    assert found.files == len(names) + path.exists()
    assert found.records == 12 + len(names) * 2 - (not path.exists())
    (path.parent / names[0]).unlink()
    assert any(line.endswith(f"{names[0]} is not here") for line in verify(str(path)).lines())


def test_a_file_that_cannot_be_set_aside_goes_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stuck(*_: str) -> None:
        raise OSError(13, "no")

    file = RecordFile(str(path), rotate_bytes=400)
    monkeypatch.setattr(os, "rename", stuck)
    file.append([event("refused", tool="delete_user", target="1" * 12, reason="busy")])
    file.append([event("refused", tool="delete_user", target="1" * 12, reason="busy")])
    assert numbered(str(path)) == []
    assert verify(str(path)).records >= 3


def test_a_rotation_that_stops_half_way_is_a_torn_line(path: Path) -> None:
    def half(descriptor: int, data: bytes) -> int:
        return os.write(descriptor, data if b"rotated" not in data else data[:9])

    RecordFile(str(path), rotate_bytes=100, write=half).append([event("started")])
    assert numbered(str(path)) == []
    [record] = RecordFile(str(path)).append([event("started")])
    assert record["torn"] == {"bytes": 9, "sha256": record["torn"]["sha256"]}  # type: ignore[index, call-overload]
    assert verify(str(path)).records == 2


def test_the_last_record_may_be_in_a_file_that_was_set_aside(path: Path) -> None:
    assert RecordFile(str(path)).last() is None
    records = written(path, story())
    path.rename(f"{path}.000001")
    last = RecordFile(str(path)).last()
    assert last is not None
    assert last.hash == records[-1].hash


APPENDS = textwrap.dedent(
    """
    import os, sys
    from mcp_approval.record import system
    from mcp_approval.record.file import RecordFile

    system.LOCK_SECONDS = 60.0  # two dozen at once on a small machine
    path, name, count, stop, left = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
    written = 0

    def write(descriptor, data):
        global written
        written += b'"rotated"' not in data
        if written == stop:
            os.write(descriptor, data[: len(data) * left // 3 or -1])
            os._exit(9)
        return os.write(descriptor, data)

    file = RecordFile(path, rotate_bytes=20_000, write=write)
    for number in range(count):
        file.append([{"event": "refused", "process": name, "target": str(number)}])
        print(number, flush=True)
    """
)

LASTING, APPENDED = 4, 200
STOPPED, KILLED = 10, 10


def appending(path: Path, name: str, count: int, stop: int = 0, left: int = 0) -> Popen[bytes]:
    """A process that appends, and may stop in the middle of a line, or before its newline."""
    options = [str(path), name, str(count), str(stop), str(left)]
    return Popen([sys.executable, "-c", APPENDS, *options], stdout=PIPE)


@pytest.mark.requirement("D-7")
def test_several_processes_and_some_that_die_keep_one_whole_chain(path: Path) -> None:
    lasting = [appending(path, f"lasting {number}", APPENDED) for number in range(LASTING)]
    stopped = [appending(path, f"stopped {n}", 40, 3 + n, n % 3) for n in range(STOPPED)]
    killed = [appending(path, f"killed {number}", 10_000) for number in range(KILLED)]
    for number, process in enumerate(killed):
        assert process.stdout is not None
        for _ in range(1 + number):
            assert process.stdout.readline()
        process.kill()
        process.communicate()
    told = [process.communicate()[0] for process in lasting]
    assert [len(lines.splitlines()) for lines in told] == [APPENDED] * LASTING
    assert [process.wait() for process in stopped] == [9] * STOPPED
    for process in stopped:
        process.communicate()
    RecordFile(str(path)).append([event("started")])
    found = verify(str(path))
    # A whole line that only lacked its end got that; every other one is named.
    assert len(found.torn) >= sum(number % 3 != 0 for number in range(STOPPED))
    seen = Counter(
        str(read_line(line)["process"])
        for file in [*numbered(str(path)), path.name]
        for line in (path.parent / file).read_bytes().splitlines()
        if line.startswith(b'{"event":"refused"') and line.endswith(b"}")
    )
    assert [seen[f"lasting {number}"] for number in range(LASTING)] == [APPENDED] * LASTING
    assert all(seen[f"killed {number}"] >= 1 + number for number in range(KILLED))
    for number in range(STOPPED):
        assert seen[f"stopped {number}"] == 2 + number + (number % 3 == 0)
