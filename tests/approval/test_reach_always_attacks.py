"""Two sides that answer at once, late, or in turn: at most one write, and a no is final."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import mcp_types as types
import pytest

from mcp_approval import mcp_adapter
from mcp_approval.asking_client import Answer, Prompt
from mcp_approval.in_flight import OpenQuestion
from mcp_approval.reach.channel import Verb
from mcp_approval.record.verify import verify
from mcp_approval.verdict import Approval
from mcp_serverkit.errors import ToolFailure
from tests.approval.broker import until
from tests.approval.outside import Stand, settle
from tests.approval.raw import FORM, Document, Wire, result, wire, words
from tests.approval.scripted import Journal, ScriptedClient, require
from tests.approval.test_reach_always import (
    APPLES,
    NOTHING,
    REPLIES,
    TOLD,
    Hands,
    always,
    decisions,
)
from tests.support.clients import ERAS, Era, accept, call, leg, question, text

in_both_eras = pytest.mark.parametrize("era", ERAS)
ACT = ("delete_items", ["apples"])
CLEAR = {"name": "apples"}
NO = types.ElicitResult(action="decline")
YES: Document = {"action": "accept", "content": {"confirm": True}}


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Stand:
    return always(monkeypatch, tmp_path)


def ready(reply: str) -> Hands:
    hands = Hands(REPLIES[reply])
    hands.answering.set()
    return hands


def while_facts_are_read_again(at: Stand, act: object) -> None:
    """Do something between the client's yes and the act."""
    readings = iter([lambda: None, act])
    at.shop.reads = lambda: next(readings, lambda: None)()  # type: ignore[operator]


@pytest.mark.requirement("A-5")
@pytest.mark.parametrize("verb", ["approve", "decline"])
@pytest.mark.parametrize("reply", ["accepts", "declines"])
async def test_both_sides_at_once_write_once_at_most(
    at: Stand, tmp_path: Path, verb: Verb, reply: str
) -> None:
    hands = Hands(REPLIES[reply])
    async with at.client("2025-11-25", answer=hands) as client:
        calling = asyncio.create_task(call(client, "delete_items", APPLES))
        await until(lambda: hands.shown and at.window.shown)
        hands.answering.set()
        at.window.say(verb)
        done = await calling
        await settle()
        at.window.say("approve")
        await settle()
    assert len(at.shop.acts) == (not done.is_error)
    assert verb == "approve" or at.shop.acts == []
    assert verify(str(tmp_path / "record.jsonl")).open == 0


@pytest.mark.requirement("A-5")
async def test_a_no_on_the_channel_stops_a_yes_of_the_client_that_was_not_carried_out(
    at: Stand,
) -> None:
    while_facts_are_read_again(at, lambda: at.window.say("decline"))
    async with at.client("2025-11-25", answer=ready("accepts")) as client:
        said = text(await call(client, "clear_stock", CLEAR))
        await settle()
    assert said.startswith("Not approved: a person declined in a window")
    assert at.shop.acts == []
    assert at.window.words == [TOLD["channel: no"]]
    assert sorted(decisions(at)[-2:]) == ["declined", "elsewhere"]


@pytest.mark.requirement("A-5")
async def test_a_yes_on_both_sides_is_the_channels_and_one_act(at: Stand) -> None:
    while_facts_are_read_again(at, lambda: at.window.say("approve"))
    async with at.client("2025-11-25", answer=ready("accepts")) as client:
        assert not (await call(client, "clear_stock", CLEAR)).is_error
        await settle()
    assert at.shop.acts == [("clear_stock", ["apples", 12])]
    assert at.window.words[-1] == TOLD["channel: yes"]


@pytest.mark.requirement("A-5")
async def test_a_question_that_ends_under_the_clients_yes_is_not_carried_out(at: Stand) -> None:
    reach = await at.approver.reach()

    def too_late() -> None:
        at.advance(900)
        assert reach.open == 0

    while_facts_are_read_again(at, too_late)
    async with at.client("2025-11-25", answer=ready("accepts")) as client:
        said = text(await call(client, "clear_stock", CLEAR))
    assert "did not answer in time" in said
    assert at.shop.acts == []


@pytest.mark.requirement("A-5")
async def test_a_yes_of_the_client_is_lost_where_the_facts_cannot_be_read_again(
    at: Stand,
) -> None:
    def fail() -> None:
        raise ToolFailure("The shop is closed.")

    while_facts_are_read_again(at, fail)
    async with at.client("2025-11-25", answer=ready("accepts")) as client:
        assert text(await call(client, "clear_stock", CLEAR)) == "The shop is closed."
        assert at.shop.acts == []
        assert decisions(at)[-1] == "withdrawn"
        assert at.window.words == []
        at.window.say("approve")
        assert not (await call(client, "clear_stock", CLEAR)).is_error
    assert at.shop.acts == [("clear_stock", ["apples", 12])]


