"""One structured line a decision: the same keys everywhere, never a value of the call."""

from __future__ import annotations

import re

import pytest

from mcp_approval.approver import Approver
from mcp_approval.keys import Target
from mcp_approval.question import Question
from mcp_approval.verdict import Ask
from tests.approval.conftest import Stand
from tests.approval.raw import modern, state_of, wire
from tests.support.clients import call, connect, token_in

LINE = re.compile(
    r"shop-mcp: approval decision=[a-z_]+ tool=[a-z_]+ target=[0-9a-f]{12}(?: reason=[a-z_]+)?"
)


async def test_every_line_has_the_one_form(stand: Stand) -> None:
    async with connect(stand.server, "2025-11-25") as client:
        token = token_in(await call(client, "delete_items", {"names": ["secret-name"]}))
        for given in ("0" * 32, token, token):
            await call(client, "delete_items", {"names": ["secret-name"], "confirm_token": given})
    assert stand.decisions == ["token_issued", "token_refused", "token_accepted", "token_refused"]
    assert [line for line in stand.lines if LINE.fullmatch(line) is None] == []
    assert "secret-name" not in "".join(stand.lines)
    assert token not in "".join(stand.lines)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"inputResponses": {"confirm": {"action": "accept"}}}, "absent"),
        ({"requestState": "x"}, "unanswered"),
        (
            {"inputResponses": {"confirm": {"action": "accept"}}, "requestState": "x"},
            "malformed",
        ),
        (
            {"inputResponses": {"confirm": {"action": "accept"}}, "requestState": "AQ" + "A" * 117},
            "forged",
        ),
    ],
)
async def test_a_refused_state_is_logged_with_its_reason(
    more: dict[str, object], reason: str, stand: Stand
) -> None:
    async with wire(stand.server) as client:
        await client.request("tools/call", modern("delete_items", {"names": ["a"]}, **more))
    assert LINE.fullmatch(stand.lines[0])
    assert stand.decisions == ["state_refused", "asked"]
    assert stand.lines[0].endswith(f" reason={reason}")


@pytest.mark.parametrize("reason", ["expired", "foreign", "used"])
async def test_a_state_that_was_good_once_is_logged_with_its_reason(
    reason: str, stand: Stand
) -> None:
    names = {"names": ["b"] if reason == "foreign" else ["a"]}
    answers = {"confirm": {"action": "decline"}}
    async with wire(stand.server) as client:
        asked = await client.request("tools/call", modern("delete_items", {"names": ["a"]}))
        more = {"inputResponses": answers, "requestState": state_of(asked)}
        if reason == "used":
            await client.request("tools/call", modern("delete_items", {"names": ["a"]}, **more))
        if reason == "expired":
            stand.clock.advance(900)
        await client.request("tools/call", modern("delete_items", dict(names), **more))
    assert stand.lines[-2].endswith(f" reason={reason}")


async def test_the_digest_tells_targets_apart_and_one_target_the_same(stand: Stand) -> None:
    lines: list[str] = []
    approver = Approver("shop-mcp", log=lines.append)
    for name in ("a", "b", "a"):
        ask = Ask(Question("x", "y"), Target.members("delete_items", [name]))
        await approver.tell("asked", "delete_items", approver.key(ask))
    assert lines[0] == lines[2]
    assert lines[0] != lines[1]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("plain-word_1.2", "plain-word_1.2"),
        ("two words", '"two words"'),
        ('a" decision="approved', '"a\\" decision=\\"approved"'),
        ("a\nshop-mcp: approval decision=approved", '"a\\nshop-mcp: approval decision=approved"'),
        ("", '""'),
        ("ü", '"\\u00fc"'),
    ],
)
async def test_a_value_that_is_no_plain_word_cannot_forge_a_field_or_a_line(
    value: str, shown: str
) -> None:
    lines: list[str] = []
    await Approver("shop-mcp", log=lines.append).tell("refused", "t", b"k", reason=value)
    assert lines[0].endswith(f" reason={shown}")
    assert "\n" not in lines[0]


async def test_a_decision_goes_to_stderr_unless_told_otherwise(
    capsys: pytest.CaptureFixture[str],
) -> None:
    await Approver("shop-mcp").tell("asked", "t", b"k")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("shop-mcp: approval decision=asked tool=t target=")
