# ruff: noqa: ASYNC240 (files of a few lines, looked at after a call)
"""Shown texts that are kept: as they were shown, held to what was recorded, deleted at will."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mcp_approval.command import main
from mcp_approval.record.chain import text_digest
from mcp_approval.record.lines import FaultFound
from mcp_approval.record.texts import TEXT_BYTES, folder_of
from mcp_approval.record.verify import verify
from tests.approval.kept import Kept
from tests.approval.records import event, written
from tests.support.clients import ERAS, Era, accept, call, connect, text

SALT = bytes(16)


class Asked(Kept):
    """A server that keeps the texts, and what its client was shown."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, approval_record_text=True)
        self.shown: list[str] = []
        self.there: list[int] = []

    async def answer(self, _context: object, params: object) -> object:
        self.shown.append(params.message)  # type: ignore[attr-defined]
        self.there.append(len(self.texts()))
        return accept()

    def texts(self) -> list[Path]:
        return sorted(Path(folder_of(str(self.path))).glob("*"))


@pytest.fixture
def kept(tmp_path: Path) -> Asked:
    return Asked(tmp_path / "record.jsonl")


async def ask(kept: Asked, era: Era, *names: str) -> None:
    async with connect(kept.server(), era, kept.answer) as client:  # type: ignore[arg-type]
        for name in names:
            assert not (await call(client, "delete_items", {"names": [name]})).is_error


@pytest.mark.requirement("D-9")
@pytest.mark.parametrize("era", ERAS)
async def test_each_text_is_kept_as_it_was_shown_and_before(kept: Asked, era: Era) -> None:
    await ask(kept, era, "apples", "pears")
    assert kept.there == [1, 2]
    folder = Path(folder_of(str(kept.path)))
    recorded = [str(event["text"]) for event in kept.told() if event["event"] == "asked"]
    assert [(folder / name).read_text(encoding="utf-8") for name in recorded] == kept.shown
    if os.name != "nt":
        assert folder.stat().st_mode & 0o777 == 0o700
        assert {path.stat().st_mode & 0o777 for path in kept.texts()} == {0o600}
    assert verify(str(kept.path)).lines()[-1] == "2 texts kept, 0 deleted"


@pytest.mark.parametrize("era", ERAS)
async def test_without_the_switch_no_text_is_kept(tmp_path: Path, era: Era) -> None:
    kept = Kept(tmp_path / "record.jsonl")
    async with connect(kept.server(), era) as client:
        await call(client, "delete_items", {"names": ["apples"]})
    assert not Path(folder_of(str(kept.path))).exists()
    assert len(verify(str(kept.path)).lines()) == 1


@pytest.mark.parametrize("era", ERAS)
async def test_the_text_of_a_token_is_kept_too(kept: Asked, era: Era) -> None:
    async with connect(kept.server(), era) as client:
        prompt = await call(client, "delete_items", {"names": ["apples"]})
    [path] = kept.texts()
    assert path.read_text(encoding="utf-8") in text(prompt)


@pytest.mark.requirement("D-9")
async def test_a_deleted_text_leaves_the_record_whole_and_is_counted(kept: Asked) -> None:
    await ask(kept, "2025-11-25", "apples", "pears", "plums")
    kept.texts()[0].unlink()
    assert verify(str(kept.path)).lines()[-1] == "2 texts kept, 1 deleted"
    for path in kept.texts():
        path.unlink()
    Path(folder_of(str(kept.path))).rmdir()
    assert verify(str(kept.path)).lines()[-1] == "0 texts kept, 3 deleted"


@pytest.mark.requirement("D-9")
@pytest.mark.parametrize("change", [b"", b"x", b"\xff", b"long"])
async def test_a_changed_text_is_found(kept: Asked, change: bytes) -> None:
    await ask(kept, "2025-11-25", "apples")
    [path] = kept.texts()
    whole = path.read_bytes()
    path.write_bytes(whole + b"x" * TEXT_BYTES if change == b"long" else change)
    with pytest.raises(FaultFound, match="the kept text of record 2 was changed"):
        verify(str(kept.path))
    assert main(["show", str(kept.path), "--text"]) == 1


async def test_show_prints_a_text_as_it_was_shown(
    kept: Asked, capsys: pytest.CaptureFixture[str]
) -> None:
    await ask(kept, "2026-07-28", "apples")
    assert main(["show", str(kept.path), "--text"]) == 0
    out = capsys.readouterr().out
    assert "\n".join(f"    {line}".rstrip() for line in kept.shown[0].splitlines()) in out
    assert main(["show", str(kept.path)]) == 0
    assert "This will" not in capsys.readouterr().out


@pytest.mark.requirement("D-9")
@pytest.mark.parametrize("era", ERAS)
async def test_a_text_that_cannot_be_kept_is_not_shown(kept: Asked, era: Era) -> None:
    folder = Path(folder_of(str(kept.path)))
    folder.write_bytes(b"")
    async with connect(kept.server(), era, kept.answer) as client:  # type: ignore[arg-type]
        refused = await call(client, "delete_items", {"names": ["apples"]})
        assert "cannot be written (the folder of texts is no folder)" in text(refused)
        assert kept.shown == []
        folder.unlink()
        assert not (await call(client, "delete_items", {"names": ["apples"]})).is_error
    assert verify(str(kept.path)).texts == (1, 0)


async def test_a_text_that_was_not_written_whole_is_not_shown(
    kept: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = os.write

    def half(descriptor: int, data: bytes) -> int:
        return whole(descriptor, data[: len(data) // 2])

    async with connect(kept.server(), "2025-11-25", kept.answer) as client:  # type: ignore[arg-type]
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", half)
            refused = await call(client, "delete_items", {"names": ["apples"]})
    assert "(only a part of a text could be written)" in text(refused)
    assert kept.shown == []


def planted(path: Path, name: str, salt: str = SALT.hex()) -> None:
    """A record whose one question names a text."""
    written(path, [event("asked", tool="t", target="a" * 12, way="dialog", text=name, salt=salt)])


def test_a_name_that_is_no_digest_is_no_path(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    Path(folder_of(str(path))).mkdir()
    (tmp_path / "secret").write_text("of somebody else", encoding="utf-8")
    planted(path, "../secret")
    assert verify(str(path)).texts == (0, 0)


def test_a_salt_that_is_none_makes_its_text_a_changed_one(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    digest = text_digest(SALT, "hello")
    folder = Path(folder_of(str(path)))
    folder.mkdir()
    (folder / digest).write_text("hello", encoding="utf-8")
    planted(path, digest)
    assert verify(str(path)).texts == (1, 0)
    planted(path, digest, "no salt")
    with pytest.raises(FaultFound):
        verify(str(path))


def test_what_a_text_hides_does_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "record.jsonl"
    said = "a\x1b[2J\u202eb"
    folder = Path(folder_of(str(path)))
    folder.mkdir()
    (folder / text_digest(SALT, said)).write_text(said, encoding="utf-8")
    planted(path, text_digest(SALT, said))
    assert main(["show", str(path), "--text"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "    a[2Jb"


def test_a_record_from_elsewhere_cannot_move_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "record.jsonl"
    odd = event("refused", tool="t\x1b[2J\u202e  x", target="a" * 12, reason="busy")
    [record] = written(path, [odd])
    assert main(["show", str(path)]) == 0
    assert "#1 ntfy-mcp t[2J x aaaaaaaaaaaa  refused: busy" in capsys.readouterr().out
    assert main(["show", str(path), "--json"]) == 0
    line = capsys.readouterr().out
    assert line.rstrip("\n").isprintable()
    assert json.loads(line) == dict(record)