@pytest.mark.requirement("A-5")
@in_both_eras
async def test_a_tap_after_the_clients_yes_was_used_is_no_yes_to_the_same_call(
    at: Stand, era: Era
) -> None:
    hands = ready("accepts")
    async with at.client(era, answer=hands) as client:
        assert not (await call(client, "delete_items", APPLES)).is_error
        at.window.say("approve")
        hands.reply = REPLIES["declines"]
        assert (await call(client, "delete_items", APPLES)).is_error
        at.window.say("approve", 0)
        at.window.say("approve", 1)
    assert at.shop.acts == [ACT]
    assert [line.partition("reason=")[2] for line in at.lines if "answer_ignored" in line] == [
        "used"
    ] * 3


@pytest.mark.requirement("A-5")
async def test_a_form_is_worth_nothing_once_the_channels_yes_was_used(at: Stand) -> None:
    async with at.client("2026-07-28", answer=Hands()) as client:
        states = [(await question(client, "delete_items", APPLES)).request_state for _ in "ab"]
        at.window.say("approve")
        done = await leg(client, "delete_items", APPLES)
        assert isinstance(done, types.CallToolResult)
        for state in states:
            late = await leg(client, "delete_items", APPLES, answer=accept(), state=state)
            assert isinstance(late, types.InputRequiredResult)
    assert at.shop.acts == [ACT]


@pytest.mark.requirement("A-5")
async def test_a_form_is_worth_nothing_after_a_no_on_the_channel_was_forgotten(
    at: Stand, tmp_path: Path
) -> None:
    async with at.client("2026-07-28", answer=Hands()) as client:
        state = (await question(client, "delete_items", APPLES)).request_state
        at.window.say("decline")
        at.advance(301)
        late = await leg(client, "delete_items", APPLES, answer=accept(), state=state)
        assert isinstance(late, types.InputRequiredResult)
        assert at.shop.acts == []
        assert {"declined", "elsewhere"} <= set(decisions(at))


@pytest.mark.requirement("A-5")
async def test_of_two_retries_with_one_yes_one_acts(at: Stand) -> None:
    async with at.client("2026-07-28", answer=Hands()) as client:
        state = (await question(client, "delete_items", APPLES)).request_state
        at.window.say("approve")
        both = await asyncio.gather(
            *(leg(client, "delete_items", APPLES, answer=accept(), state=state) for _ in "ab")
        )
    done = [one for one in both if isinstance(one, types.CallToolResult) and not one.is_error]
    assert len(done) == 1
    assert at.shop.acts == [ACT]


@pytest.mark.requirement("A-5")
async def test_a_no_to_an_older_question_ends_the_one_that_stands(at: Stand) -> None:
    async with at.client("2026-07-28", answer=Hands()) as client:
        state = (await question(client, "clear_stock", CLEAR)).request_state
        at.shop.stock["apples"] = 13
        await question(client, "clear_stock", CLEAR)
        at.shop.stock["apples"] = 12
        told = await leg(client, "clear_stock", CLEAR, answer=NO, state=state)
        await settle()
    assert text(told).startswith('Not approved: the client answered "decline".')
    assert at.window.words[0].startswith("Replaced:")
    assert at.window.words[1] == TOLD["client: no"]
    assert at.shop.acts == []


@pytest.mark.requirement("A-5")
async def test_nothing_of_another_process_is_an_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = always(monkeypatch, tmp_path)
    async with before.client("2026-07-28", answer=Hands()) as client:
        state = (await question(client, "delete_items", APPLES)).request_state
    after = always(monkeypatch, tmp_path)
    async with after.client("2026-07-28", answer=Hands()) as client:
        fresh = await leg(client, "delete_items", APPLES, answer=accept(), state=state)
        assert isinstance(fresh, types.InputRequiredResult)
        before.window.say("approve")
        assert isinstance(await leg(client, "delete_items", APPLES), types.InputRequiredResult)
    assert before.shop.acts == after.shop.acts == []
    assert len(after.window.shown) == 1


