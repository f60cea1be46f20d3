"""Who a mail goes to: nobody hidden, nobody doubled, nobody else."""

from __future__ import annotations

import re

import pytest

from smtp_mcp.mailbox import parse
from tests.smtp.support import MAIL, Desk, audit_lines
from tests.support.clients import ERAS, Era, call, connect, structured, text
from tests.support.person import Person


@pytest.mark.requirement("T-smtp-8")
@pytest.mark.parametrize(
    "address",
    [
        "ceo,anna@example.test",
        "Bob <b@example.test>",
        "a@b@example.test",
        "b@example.test> SIZE=1",
        "b@example.test\r\nRCPT TO:<x@y.test>",
        "b@example.test(x)other.test",
        '"b"@example.test',
        "b%other.test@example.test",
        "other.test!b@example.test",
        "b@[127.0.0.1]",
        "b@example.test.",
        "b@example..test",
        "b@-example.test",
        "b@exam_ple.test",
        "b@example.1",
        ".b@example.test",
        "b..c@example.test",
        " b@example.test",
        "b@example.test ",
        "b@example.test\u2028",
        f"{'l' * 65}@example.test",
        f"b@{'d' * 60}.{'d' * 60}.{'d' * 60}.{'d' * 60}.{'d' * 60}.test",
        "example.test",
        "",
        "b@xn--a",
        "b@b\u00fccher\u00ad.test",
        "b@example\u3002test",
        "bäcker\u200b@example.test",
    ],
)
async def test_anything_but_a_bare_address_is_refused_before_the_network(
    address: str, desk: Desk
) -> None:
    result = await desk.ask("send_mail", {**MAIL, "to": [address]})
    assert result.is_error
    assert "to[0]" in text(result)
    assert desk.backend.connections == 0


