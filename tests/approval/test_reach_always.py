"""A person is asked in the client and outside it: one answer settles both, by this table."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import mcp_types as types
import pytest
from mcp import Client

from mcp_approval.reach.channel import Verb
from mcp_approval.record.show import shown
from mcp_approval.record.verify import Findings
from tests.approval.broker import until
from tests.approval.outside import Stand, settle, stand
from tests.support.clients import ERAS, Era, accept, call, leg, question, text
from tests.support.recorded import hold

in_both_eras = pytest.mark.parametrize("era", ERAS)
APPLES = {"names": ["apples"]}
NOTHING = "Nothing was changed."

Reply = types.ElicitResult | types.ErrorData
Who = Literal["client: yes", "client: no", "channel: yes", "channel: no"]

REPLIES: dict[str, Reply] = {
    "accepts": accept(),
    "declines": types.ElicitResult(action="decline"),
    "cancels": types.ElicitResult(action="cancel"),
    "accepts with false": accept(False),
    "accepts without content": types.ElicitResult(action="accept"),
    "errors": types.ErrorData(code=-32603, message="the host failed"),
    "knows no dialogs": types.ErrorData(code=-32601, message="Method not found"),
}
NO_ANSWERS = {
    "cancels": "cancelled",
    "accepts with false": "not_ticked",
    "accepts without content": "not_ticked",
    "errors": "client_error",
    "knows no dialogs": "client_unsupported",
}
"""Replies that decide nothing, and their word in log and record."""

TOLD = {
    "client: yes": "Answered in the client: yes.",
    "client: no": f"Answered in the client: no. {NOTHING}",
    "channel: yes": "Approved and carried out.",
    "channel: no": f"Declined. {NOTHING}",
}
"""Who decides, and what the channel is told in the end."""

REFUSALS = {
    "client: no": 'Not approved: the client answered "decline".',
    "channel: no": "Not approved: a person declined in a window",
}

PUSHED: list[tuple[str, Verb | None, str, Who]] = [
    ("accepts", None, "client", "client: yes"),
    ("accepts", "approve", "client", "client: yes"),
    ("accepts", "decline", "client", "client: yes"),
    ("declines", None, "client", "client: no"),
    ("declines", "approve", "client", "client: no"),
    ("declines", "decline", "client", "client: no"),
    *((name, "approve", "client", "channel: yes") for name in NO_ANSWERS),
    *((name, "decline", "client", "channel: no") for name in NO_ANSWERS),
    ("never answers", "approve", "channel", "channel: yes"),
    ("never answers", "decline", "channel", "channel: no"),
]
CHANNEL_DECIDES: list[tuple[Verb, Who]] = [
    ("approve", "channel: yes"),
    ("decline", "channel: no"),
]
RETRIED: list[tuple[str, Verb | None, str, Who]] = [
    ("accepts", None, "client", "client: yes"),
    ("accepts", "approve", "client", "client: yes"),
    ("accepts", "decline", "client", "client: yes"),
    ("accepts", "approve", "channel", "channel: yes"),
    ("accepts", "decline", "channel", "channel: no"),
    ("declines", None, "client", "client: no"),
    ("declines", "approve", "client", "client: no"),
    ("declines", "approve", "channel", "client: no"),
    ("declines", "decline", "channel", "channel: no"),
    *(
        (name, verb, first, who)
        for name in ("cancels", "accepts with false", "accepts without content")
        for first in ("client", "channel")
        for verb, who in CHANNEL_DECIDES
    ),
]
"""Client, channel, whose answer comes first, who decides."""


@dataclass
class Hands:
    """Somebody at the client, who answers when told to.

    Attributes:
        reply: What is answered; never, where there is none.
        shown: The texts that were shown.
        taken_back: How many of them were.
    """

    reply: Reply | None = None
    shown: list[str] = field(default_factory=list)
    taken_back: int = 0
    answering: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, _context: object, params: Any) -> Reply:
        self.shown.append(params.message)
        try:
            await self.answering.wait()
            if self.reply is None:
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.taken_back += 1
            raise
        assert self.reply is not None
        return self.reply


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Stand:
    return always(monkeypatch, tmp_path)


def always(monkeypatch: pytest.MonkeyPatch, folder: Path, **environ: str) -> Stand:
    given = {
        "APPROVAL_REACH_WHEN": "always",
        "APPROVAL_WAIT_SECONDS": "45",
        "APPROVAL_RECORD": str(folder / "record.jsonl"),
    }
    return stand(monkeypatch, **{**given, **environ})


def decisions(at: Stand) -> list[str]:
    return [line.partition("decision=")[2].split()[0] for line in at.lines]


def ends(at: Stand, folder: Path) -> dict[str, str]:
    """How the question ended in each way, as the record has it; each once."""
    events = hold(folder / "record.jsonl", APPLES)
    asked = {event.seq: event.text("way") for event in events if event.event == "asked"}
    assert sorted(asked.values()) == ["dialog", "window"]
    ended = [event for event in events if event.number("asked") is not None]
    assert sorted(event["asked"] for event in ended) == sorted(asked)  # type: ignore[type-var]
    return {event.text("way"): event.event for event in ended}


async def decided(at: Stand, who: Who, result: types.CallToolResult) -> None:
    """Hold to what a row of the table says."""
    assert bool(result.is_error) is who.endswith("no"), text(result)
    assert text(result).startswith(REFUSALS.get(who, ""))
    assert at.shop.acts == ([] if who.endswith("no") else [("delete_items", ["apples"])])
    assert len(at.window.shown) == 1
    await until(lambda: TOLD[who] in at.window.words)
    await settle()
    assert at.window.words[-1] == TOLD[who]
    assert at.approver.in_flight.open == 0


@pytest.mark.requirement("A-5")
@pytest.mark.parametrize(("client", "channel", "first", "who"), PUSHED)
async def test_one_answer_settles_both_while_the_call_waits(
    at: Stand, tmp_path: Path, client: str, channel: Verb | None, first: str, who: Who
) -> None:
    hands = Hands(REPLIES.get(client))
    async with at.client("2025-11-25", answer=hands) as mcp:
        calling = asyncio.create_task(call(mcp, "delete_items", APPLES))
        await until(lambda: hands.shown and at.window.shown)
        assert hands.shown == [at.window.shown[0].message]
        if first == "client":
            hands.answering.set()
            if client in NO_ANSWERS:
                await until(lambda: NO_ANSWERS[client] in decisions(at))
            else:
                await calling
        if channel is not None:
            at.window.say(channel)
        await decided(at, who, await calling)
        await until(lambda: hands.taken_back == (client == "never answers"))
        dialog = {"client: yes": "approved", "client: no": "declined"}.get(who, "elsewhere")
        window = {"channel: yes": "approved", "channel: no": "declined"}.get(who, "elsewhere")
        assert ends(at, tmp_path) == {"dialog": NO_ANSWERS.get(client, dialog), "window": window}


@pytest.mark.requirement("A-5")
@pytest.mark.parametrize(("client", "channel", "first", "who"), RETRIED)
async def test_one_answer_settles_both_over_two_legs(
    at: Stand, tmp_path: Path, client: str, channel: Verb | None, first: str, who: Who
) -> None:
    reply = REPLIES[client]
    assert isinstance(reply, types.ElicitResult)
    async with at.client("2026-07-28", answer=Hands()) as mcp:
        state = (await question(mcp, "delete_items", APPLES)).request_state
        assert len(at.window.shown) == 1
        assert at.shop.acts == []
        if channel is not None and first == "channel":
            at.window.say(channel)
        answering = asyncio.create_task(leg(mcp, "delete_items", APPLES, answer=reply, state=state))
        if channel is not None and first == "client":
            if client in NO_ANSWERS:
                await until(lambda: NO_ANSWERS[client] in decisions(at))
            else:
                await answering
            at.window.say(channel)
        result = await answering
        assert isinstance(result, types.CallToolResult)
        await decided(at, who, result)
        window = {"channel: yes": "approved", "channel: no": "declined"}.get(who, "elsewhere")
        dialog = {"client: yes": "approved", "client: no": "declined"}.get(who, "elsewhere")
        if client in NO_ANSWERS and not (first == "channel" and channel == "decline"):
            dialog = NO_ANSWERS[client]
        assert ends(at, tmp_path) == {"dialog": dialog, "window": window}


@pytest.mark.requirement("A-5")
@in_both_eras
async def test_a_client_that_declares_dialogs_and_shows_none_is_answered_on_the_channel(
    at: Stand, era: Era
) -> None:
    """As a host does that dismisses every form at once."""
    hands = Hands(REPLIES["cancels"])
    hands.answering.set()
    async with at.client(era, answer=hands) as client:
        calling = asyncio.create_task(call(client, "delete_items", APPLES))
        await until(lambda: "cancelled" in decisions(at))
        at.window.say("approve")
        await decided(at, "channel: yes", await calling)


@pytest.mark.requirement("A-5", "D-11")
@pytest.mark.parametrize(
    ("reply", "verb", "told"),
    [
        ("accepts", None, "answered elsewhere, taken back in a window (a person), 0 s after"),
        ("never answers", "approve", "answered elsewhere, taken back in the client's dialog, "),
    ],
)
async def test_a_record_shows_which_side_was_taken_back(
    at: Stand, tmp_path: Path, reply: str, verb: Verb | None, told: str
) -> None:
    hands = Hands(REPLIES.get(reply))
    hands.answering.set()
    async with at.client("2025-11-25", answer=hands) as client:
        calling = asyncio.create_task(call(client, "delete_items", APPLES))
        await until(lambda: hands.shown)
        if verb is not None:
            at.window.say(verb)
        assert not (await calling).is_error
    lines = list(shown(str(tmp_path / "record.jsonl"), Findings()))
    assert len([line for line in lines if told in line]) == 1, lines


@pytest.mark.requirement("A-5", "A-6")
async def test_a_pushed_dialog_stands_no_longer_than_its_call_waits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    at = always(monkeypatch, tmp_path, APPROVAL_WAIT_SECONDS="1")
    hands = Hands()
    async with at.client("2025-11-25", answer=hands) as client:
        first = await call(client, "delete_items", APPLES)
        assert text(first).startswith("Awaiting a person: a person was asked in a window at")
        await until(lambda: hands.taken_back == 1)
        at.window.say("approve")
        assert not (await call(client, "delete_items", APPLES)).is_error
    assert len(hands.shown) == len(at.window.shown) == 1
    assert at.shop.acts == [("delete_items", ["apples"])]
    assert ends(at, tmp_path) == {"dialog": "timed_out", "window": "approved"}


@pytest.mark.requirement("A-5")
async def test_a_call_that_does_not_wait_pushes_no_dialog(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    at = always(monkeypatch, tmp_path, APPROVAL_WAIT_SECONDS="0")
    hands = Hands(accept())
    async with at.client("2025-11-25", answer=hands) as client:
        assert text(await call(client, "delete_items", APPLES)).startswith("Awaiting a person")
    assert hands.shown == []


@pytest.mark.requirement("A-5")
async def test_a_fresh_call_shows_the_form_again_and_rings_nobody_twice(at: Stand) -> None:
    async with at.client("2026-07-28", answer=Hands()) as client:
        first = await question(client, "send", {"to": "anna"})
        second = await question(client, "send", {"to": "anna"})
        assert first.input_requests == second.input_requests
        assert len(at.window.shown) == 1
        assert (at.shop.limiter.used, at.shop.limiter.reserved) == (1, 0)
        at.window.say("approve")
        await settle()
        assert at.window.words[0].startswith("Approved. It happens when the agent repeats")
        done = await leg(client, "send", {"to": "anna"})
        assert isinstance(done, types.CallToolResult)
        assert not done.is_error
    assert at.shop.acts == [("send", "anna")]
    assert (at.shop.limiter.used, at.shop.limiter.reserved) == (1, 0)


@pytest.mark.requirement("A-5")
async def test_a_retry_without_an_answer_waits_for_the_channel(at: Stand) -> None:
    async with at.client("2026-07-28", answer=Hands()) as client:
        state = (await question(client, "delete_items", APPLES)).request_state
        retrying = asyncio.create_task(leg(client, "delete_items", APPLES, state=state))
        await until(lambda: "state_refused" in decisions(at))
        at.window.say("approve")
        result = await retrying
    assert isinstance(result, types.CallToolResult)
    await decided(at, "channel: yes", result)


@pytest.mark.requirement("A-5")
async def test_a_retry_that_waited_in_vain_is_told_to_call_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    at = always(monkeypatch, tmp_path, APPROVAL_WAIT_SECONDS="0")
    cancel = types.ElicitResult(action="cancel")
    async with at.client("2026-07-28", answer=Hands()) as client:
        state = (await question(client, "delete_items", APPLES)).request_state
        told = await leg(client, "delete_items", APPLES, answer=cancel, state=state)
        assert text(told).startswith("Awaiting a person")
        state = (await question(client, "delete_items", APPLES)).request_state
        done = await leg(client, "delete_items", APPLES, answer=accept(), state=state)
        assert isinstance(done, types.CallToolResult)
        await decided(at, "client: yes", done)


@pytest.mark.requirement("A-4", "A-16")
@pytest.mark.parametrize("client", ["accepts", "declines", "cancels"])
@in_both_eras
async def test_where_no_channel_shows_it_the_dialog_decides_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, era: Era, client: str
) -> None:
    at = always(monkeypatch, tmp_path)
    at.window.refuses = "no display"
    hands = Hands(REPLIES[client])
    hands.answering.set()
    async with at.client(era, answer=hands) as mcp:
        result = await call(mcp, "send", {"to": "anna"})
    yes = client == "accepts"
    assert bool(result.is_error) is not yes
    assert yes or text(result).startswith("Not approved: the client answered")
    assert at.shop.acts == ([("send", "anna")] if yes else [])
    assert (at.shop.limiter.used, at.shop.limiter.reserved) == (1, 0)
    [line] = [line for line in at.lines if "decision=unreached" in line]
    assert line.endswith('tool=send reason="window: no display"')
    assert "refused" not in [event.event for event in hold(tmp_path / "record.jsonl", APPLES)]


@pytest.mark.requirement("A-4", "A-16")
async def test_where_nobody_shows_it_nothing_happens_and_nothing_is_charged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    at = always(monkeypatch, tmp_path)
    at.window.refuses = "no display"
    hands = Hands(REPLIES["knows no dialogs"])
    hands.answering.set()
    async with at.client("2025-11-25", answer=hands) as client:
        said = text(await call(client, "send", {"to": "anna"}))
    assert said.startswith("Not approved: no person could be reached (window: no display).")
    assert at.shop.acts == []
    assert (at.shop.limiter.used, at.shop.limiter.reserved) == (0, 0)


@pytest.mark.requirement("A-4")
@in_both_eras
async def test_a_client_without_dialogs_is_asked_on_the_channel_alone(at: Stand, era: Era) -> None:
    at.window.reply = "approve"
    async with at.client(era) as client:
        await decided(at, "channel: yes", await call(client, "delete_items", APPLES))


async def answered(client: Client, hands: Hands, at: Stand) -> types.CallToolResult:
    """Make a call and answer it in the client, in either era."""
    hands.reply = accept()
    hands.answering.set()
    return await call(client, "clear_stock", {"name": "apples"})


@pytest.mark.requirement("A-5", "A-6")
@in_both_eras
async def test_facts_that_changed_under_the_clients_yes_are_asked_about_on_both_sides(
    at: Stand, era: Era
) -> None:
    counts = iter([12, 13, 13, 13, 13, 13])
    at.shop.reads = lambda: at.shop.stock.update(apples=next(counts))
    hands = Hands()
    async with at.client(era, answer=hands) as client:
        result = await answered(client, hands, at)
        await settle()
        assert not result.is_error, text(result)
    assert at.shop.acts == [("clear_stock", ["apples", 13])]
    again = "Asked again: what this question quotes has changed (count)."
    for texts in (hands.shown, [each.message for each in at.window.shown]):
        assert [each.startswith(again) for each in texts] == [False, True]
    assert at.window.words[0].startswith("Replaced: what it quotes has changed.")
    assert at.window.words[1] == TOLD["client: yes"]
