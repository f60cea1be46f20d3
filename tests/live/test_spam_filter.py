"""Nothing that leaves is encoded where it need not be: judged by the rules of a spam filter."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live import rspamd
from tests.live.mail_office import ALICE, MailOffice
from tests.live.rspamd import Rspamd
from tests.support.clients import structured

pytestmark = [pytest.mark.live("rspamd"), pytest.mark.timeout(300)]

NAME = "Ada " * 22 + "Ember"
SUBJECTS = {
    "a blank at the end": "Quarterly figures ",
    "two blanks, 100 columns": f"Figures  {'of the year ' * 8}",
    "a long address": f"https://shop.test/{'i' * 102}",
    "accents": "Grüße aus Köln, 100 % fertig",
}
BODY = "From here on\n.\n..x"


@pytest.fixture(scope="module")
def judge() -> Iterator[Rspamd]:
    with rspamd.started() as running:
        yield running


def excess(symbols: set[str]) -> set[str]:
    """The rules about needless encoding."""
    return {name for name in symbols if "_EXCESS_" in name}


@pytest.mark.requirement("S-12")
@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
async def test_no_rule_finds_needless_encoding(subject: str, judge: Rspamd) -> None:
    office = MailOffice(1, SMTP_FROM=f"{NAME} <ada@sender.test>")
    arguments = {**ALICE, "subject": subject, "body": BODY, "format": "eml"}
    preview = structured(await office.use("preview_mail", arguments))
    assert excess(judge.symbols(str(preview["eml"]).encode())) == set()


@pytest.mark.parametrize("field", ["Subject", "From"])
def test_the_judge_finds_it_where_it_is(field: str, judge: Rspamd) -> None:
    fields = {"From": "Ada <ada@sender.test>", "To": "alice@example.test", "Subject": "Figures"}
    fields[field] = {
        "Subject": "=?utf-8?b?UXVhcnRlcmx5IGZpZ3VyZXM=?=",
        "From": "=?utf-8?b?QWRhIEVtYmVy?= <ada@sender.test>",
    }[field]
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    raw = f"{head}Message-ID: <1@sender.test>\r\n\r\nHello\r\n".encode()
    rule = "SUBJ" if field == "Subject" else "FROM"
    assert excess(judge.symbols(raw)) == {f"{rule}_EXCESS_BASE64"}