@pytest.mark.requirement("A-5", "A-8")
async def test_a_newer_call_takes_the_dialog_over_and_rings_nobody_twice(at: Stand) -> None:
    hands = Hands(accept())
    async with at.client("2025-11-25", answer=hands) as client:
        older = asyncio.create_task(call(client, "delete_items", APPLES))
        await until(lambda: hands.shown)
        newer = asyncio.create_task(call(client, "delete_items", APPLES))
        assert text(await older).startswith("Awaiting a person")
        await until(lambda: len(hands.shown) == 2 and hands.taken_back == 1)
        assert at.approver.in_flight.open == 1
        hands.answering.set()
        assert not (await newer).is_error
    assert len(at.window.shown) == 1
    assert at.shop.acts == [ACT]
    assert decisions(at).count("superseded") == 1


@pytest.mark.requirement("A-5", "A-8")
async def test_a_cancelled_call_takes_both_back(at: Stand, tmp_path: Path) -> None:
    hands = Hands(accept())
    async with at.client("2025-11-25", answer=hands) as client:
        calling = asyncio.create_task(call(client, "delete_items", APPLES))
        await until(lambda: hands.shown)
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        await until(lambda: at.window.words and hands.taken_back)
        hands.answering.set()
        at.window.say("approve")
        await settle()
    assert at.window.words == ["Withdrawn. Nothing was changed."]
    assert at.shop.acts == []
    assert verify(str(tmp_path / "record.jsonl")).open == 0


@pytest.mark.requirement("A-5", "A-8")
async def test_a_retry_that_is_cancelled_takes_the_question_and_its_forms_back(at: Stand) -> None:
    cancel = types.ElicitResult(action="cancel")
    async with at.client("2026-07-28", answer=Hands()) as client:
        state = (await question(client, "delete_items", APPLES)).request_state
        waiting = asyncio.create_task(
            leg(client, "delete_items", APPLES, answer=cancel, state=state)
        )
        await until(lambda: "cancelled" in decisions(at))
        form = (await question(client, "delete_items", APPLES)).request_state
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await until(lambda: at.window.words)
        at.window.say("approve")
        late = await leg(client, "delete_items", APPLES, answer=accept(), state=form)
        assert isinstance(late, types.InputRequiredResult)
    assert at.shop.acts == []


@pytest.mark.requirement("A-5", "A-8")
@pytest.mark.parametrize("reply", ["accepts", "declines"])
async def test_a_retry_that_waits_ends_when_another_one_brings_the_answer(
    at: Stand, reply: str
) -> None:
    cancel, answer = types.ElicitResult(action="cancel"), REPLIES[reply]
    assert isinstance(answer, types.ElicitResult)
    async with at.client("2026-07-28", answer=Hands()) as client:
        state = (await question(client, "delete_items", APPLES)).request_state
        waiting = asyncio.create_task(
            leg(client, "delete_items", APPLES, answer=cancel, state=state)
        )
        await until(lambda: "cancelled" in decisions(at))
        form = (await question(client, "delete_items", APPLES)).request_state
        await leg(client, "delete_items", APPLES, answer=answer, state=form)
        assert text(await waiting).startswith("Superseded: the same call was made again")
    assert at.shop.acts == ([ACT] if reply == "accepts" else [])


@pytest.mark.requirement("D-6")
@in_both_eras
async def test_a_dialog_that_cannot_be_recorded_is_shown_nowhere(
    at: Stand, tmp_path: Path, era: Era
) -> None:
    path, put = tmp_path / "record.jsonl", at.window.put

    async def put_and_spoil(*given: object) -> None:
        await put(*given)  # type: ignore[arg-type]
        with path.open("ab") as file:
            file.write(b"somebody else\n")

    at.window.put = put_and_spoil  # type: ignore[method-assign, assignment]
    hands = ready("accepts")
    async with at.client(era, answer=hands) as client:
        said = text(await call(client, "delete_items", APPLES))
        await until(lambda: at.window.words)
    assert said.startswith("Not asked: the record of approvals cannot be written (")
    assert at.window.words == ["Withdrawn. Nothing was changed."]
    assert hands.shown == []
    assert at.shop.acts == []


@pytest.mark.requirement("D-6")
async def test_a_yes_of_the_client_that_cannot_be_recorded_does_nothing(
    at: Stand, tmp_path: Path
) -> None:
    path = tmp_path / "record.jsonl"
    hands = Hands(accept())
    async with at.client("2025-11-25", answer=hands) as client:
        calling = asyncio.create_task(call(client, "delete_items", APPLES))
        await until(lambda: hands.shown)
        whole = path.read_bytes()
        path.write_bytes(whole + b"somebody else\n")
        hands.answering.set()
        said = text(await calling)
        path.write_bytes(whole)
        at.window.say("approve")
    assert said.startswith("Not approved: the answer could not be recorded (")
    assert at.shop.acts == []


