"""Connections that may be trusted with a login, and those that may not."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from smtp_mcp.api import connection
from smtp_mcp.api.connection_errors import silent
from smtp_mcp.order import EXTRAS, ORDER
from tests.backends.smtp import DROP, HANG, Certificates, Fault, SmtpBackend
from tests.smtp.support import MAIL, Desk, probed
from tests.support.clients import call, connect, structured, text
from tests.support.person import Person


@pytest.mark.requirement("T-smtp-30", "R-06")
async def test_a_server_without_starttls_gets_neither_login_nor_mail(desk: Desk) -> None:
    result = await desk.ask("send_mail", MAIL, SMTP_TLS="starttls")
    assert text(result).startswith("code: tls_required\n")
    assert "No credentials and no mail were sent" in text(result)
    assert desk.backend.verbs() == ["EHLO", "QUIT"]


@pytest.mark.requirement("T-smtp-30")
async def test_a_server_that_refuses_starttls_gets_neither_login_nor_mail(
    secure: SmtpBackend, tmp_path: Path, trusting: dict[str, str]
) -> None:
    secure.faults = [Fault("STARTTLS", "454 4.7.0 not now")]
    result = text(await probed(secure, tmp_path, **trusting))
    assert result.startswith("code: tls_required\n")
    assert "454 4.7.0 not now" in result
    assert "AUTH" not in secure.verbs()


@pytest.mark.requirement("T-smtp-30")
async def test_plain_text_slipped_in_before_tls_is_ignored(
    secure: SmtpBackend, tmp_path: Path, trusting: dict[str, str]
) -> None:
    secure.injected = b"250-mx.test\r\n250 AUTH X-EVIL\r\n"
    result = structured(await probed(secure, tmp_path, **trusting))
    assert "EVIL" not in str(result)
    assert secure.verbs() == ["EHLO", "STARTTLS", "EHLO", "AUTH", "QUIT"]


@pytest.mark.requirement("T-smtp-31", "R-06")
@pytest.mark.parametrize("switch", ["", "1", "TRUE"])
async def test_an_unknown_authority_is_refused_unless_the_switch_is_exactly_true(
    switch: str, secure: SmtpBackend, tmp_path: Path
) -> None:
    changes = {"SMTP_TLS": "starttls", "SMTP_INSECURE_TLS": switch}
    result = text(await probed(secure, tmp_path, **changes))
    assert result.startswith("code: tls_certificate\n")
    assert "SMTP_CA_FILE" in result
    assert "AUTH" not in secure.verbs()
    structured(await probed(secure, tmp_path, SMTP_TLS="starttls", SMTP_INSECURE_TLS="true"))


@pytest.mark.requirement("T-smtp-31")
async def test_a_private_authority_is_trusted_by_its_file(
    secure: SmtpBackend, tmp_path: Path, trusting: dict[str, str]
) -> None:
    result = structured(await probed(secure, tmp_path, **trusting))
    assert result["authenticated"] is True
    assert str(result["tls_version"]).startswith("TLSv1.")
    assert result["cipher"]
    assert str(result["certificate_expires"]).endswith("+00:00")
    assert result["server_greeting"] == "mx.test ESMTP stand-in"


@pytest.mark.requirement("T-smtp-31")
async def test_a_certificate_for_another_name_is_refused(
    tmp_path: Path, certificates: Certificates, trusting: dict[str, str]
) -> None:
    for implicit in (False, True):
        async with SmtpBackend(tls=certificates.misnamed, implicit=implicit) as elsewhere:
            mode = {**trusting, "SMTP_TLS": "implicit" if implicit else "starttls"}
            result = text(await probed(elsewhere, tmp_path, **mode))
            assert result.startswith("code: tls_certificate\n")
            assert "AUTH" not in elsewhere.verbs()


@pytest.mark.requirement("T-smtp-31", "R-06")
async def test_implicit_tls_against_a_plain_port_fails_at_once_and_says_why(desk: Desk) -> None:
    result = text(await desk.ask("send_mail", MAIL, SMTP_TLS="implicit"))
    assert result.startswith("code: unreachable\n")
    assert "SMTP_TLS=starttls" in result


@pytest.mark.requirement("S-9")
async def test_connecting_has_a_bound_of_its_own(
    backend: SmtpBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.0)
    backend.faults = [Fault("BANNER", HANG)]
    result = text(await probed(backend, tmp_path, SMTP_TLS="implicit"))
    assert "no TLS connection within 0 s" in result


async def test_implicit_tls_works_where_it_is_spoken(
    implicit: SmtpBackend, tmp_path: Path, trusting: dict[str, str]
) -> None:
    mode = {**trusting, "SMTP_TLS": "implicit"}
    result = structured(await probed(implicit, tmp_path, **mode))
    assert result["tls"] == "implicit"
    assert implicit.verbs() == ["EHLO", "AUTH", "QUIT"]


@pytest.mark.requirement("R-06")
async def test_a_port_that_waits_for_tls_is_recognised_in_starttls_mode(
    implicit: SmtpBackend, tmp_path: Path, trusting: dict[str, str]
) -> None:
    result = text(await probed(implicit, tmp_path, **trusting, SMTP_TIMEOUT="1"))
    assert result.startswith("code: unreachable\n")
    assert "SMTP_TLS=implicit" in result


@pytest.mark.requirement("R-06")
@pytest.mark.parametrize("mode", ["starttls", "implicit", "none"])
async def test_a_silent_server_is_given_up_within_the_bound(mode: str, desk: Desk) -> None:
    desk.backend.faults = [Fault("BANNER", HANG)]
    result = text(await desk.ask("send_mail", MAIL, SMTP_TLS=mode, SMTP_TIMEOUT="1"))
    assert result.startswith("code: unreachable\n")
    assert "Nothing was sent." in result


def test_a_silent_port_465_is_told_to_be_implicit() -> None:
    assert "set SMTP_TLS=implicit" in silent("starttls", 465, 60).hint


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault("BANNER", "554 5.7.1 go away"), "turned this client away with 554"),
        (Fault("BANNER", "421 4.7.0 later"), "turned this client away with 421"),
        (Fault("BANNER", DROP), "closed the connection at once"),
        (Fault("BANNER", "HTTP/1.1 400 Bad Request"), "does not speak SMTP"),
        (Fault("EHLO", "421 4.7.0 later"), "turned this client away with 421"),
        (Fault("EHLO", DROP), "closed the connection at once"),
    ],
)
async def test_a_server_that_does_not_let_anybody_in_is_unreachable(
    fault: Fault, words: str, desk: Desk
) -> None:
    desk.backend.faults = [fault]
    result = text(await desk.ask("send_mail", MAIL))
    assert result.startswith("code: unreachable\n")
    assert words in result


async def test_nobody_listening_and_an_unknown_name_are_unreachable(tmp_path: Path) -> None:
    nobody = SmtpBackend(port=1)
    refused = text(await probed(nobody, tmp_path))
    assert refused.startswith("code: unreachable\n")
    unknown = text(await probed(nobody, tmp_path, SMTP_HOST="mx.invalid"))
    assert unknown.startswith("code: unreachable\n")


async def test_tls_that_breaks_off_after_starttls_is_unreachable(
    tmp_path: Path, certificates: Certificates, trusting: dict[str, str]
) -> None:
    picky = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    async with SmtpBackend(tls=picky) as broken:
        result = text(await probed(broken, tmp_path, **trusting))
    assert result.startswith("code: unreachable\n")


async def test_a_client_certificate_is_shown_where_it_is_wanted(
    tmp_path: Path, certificates: Certificates, trusting: dict[str, str]
) -> None:
    async with SmtpBackend(tls=certificates.demanding) as demanding:
        shown = {**trusting, "SMTP_CLIENT_CERT": str(certificates.client_cert)}
        structured(await probed(demanding, tmp_path, **shown))
        assert "AUTH" in demanding.verbs()


async def test_a_file_without_a_key_is_told_by_the_names_of_its_variables(
    desk: Desk, certificates: Certificates
) -> None:
    result = text(await desk.ask("send_mail", MAIL, SMTP_CLIENT_CERT=str(certificates.ca_file)))
    assert "SMTP_CLIENT_CERT" in result
    assert desk.backend.connections == 0


@pytest.mark.requirement("T-smtp-38")
async def test_the_client_never_names_this_machine(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.getfqdn", lambda *_: "secret-machine.local")
    structured(await desk.ask("send_mail", MAIL))
    structured(await desk.ask("send_mail", MAIL, SMTP_EHLO_NAME="relay.sender.test"))
    greetings = [line for line in desk.backend.commands if line.startswith("EHLO")]
    assert greetings == ["EHLO [127.0.0.1]", "EHLO relay.sender.test"]


@pytest.mark.requirement("R-20")
async def test_a_byte_that_is_no_utf_8_becomes_a_replacement_character(desk: Desk) -> None:
    reply = b"550 5.1.1 unbekannt: M\xfcller".decode("utf-8", "surrogateescape")
    desk.backend.unknown = {"anna@example.test": reply}
    desk.backend.faults = [Fault("BANNER", reply, nth=2)]
    async with connect(desk.server(), "2026-07-28", Person()) as client:
        refused = text(await call(client, "send_mail", MAIL))
        assert "unbekannt: M\ufffdller" in refused
        greeted = text(await call(client, "test_connection"))
        assert "M\ufffdller" in greeted
        assert len((await client.list_tools()).tools) == len(ORDER) - len(EXTRAS)