@pytest.mark.requirement("S-smtp-4", "T-smtp-9")
async def test_a_recipient_off_the_list_is_refused_before_any_file_is_touched(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    person = Person()
    arguments = {**MAIL, "to": ["x@sub.example.test"], "attachments": ["not-there.pdf"]}
    result = await desk.ask("send_mail", arguments, person)
    assert text(result).startswith("code: recipient_not_allowed\n")
    assert "x@sub.example.test" in text(result)
    assert "not-there.pdf" not in text(result)
    assert person.messages == []
    assert desk.remaining == 20
    assert [line["outcome"] for line in audit_lines(capsys.readouterr().err)] == ["refused"]


@pytest.mark.requirement("T-smtp-10")
async def test_one_address_in_two_spellings_is_one_recipient(desk: Desk) -> None:
    arguments = {**MAIL, "to": ["A@example.test"], "cc": ["a@EXAMPLE.test"]}
    result = await desk.ask("send_mail", arguments, SMTP_MAX_RECIPIENTS="1")
    assert structured(result)["accepted"] == ["A@example.test"]
    assert desk.backend.recipients() == ["A@example.test"]


@pytest.mark.requirement("T-smtp-11")
async def test_too_many_recipients_are_refused_before_anybody_is_asked(desk: Desk) -> None:
    person = Person()
    many = [f"r{number}@example.test" for number in range(11)]
    result = await desk.ask("send_mail", {**MAIL, "to": many[:5], "bcc": many[5:]}, person)
    assert text(result).startswith("code: too_many_recipients\n")
    assert person.messages == []


@pytest.mark.requirement("T-smtp-12")
async def test_a_plus_address_is_allowed_by_its_domain_and_sent_unchanged(desk: Desk) -> None:
    structured(await desk.ask("send_mail", {**MAIL, "to": ["ann+news@example.test"]}))
    assert desk.backend.recipients() == ["ann+news@example.test"]


@pytest.mark.requirement("T-smtp-13")
async def test_an_internationalised_domain_travels_in_ascii_and_is_shown_in_both_forms(
    desk: Desk,
) -> None:
    person = Person()
    server = desk.server(SMTP_ALLOWED_RECIPIENTS="@bücher.test")
    structured(await desk.ask_at(server, "send_mail", {**MAIL, "to": ["kim@Bücher.test"]}, person))
    assert desk.backend.recipients() == ["kim@xn--bcher-kva.test"]
    assert desk.backend.messages[0].parsed["To"] == "kim@xn--bcher-kva.test"
    assert "  Domain: xn--bcher-kva.test reads bücher.test" in person.messages[0].splitlines()


@pytest.mark.requirement("T-smtp-13")
async def test_a_look_alike_of_an_allowed_domain_is_not_allowed(desk: Desk) -> None:
    result = await desk.ask("send_mail", {**MAIL, "to": ["anna@ex\u0430mple.test"]})
    assert text(result).startswith("code: recipient_not_allowed\n")
    assert desk.backend.connections == 0


@pytest.mark.requirement("T-smtp-14", "R-07")
@pytest.mark.parametrize("era", ERAS)
async def test_a_blind_recipient_is_in_the_envelope_in_the_dialog_and_nowhere_else(
    era: Era, desk: Desk
) -> None:
    person = Person()
    structured(await desk.ask("send_mail", {**MAIL, "bcc": ["boss@other.test"]}, person, era))
    message = desk.backend.messages[0]
    assert message.recipients == ("anna@example.test", "boss@other.test")
    assert b"boss@other.test" not in message.raw
    assert re.search(rb"\bbcc\b", message.raw.lower()) is None
    wanted = "  Bcc (hidden from the other recipients): boss@other.test"
    assert wanted in person.messages[0].splitlines()


@pytest.mark.requirement("R-07")
async def test_a_preview_lists_blind_recipients_beside_the_headers(desk: Desk) -> None:
    arguments = {**MAIL, "cc": ["carol@example.test"], "bcc": ["carol@example.test"]}
    preview = structured(await desk.ask("preview_mail", arguments))
    assert preview["bcc"] == ["carol@example.test"]
    assert preview["recipient_count"] == 2
    assert re.search(r"\bbcc\b", str(preview["headers"]).lower()) is None
    structured(await desk.ask("send_mail", arguments))
    assert desk.backend.recipients().count("carol@example.test") == 1


@pytest.mark.parametrize(
    ("allowlist", "address", "allowed"),
    [
        ("*", "anybody@example.org", True),
        ("*", "root@mailpit", False),
        ("@mailpit", "root@mailpit", True),
        ("root@mailpit", "root@mailpit", True),
        ("Anna@Example.test", "aNNA@exaMPLE.test", True),
        ("@example.test", "anna@example.test.other.test", False),
        ("@xn--bcher-kva.test", "kim@bücher.test", True),
        ("@example.test", "jürgen@example.test", False),
    ],
)
async def test_the_list_is_compared_without_case_and_in_one_form(
    allowlist: str, address: str, allowed: bool, desk: Desk
) -> None:
    async with connect(desk.server(SMTP_ALLOWED_RECIPIENTS=allowlist), "2025-11-25") as client:
        result = structured(await call(client, "validate_recipients", {"addresses": [address]}))
    assert result["allowed_count"] == int(allowed)


async def test_validation_reports_each_address_with_its_reason(desk: Desk) -> None:
    addresses = ["anna@example.test", "x@elsewhere.test", "jürgen@example.test", "no address"]
    async with connect(desk.server(), "2025-11-25") as client:
        result = structured(await call(client, "validate_recipients", {"addresses": addresses}))
    assert result["results"] == [
        {"address": addresses[0], "allowed": True, "normalized": addresses[0]},
        {
            "address": addresses[1],
            "allowed": False,
            "normalized": addresses[1],
            "reason": "not_on_allowlist",
        },
        {
            "address": addresses[2],
            "allowed": False,
            "normalized": addresses[2],
            "reason": "non_ascii_local_part",
        },
        {"address": addresses[3], "allowed": False, "reason": "malformed"},
    ]
    assert (result["allowed_count"], result["refused_count"]) == (1, 3)
    assert result["note"] == "Only the operator can widen the list."
    assert desk.backend.connections == 0


async def test_letters_beyond_ascii_before_the_at_need_both_permission_and_the_server(
    desk: Desk,
) -> None:
    arguments = {**MAIL, "to": ["jürgen@example.test"]}
    refused = await desk.ask("send_mail", arguments, SMTP_ALLOW_SMTPUTF8="true")
    assert text(refused).startswith("code: smtputf8_not_offered\n")
    assert "MAIL" not in desk.backend.verbs()
    desk.backend.extensions = ["SMTPUTF8"]
    structured(await desk.ask("send_mail", arguments, SMTP_ALLOW_SMTPUTF8="true"))
    message = desk.backend.messages[0]
    assert message.recipients == ("jürgen@example.test",)
    assert {"SMTPUTF8", "BODY=8BITMIME"} <= set(message.options)
    assert "To: jürgen@example.test\r\n".encode() in message.raw


def test_an_address_is_normalised_without_touching_its_local_part() -> None:
    assert str(parse("Ann.O'Hara+x@Bücher.Test")) == "Ann.O'Hara+x@xn--bcher-kva.Test"
