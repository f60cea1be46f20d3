"""Each refusal names its own cause, and what cures it or that nothing does."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from smtp_mcp.api import connection_errors, smtp_errors
from smtp_mcp.api.reply import Rejection, Reply
from smtp_mcp.api.server_address import own_address
from smtp_mcp.api.smtp_errors import NotDelivered
from smtp_mcp.definition import SMTP
from smtp_mcp.mailbox import parse
from smtp_mcp.policy.allowlist import RecipientAllowlist
from tests.backends.smtp import DROP, Certificates, Fault, SmtpBackend
from tests.smtp.support import LEGACY, MAIL, Desk, environment, probed
from tests.support.clients import call, connect, structured, text
from tests.support.person import Person
from tests.support.servers import reading_of

WIDE = {**MAIL, "to": ["jörg@example.test"]}
OPEN = {"SMTP_ALLOWED_RECIPIENTS": "*"}


@pytest.mark.requirement("S-7")
async def test_letters_beyond_ascii_are_refused_by_their_own_switch(desk: Desk) -> None:
    said = text(await desk.ask("send_mail", WIDE, **OPEN))
    assert said.startswith("code: needs_smtputf8\n")
    assert "SMTP_ALLOW_SMTPUTF8" in said
    assert "SMTP_ALLOWED_RECIPIENTS" not in said


@pytest.mark.requirement("S-7")
async def test_a_host_without_a_dot_is_to_be_listed_by_name(desk: Desk) -> None:
    said = text(await desk.ask("send_mail", {**MAIL, "to": ["root@localhost"]}, **OPEN))
    assert said.startswith("code: recipient_not_allowed\n")
    assert "does not cover a host without a dot: root@localhost" in said
    result = structured(
        await desk.ask("validate_recipients", {"addresses": ["root@localhost"]}, **OPEN)
    )
    assert result["results"] == [
        {
            "address": "root@localhost",
            "allowed": False,
            "reason": "single_label_host",
            "normalized": "root@localhost",
        }
    ]


@pytest.mark.requirement("S-7")
async def test_several_reasons_stand_in_a_sentence_each_and_everybody_is_named(desk: Desk) -> None:
    many = [f"n{number}@nowhere.test" for number in range(30)]
    said = text(await desk.ask("send_mail", {**WIDE, "cc": many, "bcc": ["é@elsewhere.test"]}))
    assert said.startswith("code: recipient_not_allowed\n")
    assert all(address in said for address in many)
    assert "Not allowed by SMTP_ALLOWED_RECIPIENTS: n0@nowhere.test" in said
    assert "may be written to: jörg@example.test, é@elsewhere.test" in said


def test_all_reasons_of_the_list_have_a_sentence() -> None:
    allowlist = RecipientAllowlist(("@example.test",), 10)
    assert allowlist.reasons(parse("é@x.test")) == ("not_on_allowlist", "non_ascii_local_part")
    assert allowlist.reasons(parse("anna@example.test")) == ()
    assert RecipientAllowlist(("*",), 10).reasons(parse("a@b")) == ("single_label_host",)


@pytest.mark.requirement("S-7")
async def test_a_server_without_smtputf8_is_named_and_then_known(desk: Desk) -> None:
    person = Person()
    changes = {**OPEN, "SMTP_ALLOW_SMTPUTF8": "true"}
    async with connect(desk.server(**changes), LEGACY, person) as client:
        first = text(await call(client, "send_mail", WIDE))
        again = text(await call(client, "send_mail", WIDE))
        desk.backend.extensions = ["SMTPUTF8"]
        desk.clock.advance(60)
        structured(await call(client, "test_connection", {}))
        structured(await call(client, "send_mail", WIDE))
    assert first.startswith("code: smtputf8_not_offered\n")
    assert again == first
    assert len(person.messages) == 2


async def test_a_size_that_the_last_connection_announced_is_respected_before_asking(
    desk: Desk,
) -> None:
    desk.backend.size = 41_943_040
    desk.put("large.txt", b"x" * 32_000_000)
    arguments = {**MAIL, "attachments": ["large.txt"]}
    changes = {"SMTP_MAX_MESSAGE_BYTES": "99999999", "SMTP_MAX_ATTACHMENT_BYTES": "99999999"}
    person = Person()
    async with connect(desk.server(**changes), LEGACY, person) as client:
        structured(await call(client, "test_connection", {}))
        said = text(await call(client, "send_mail", arguments))
    assert said.startswith("code: too_large\n")
    assert "takes at most 41943040" in said
    assert person.messages == []


@pytest.mark.requirement("R-44", "S-7")
async def test_a_refused_ehlo_names_the_variable(desk: Desk, tmp_path: Path) -> None:
    desk.backend.faults = [Fault("EHLO", "550 Bad HELO")]
    said = text(await probed(desk.backend, tmp_path))
    assert said.startswith("code: client_refused\n")
    assert "550 Bad HELO" in said
    assert "SMTP_EHLO_NAME" in said


@pytest.mark.requirement("R-44")
@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Fault("EHLO", "501 5.5.4 invalid"), "client_refused"),
        (Fault("MAIL", "504 5.5.2 need a full name"), "sender_refused"),
        (Fault("RCPT", "550 5.7.1 Helo command rejected"), "recipients_refused"),
        (Fault("EHLO", "450 4.7.1 EHLO not yet"), "unreachable"),
        (Fault("DOT", "554 5.7.1 your HELO is a lie"), "message_refused"),
    ],
)
async def test_any_refusal_for_the_name_has_the_hint(fault: Fault, code: str, desk: Desk) -> None:
    desk.backend.faults = [fault]
    said = text(await desk.ask("send_mail", MAIL))
    assert said.startswith(f"code: {code}\n")
    assert "SMTP_EHLO_NAME" in said


def test_a_sender_without_an_address_is_told_the_form() -> None:
    [problem] = reading_of(SMTP, environment(SMTP_FROM="ada")).problems
    assert "an address, or Name <address>" in str(problem)


async def test_a_refused_connection_is_told_in_the_systems_words(tmp_path: Path) -> None:
    async with SmtpBackend() as gone:
        pass
    for host in ("127.0.0.1", "localhost"):
        said = text(await probed(gone, tmp_path, SMTP_HOST=host))
        assert "could not be reached: connection refused. Nothing was sent." in said
        assert "connect call" not in said.lower()


@pytest.mark.parametrize("words", ["550 5.1.1 Go away.", "550 No.."])
async def test_no_full_stop_is_doubled(words: str, desk: Desk) -> None:
    desk.backend.faults = [Fault("MAIL", words)]
    said = text(await desk.ask("send_mail", MAIL))
    assert words in said
    assert ".. " not in said.replace(words, "")


_SAMPLES: dict[str, object] = {
    "where": "mx.test:25",
    "reason": "because of this.",
    "reply": Reply(550, "5.0.0 no."),
    "mechanism": "plain",
    "wanted": "plain",
    "offered": ["x"],
    "size": 10,
    "limit": 5,
    "rejections": [Rejection("a@b.test", Reply(550, "5.1.1 no."))],
    "what": "reply to EHLO",
    "code": "not_sent",
    "seconds": 60.0,
    "tls": "starttls",
    "port": 587,
    "hint": "",
}
_MAKERS = [
    maker
    for module in (smtp_errors, connection_errors)
    for name, maker in inspect.getmembers(module, inspect.isfunction)
    if maker.__module__ == module.__name__ and not name.startswith("_")
]


@pytest.mark.requirement("S-7")
@pytest.mark.parametrize("maker", _MAKERS, ids=lambda maker: maker.__name__)
def test_every_error_names_a_cure_or_says_that_there_is_none(
    maker: Callable[..., NotDelivered],
) -> None:
    names = inspect.signature(maker).parameters
    error = maker(**{name: _SAMPLES[name] for name in names})
    told = f"{error.text} {error.hint}"
    cure = r"SMTP_[A-Z]|[Nn]o variable|fewer|ask the user|in to, cc and bcc|SMTP server"
    assert re.search(cure, told), told
    assert ".." not in told
    assert error.outcome == ("unknown" if maker is smtp_errors.unknown else "not_done")


@pytest.mark.parametrize(
    ("name", "literal"),
    [
        (("192.0.2.7", 5), "[192.0.2.7]"),
        (("2001:db8::7", 5, 0, 0), "[IPv6:2001:db8::7]"),
        (("::ffff:192.0.2.7", 5, 0, 0), "[192.0.2.7]"),
        (("fe80::1%eth0", 5, 0, 2), "[IPv6:fe80::1]"),
    ],
)
def test_the_own_address_is_written_as_the_standard_wants(name: object, literal: str) -> None:
    assert own_address(name) == literal


@pytest.mark.requirement("R-44", "S-8")
async def test_this_client_names_the_address_of_its_socket_before_and_after_tls(
    secure: SmtpBackend, tmp_path: Path, trusting: dict[str, str]
) -> None:
    structured(await probed(secure, tmp_path, **trusting))
    assert secure.conversations[0].names == ["[127.0.0.1]", "[127.0.0.1]"]
    secure.refuses_name = lambda name: None if name == "host.test" else "550 Bad HELO"
    assert "client_refused" in text(await probed(secure, tmp_path, **trusting))
    named = {**trusting, "SMTP_EHLO_NAME": "host.test"}
    structured(await probed(secure, tmp_path, **named))
    assert secure.conversations[-1].names == ["host.test", "host.test"]


@pytest.mark.parametrize(
    ("changes", "shown"),
    [({}, "address literal"), ({"SMTP_EHLO_NAME": "[192.0.2.7]"}, "[192.0.2.7]")],
)
async def test_the_name_is_told(changes: dict[str, str], shown: str, desk: Desk) -> None:
    result = structured(await desk.ask("get_server_info", {}, None, LEGACY, **changes))
    assert result["ehlo_name"] == shown


@pytest.mark.requirement("R-45", "S-8")
@pytest.mark.parametrize(
    ("fault", "polite"),
    [
        (Fault("AUTH", "535 5.7.8 no"), True),
        (Fault("EHLO", "550 no"), True),
        (Fault("MAIL", "550 5.7.1 no"), True),
        (Fault("RCPT", "550 5.1.1 no"), True),
        (Fault("DOT", "554 5.7.1 no"), True),
        (Fault("MAIL", DROP), False),
    ],
)
async def test_a_server_that_can_be_spoken_to_is_left_politely(
    fault: Fault, polite: bool, desk: Desk
) -> None:
    desk.backend.faults = [fault]
    async with connect(desk.server(), LEGACY, Person()) as client:
        assert (await call(client, "send_mail", MAIL)).is_error
    assert [conversation.quit for conversation in desk.backend.conversations] == [polite]


@pytest.mark.requirement("R-45")
async def test_a_server_without_starttls_is_left_politely(desk: Desk) -> None:
    async with connect(desk.server(SMTP_TLS="starttls"), LEGACY, Person()) as client:
        assert (await call(client, "send_mail", MAIL)).is_error
    assert desk.backend.conversations[0].quit


@pytest.mark.requirement("R-45")
async def test_nothing_is_said_in_a_failed_handshake(
    certificates: Certificates, tmp_path: Path, trusting: dict[str, str]
) -> None:
    async with SmtpBackend(tls=certificates.misnamed) as elsewhere:
        assert (await probed(elsewhere, tmp_path, **trusting)).is_error
        assert not elsewhere.conversations[0].quit


@pytest.mark.requirement("S-8")
@pytest.mark.parametrize(
    ("changes", "mode", "warned"),
    [
        ({"SMTP_PORT": "465", "SMTP_TLS": ""}, "implicit", False),
        ({"SMTP_PORT": "465", "SMTP_TLS": "starttls"}, "starttls", True),
        ({"SMTP_PORT": "587", "SMTP_TLS": ""}, "starttls", False),
        ({"SMTP_PORT": "465", "SMTP_TLS": "", "SMTP_PROVIDER": "gmail"}, "implicit", False),
    ],
)
def test_port_465_means_implicit_tls(changes: dict[str, str], mode: str, warned: bool) -> None:
    from smtp_mcp.settings import endpoint

    reading = reading_of(SMTP, environment(**changes))
    assert reading.problems == []
    assert endpoint(reading.values).tls == mode
    assert any("SMTP_TLS" in str(warning) for warning in reading.warnings) is warned


@pytest.mark.requirement("S-9")
async def test_a_slow_server_gets_the_mail(desk: Desk) -> None:
    """With nothing set a reply may take a minute; one of 20 s is met among the live tests."""
    desk.backend.faults = [Fault("RCPT", delay=0.3)]
    structured(await desk.ask("send_mail", MAIL))
    assert desk.app is not None
    assert desk.app.settings.timeout == 60


@pytest.mark.requirement("S-9")
@pytest.mark.parametrize(
    ("fault", "code", "command"),
    [
        (Fault("BANNER", delay=3), "unreachable", "greeting"),
        (Fault("EHLO", delay=3), "unreachable", "reply to EHLO"),
        (Fault("AUTH", delay=3), "not_sent", "reply to AUTH"),
        (Fault("MAIL", delay=3), "not_sent", "reply to MAIL FROM"),
        (Fault("RCPT", delay=3), "not_sent", "reply to RCPT TO"),
        (Fault("DATA", delay=3), "not_sent", "reply to DATA"),
    ],
)
async def test_giving_up_is_told_as_our_own_decision(
    fault: Fault, code: str, command: str, desk: Desk
) -> None:
    desk.backend.faults = [fault]
    said = text(await desk.ask("send_mail", MAIL, SMTP_TIMEOUT="1"))
    assert said.startswith(f"code: {code}\n")
    sentence = f"No {command} within 1 s, so this client gave up (SMTP_TIMEOUT). Nothing was sent."
    assert sentence in said
    assert "broke off" not in said


@pytest.mark.requirement("R-46", "S-9")
async def test_what_the_server_said_in_mid_upload_decides(desk: Desk) -> None:
    desk.put("large.txt", b"x" * 4_000_000)
    words = "552 5.3.4 message too big, go away"
    desk.backend.faults = [Fault("CONTENT", words, after_bytes=200_000)]
    said = text(await desk.ask("send_mail", {**MAIL, "attachments": ["large.txt"]}))
    assert said.startswith("code: too_large\n")
    assert words in said
    assert desk.backend.messages == []
