"""When drafts are offered, and what their settings must be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mcp_serverkit.config.settings import Reading
from smtp_mcp.definition import SMTP
from smtp_mcp.tools import TOOLS
from tests.smtp.support import (
    Desk,
    environment,
    run,
)
from tests.smtp.test_drafts import switched
from tests.support.clients import structured
from tests.support.servers import reading_of, values_of

pytestmark = pytest.mark.requirement("S-17")


@pytest.mark.parametrize(
    ("changes", "offered"),
    [
        ({}, False),
        ({"SMTP_EXTRAS": "true"}, True),
        ({"SMTP_EXTRAS": "true", "SMTP_ALLOW_SEND": ""}, True),
        ({"SMTP_EXTRAS": "true", "SMTP_ALLOW_TOOLS": "essential"}, True),
        ({"SMTP_EXTRAS": "true", "SMTP_DENY_TOOLS": "save_*"}, False),
        ({"SMTP_EXTRAS": "true", "SMTP_READ_ONLY": "1"}, False),
        ({"SMTP_EXTRAS": "true", "SMTP_READ_ONLY": "1", "SMTP_ALLOW_SEND": ""}, False),
    ],
)
def test_it_is_offered_with_the_switch_and_with_sending_off_too(
    changes: dict[str, str], offered: bool
) -> None:
    names = SMTP.select(values_of(SMTP, environment(**changes))).names
    assert ("save_draft" in names) is offered
    closed = {"SMTP_READ_ONLY", "SMTP_ALLOW_SEND"} & set(changes)
    assert ("send_mail" in names) is not bool(closed)


def test_its_hints_say_that_it_writes_and_takes_nothing_away() -> None:
    hints = TOOLS["save_draft"].annotations
    assert (hints.read_only, hints.destructive, hints.idempotent) == (False, False, True)
    assert hints.open_world is False
    assert TOOLS["save_draft"].asks == ""


@pytest.mark.parametrize(
    ("changes", "extras", "enabled"),
    [
        ({}, False, False),
        ({"SMTP_EXTRAS": "true"}, True, False),
        ({"SMTP_EXTRAS": "true", "SMTP_DRAFT_DIR": "."}, True, True),
        ({"SMTP_EXTRAS": "true", "SMTP_DRAFT_DIR": ".", "SMTP_READ_ONLY": "1"}, True, False),
        ({"SMTP_DRAFT_DIR": "."}, False, False),
    ],
)
async def test_the_server_says_whether_there_are_drafts(
    changes: dict[str, str], extras: bool, enabled: bool, desk: Desk, drafts: Path
) -> None:
    given = {name: str(drafts) if value == "." else value for name, value in changes.items()}
    info = structured(await desk.ask("get_server_info", {}, **given))
    assert (info["extras"], info["drafts_enabled"]) == (extras, enabled)


@pytest.mark.parametrize("place", ["files", "files/inner", ".", "link"])
def test_drafts_and_attachments_do_not_meet(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "files" / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "files" / "inner")
    changes = switched(tmp_path / place, SMTP_ATTACHMENT_DIR=str(tmp_path / "files"))
    code, _, err = run(environment(**changes), capsys)
    assert code == 1
    assert "SMTP_DRAFT_DIR: must not be SMTP_ATTACHMENT_DIR, nor lie inside or around it" in err


def problems(reading: Reading) -> str:
    return " ".join(map(str, reading.problems))


def test_a_name_that_only_begins_alike_is_another_place(tmp_path: Path) -> None:
    for name in ("files", "files-of-drafts"):
        (tmp_path / name).mkdir()
    changes = switched(tmp_path / "files-of-drafts", SMTP_ATTACHMENT_DIR=str(tmp_path / "files"))
    assert reading_of(SMTP, environment(**changes)).problems == []


def test_the_directory_must_be_there_and_take_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = reading_of(SMTP, environment(**switched(tmp_path / "gone")))
    assert "SMTP_DRAFT_DIR" in problems(absent)
    (tmp_path / "closed").mkdir()
    monkeypatch.setattr(os, "access", lambda _path, mode: not mode & os.W_OK)
    closed = reading_of(SMTP, environment(**switched(tmp_path / "closed")))
    assert "cannot write to" in problems(closed)


def test_a_directory_without_a_use_is_told(drafts: Path) -> None:
    alone = reading_of(SMTP, environment(SMTP_DRAFT_DIR=str(drafts)))
    beside = reading_of(SMTP, environment(**switched(drafts, SMTP_SENT_IMAP_HOST="imap.x.test")))
    assert (alone.problems, beside.problems) == ([], [])
    assert "SMTP_DRAFT_DIR: has no use without SMTP_EXTRAS=true" in alone.warnings
    told = "SMTP_DRAFT_DIR: has no use beside SMTP_SENT_IMAP_HOST: drafts go there"
    assert told in beside.warnings


async def test_the_check_names_the_directory(desk: Desk, drafts: Path) -> None:
    desk.server(**switched(drafts))
    assert desk.app is not None
    assert (await desk.app.check())[-1] == f"drafts are written into {drafts}"
