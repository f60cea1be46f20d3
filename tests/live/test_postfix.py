"""smtp-mcp against a real Postfix; what arrives in a mailbox is what was previewed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import mcp_types as types
import pytest

from tests.live import postfix
from tests.live.mail_office import ALICE, MailOffice, arrived, as_sent, parsed
from tests.live.postfix import Postfix
from tests.support.clients import ERAS, Era, call, connect, structured, text
from tests.support.person import Person

pytestmark = pytest.mark.live("postfix")


@pytest.fixture(scope="module")
def running() -> Iterator[Postfix]:
    with postfix.started() as server:
        yield server


@pytest.fixture
def server(running: Postfix) -> Postfix:
    running.forget()
    return running


class Office(MailOffice):
    """smtp-mcp, set up for one of Postfix's ports."""

    def __init__(self, server: Postfix, mode: str = "starttls", **changes: str) -> None:
        port = {"none": server.plain, "starttls": server.starttls, "implicit": server.implicit}
        given = {
            "SMTP_HOST": "localhost",
            "SMTP_TLS": mode,
            "SMTP_USER": f"{postfix.USER}@{postfix.REALM}",
            "SMTP_PASSWORD": postfix.PASSWORD,
            "SMTP_CA_FILE": str(server.certificate),
            "SMTP_ALLOWED_RECIPIENTS": "@example.test,@bücher.test",
            **({"SMTP_AUTH": "none"} if mode == "none" else {}),
            **changes,
        }
        super().__init__(port[mode], **given)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("mode", ["none", "starttls", "implicit"])
async def test_what_arrives_is_byte_for_byte_what_was_previewed(
    mode: str, era: Era, server: Postfix, tmp_path: Path
) -> None:
    pdf = b"%PDF-1.7\n" + bytes(range(256)) * 40
    (tmp_path / "Übersicht „Q3“ 2026.pdf").write_bytes(pdf)
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\nimage")
    arguments = {
        **ALICE,
        "bcc": ["bob@example.test"],
        "subject": "Grüße aus Köln, 100 % — fertig?" * 4,
        "body": f".\r\n..\nÄ {'long ' * 400}\n trailing \n.",
        "html": '<p>Hä</p><script>x</script><img src="cid:logo">',
        "inline_images": {"logo": "logo.png"},
        "attachments": ["Übersicht „Q3“ 2026.pdf"],
    }
    office = Office(server, mode, SMTP_ATTACHMENT_DIR=str(tmp_path), SMTP_SIGNATURE="Ada")
    preview = structured(await office.use("preview_mail", {**arguments, "format": "eml"}, era))
    result = structured(await office.use("send_mail", arguments, era))
    for name in ("alice", "bob"):
        [raw] = await arrived(server, name)
        assert as_sent(raw) == str(preview["eml"]).encode()
        head = raw.partition(b"From: ")[0]
        assert b"bob@example.test" not in raw.replace(head, b"")
        message = parsed(raw)
        assert message["Message-ID"] == result["message_id"]
        assert message["Subject"] == arguments["subject"]
        assert message["Bcc"] is None
        [part] = message.iter_attachments()
        assert (part.get_filename(), part.get_content()) == ("Übersicht „Q3“ 2026.pdf", pdf)
    assert re.fullmatch(r"[0-9A-F]{6,}|[0-9A-Za-z]{8,}", str(result["queue_id"]))
    assert str(result["server_response"]).startswith("250 2.0.0 Ok: queued as ")


async def test_replies_and_forwards_keep_their_threads(server: Postfix) -> None:
    office = Office(server)
    reply = {
        "to": ["alice@example.test"],
        "original_subject": "Plan",
        "in_reply_to": f"<{'p' * 120}@example.test>",
        "references": [f"<{number}{'r' * 60}@example.test>" for number in range(20)],
        "body": "Yes",
        "quote": "old text",
    }
    structured(await office.use("reply_mail", reply))
    [raw] = await arrived(server, "alice")
    message = parsed(raw)
    assert message["In-Reply-To"] == reply["in_reply_to"]
    assert message["References"].split() == [*reply["references"], reply["in_reply_to"]]
    forward = {**reply, "original_from": "Bob"}
    del forward["in_reply_to"]
    structured(await office.use("forward_mail", {**forward, "to": ["bob@example.test"]}))
    [raw] = await arrived(server, "bob")
    assert parsed(raw)["Subject"] == "Fwd: Plan"


async def test_only_an_approved_mail_arrives(server: Postfix) -> None:
    office = Office(server)
    for era in ERAS:
        no = Person(replies=[types.ElicitResult(action="decline")])
        assert (await office.use("send_mail", {**ALICE, "body": f"no {era}"}, era, no)).is_error
    structured(await office.use("send_mail", {**ALICE, "body": "yes"}))
    [raw] = await arrived(server, "alice")
    assert b"yes" in raw


