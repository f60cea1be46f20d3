"""smtp-mcp against a real Exim, which lets strangers wait and looks at their names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live import exim
from tests.live.exim import Exim
from tests.live.mail_office import ALICE, MailOffice
from tests.live.services import EXIM
from tests.support.clients import structured, text

pytestmark = [pytest.mark.live("exim"), pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def server() -> Iterator[Exim]:
    program = EXIM.path()
    assert program is not None
    with exim.started(program) as running:
        yield running


def office(server: Exim, **changes: str) -> MailOffice:
    """smtp-mcp, set up for it."""
    given = {"SMTP_AUTH": "none", "SMTP_FROM": f"ada@{exim.HOSTED}", **changes}
    return MailOffice(server.port, **given)


async def test_a_server_that_hosts_the_senders_domain_takes_the_mail(server: Exim) -> None:
    result = structured(await office(server).use("send_mail", {**ALICE, "body": "by literal"}))
    assert result["sent"] is True
    [content] = [content for content in server.taken if b"by literal" in content]
    assert content.endswith(b"by literal\n")
    assert f"{result['queue_id']} <= ada@{exim.HOSTED} H=([127.0.0.1])" in server.log


@pytest.mark.requirement("R-44")
async def test_a_name_that_it_hosts_is_refused_and_the_variable_is_named(server: Exim) -> None:
    named = office(server, SMTP_EHLO_NAME=exim.HOSTED)
    told = text(await named.use("send_mail", ALICE))
    assert told.startswith("code: client_refused\n")
    assert "550 HELO is one of our own domains" in told
    assert "SMTP_EHLO_NAME" in told
    assert f"({exim.HOSTED}) [127.0.0.1] rejected EHLO" in server.log


async def test_a_recipient_who_is_answered_late_gets_the_mail(server: Exim) -> None:
    result = structured(await office(server).use("send_mail", {**ALICE, "to": [exim.SLOW]}))
    assert result["accepted"] == [exim.SLOW]


async def test_whoever_waits_for_less_is_told_that_this_client_gave_up(server: Exim) -> None:
    hasty = office(server, SMTP_TIMEOUT="1")
    told = text(await hasty.use("send_mail", {**ALICE, "to": [exim.SLOW]}))
    assert told.startswith("code: not_sent\n")
    assert "No reply to RCPT TO within 1 s, so this client gave up (SMTP_TIMEOUT)." in told
