"""Drafts in the Drafts folder: where copies of sent mail go, drafts go too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest

from mcp_serverkit.errors import ToolFailure
from smtp_mcp.api import drafts_folder
from smtp_mcp.api.drafts_folder import DraftsFolder
from smtp_mcp.api.imap_account import ImapAccount, ImapLogin
from smtp_mcp.api.server_address import ServerAddress
from tests.backends.smtp import ImapBackend
from tests.smtp.support import LEGACY, MAIL, Desk, audit_lines
from tests.support.clients import ERAS, Era, call, connect, structured, text
from tests.support.person import Person
from tests.support.time import FakeClock

pytestmark = pytest.mark.requirement("S-17")

DRAFT: dict[str, object] = {**MAIL, "bcc": ["hidden@example.test"]}


@pytest.fixture
async def imap() -> AsyncIterator[ImapBackend]:
    async with ImapBackend() as running:
        yield running


def switched(imap: ImapBackend, **more: str) -> dict[str, str]:
    return {
        "SMTP_EXTRAS": "true",
        "SMTP_SENT_IMAP_HOST": "127.0.0.1",
        "SMTP_SENT_IMAP_PORT": str(imap.port),
        "SMTP_SENT_IMAP_TLS": "none",
        **more,
    }


@pytest.mark.parametrize("era", ERAS)
async def test_a_draft_lies_in_the_folder_that_is_marked(
    era: Era, desk: Desk, imap: ImapBackend, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "drafts").mkdir()
    changes = switched(imap, SMTP_DRAFT_DIR=str(tmp_path / "drafts"))
    person = Person()
    result = structured(await desk.ask_at(desk.server(**changes), "save_draft", DRAFT, person, era))
    [(name, flags, content)] = imap.stored
    assert (name, flags) == ("Entw&APw-rfe", r"\Draft")
    assert imap.commands == ["CAPABILITY", "AUTHENTICATE", "LIST", "APPEND", "LOGOUT"]
    assert (result["saved"], result["folder"]) == (True, "Entwürfe")
    assert "path" not in result
    assert result["bytes"] == len(content)
    assert result["note"] == "The draft lies in the mailbox; a person sends it. Nothing was sent."
    message = message_from_bytes(content, policy=default)
    assert (message["X-Unsent"], message["Bcc"]) == ("1", "hidden@example.test")
    assert (message["Date"], message["Message-ID"]) == (None, None)
    assert [*(tmp_path / "drafts").glob("*")] == []
    [line] = audit_lines(capsys.readouterr().err)
    assert (line["outcome"], line["bytes"]) == ("draft", len(content))
    assert (person.questions, desk.remaining, desk.backend.connections) == ([], 20, 0)


async def test_without_a_mark_it_is_drafts_which_is_never_made(
    desk: Desk, imap: ImapBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    imap.folders = {"INBOX": "", "Drafts": ""}
    changes = switched(imap, SMTP_SENT_IMAP_FOLDER="Sent Items")
    assert structured(await desk.ask("save_draft", MAIL, **changes))["folder"] == "Drafts"
    imap.folders = {"INBOX": ""}
    refused = await desk.ask("save_draft", MAIL, **changes)
    assert text(refused) == (
        "code: draft_not_written\nThe draft was not saved: the IMAP server did not take the draft "
        "for 'Drafts' (it said: «[TRYCREATE] no such folder»)."
    )
    assert "CREATE" not in imap.commands
    assert audit_lines(capsys.readouterr().err)[-1]["error"] == "draft_not_written"


async def test_a_provider_that_keeps_copies_itself_gets_drafts_all_the_same(
    desk: Desk, imap: ImapBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smtp_mcp.settings.KEEPS_COPIES", frozenset({"127.0.0.1"}))
    structured(await desk.ask("save_draft", MAIL, **switched(imap)))
    assert len(imap.stored) == 1


async def test_a_repeat_adds_no_second_draft_for_a_while(desk: Desk, imap: ImapBackend) -> None:
    async with connect(desk.server(**switched(imap)), LEGACY) as client:
        first = structured(await call(client, "save_draft", MAIL))
        again = structured(await call(client, "save_draft", MAIL))
        structured(await call(client, "save_draft", {**MAIL, "body": "Other"}))
        assert len(imap.stored) == imap.connections == 2
        desk.clock.advance(901)
        structured(await call(client, "save_draft", MAIL))
    assert again["folder"] == first["folder"]
    assert "was there already" in str(again["note"])
    assert len(imap.stored) == 3


async def test_parallel_calls_add_one_draft(desk: Desk, imap: ImapBackend) -> None:
    async with connect(desk.server(**switched(imap)), LEGACY) as client:
        calls = (call(client, "save_draft", MAIL) for _ in range(4))
        results = [structured(result) for result in await asyncio.gather(*calls)]
    assert {result["folder"] for result in results} == {"Entwürfe"}
    assert len(imap.stored) == 1


async def test_so_many_drafts_are_remembered_and_no_more(
    imap: ImapBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts_folder, "REMEMBERED", 3)
    drafts = folder(imap)
    for number in range(4):
        await drafts.save(b"%d\r\n" % number)
    assert (await drafts.save(b"1\r\n")).new is False
    assert (await drafts.save(b"3\r\n")).new is False
    assert (await drafts.save(b"0\r\n")).new is True


async def test_a_refused_login_is_tried_once_for_copies_and_drafts_together(
    desk: Desk, imap: ImapBackend
) -> None:
    wrong = switched(imap, SMTP_SENT_IMAP_PASSWORD="wrong")
    async with connect(desk.server(**wrong), LEGACY, Person()) as client:
        first = await call(client, "save_draft", MAIL)
        sent = structured(await call(client, "send_mail", MAIL))
        second = await call(client, "save_draft", MAIL)
    told = (
        "code: draft_not_written\nThe draft was not saved: the IMAP server refused the login (it "
        "said: «[AUTHENTICATIONFAILED] wrong user or password»); none is tried until this server "
        "is restarted."
    )
    assert (text(first), text(second)) == (told, told)
    assert "refused the login" in str(sent["sent_copy"])
    assert imap.connections == 1


def folder(imap: ImapBackend, seconds: float = 20.0) -> DraftsFolder:
    address = ServerAddress("127.0.0.1", imap.port, "none", None, 10)
    account = ImapAccount(address, ImapLogin("tester", "pass word ü"), seconds)
    return DraftsFolder(account, FakeClock())


async def test_a_silent_server_is_given_up(imap: ImapBackend) -> None:
    imap.silent_at = "+"
    with pytest.raises(ToolFailure, match=r"took longer than 0\.5 s") as failure:
        await folder(imap, 0.5).save(b"x\r\n")
    assert failure.value.code == "draft_not_written"


async def test_nobody_listening_is_told(desk: Desk, imap: ImapBackend) -> None:
    changes = switched(imap, SMTP_SENT_IMAP_PORT="1")
    refused = text(await desk.ask("save_draft", MAIL, **changes))
    assert "code: draft_not_written" in refused
    assert "connection refused" in refused


@pytest.mark.parametrize("era", ERAS)
async def test_a_cancelled_call_saves_nothing(
    era: Era, desk: Desk, imap: ImapBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    imap.silent_at = "+"
    async with connect(desk.server(**switched(imap)), era) as client:
        calling = asyncio.create_task(call(client, "save_draft", MAIL))
        await imap.waited.wait()
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        structured(await call(client, "get_server_info"))
        # Whoever still held the line would send the draft now.
        imap.go_on.set()
        await imap.left.wait()
    assert imap.stored == []
    [line] = audit_lines(capsys.readouterr().err)
    assert (line["outcome"], line["error"]) == ("failed", "cancelled")


async def test_an_access_token_that_is_missing_is_told(desk: Desk, imap: ImapBackend) -> None:
    changes = switched(imap, SMTP_PASSWORD="", SMTP_OAUTH_TOKEN_FILE="/nowhere/at/all")
    refused = text(await desk.ask("save_draft", MAIL, **changes))
    assert "SMTP_OAUTH_TOKEN_FILE cannot be read" in refused
    assert imap.connections == 0


async def test_the_server_says_so_and_the_check_logs_in(desk: Desk, imap: ImapBackend) -> None:
    info = structured(await desk.ask("get_server_info", {}, **switched(imap)))
    assert (info["extras"], info["drafts_enabled"]) == (True, True)
    assert desk.app is not None
    lines = await desk.app.check()
    assert lines[-1] == f"drafts go to 'Entwürfe' at 127.0.0.1:{imap.port}"
    assert "APPEND" not in imap.commands
    imap.login = ("tester", "another")
    assert (await desk.app.drafts.check())[0].startswith(f"drafts at 127.0.0.1:{imap.port}: ")
    without = {**switched(imap), "SMTP_EXTRAS": ""}
    desk.server(**without)
    assert "drafts" not in (await desk.app.check())[-1]
