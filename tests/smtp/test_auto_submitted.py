"""A mail that nobody was asked about says so to the programs that answer mail."""

from __future__ import annotations

import pytest

from smtp_mcp.definition import SMTP
from tests.smtp.support import LEGACY, MAIL, MODERN, SENDING, Desk, environment
from tests.support.clients import ERAS, Era, call, connect, structured, token_in
from tests.support.person import Person
from tests.support.servers import reading_of

pytestmark = pytest.mark.requirement("R-52")

BY_ITSELF = {
    "send_mail": "auto-generated",
    "reply_mail": "auto-replied",
    "forward_mail": "auto-generated",
}


async def sent_by_token(desk: Desk, tool: str, era: Era, **changes: str) -> list[str]:
    """Send where nobody is asked; what the field says in that mail."""
    async with connect(desk.server(ELICITATION="false", **changes), era) as client:
        token = token_in(await call(client, tool, SENDING[tool]))
        structured(await call(client, tool, {**SENDING[tool], "confirm_token": token}))
    return said(desk)


def said(desk: Desk) -> list[str]:
    """What the field says in the latest mail."""
    return [str(value) for value in desk.backend.messages[-1].parsed.get_all("Auto-Submitted", [])]


@pytest.mark.requirement("R-52")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tool", SENDING)
async def test_a_mail_that_nobody_was_asked_about_says_that_a_program_sent_it(
    tool: str, era: Era, desk: Desk
) -> None:
    assert await sent_by_token(desk, tool, era) == [BY_ITSELF[tool]]


@pytest.mark.requirement("R-52")
@pytest.mark.parametrize("tool", SENDING)
async def test_a_mail_that_somebody_was_asked_about_does_not(tool: str, desk: Desk) -> None:
    structured(await desk.ask(tool, SENDING[tool], Person()))
    assert said(desk) == []


async def test_a_client_without_dialogs_changes_nothing_of_it(desk: Desk) -> None:
    async with connect(desk.server(), MODERN) as client:
        token = token_in(await call(client, "send_mail", MAIL))
        structured(await call(client, "send_mail", {**MAIL, "confirm_token": token}))
    assert said(desk) == []


@pytest.mark.parametrize("tool", SENDING)
@pytest.mark.parametrize("word", ["auto-generated", "auto-replied", "no"])
async def test_what_the_operator_says_holds_for_every_mail(
    word: str, tool: str, desk: Desk
) -> None:
    expected = [] if word == "no" else [word]
    structured(await desk.ask(tool, SENDING[tool], Person(), SMTP_AUTO_SUBMITTED=word))
    assert said(desk) == expected
    assert await sent_by_token(desk, tool, LEGACY, SMTP_AUTO_SUBMITTED=word) == expected


async def test_the_preview_has_the_field_too(desk: Desk) -> None:
    async with connect(desk.server(ELICITATION="false"), MODERN) as client:
        preview = structured(await call(client, "preview_mail", {**MAIL, "format": "eml"}))
        token = token_in(await call(client, "send_mail", MAIL))
        structured(await call(client, "send_mail", {**MAIL, "confirm_token": token}))
    assert desk.backend.messages[-1].raw == str(preview["eml"]).encode()
    assert said(desk) == ["auto-generated"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "no"),
        ({"ELICITATION": "false"}, "auto-generated, and auto-replied in replies"),
        ({"ELICITATION": "false", "SMTP_AUTO_SUBMITTED": "no"}, "no"),
        ({"SMTP_AUTO_SUBMITTED": "auto-replied"}, "auto-replied"),
    ],
)
async def test_the_server_says_what_the_field_will_say(
    changes: dict[str, str], told: str, desk: Desk
) -> None:
    async with connect(desk.server(**changes), LEGACY) as client:
        assert structured(await call(client, "get_server_info"))["auto_submitted"] == told


def test_another_word_ends_the_start() -> None:
    [problem] = reading_of(SMTP, environment(SMTP_AUTO_SUBMITTED="yes")).problems
    assert "SMTP_AUTO_SUBMITTED" in problem
    assert "auto-generated, auto-replied, no" in problem
