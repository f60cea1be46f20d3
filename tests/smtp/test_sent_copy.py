"""A copy in the Sent folder: the same bytes, and never a reason to doubt a sent mail."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator

import pytest

from smtp_mcp.api.imap_account import ImapAccount, ImapLogin
from smtp_mcp.api.mailbox_names import decode_name, encode_name
from smtp_mcp.api.sent_folder import Copy, SentFolder
from smtp_mcp.api.server_address import ServerAddress
from smtp_mcp.definition import SMTP
from tests.backends.smtp import HANG, Certificates, Fault, ImapBackend
from tests.smtp.support import LEGACY, MAIL, MODERN, Desk, audit_lines, environment
from tests.support.clients import call, connect, structured, text
from tests.support.person import Person
from tests.support.servers import reading_of

pytestmark = pytest.mark.requirement("R-53")


@pytest.fixture
async def imap() -> AsyncIterator[ImapBackend]:
    async with ImapBackend() as running:
        yield running


def settings(imap: ImapBackend, **changes: str) -> dict[str, str]:
    return {
        "SMTP_SENT_IMAP_HOST": "127.0.0.1",
        "SMTP_SENT_IMAP_PORT": str(imap.port),
        "SMTP_SENT_IMAP_TLS": "none",
        **changes,
    }


def folder(
    imap: ImapBackend, *, seconds: float = 20.0, password: str = "pass word ü"
) -> SentFolder:
    address = ServerAddress("127.0.0.1", imap.port, "none", None, 10)
    return SentFolder(ImapAccount(address, ImapLogin("tester", password), seconds), None)


async def test_the_same_bytes_lie_in_the_folder_that_is_marked(
    desk: Desk, imap: ImapBackend
) -> None:
    result = structured(await desk.ask("send_mail", MAIL, None, LEGACY, **settings(imap)))
    assert result["sent_copy"] == {"saved": True, "folder": "Sent Items"}
    [(name, flags, content)] = imap.stored
    assert (name, flags) == ("Sent Items", r"\Seen")
    assert content == desk.backend.messages[0].raw
    assert imap.commands == ["CAPABILITY", "AUTHENTICATE", "LIST", "APPEND", "LOGOUT"]


async def test_without_a_mark_it_is_sent_and_a_named_folder_wins(
    desk: Desk, imap: ImapBackend
) -> None:
    imap.folders = {"Sent": "", "Gesendete &- Entw&APw-rfe": ""}
    structured(await desk.ask("send_mail", MAIL, None, LEGACY, **settings(imap)))
    named = settings(imap, SMTP_SENT_IMAP_FOLDER="Gesendete & Entwürfe")
    result = structured(await desk.ask("send_mail", MAIL, None, LEGACY, **named))
    assert [name for name, _, _ in imap.stored] == ["Sent", "Gesendete &- Entw&APw-rfe"]
    assert result["sent_copy"] == {"saved": True, "folder": "Gesendete & Entwürfe"}


async def test_tls_and_certificates_are_those_of_smtp(
    desk: Desk, certificates: Certificates
) -> None:
    async with ImapBackend(tls=certificates.good) as imap:
        mode = settings(imap, SMTP_SENT_IMAP_TLS="implicit")
        refused = structured(await desk.ask("send_mail", MAIL, None, LEGACY, **mode))
        trusting = {**mode, "SMTP_CA_FILE": str(certificates.ca_file)}
        saved = structured(await desk.ask("send_mail", MAIL, None, LEGACY, **trusting))
    assert "is not accepted" in str(refused["sent_copy"])
    assert saved["sent_copy"] == {"saved": True, "folder": "Sent Items"}
    assert "AUTHENTICATE" not in imap.commands[:1]


async def test_without_encryption_no_password_is_given_away(desk: Desk, imap: ImapBackend) -> None:
    mode = settings(imap, SMTP_SENT_IMAP_TLS="starttls")
    result = structured(await desk.ask("send_mail", MAIL, None, LEGACY, **mode))
    assert "no password was sent" in str(result["sent_copy"])
    assert imap.commands == ["CAPABILITY"]


async def test_a_refused_login_stops_copies_and_never_mail(desk: Desk, imap: ImapBackend) -> None:
    wrong = settings(imap, SMTP_SENT_IMAP_PASSWORD="wrong")
    async with connect(desk.server(**wrong), LEGACY, Person()) as client:
        first = structured(await call(client, "send_mail", MAIL))
        second = structured(await call(client, "send_mail", {**MAIL, "subject": "Other"}))
    assert first["sent"] is second["sent"] is True
    reason = (
        "the IMAP server refused the login (it said: «[AUTHENTICATIONFAILED] wrong user or "
        "password»); no copies are tried until this server is restarted"
    )
    assert first["sent_copy"] == second["sent_copy"] == {"saved": False, "reason": reason}
    assert imap.connections == 1


async def test_a_refused_copy_is_told_and_not_repeated(desk: Desk, imap: ImapBackend) -> None:
    imap.append = "NO [OVERQUOTA] full"
    result = structured(await desk.ask("send_mail", MAIL, None, LEGACY, **settings(imap)))
    assert result["sent"] is True
    assert result["sent_copy"] == {
        "saved": False,
        "reason": "the IMAP server did not take the copy for 'Sent Items' (it said: «[OVERQUOTA] "
        "full»)",
    }
    assert imap.commands.count("APPEND") == 1


@pytest.mark.parametrize("step", ["AUTHENTICATE", "LIST", "+"])
async def test_a_silent_server_is_given_up(step: str, imap: ImapBackend) -> None:
    imap.silent_at = step
    copy = await folder(imap, seconds=0.5).save(b"Subject: x\r\n\r\ny\r\n")
    assert copy.folder is None
    assert copy.reason == "the IMAP server took longer than 0.5 s"


async def test_a_copy_that_is_saved_needs_no_goodbye(imap: ImapBackend) -> None:
    imap.silent_at = "LOGOUT"
    address = ServerAddress("127.0.0.1", imap.port, "none", None, 10)
    # Shorter than the goodbye would take.
    account = ImapAccount(address, ImapLogin(*imap.login), 5.0)
    assert await SentFolder(account, None).save(b"x\r\n") == Copy(folder="Sent Items")
    await imap.waited.wait()
    await account.aclose()


async def test_nobody_listening_is_told(imap: ImapBackend) -> None:
    address = ServerAddress("127.0.0.1", 1, "none", None, 10)
    copy = await SentFolder(ImapAccount(address, ImapLogin("u", "p")), None).save(b"x")
    assert "connection refused" in copy.reason


async def test_a_plain_login_is_used_where_nothing_else_is_offered(imap: ImapBackend) -> None:
    imap.plain = False
    assert (await folder(imap, password="secret").save(b"x\r\n")).folder == "Sent Items"
    assert "LOGIN" in imap.commands


async def test_a_token_logs_in_there_too(imap: ImapBackend) -> None:
    class Tokens:
        async def token(self) -> str:
            return "t0ken"

        def refused(self) -> bool:
            return False

    imap.token = "t0ken"
    address = ServerAddress("127.0.0.1", imap.port, "none", None, 10)
    login = ImapLogin("tester", tokens=Tokens())
    account = ImapAccount(address, login)
    assert (await SentFolder(account, None).save(b"x\r\n")).folder == "Sent Items"
    imap.token = "other"
    assert "refused the login" in (await SentFolder(account, None).save(b"x\r\n")).reason


async def test_neither_a_rest_nor_an_unknown_outcome_makes_a_copy(
    desk: Desk, imap: ImapBackend
) -> None:
    desk.backend.unknown = {"bob@example.test": ["450 4.2.0 later"]}
    both = {**MAIL, "to": ["anna@example.test", "bob@example.test"]}
    async with connect(desk.server(**settings(imap)), MODERN, Person()) as client:
        first = structured(await call(client, "send_mail", both))
        rest = structured(await call(client, "send_mail", both))
        desk.backend.faults = [Fault("DOT", "250 2.0.0 ok", nth=0, then="drop")]
    assert "sent_copy" in first
    assert "sent_copy" not in rest
    assert len(imap.stored) == 1


async def test_a_call_that_is_cut_short_during_the_copy_has_sent_its_mail(
    desk: Desk, imap: ImapBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    imap.silent_at = "+"
    async with connect(desk.server(**settings(imap)), LEGACY, Person()) as client:
        calling = asyncio.create_task(call(client, "send_mail", MAIL))
        await imap.waited.wait()
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        again = structured(await call(client, "send_mail", MAIL))
    assert again["already_sent"] is True
    assert [line["outcome"] for line in audit_lines(capsys.readouterr().err)] == [
        "sent",
        "already_sent",
    ]
    assert imap.stored == []


async def test_a_provider_that_keeps_copies_itself_is_not_asked(
    desk: Desk, imap: ImapBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smtp_mcp.settings.KEEPS_COPIES", frozenset({"127.0.0.1"}))
    server = desk.server(**settings(imap))
    async with connect(server, LEGACY, Person()) as client:
        result = structured(await call(client, "send_mail", MAIL))
        info = structured(await call(client, "get_server_info"))
    assert result["sent_copy"] == {"saved": False, "reason": "the provider keeps a copy itself"}
    assert info["sent_copy"] == "by the provider"
    assert imap.connections == 0


async def test_without_the_variable_nothing_is_said_of_copies(desk: Desk) -> None:
    async with connect(desk.server(), LEGACY, Person()) as client:
        assert "sent_copy" not in structured(await call(client, "send_mail", MAIL))
        assert structured(await call(client, "get_server_info"))["sent_copy"] == "off"


async def test_the_check_logs_in_there_too_and_saves_nothing(desk: Desk, imap: ImapBackend) -> None:
    desk.server(**settings(imap))
    assert desk.app is not None
    lines = await desk.app.check()
    assert lines[-1] == f"copies go to 'Sent Items' at 127.0.0.1:{imap.port}"
    assert "APPEND" not in imap.commands


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"SMTP_SENT_IMAP_TLS": "none"}, "SMTP_SENT_IMAP_TLS"),
        ({"SMTP_USER": "", "SMTP_PASSWORD": "", "SMTP_AUTH": "none"}, "SMTP_SENT_IMAP_USER"),
    ],
)
def test_settings_that_cannot_work_end_the_start(changes: dict[str, str], problem: str) -> None:
    given = environment(SMTP_SENT_IMAP_HOST="imap.x.test", **changes)
    problems = [str(found) for found in reading_of(SMTP, given).problems]
    assert any(problem in found for found in problems), problems


@pytest.mark.parametrize("name", ["Sent", "Gesendet & mehr", "Entwürfe", "送信済み", "a&b~/ü"])
def test_folder_names_come_back_from_the_wire(name: str) -> None:
    assert encode_name(name).isascii()
    assert decode_name(encode_name(name)) == name


def test_known_spellings_of_folder_names() -> None:
    assert encode_name("Entwürfe & ~peter/日本") == "Entw&APw-rfe &- ~peter/&ZeVnLA-"
    assert decode_name("&***-") == "&***-"


def test_nothing_new_is_loaded_before_its_first_use() -> None:
    code = (
        "import sys, smtp_mcp.app, smtp_mcp.definition, smtp_mcp.tools\n"
        "names = ('tinycss2', 'publicsuffixlist', 'imaplib', 'tzdata')\n"
        "names += ('smtp_mcp.message.events', 'smtp_mcp.message.invitation')\n"
        "print([name for name in names if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_a_hang_after_the_dot_makes_no_copy(desk: Desk, imap: ImapBackend) -> None:
    desk.backend.faults = [Fault("DOT", HANG)]
    desk.timeouts = desk.timeouts._replace(final_seconds=0.05, bytes_per_second=1e9)
    result = await desk.ask("send_mail", MAIL, None, LEGACY, **settings(imap))
    assert text(result).startswith("code: outcome_unknown\n")
    assert imap.connections == 0