async def test_recipients_are_taken_and_refused_one_by_one(server: Postfix) -> None:
    many = ["alice@example.test", "nobody@example.test", "grey@example.test"]
    result = structured(await Office(server).use("send_mail", {**ALICE, "to": many}))
    assert result["accepted"] == ["alice@example.test"]
    rejected = result["rejected"]
    assert isinstance(rejected, list)
    assert [(entry["address"], entry["code"], entry["temporary"]) for entry in rejected] == [
        ("nobody@example.test", 550, False),
        ("grey@example.test", 450, True),
    ]
    await arrived(server, "alice")
    alone = await Office(server).use("send_mail", {**ALICE, "to": ["nobody@example.test"]})
    assert text(alone).startswith("code: recipients_refused\n")


async def test_an_internationalised_domain_and_a_plus_address_arrive(server: Postfix) -> None:
    office = Office(server)
    structured(await office.use("send_mail", {**ALICE, "to": ["kim@bücher.test"]}))
    structured(await office.use("send_mail", {**ALICE, "to": ["alice+news@example.test"]}))
    await arrived(server, "kim")
    [raw] = await arrived(server, "alice")
    assert parsed(raw)["To"] == "alice+news@example.test"


@pytest.mark.parametrize(
    ("sender", "code"),
    [("late@sender.test", "temporary_failure"), ("nope@sender.test", "message_refused")],
)
async def test_a_refusal_behind_the_final_dot_is_a_refusal(
    sender: str, code: str, server: Postfix
) -> None:
    result = await Office(server, SMTP_FROM=sender).use("send_mail", ALICE)
    assert text(result).startswith(f"code: {code}\n")


async def test_a_mail_over_the_announced_size_is_not_begun(server: Postfix, tmp_path: Path) -> None:
    (tmp_path / "large.txt").write_bytes(b"x" * postfix.SIZE_LIMIT)
    office = Office(server, SMTP_ATTACHMENT_DIR=str(tmp_path))
    result = await office.use("send_mail", {**ALICE, "attachments": ["large.txt"]})
    assert text(result).startswith("code: too_large\n")
    assert f"at most {postfix.SIZE_LIMIT}" in text(result)


async def test_a_wrong_password_makes_one_attempt_in_the_servers_log(server: Postfix) -> None:
    before = server.log.count("authentication failed")
    office = Office(server, SMTP_PASSWORD="wrong")
    result = await office.use("send_mail", ALICE)
    assert text(result).startswith("code: auth_failed\n")
    assert "wrong" not in text(result)
    failed = await asyncio.to_thread(server.logged, "authentication failed", before + 1)
    assert failed == before + 1


@pytest.mark.parametrize("mechanism", ["plain", "login", "cram-md5"])
async def test_each_mechanism_logs_in(mechanism: str, server: Postfix) -> None:
    result = structured(await Office(server, SMTP_AUTH=mechanism).use("test_connection", {}))
    assert (result["auth_mode"], result["authenticated"]) == (mechanism, True)
    capabilities = result["capabilities"]
    assert isinstance(capabilities, dict)
    assert capabilities["size"] == str(postfix.SIZE_LIMIT)


async def test_an_unknown_certificate_and_the_wrong_mode_are_told(server: Postfix) -> None:
    strange = await Office(server, SMTP_CA_FILE="").use("test_connection", {})
    assert text(strange).startswith("code: tls_certificate\n")
    insecure = Office(server, SMTP_CA_FILE="", SMTP_INSECURE_TLS="true")
    structured(await insecure.use("test_connection", {}))
    plain = Office(server, SMTP_TLS="implicit", SMTP_PORT=str(server.plain))
    assert text(await plain.use("test_connection", {})).startswith("code: unreachable\n")
    bare = Office(server, SMTP_PORT=str(server.plain), SMTP_CA_FILE=str(server.certificate))
    told = text(await bare.use("test_connection", {}))
    assert told.startswith(("code: tls_required\n", "code: auth_failed\n"))
    silent = Office(server, SMTP_PORT=str(server.implicit), SMTP_TIMEOUT="1")
    assert "SMTP_TLS=implicit" in text(await silent.use("test_connection", {}))


async def test_the_check_reports_on_the_server(server: Postfix) -> None:
    office = Office(server)
    report = await office.app.check()
    await office.app.aclose()
    assert report[0].startswith(f"reached localhost:{server.starttls} (starttls) with TLSv1.")
    assert "login: plain" in report


@pytest.mark.requirement("R-47")
async def test_a_recipient_who_was_put_off_gets_the_same_bytes_later() -> None:
    with postfix.started() as own:
        office, person = Office(own), Person()
        both = {**ALICE, "to": ["alice@example.test", "grey@example.test"]}
        async with connect(office.mcp, "2026-07-28", person) as client:
            first = structured(await call(client, "send_mail", both))
            await asyncio.to_thread(own.welcome_grey)
            second = structured(await call(client, "send_mail", both))
            third = structured(await call(client, "send_mail", both))
        [alice] = await arrived(own, "alice")
        [grey] = await arrived(own, "grey")
    assert first["rejected_addresses"] == ["grey@example.test"]
    assert "to 1 of its 2 recipients" in person.messages[1]
    assert second["accepted"] == ["grey@example.test"]
    assert (third["already_sent"], third["rejected"]) == (True, [])
    assert as_sent(alice) == as_sent(grey)
