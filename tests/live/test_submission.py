"""smtp-mcp against Dovecot's submission, which hands mail on to a real Postfix."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live import dovecot, postfix
from tests.live.dovecot import Dovecot
from tests.live.mail_office import ALICE, MailOffice, arrived, as_sent
from tests.live.postfix import Postfix
from tests.support.clients import ERAS, Era, structured, text

pytestmark = [
    pytest.mark.live("dovecot", "postfix"),
    pytest.mark.timeout(120),
]


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[Dovecot, Postfix]]:
    with postfix.started() as behind, dovecot.started(relay=behind.plain) as front:
        yield front, behind


@pytest.fixture
def front(running: tuple[Dovecot, Postfix]) -> Dovecot:
    return running[0]


@pytest.fixture
def behind(running: tuple[Dovecot, Postfix]) -> Postfix:
    running[1].forget()
    return running[1]


class Office(MailOffice):
    """smtp-mcp, set up for the port of submission."""

    def __init__(self, front: Dovecot, **changes: str) -> None:
        given = {
            "SMTP_HOST": "localhost",
            "SMTP_TLS": "starttls",
            "SMTP_USER": dovecot.USER,
            "SMTP_PASSWORD": dovecot.PASSWORD,
            "SMTP_CA_FILE": str(front.certificate),
            **changes,
        }
        super().__init__(front.submission, **given)


def by_token(folder: Path, lifetime: int = 3600) -> dict[str, str]:
    """Settings of a login by an access token."""
    file = folder / "token"
    file.write_text(dovecot.token(lifetime=lifetime), encoding="utf-8")
    return {"SMTP_PASSWORD": "", "SMTP_OAUTH_TOKEN_FILE": str(file)}


@pytest.mark.parametrize("era", ERAS)
async def test_a_mail_arrives_as_previewed_and_lies_in_the_folder_of_the_same_login(
    era: Era, front: Dovecot, behind: Postfix, tmp_path: Path
) -> None:
    (tmp_path / "daten.csv").write_text("Größe;1", encoding="utf-8")
    copies = {"SMTP_SENT_IMAP_HOST": "localhost", "SMTP_SENT_IMAP_PORT": str(front.imaps)}
    office = Office(front, SMTP_ATTACHMENT_DIR=str(tmp_path), **copies)
    arguments = {
        **ALICE,
        "subject": f"Grüße {era}",
        "body": f".\r\n..\nFrom here on\n{'long ' * 400}\n.",
        "attachments": ["daten.csv"],
    }
    preview = structured(await office.use("preview_mail", {**arguments, "format": "eml"}, era))
    result = structured(await office.use("send_mail", arguments, era))
    [raw] = await arrived(behind, "alice")
    assert as_sent(raw) == str(preview["eml"]).encode()
    assert result["sent_copy"] == {"saved": True, "folder": dovecot.SENT_FOLDER}
    assert front.newest(dovecot.SENT_FOLDER)[0] == as_sent(raw)


@pytest.mark.parametrize("mechanism", ["plain", "login"])
async def test_each_mechanism_with_a_password_logs_in(mechanism: str, front: Dovecot) -> None:
    result = structured(await Office(front, SMTP_AUTH=mechanism).use("test_connection", {}))
    assert (result["auth_mode"], result["authenticated"]) == (mechanism, True)


@pytest.mark.parametrize("mechanism", ["xoauth2", "oauthbearer"])
async def test_an_access_token_logs_in_and_the_mail_arrives(
    mechanism: str, front: Dovecot, behind: Postfix, tmp_path: Path
) -> None:
    office = Office(front, SMTP_AUTH=mechanism, **by_token(tmp_path))
    assert structured(await office.use("send_mail", ALICE))["sent"] is True
    assert len(await arrived(behind, "alice")) == 1
    assert f"method={mechanism.upper()}" in front.log


@pytest.mark.parametrize("mechanism", ["xoauth2", "oauthbearer"])
async def test_an_access_token_that_has_expired_is_told_as_such(
    mechanism: str, front: Dovecot, tmp_path: Path
) -> None:
    office = Office(front, SMTP_AUTH=mechanism, **by_token(tmp_path, lifetime=-60))
    told = text(await office.use("send_mail", ALICE))
    assert told.startswith("code: auth_failed\n")
    assert " with 334" not in told
    assert "access token was refused" in told


async def test_a_wrong_password_makes_one_attempt(front: Dovecot) -> None:
    before = front.log.count("auth failed, ")
    told = text(await Office(front, SMTP_PASSWORD="wrong").use("send_mail", ALICE))
    assert told.startswith("code: auth_failed\n")
    assert "wrong" not in told
    failed = await asyncio.to_thread(front.logged, "auth failed, ", before + 1)
    assert failed == before + 1


async def test_what_the_server_behind_refuses_is_told_of_each_recipient(
    front: Dovecot, behind: Postfix
) -> None:
    many = ["alice@example.test", "nobody@example.test", "grey@example.test"]
    result = structured(await Office(front).use("send_mail", {**ALICE, "to": many}))
    assert result["accepted"] == ["alice@example.test"]
    rejected = result["rejected"]
    assert isinstance(rejected, list)
    assert [(entry["code"], entry["temporary"]) for entry in rejected] == [
        (550, False),
        (450, True),
    ]
    assert len(await arrived(behind, "alice")) == 1


async def test_a_refusal_behind_the_final_dot_comes_through(
    front: Dovecot, behind: Postfix
) -> None:
    told = text(await Office(front, SMTP_FROM="nope@sender.test").use("send_mail", ALICE))
    assert told.startswith("code: message_refused\n")
    assert "554 5.7.1" in told
