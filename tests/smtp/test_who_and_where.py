"""Links, files and recipients that deserve a second look are told from the others."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from smtp_mcp.message.domains import registrable
from smtp_mcp.message.html_text import Link
from smtp_mcp.message.links import judged
from smtp_mcp.message.previews import Previews
from tests.smtp.support import MAIL, Desk
from tests.smtp.test_dialogs import HEADING, asked
from tests.support.clients import ERAS, Era, call, connect, structured
from tests.support.person import Person
from tests.support.time import FakeClock

pytestmark = pytest.mark.requirement("R-39")


@pytest.mark.requirement("S-3")
@pytest.mark.parametrize("era", ERAS)
async def test_a_link_whose_text_names_another_address_is_marked(era: Era, desk: Desk) -> None:
    html = (
        "x" * 300
        + '<a href="https://evil.test/login?x=1">https://intranet.example.test/minutes</a>'
    )
    lines = await asked(desk, "send_mail", {**MAIL, "html": html}, era)
    marked = (
        "  Link 1/1 (its text names another address): «https://intranet.example.test/minutes» "
        "opens https://evil.test/login?x=1"
    )
    assert marked in lines
    note = "  Links whose text names another address: 1 of 1"
    assert lines.index(note) < lines.index(HEADING)


async def test_the_preview_tells_the_same(desk: Desk) -> None:
    html = (
        '<a href="https://shop.test/i/77">Invoice</a> <a href="https://b.test">https://a.test</a>'
    )
    result = structured(await desk.ask("preview_mail", {**MAIL, "html": html}))
    assert result["links"] == [
        {"text": "https://a.test", "target": "https://b.test", "differs": True},
        {"text": "Invoice", "target": "https://shop.test/i/77", "differs": False},
    ]


@pytest.mark.parametrize(
    ("shown", "target"),
    [
        ("https://bank.test", "https://evil.test"),
        ("see www.bank.test now", "https://evil.test"),
        ("bank.com", "https://evil.test"),
        ("ada@bank.test", "mailto:eve@evil.test"),
        ("ada@bank.test", "https://evil.test"),
        ("https://bank.test", "mailto:ada@bank.test"),
        ("https://bank.test", "https://bank.test@evil.test/"),
        ("https://bank.test", "https://evil.test\\@bank.test/"),
        ("https://bank.test", "https:/\\evil.test/"),
        ("https://bank.test", "https://bank.test.evil.test/"),
        ("https://xn--mnchen-3ya.test", "https://munchen.test"),
        ("https://bank.test", "https://b%61nk.test.evil/"),
    ],
)
def test_these_differ(shown: str, target: str) -> None:
    assert judged((Link(shown, target),))[0].differs


@pytest.mark.parametrize(
    ("shown", "target"),
    [
        ("Invoice", "https://shop.test/i/77"),
        ("https://bank.test", "https://www.bank.test/login"),
        ("WWW.Bank.Test", "https://bank.test"),
        ("bank.com", "https://bank.com/x"),
        ("report.pdf", "https://files.test/report.pdf"),
        ("https://münchen.test", "https://xn--mnchen-3ya.test/"),
        ("ada@bank.test", "mailto:Ada@bank.test?subject=x"),
        ("version 2.0", "https://x.test"),
        ("e.g. this one", "https://x.test"),
        ("https://bank.test", "https://b%61nk.test/"),
    ],
)
def test_these_do_not(shown: str, target: str) -> None:
    assert not judged((Link(shown, target),))[0].differs


@pytest.mark.parametrize(
    ("target", "host"),
    [
        ("https://bank.test@evil.test/", "evil.test"),
        ("https://münchen.test/", "xn--mnchen-3ya.test"),
        ("https://shop.test/", ""),
        ("mailto:ada@x.test", ""),
    ],
)
def test_a_host_that_is_not_plain_to_see_is_named(target: str, host: str) -> None:
    assert judged((Link("text", target),))[0].host == host


async def test_the_host_stands_in_the_label_and_a_long_target_is_measured(desk: Desk) -> None:
    long = "https://x.test/" + "a" * 600
    html = f'<a href="https://bank.test@evil.test/">pay «now»</a> <a href="{long}">more</a>'
    lines = await asked(desk, "send_mail", {**MAIL, "html": html})
    assert (
        "  Link 1/2 (host evil.test): «pay \u2039now\u203a» opens https://bank.test@evil.test/"
        in lines
    )
    assert f"  Link 2/2 (target of 615 characters, cut): «more» opens {long[:500]}…" in lines


async def test_forty_links_are_listed_and_the_others_counted(desk: Desk) -> None:
    html = "".join(f'<a href="https://x.test/{number}">{number}</a> ' for number in range(52))
    lines = await asked(desk, "send_mail", {**MAIL, "html": html})
    assert sum(line.startswith("  Link ") for line in lines) == 40
    assert "  Links that are not listed: 12 of 52" in lines


async def test_a_link_is_listed_once_and_of_a_long_text_the_beginning(desk: Desk) -> None:
    link = f'<a href="https://x.test/">{"long text " * 15}</a> '
    lines = await asked(desk, "send_mail", {**MAIL, "html": link * 2})
    [listed] = [line for line in lines if line.startswith("  Link ")]
    assert listed == f"  Link 1/1: «{'long text ' * 10}» opens https://x.test/"


@pytest.mark.requirement("S-3")
async def test_recipients_outside_the_senders_domain_stand_apart(desk: Desk) -> None:
    arguments = {
        **MAIL,
        "to": ["bob@sender.co.uk"],
        "cc": ["x@sender.co.uk.evil.example"],
    }
    changes = {"SMTP_FROM": "ada@mail.sender.co.uk", "SMTP_ALLOWED_RECIPIENTS": "*"}
    lines = await asked(desk, "send_mail", arguments, "2026-07-28", **changes)
    assert "  To: bob@sender.co.uk" in lines
    assert "  Cc (outside sender.co.uk): x@sender.co.uk.evil.example" in lines
    assert not any(line.startswith("  Outside") for line in lines)


async def test_each_of_many_recipients_has_its_own_mark(desk: Desk) -> None:
    many = [f"person{number}@example.test" for number in range(44)] + ["carol@senders.test"]
    arguments = {**MAIL, "to": ["bob@sender.test", "carol@senders.test"], "cc": many}
    changes = {"SMTP_MAX_RECIPIENTS": "99", "SMTP_ALLOWED_RECIPIENTS": "*"}
    lines = await asked(desk, "send_mail", arguments, "2026-07-28", **changes)
    assert "  To: bob@sender.test" in lines
    assert "  To (outside sender.test): carol@senders.test" in lines
    assert "  Cc 7/45 (outside sender.test): person6@example.test" in lines
    assert "  Cc 45/45 (outside sender.test): carol@senders.test" in lines


@pytest.mark.parametrize(
    ("sender", "finding"),
    [("ada@sender.test", "  Outside sender.test: 2 of 2 recipients"), ("ada@gmail.com", None)],
)
async def test_labels_stay_plain_where_all_are_outside(
    sender: str, finding: str | None, desk: Desk
) -> None:
    arguments = {**MAIL, "to": ["alice@example.net", "bob@example.net"]}
    changes = {"SMTP_FROM": sender, "SMTP_ALLOWED_RECIPIENTS": "*"}
    lines = await asked(desk, "send_mail", arguments, "2026-07-28", **changes)
    assert "  To: alice@example.net, bob@example.net" in lines
    assert [line for line in lines if line.startswith("  Outside")] == (
        [finding] if finding else []
    )


def test_hosts_without_a_suffix_are_compared_whole() -> None:
    assert registrable("localhost") == "localhost"
    assert registrable("co.uk") == "co.uk"
    assert registrable("a.B.sender.co.uk") == "sender.co.uk"


PRICED = {**MAIL, "body": "The price is 100 EUR.", "subject": "Offer"}


@pytest.mark.requirement("S-3")
@pytest.mark.parametrize("era", ERAS)
async def test_what_changed_since_the_preview_is_named(era: Era, desk: Desk) -> None:
    person = Person()
    async with connect(desk.server(), era, person) as client:
        structured(await call(client, "preview_mail", PRICED))
        changed = {**PRICED, "body": "The price is 900 EUR.", "cc": ["boss@other.test"]}
        structured(await call(client, "send_mail", changed))
        structured(await call(client, "send_mail", PRICED))
        structured(await call(client, "send_mail", {**MAIL, "subject": "Other"}))
    found = [
        [line for line in question.split("\n") if line.startswith("  Changed since")]
        for question in person.messages
    ]
    assert len(found[0]) == 1
    assert found[0][0].startswith("  Changed since the preview of ")
    assert found[0][0].endswith(" UTC: body, Cc.")
    assert found[1:] == [[], []]


async def test_a_new_file_under_the_same_subject_is_named(desk: Desk) -> None:
    desk.put("a.txt", b"a")
    desk.put("b.txt", b"b")
    person = Person()
    async with connect(desk.server(), "2026-07-28", person) as client:
        structured(await call(client, "preview_mail", {**PRICED, "attachments": ["a.txt"]}))
        structured(await call(client, "send_mail", {**PRICED, "attachments": ["b.txt"]}))
    assert " UTC: attachments." in person.messages[0]


def test_previews_are_forgotten_after_fifteen_minutes() -> None:
    clock = FakeClock()
    previews = Previews(clock=clock, now=lambda: datetime(2026, 12, 1, 14, 2, tzinfo=UTC))
    content = dict.fromkeys(
        ["subject", "body", "html", "to", "cc", "bcc", "attachments", "images", "quote", "original",
         "in_reply_to", "references", "markdown", "event"], None,
    )  # fmt: skip
    previews.remember({**content, "subject": "s"})
    changes = previews.changes({**content, "subject": "s", "cc": ["x"]})
    assert changes is not None
    assert (f"{changes.since:%H:%M}", changes.parts) == ("14:02", ("Cc",))
    clock.advance(900)
    assert previews.changes({**content, "subject": "s", "cc": ["x"]}) is None