async def _pushed(client: Wire) -> tuple[int, Document]:
    params: Document = {"name": "delete_items", "arguments": APPLES}
    call_id = await client.start("tools/call", {**params, "_meta": {"progressToken": "p"}})
    message = await client.receive()
    while message.get("method") != "elicitation/create":
        message = await client.receive()
    return call_id, message


@pytest.mark.requirement("A-5")
async def test_the_client_is_told_that_its_dialog_is_over(at: Stand) -> None:
    server = at.server()
    async with wire(server) as client:
        await client.initialize("2025-11-25", FORM)
        call_id, dialog = await _pushed(client)
        at.window.say("approve")
        assert result(await client.reply_to(call_id)).get("isError") is not True
        while not client.notified("notifications/cancelled"):
            await client.receive()
        [over] = client.notified("notifications/cancelled")
        assert over["params"] == {"requestId": dialog["id"], "reason": "caller cancelled"}
        await client.send({"id": dialog["id"], "result": YES})
        call_id, again = await _pushed(client)
        await client.send({"id": again["id"], "result": {"action": "decline"}})
        assert words(await client.reply_to(call_id)).startswith("Not approved: the client")
    assert at.shop.acts == [ACT]


@pytest.mark.requirement("A-6")
async def test_progress_is_told_once_and_rises_when_the_dialog_is_gone(
    at: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_adapter, "PROGRESS_SECONDS", 0.001)
    async with wire(at.server()) as client:
        await client.initialize("2025-11-25", FORM)
        call_id, dialog = await _pushed(client)
        while len(client.notified("notifications/progress")) < 2:
            await client.receive()
        await client.send({"id": dialog["id"], "result": {"action": "cancel"}})
        await until(lambda: "cancelled" in decisions(at))
        seen = len(client.notified("notifications/progress"))
        while len(client.notified("notifications/progress")) < seen + 2:
            await client.receive()
        at.window.say("approve")
        await client.reply_to(call_id)
        beats = [beat["params"] for beat in client.notified("notifications/progress")]
    told = [beat for beat in beats if isinstance(beat, dict)]
    assert {beat["message"] for beat in told} == {"waiting for a person (window)"}
    values = [beat["progress"] for beat in told]
    assert values == sorted(set(values))


@pytest.mark.requirement("A-5")
async def test_a_dialog_that_stood_alone_gives_way_to_one_beside_a_channel(at: Stand) -> None:
    hands = Hands(accept())
    at.window.refuses = "no display"
    async with at.client("2025-11-25", answer=hands) as client:
        older = asyncio.create_task(call(client, "delete_items", APPLES))
        await until(lambda: hands.shown)
        at.window.refuses = ""
        newer = asyncio.create_task(call(client, "delete_items", APPLES))
        assert text(await older).startswith("Superseded: the same call was made again")
        hands.answering.set()
        assert not (await newer).is_error
    assert at.shop.acts == [ACT]


class Crossing(ScriptedClient):
    """A client whose answer comes in the moment in which somebody taps on the channel."""

    tap: Callable[[], None] = print

    async def push(self, prompt: Prompt, wait_seconds: float, question: OpenQuestion) -> Answer:
        self.tap()
        return await super().push(prompt, wait_seconds, question)


@pytest.mark.requirement("A-5")
@pytest.mark.parametrize(
    ("reply", "verb", "by"),
    [
        (Answer("accept", ticked=True), "approve", "window"),
        (Answer("accept", ticked=True), "decline", ""),
        (Answer("decline"), "approve", ""),
        (Answer("decline"), "decline", ""),
        (Answer("cancel"), "approve", "window"),
        (Answer("timeout"), "decline", ""),
    ],
)
async def test_of_answers_that_cross_a_no_wins_and_a_yes_acts_once(
    at: Stand, reply: Answer, verb: Verb, by: str
) -> None:
    journal = Journal()
    client = Crossing(journal, "push", reply=reply)
    client.tap = lambda: at.window.say(verb)
    ended = await require(at.approver, client)
    assert (ended.by if isinstance(ended, Approval) else "") == by
    assert journal.events.count("question") == journal.events.count("commit") == 1
    await until(lambda: at.window.words)
    no = f"Answered in the client: no. {NOTHING}"
    first = {"decline": TOLD["channel: no"], "approve": no}[verb]
    assert at.window.words[:1] == ([TOLD["channel: yes"]] if by else [first])


def test_a_question_that_ended_before_it_was_sent_is_closed_at_once() -> None:
    closed: list[str] = []
    open_question = OpenQuestion(0.0)
    open_question.withdraw("elsewhere")
    open_question.when_withdrawn(lambda: closed.append("closed"))
    assert closed == ["closed"]
