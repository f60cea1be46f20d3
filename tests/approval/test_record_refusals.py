"""Where nothing can be recorded nobody is asked; mended, it works without a restart."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from mcp_approval.record import system
from mcp_approval.record.verify import verify
from tests.approval.kept import Kept
from tests.approval.test_record import NAMES
from tests.support.clients import ERAS, Era, accept, call, connect, text

Mend = Callable[[], None]


def foreign(path: Path) -> Mend:
    path.write_bytes(b"not ours\n")
    return path.unlink


def a_link(path: Path) -> Mend:
    (path.parent / "elsewhere").touch(mode=0o600)
    path.symlink_to(path.parent / "elsewhere")
    return path.unlink


def a_folder(path: Path) -> Mend:
    path.mkdir()
    return path.rmdir


def open_to_others(path: Path) -> Mend:
    path.touch()
    path.chmod(0o622)
    return lambda: path.chmod(0o600)


def no_folder(path: Path) -> Mend:
    shutil.rmtree(path.parent)
    return path.parent.mkdir


def locked(path: Path) -> Mend:
    held = ExitStack()
    held.enter_context(system.locked(f"{path}.lock"))
    return held.close


BROKEN = {
    "its last line is not its own; the operator can run mcp-approval verify": foreign,
    "Too many levels of symbolic links": a_link,
    "Is a directory": a_folder,
    "it may be written by others": open_to_others,
    "No such file or directory": no_folder,
    "it is busy": locked,
}


@pytest.mark.requirement("D-6")
@pytest.mark.skipif(os.name == "nt", reason="platform: words of a POSIX system")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("reason", BROKEN)
async def test_nobody_is_asked_until_it_is_mended(
    tmp_path: Path, reason: str, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "LOCK_SECONDS", 0.0)
    path = tmp_path / "kept" / "record.jsonl"
    path.parent.mkdir()
    kept, asked = Kept(path), list[object]()
    mend = BROKEN[reason](path)

    async def answer(*question: object) -> object:
        asked.append(question)
        return accept()

    async with connect(kept.server(), era, answer) as client:  # type: ignore[arg-type]
        refused = await call(client, "delete_items", NAMES)
        told = f"Not asked: the record of approvals cannot be written ({reason})."
        assert text(refused).startswith(told)
        assert (asked, kept.shop.acts) == ([], [])
        assert not (await call(client, "list_items")).is_error
        mend()
        assert not (await call(client, "delete_items", NAMES)).is_error
    assert len(asked) == len(kept.shop.acts) == 1
    assert kept.events() == ["started", "asked", "approved", "done"]
    verify(str(path))


@pytest.mark.requirement("D-6")
@pytest.mark.parametrize("era", ERAS)
async def test_a_disk_that_is_full_refuses_and_is_told_of_afterwards(
    tmp_path: Path, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, full = Kept(tmp_path / "record.jsonl"), list[bool]()
    whole = os.write

    def write(descriptor: int, data: bytes) -> int:
        if full:
            full.append(True)
            whole(descriptor, data[: len(data) // 2])
            raise OSError(28, os.strerror(28))
        return whole(descriptor, data)

    async def answer(*_: object) -> object:
        return accept()

    async with connect(kept.server(), era, answer) as client:  # type: ignore[arg-type]
        await call(client, "delete_items", NAMES)
        assert kept.approver.recorder is not None
        monkeypatch.setattr(os, "write", write)
        object.__setattr__(kept.approver.recorder.file, "write", write)  # type: ignore[attr-defined]
        full.append(True)
        refused = await call(client, "delete_items", {"names": ["pears"]})
        assert "cannot be written (No space left on device)" in text(refused)
        full.clear()
        await call(client, "delete_items", {"names": ["pears"]})
    found = verify(str(tmp_path / "record.jsonl"))
    assert len(found.torn) == 1
    assert [one[0] for one in kept.shop.acts] == ["delete_items"] * 2
