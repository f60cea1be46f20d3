"""A person is asked by a notification: shown whole, answered by a button, and told the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from mcp_approval.reach.channel import NotReached, Said, Shown, Unsafe
from mcp_approval.reach.corners import CHECK
from mcp_approval.reach.notification import BODY_BYTES, MESSAGE_BYTES
from mcp_approval.reach.phone import Phone
from tests.approval.broker import ANSWERS, KEY, Broker, broker, until
from tests.approval.outside import settle


def shown(message: str = "This will delete 1 notification.\n\nGone.", name: str = "q1") -> Shown:
    return Shown(name, "ntfy-mcp at ntfy.example: Delete it?", message, "ntfy-mcp", "anna", 0.0)


@pytest.fixture
def at() -> Iterator[Broker]:
    with broker() as found:
        yield found


@pytest.fixture
def log() -> list[str]:
    return []


@pytest.fixture
async def phone(at: Broker, log: list[str]) -> AsyncIterator[Phone]:
    made = at.phone(log)
    yield made
    await made.aclose()


@pytest.mark.requirement("A-9", "A-11")
async def test_the_notification_is_the_question_and_a_tap_is_the_answer(
    at: Broker, phone: Phone
) -> None:
    heard: list[Said] = []
    await phone.put(shown(), heard.append)
    [notification] = at.shown()
    assert notification["message"] == shown().message
    assert notification["title"] == shown().title
    assert notification["priority"] == 4
    assert await at.tap("Approve") == 200
    await until(lambda: heard)
    assert heard == [Said("approve", "capability")]


async def test_a_decline_is_heard_as_one(at: Broker, phone: Phone) -> None:
    heard: list[Said] = []
    await phone.put(shown(), heard.append)
    await at.tap("Decline")
    await until(lambda: heard)
    assert [said.verb for said in heard] == ["decline"]


@pytest.mark.requirement("A-11")
async def test_the_end_replaces_the_notification(at: Broker, phone: Phone) -> None:
    await phone.put(shown(), lambda _: None)
    await phone.end("q1", "Declined. Nothing was changed.", final=True)
    [notification] = at.shown()
    assert notification["title"] == "ntfy-mcp: Declined. Nothing was changed."
    assert notification["message"] == (
        "This will delete 1 notification.\n\nDeclined. Nothing was changed."
    )
    assert not notification.get("actions")
    assert notification["priority"] == 2
    await until(lambda: at.backend.open_streams == 0)


@pytest.mark.parametrize("answered", [True, False])
async def test_a_question_that_is_cancelled_on_its_way_is_still_replaced(
    at: Broker, phone: Phone, answered: bool
) -> None:
    arrived, go_on = asyncio.Event(), asyncio.Event()
    send, sent = phone._instance.request, []

    async def slowly(method: str, path: str, *more: Any) -> tuple[int, bytes]:
        if path or arrived.is_set():
            sent.append("end")
            return await send(method, path, *more)
        arrived.set()
        await go_on.wait()
        sent.append("question")
        told = await send(method, path, *more)
        if not answered:
            raise NotReached("ntfy could not be reached")
        return told

    phone._instance.request = slowly  # type: ignore[method-assign, assignment]
    putting = asyncio.create_task(phone.put(shown(), lambda _: None))
    await arrived.wait()
    sent.clear()
    putting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await putting
    ending = asyncio.create_task(phone.end("q1", "Withdrawn.", final=True))
    await settle()
    go_on.set()
    await ending
    assert sent == ["question", "end"]
    [notification] = at.shown()
    assert notification["title"] == "ntfy-mcp: Withdrawn."
    assert not notification.get("actions")
    await until(lambda: at.backend.open_streams == 0)


@pytest.mark.requirement("D-10")
async def test_the_end_names_the_head_of_a_record(at: Broker) -> None:
    phone = at.phone(head=lambda: "f1bd481790431234")
    await phone.put(shown(), lambda _: None)
    await phone.end("q1", "Approved and carried out.", final=True)
    assert str(at.shown()[0]["message"]).endswith("carried out. record f1bd481790431234")
    await phone.aclose()


@pytest.mark.requirement("A-10", "A-18")
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("hello", "malformed"),
        ("v1.9f2c1d3e.q1.approve", "malformed"),
        ("v2.9f2c1d3e.q1.approve." + "A" * 32, "malformed"),
        ("v1.9f2c1d3e.q1.approve." + "A" * 32, "forged"),
        ("v1.9f2c1d3e.q2.approve." + "A" * 32, "unknown"),
    ],
)
async def test_what_no_button_says_is_no_answer(
    at: Broker, phone: Phone, log: list[str], answer: str, reason: str
) -> None:
    heard: list[Said] = []
    await phone.put(shown(), heard.append)
    await at.say(answer)
    await until(lambda: log)
    assert log == [f"decision=answer_ignored way=phone reason={reason}"]
    assert heard == []


@pytest.mark.requirement("A-10")
async def test_another_process_and_a_check_are_passed_over_in_silence(
    at: Broker, phone: Phone, log: list[str]
) -> None:
    heard: list[Said] = []
    await phone.put(shown(), heard.append)
    await at.say("v1.00000000.q1.approve." + "A" * 32)
    await at.say(CHECK.decode())
    await at.say("x" * 3_000)
    await until(lambda: log)
    assert log == ["decision=answer_ignored way=phone reason=malformed"]
    assert heard == []


@pytest.mark.requirement("A-10")
async def test_the_capability_of_a_no_says_no_yes(at: Broker, phone: Phone, log: list[str]) -> None:
    heard: list[Said] = []
    await phone.put(shown(), heard.append)
    decline = str(at.buttons()["Decline"]["body"])
    await at.say(decline.replace(".decline.", ".approve."))
    await until(lambda: log)
    assert log[0].endswith("reason=forged")
    assert heard == []


@pytest.mark.requirement("A-10")
async def test_the_capability_of_one_question_answers_no_other(
    at: Broker, phone: Phone, log: list[str]
) -> None:
    heard: list[Said] = []
    await phone.put(shown(), heard.append)
    await phone.put(shown("This will delete another.", "q2"), heard.append)
    await at.say(str(at.buttons(0)["Approve"]["body"]).replace(".q1.", ".q2."))
    await until(lambda: log)
    assert log[0].endswith("reason=forged")
    assert heard == []


@pytest.mark.requirement("A-11")
async def test_an_answer_that_came_while_the_line_was_down_is_heard(
    at: Broker, phone: Phone
) -> None:
    heard: list[Said] = []
    await phone.put(shown(), heard.append)
    at.backend.respond_next(503, path=f"/{ANSWERS}/json", times=2)
    at.backend.break_streams()
    await at.tap("Approve")
    await until(lambda: heard)
    assert heard[0].verb == "approve"


@pytest.mark.requirement("A-9")
@pytest.mark.parametrize(("bytes_", "fits"), [(MESSAGE_BYTES, True), (MESSAGE_BYTES + 1, False)])
async def test_what_fits_goes_whole_and_what_does_not_goes_not_at_all(
    at: Broker, phone: Phone, bytes_: int, fits: bool
) -> None:
    message = "é" + "x" * (bytes_ - 2)
    if fits:
        await phone.put(shown(message), lambda _: None)
        assert at.shown()[0]["message"] == message
    else:
        with pytest.raises(NotReached, match=f"has {bytes_} bytes and a notification holds 4095"):
            await phone.put(shown(message), lambda _: None)
        assert at.shown() == []


async def test_a_body_that_is_too_large_for_its_escapes_is_not_sent(
    at: Broker, phone: Phone
) -> None:
    with pytest.raises(NotReached, match=f"with its buttons and a notification holds {BODY_BYTES}"):
        await phone.put(shown('"' * MESSAGE_BYTES), lambda _: None)
    assert at.shown() == []


@pytest.mark.requirement("A-9")
async def test_a_message_that_changed_on_its_way_is_ended(at: Broker, phone: Phone) -> None:
    with pytest.raises(NotReached, match="did not arrive whole"):
        await phone.put(shown("  blanks around  "), lambda _: None)
    assert "did not arrive whole" in str(at.shown()[-1]["title"])
    assert not at.shown()[-1].get("actions")


@pytest.mark.parametrize("status", [403, 429, 500])
async def test_a_refused_question_is_no_question(at: Broker, phone: Phone, status: int) -> None:
    await phone.put(shown(), lambda _: None)
    at.backend.respond_next(status, {"code": 1}, path="/", method="POST")
    with pytest.raises(NotReached, match=f"ntfy answered HTTP {status}"):
        await phone.put(shown(name="q2"), lambda _: None)


async def test_an_instance_that_is_not_there_is_said(at: Broker) -> None:
    log: list[str] = []
    phone = at.phone(log)
    at.backend.stop()
    with pytest.raises(NotReached, match=r"^ntfy could not be reached$"):
        await phone.put(shown(), lambda _: None)
    unknown = "whether the server's token can read the questions is unknown"
    assert log == [f'decision=unreached way=phone reason="{unknown}: ntfy could not be reached"']
    with pytest.raises(Unsafe, match=f"^{unknown}: ntfy could not be reached$"):
        await phone.check()
    await phone.aclose()


@pytest.mark.requirement("A-11")
async def test_answers_that_cannot_be_heard_mean_no_question(at: Broker) -> None:
    phone = at.phone(request_seconds=0.5)
    at.backend.respond_next(403, {"code": 40301}, path=f"/{ANSWERS}/json", times=100)
    with pytest.raises(NotReached, match="answers cannot be heard"):
        await phone.put(shown(), lambda _: None)
    assert at.shown() == []
    await phone.aclose()


@pytest.mark.requirement("A-18")
async def test_an_ending_that_cannot_be_delivered_is_a_line_in_the_log(
    at: Broker, phone: Phone, log: list[str]
) -> None:
    await phone.put(shown(), lambda _: None)
    at.backend.respond_next(500, {"code": 1}, path="/", method="POST")
    await phone.end("q1", "Declined.", final=True)
    assert log == ['decision=ending_failed way=phone reason="ntfy answered HTTP 500"']
    await phone.end("q1", "Declined.", final=True)


def test_a_phone_shows_no_secret_of_its_own(at: Broker) -> None:
    shown_as = repr(at.phone())
    assert at.server not in shown_as
    assert KEY.decode() not in shown_as


async def test_nothing_is_asked_while_answers_cannot_be_heard(at: Broker) -> None:
    phone = at.phone(request_seconds=0.5)
    await phone.put(shown(), lambda _: None)
    at.backend.grant("server", ANSWERS, "deny")
    at.backend.break_streams()
    await until(lambda: not phone._listening._ready.is_set())
    with pytest.raises(NotReached, match="answers cannot be heard"):
        await phone.put(shown("This will delete another.", "q2"), lambda _: None)
    assert len(at.shown()) == 1
    await phone.aclose()


async def test_words_before_the_end_leave_the_question_to_its_end(at: Broker, phone: Phone) -> None:
    await phone.put(shown(), lambda _: None)
    await phone.end("q1", "Approved. It happens when the agent repeats it.", final=False)
    await phone.end("q1", "Approved and carried out.", final=True)
    [notification] = at.shown()
    assert notification["title"] == "ntfy-mcp: Approved and carried out."


@pytest.mark.parametrize("body", ["<html>", "[]"])
async def test_an_answer_that_is_no_message_is_no_question(
    at: Broker, phone: Phone, body: str
) -> None:
    at.backend.respond_next(200, body=body, path="/", method="POST")
    with pytest.raises(NotReached, match="did not arrive whole"):
        await phone.put(shown(), lambda _: None)


async def test_an_answer_without_an_end_is_not_read(at: Broker, phone: Phone) -> None:
    at.backend.respond_next(200, body="x" * 70_000, path="/", method="POST")
    with pytest.raises(NotReached, match="ntfy answered too much"):
        await phone.put(shown(), lambda _: None)


async def test_two_questions_at_once_share_one_client(at: Broker, phone: Phone) -> None:
    both = (phone.put(shown(name=name), lambda _: None) for name in ("q1", "q2"))
    await asyncio.gather(*both)
    assert len(at.shown()) == 2
