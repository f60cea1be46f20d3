"""The hook before a question: its order, and who pays for which end."""

from __future__ import annotations

import asyncio

import pytest

from mcp_approval.asking_client import Answer, Way
from mcp_approval.exceptions import CallEnded, FactsKeptChanging
from mcp_approval.keys import Target
from mcp_approval.verdict import Approval, Ask, Reservation, Verdict
from mcp_serverkit.errors import ToolFailure
from tests.approval.scripted import ASK, Journal, ScriptedClient, make_approver, require
from tests.support.time import FakeClock, FakeRandom


@pytest.mark.parametrize(
    ("reply", "slot", "verdict", "decision"),
    [
        (Answer("accept", ticked=True), "commit", Verdict(True, True), "approved"),
        (Answer("accept"), "commit", Verdict(True, True), "not_ticked"),
        (Answer("decline"), "commit", Verdict(True, True), "declined"),
        (Answer("cancel"), "commit", Verdict(True, True), "cancelled"),
        (Answer("timeout"), "commit", Verdict(True, False), "timed_out"),
        (Answer("failed"), "commit", Verdict(True, False), "client_error"),
        (Answer("unsupported"), "release", Verdict(False, False), "client_unsupported"),
    ],
    ids=lambda value: value.action if isinstance(value, Answer) else "",
)
async def test_a_pushed_question_costs_its_slot_unless_the_client_does_not_know_the_request(
    reply: Answer, slot: str, verdict: Verdict, decision: str
) -> None:
    journal = Journal()
    ended = await require(make_approver(journal), ScriptedClient(journal, "push", reply))
    assert journal.events == ["hook", "asked", "question", slot, decision]
    assert ended.verdict == verdict


async def test_a_cancelled_call_whose_question_was_on_its_way_costs_its_slot() -> None:
    journal = Journal()
    approver = make_approver(journal)
    client = ScriptedClient(journal, "push")
    calling = asyncio.create_task(require(approver, client))
    await client.shown.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert journal.events == ["hook", "asked", "question", "commit"]


async def test_on_the_retry_era_the_asking_leg_pays_and_the_answering_leg_does_not() -> None:
    journal = Journal()
    approver = make_approver(journal)
    asked = await require(approver, ScriptedClient(journal, "retry"))
    assert journal.events == ["hook", "asked", "commit"]
    assert asked.verdict == Verdict(raised=True, answered=False)
    state = getattr(asked, "state")  # noqa: B009
    yes = ScriptedClient(journal, "retry", answer=Answer("accept", ticked=True), state=state)
    approved = await require(approver, yes)
    assert journal.events[3:] == ["approved"]
    assert isinstance(approved, Approval)
    assert approved.verdict == Verdict(raised=False, answered=True)
    assert approved.by == "dialog"


async def test_a_bad_state_is_looked_at_before_the_fresh_question_is_paid() -> None:
    journal = Journal()
    client = ScriptedClient(journal, "retry", answer=Answer("decline"), state="forged")
    await require(make_approver(journal), client)
    assert journal.events == ["state_refused", "hook", "asked", "commit"]


@pytest.mark.parametrize("dialog", [True, False])
async def test_a_token_prompt_gives_the_slot_back_and_the_right_token_takes_it(
    dialog: bool,
) -> None:
    journal = Journal()
    approver = make_approver(journal, dialog=dialog)
    client = ScriptedClient(journal, "push" if not dialog else "none")
    prompt = await require(approver, client)
    assert isinstance(prompt, CallEnded)
    token = prompt.text.partition('confirm_token="')[2][:32]
    assert journal.events == ["hook", "release", "token_issued"]
    journal.events.clear()
    wrong = await require(approver, client, "0" * 32)
    assert journal.events == ["token_refused"]
    assert wrong.verdict == Verdict()
    journal.events.clear()
    approved = await require(approver, client, token)
    assert journal.events == ["hook", "commit", "token_accepted"]
    assert isinstance(approved, Approval)
    assert approved.by == "token"


async def test_a_token_that_expires_while_a_slot_is_found_gives_the_slot_back() -> None:
    journal = Journal()
    clock = FakeClock()
    approver = make_approver(journal)
    approver.tokens = type(approver.tokens)(clock=clock, random_bytes=FakeRandom("other"))
    client = ScriptedClient(journal, "none")
    prompt = await require(approver, client)
    assert isinstance(prompt, CallEnded)
    token = prompt.text.partition('confirm_token="')[2][:32]

    async def slow() -> Reservation:
        clock.advance(300)
        return await journal.hook()

    journal.events.clear()
    with pytest.raises(CallEnded) as caught:
        async with approver.call(client, "send", token) as approval:
            await approval.require(ASK, slow)
    assert journal.events == ["hook", "release", "token_refused"]
    assert caught.value.text.startswith("confirm_token refused")


@pytest.mark.parametrize("way", ["push", "retry", "none"])
async def test_a_hook_that_refuses_ends_the_call_and_nobody_is_asked(way: Way) -> None:
    journal = Journal()
    approver = make_approver(journal)
    client = ScriptedClient(journal, way, Answer("accept", ticked=True))

    async def full() -> Reservation:
        raise ToolFailure("full")

    for _ in range(20):
        with pytest.raises(ToolFailure):
            async with approver.call(client, "send") as approval:
                await approval.require(ASK, full)
    assert journal.events == []
    assert approver.tokens.pending == 0
    assert approver.seal.pending == 0
    if way == "push":
        assert isinstance(await require(approver, client), Approval), "open questions leaked"


async def test_each_question_about_changed_facts_costs_its_own_slot() -> None:
    journal = Journal()
    count = 0

    async def changing() -> Ask:
        nonlocal count
        count += 1
        return Ask(ASK.question, Target.ordered("send", ("to", "a"), facts={"count": count}))

    client = ScriptedClient(journal, "push", Answer("accept", ticked=True))
    with pytest.raises(FactsKeptChanging) as caught:
        async with make_approver(journal).call(client, "send") as approval:
            await approval.require(changing, journal.hook)
    once = ["hook", "asked", "question", "commit", "approved", "facts_changed"]
    assert journal.events == once * 3
    assert caught.value.verdict == Verdict(raised=True, answered=True)
    assert count == 4


async def test_what_a_no_costs_is_told_with_the_no() -> None:
    journal = Journal()
    approver = make_approver(journal)
    approver.nothing = "Nothing was sent."
    approver.after_no = "The question used up one place of this hour."
    ended = await require(approver, ScriptedClient(journal, "push", Answer("decline")))
    free = await require(approver, ScriptedClient(journal, "push", Answer("unsupported")))
    assert isinstance(ended, CallEnded)
    assert isinstance(free, CallEnded)
    assert '"decline". Nothing was sent. The question used up one place' in ended.text
    assert "one place of this hour" not in free.text
