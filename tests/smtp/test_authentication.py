"""Logging in: one mechanism, one attempt."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.backends.smtp import DROP, HANG, Fault, SmtpBackend
from tests.smtp.support import LEGACY, MAIL, Desk, probed
from tests.support.clients import call, connect, structured, text
from tests.support.person import Person


@pytest.mark.requirement("T-smtp-32")
async def test_a_wrong_password_is_tried_once_and_not_again_for_a_while(desk: Desk) -> None:
    async with connect(desk.server(SMTP_PASSWORD="wrong-secret"), LEGACY) as client:
        first = text(await call(client, "test_connection"))
        assert first.startswith("code: auth_failed\n")
        assert "app password" in first
        again = text(await call(client, "test_connection"))
        assert again.startswith("code: auth_failed\n")
        assert "No new attempt for another 10 s." in again
    assert desk.backend.verbs().count("AUTH") == 1
    assert desk.backend.connections == 1
    assert "wrong-secret" not in first + again


async def test_after_a_refused_login_sends_wait_too_twice_as_long_each_time(desk: Desk) -> None:
    person, server = Person(), desk.server(SMTP_PASSWORD="wrong")
    for wait in (60, 120, 240):
        assert "auth_failed" in text(await desk.ask_at(server, "send_mail", MAIL, person))
        desk.clock.advance(wait - 1)
        blocked = text(await desk.ask_at(server, "send_mail", MAIL, person))
        assert "none is tried for another 1 s" in blocked
        desk.clock.advance(2)
    assert len(person.messages) == 3
    assert desk.backend.verbs().count("AUTH") == 3


async def test_a_login_that_works_again_forgets_the_waits(desk: Desk) -> None:
    server = desk.server()
    desk.backend.faults = [Fault("AUTH", "535 5.7.8 no", nth=1)]
    assert "auth_failed" in text(await desk.ask_at(server, "send_mail", MAIL))
    desk.clock.advance(61)
    structured(await desk.ask_at(server, "send_mail", MAIL))


async def test_a_login_put_off_is_no_wrong_password(desk: Desk) -> None:
    server = desk.server()
    desk.backend.faults = [Fault("AUTH", "454 4.7.0 later", nth=1), Fault("AUTH", DROP, nth=2)]
    assert "454 4.7.0 later" in text(await desk.ask_at(server, "send_mail", MAIL))
    assert "code: not_sent" in text(await desk.ask_at(server, "send_mail", MAIL))
    structured(await desk.ask_at(server, "send_mail", MAIL))


async def test_concurrent_tests_share_one_attempt_and_its_outcome_is_repeated(desk: Desk) -> None:
    async with connect(desk.server(), LEGACY) as client:
        results = await asyncio.gather(*(call(client, "test_connection") for _ in range(4)))
        assert [structured(result)["cached"] for result in results].count(False) == 1
        assert desk.backend.connections == 1
        desk.clock.advance(11)
        assert structured(await call(client, "test_connection"))["cached"] is False
    assert desk.backend.connections == 2


async def test_an_attempt_that_was_cut_short_counts_as_one(desk: Desk) -> None:
    desk.backend.faults = [Fault("EHLO", HANG, nth=1)]
    async with connect(desk.server(), LEGACY) as client:
        calling = asyncio.create_task(call(client, "test_connection"))
        await desk.backend.spoken_to.wait()
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        again = text(await call(client, "test_connection"))
    assert "cut short" in again
    assert desk.backend.connections == 1


@pytest.mark.parametrize(
    ("offered", "wanted", "chosen"),
    [
        (("PLAIN", "LOGIN", "CRAM-MD5"), "auto", "cram-md5"),
        (("PLAIN", "LOGIN"), "auto", "plain"),
        (("LOGIN",), "auto", "login"),
        (("PLAIN", "LOGIN", "CRAM-MD5"), "login", "login"),
        (("PLAIN", "LOGIN", "CRAM-MD5"), "plain", "plain"),
    ],
)
async def test_one_mechanism_is_chosen(
    offered: tuple[str, ...], wanted: str, chosen: str, desk: Desk
) -> None:
    desk.backend.mechanisms = offered
    async with connect(desk.server(SMTP_AUTH=wanted), LEGACY) as client:
        assert structured(await call(client, "test_connection"))["auth_mode"] == chosen
    assert desk.backend.verbs().count("AUTH") == 1


async def test_over_tls_the_plain_mechanism_comes_first(
    secure: SmtpBackend, tmp_path: Path, trusting: dict[str, str]
) -> None:
    assert structured(await probed(secure, tmp_path, **trusting))["auth_mode"] == "plain"


async def test_no_mechanism_in_common_means_no_attempt(desk: Desk) -> None:
    desk.backend.mechanisms = ("GSSAPI",)
    result = text(await desk.ask("send_mail", MAIL))
    assert result.startswith("code: auth_failed\n")
    assert "offered: gssapi" in result
    assert "AUTH" not in desk.backend.verbs()


async def test_a_local_relay_needs_no_login(desk: Desk) -> None:
    desk.backend.login = None
    unset = {"SMTP_USER": "", "SMTP_PASSWORD": "", "SMTP_AUTH": "none"}
    structured(await desk.ask("send_mail", MAIL, **unset))
    assert "AUTH" not in desk.backend.verbs()
