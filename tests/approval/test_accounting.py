"""What a question costs: the hook before it, and who pays for which end."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import mcp_types as types
import pytest
from mcp.client.context import ClientRequestContext
from mcp_approval.approver import Approver
from mcp_approval.client import Answer, Prompt, Way
from mcp_approval.ended import CallEnded
from mcp_approval.keys import Target
from mcp_approval.question import Question
from mcp_approval.verdict import Approval, Ask, Reservation, Verdict
from mcp_serverkit.errors import ToolFailure

from tests.approval.conftest import Stand
from tests.approval.fixture_server import HOURLY
from tests.approval.raw import FORM, Document, wire, words
from tests.support.clients import Arguments, accept, call, connect, leg, question, text, token_in
from tests.support.time import FakeClock, FakeRandom

LETTER: Arguments = {"to": "a@example.org"}
ASK = Ask(Question("send it", "It is gone."), Target.ordered("send", ("to", "a")))


def _letter(number: int) -> Arguments:
    return {"to": f"r{number}@example.org"}


@dataclass
class Journal:
    """Everything that happened, in order: hook, slot, question, log."""

    events: list[str] = field(default_factory=list)

    async def hook(self) -> Reservation:
        self.events.append("hook")
        return self

    def commit(self) -> None:
        self.events.append("commit")

    def release(self) -> None:
        self.events.append("release")

    def log(self, line: str) -> None:
        self.events.append(line.partition("decision=")[2].partition(" ")[0])


@dataclass
class ScriptedClient:
    """A client that answers what it is told to."""

    journal: Journal
    way: Way
    reply: Answer | None = None
    answer: Answer | None = None
    state: str | None = None
    shown: asyncio.Event = field(default_factory=asyncio.Event)

    async def push(self, prompt: Prompt, wait_seconds: float) -> Answer:
        self.journal.events.append("question")
        self.shown.set()
        if self.reply is None:
            await asyncio.Event().wait()
        assert self.reply is not None
        return self.reply


def _approver(journal: Journal, *, dialog: bool = True) -> Approver:
    return Approver(
        "shop-mcp",
        dialog=dialog,
        clock=FakeClock(),
        random_bytes=FakeRandom(),
        log=journal.log,
    )


async def _require(
    approver: Approver, client: ScriptedClient, token: object = None
) -> Approval | CallEnded:
    with approver.call(client, "send", token) as approval:
        try:
            return await approval.require(ASK, client.journal.hook)
        except CallEnded as ended:
            return ended


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
    ended = await _require(_approver(journal), ScriptedClient(journal, "push", reply))
    assert journal.events == ["hook", "asked", "question", slot, decision]
    assert ended.verdict == verdict


async def test_a_cancelled_call_whose_question_was_on_its_way_costs_its_slot() -> None:
    journal = Journal()
    approver = _approver(journal)
    client = ScriptedClient(journal, "push")
    calling = asyncio.create_task(_require(approver, client))
    await client.shown.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert journal.events == ["hook", "asked", "question", "commit"]


async def test_on_the_retry_era_the_asking_leg_pays_and_the_answering_leg_does_not() -> None:
    journal = Journal()
    approver = _approver(journal)
    asked = await _require(approver, ScriptedClient(journal, "retry"))
    assert journal.events == ["hook", "commit", "asked"]
    assert asked.verdict == Verdict(raised=True, answered=False)
    state = getattr(asked, "state")  # noqa: B009
    yes = ScriptedClient(journal, "retry", answer=Answer("accept", ticked=True), state=state)
    approved = await _require(approver, yes)
    assert journal.events[3:] == ["approved"]
    assert isinstance(approved, Approval)
    assert approved.verdict == Verdict(raised=False, answered=True)
    assert approved.by == "dialog"


async def test_a_bad_state_is_looked_at_before_the_fresh_question_is_paid() -> None:
    journal = Journal()
    client = ScriptedClient(journal, "retry", answer=Answer("decline"), state="forged")
    await _require(_approver(journal), client)
    assert journal.events == ["state_refused", "hook", "commit", "asked"]


@pytest.mark.parametrize("dialog", [True, False])
async def test_a_token_prompt_gives_the_slot_back_and_the_right_token_takes_it(
    dialog: bool,
) -> None:
    journal = Journal()
    approver = _approver(journal, dialog=dialog)
    client = ScriptedClient(journal, "push" if not dialog else "none")
    prompt = await _require(approver, client)
    assert isinstance(prompt, CallEnded)
    token = prompt.text.partition('confirm_token="')[2][:32]
    assert journal.events == ["hook", "release", "token_issued"]
    journal.events.clear()
    wrong = await _require(approver, client, "0" * 32)
    assert journal.events == ["token_refused"]
    assert wrong.verdict == Verdict()
    journal.events.clear()
    approved = await _require(approver, client, token)
    assert journal.events == ["hook", "commit", "token_accepted"]
    assert isinstance(approved, Approval)
    assert approved.by == "token"


async def test_a_token_that_expires_while_a_slot_is_found_gives_the_slot_back() -> None:
    journal = Journal()
    clock = FakeClock()
    approver = _approver(journal)
    approver.tokens = type(approver.tokens)(clock=clock, random_bytes=FakeRandom("other"))
    client = ScriptedClient(journal, "none")
    prompt = await _require(approver, client)
    assert isinstance(prompt, CallEnded)
    token = prompt.text.partition('confirm_token="')[2][:32]

    async def slow() -> Reservation:
        clock.advance(300)
        return await journal.hook()

    journal.events.clear()
    with approver.call(client, "send", token) as approval, pytest.raises(CallEnded) as caught:
        await approval.require(ASK, slow)
    assert journal.events == ["hook", "release", "token_refused"]
    assert caught.value.text.startswith("confirm_token refused")


@pytest.mark.parametrize("way", ["push", "retry", "none"])
async def test_a_hook_that_refuses_ends_the_call_and_nobody_is_asked(way: Way) -> None:
    journal = Journal()
    approver = _approver(journal)
    client = ScriptedClient(journal, way, Answer("accept", ticked=True))

    async def full() -> Reservation:
        raise ToolFailure("full")

    for _ in range(20):
        with approver.call(client, "send") as approval, pytest.raises(ToolFailure):
            await approval.require(ASK, full)
    assert journal.events == []
    assert approver.tokens.pending == 0
    assert approver.seal.pending == 0
    if way == "push":
        assert isinstance(await _require(approver, client), Approval), "open questions leaked"


@pytest.mark.parametrize("end", ["decline", "cancel", "never", "unticked"])
@pytest.mark.adversarial(42)
async def test_every_pushed_question_costs_quota_however_it_ends(end: str, stand: Stand) -> None:
    replies = {
        "decline": types.ElicitResult(action="decline"),
        "cancel": types.ElicitResult(action="cancel"),
        "unticked": accept(False),
    }
    stand.approver.wait_seconds = 0.01

    async def answer(
        context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        if end == "never":
            await asyncio.Event().wait()
        return replies[end]

    async with connect(stand.server, "2025-11-25", answer) as client:
        ends = [await call(client, "send", _letter(number)) for number in range(HOURLY + 1)]
    assert stand.decisions.count("asked") == HOURLY
    assert text(ends[-1]) == "code: rate_limited\nThe hour is full. Nothing was sent."
    assert stand.shop.limiter.used == HOURLY
    assert stand.shop.limiter.reserved == 0


@pytest.mark.adversarial(42)
async def test_every_question_by_input_required_costs_quota_once(stand: Stand) -> None:
    async def never(
        context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        raise AssertionError("the legs are driven by hand")

    async with connect(stand.server, "2026-07-28", never) as client:
        asked = [await question(client, "send", _letter(number)) for number in range(HOURLY)]
        full = await leg(client, "send", _letter(HOURLY))
        state = asked[0].request_state
        done = await leg(client, "send", _letter(0), answer=accept(), state=state)
        again = await leg(client, "send", _letter(0), answer=accept(), state=state)
    assert "The hour is full" in text(full)
    assert isinstance(done, types.CallToolResult)
    assert not done.is_error, "the answering leg was refused by the limiter"
    assert "The hour is full" in text(again), "a full hour wins over a fresh question"
    assert stand.shop.limiter.used == HOURLY
    assert len(stand.shop.acts) == 1


@pytest.mark.adversarial(42)
async def test_a_wrong_token_costs_nothing(stand: Stand) -> None:
    async with connect(stand.server, "2025-11-25") as client:
        token = token_in(await call(client, "send", LETTER))
        for _ in range(10):
            await call(client, "send", {**LETTER, "confirm_token": "0" * 32})
        assert stand.shop.limiter.used == 0
        await call(client, "send", {**LETTER, "confirm_token": token})
    assert stand.shop.limiter.used == 1
    assert len(stand.shop.acts) == 1


async def test_a_client_that_does_not_know_the_request_costs_nothing(stand: Stand) -> None:
    letter: Document = dict(LETTER)
    async with wire(stand.server) as client:
        await client.initialize("2025-11-25", FORM)
        call_id = await client.start("tools/call", {"name": "send", "arguments": letter})
        pushed = await client.receive()
        error = {"code": -32601, "message": "Method not found"}
        await client.send({"id": pushed["id"], "error": error})
        told = words(await client.reply_to(call_id))
    assert told.startswith("Not approved: the client announced dialogs")
    assert "confirm_token" not in told
    assert stand.shop.limiter.used == 0
    assert stand.shop.limiter.reserved == 0


async def test_what_a_no_costs_is_told_with_the_no() -> None:
    journal = Journal()
    approver = _approver(journal)
    approver.nothing = "Nothing was sent."
    approver.after_no = "The question used up one place of this hour."
    ended = await _require(approver, ScriptedClient(journal, "push", Answer("decline")))
    free = await _require(approver, ScriptedClient(journal, "push", Answer("unsupported")))
    assert isinstance(ended, CallEnded)
    assert isinstance(free, CallEnded)
    assert '"decline". Nothing was sent. The question used up one place' in ended.text
    assert "one place of this hour" not in free.text


@pytest.mark.case("R-19")
async def test_three_declines_by_a_host_end_three_calls_and_the_fourth_may_be_accepted(
    stand: Stand,
) -> None:
    answers = [types.ElicitResult(action="decline")] * 3 + [accept()]

    async def host(
        context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        return answers.pop(0)

    async with connect(stand.server, "2025-11-25", host) as client:
        ends = [await call(client, "approve_run", {"repo_id": 1, "number": 2}) for _ in range(4)]
    assert [bool(end.is_error) for end in ends] == [True, True, True, False]
    assert len(stand.shop.acts) == 1
