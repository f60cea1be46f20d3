"""Whoever did not get a message is not forgotten, and gets the same bytes."""

from __future__ import annotations

import pytest

from smtp_mcp import dialogs
from smtp_mcp.api.envelope import DeliveryTimeouts
from smtp_mcp.mailbox import parse
from smtp_mcp.message.message import OutgoingMessage
from smtp_mcp.message.sent_messages import REMEMBER_PARTIAL_SECONDS, REMEMBER_SECONDS
from tests.backends.smtp import HANG, Fault
from tests.smtp.support import LEGACY, MAIL, MODERN, Desk, audit_lines
from tests.support.clients import ERAS, Era, call, connect, question, structured, text, token_in
from tests.support.person import Person

pytestmark = pytest.mark.requirement("R-47")

LATER = "450 4.2.0 come back later"
GONE = "550 5.1.1 gone"
ALICE, BOB, CAROL, DAVE = (f"{name}@example.test" for name in ("alice", "bob", "carol", "dave"))
BOTH = {**MAIL, "to": [ALICE, BOB]}


def entries(value: object) -> list[dict[str, object]]:
    """A list of a result."""
    assert isinstance(value, list)
    return value


@pytest.mark.requirement("S-10")
@pytest.mark.parametrize("era", ERAS)
async def test_the_rest_is_asked_about_anew_and_gets_the_same_bytes(
    era: Era, desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.backend.unknown = {BOB: [LATER]}
    person = Person()
    async with connect(desk.server(), era, person) as client:
        first = structured(await call(client, "send_mail", BOTH))
        second = structured(await call(client, "send_mail", BOTH))
        third = structured(await call(client, "send_mail", BOTH))
    assert first["note"] == (
        "1 recipient does not get this. Repeat the same call to try the 1 temporary one again; it "
        "sends to nobody else."
    )
    lines = person.messages[1].split("\n")
    assert lines[0] == (
        "This will send the same message to 1 of its 2 recipients: those who did not get it."
    )
    assert f"  Not reached yet: {BOB}" in lines
    assert f"  Has it already: {ALICE}" in lines
    assert f"  To: {ALICE}, {BOB}" in lines
    assert len(person.messages) == 2
    assert desk.backend.recipients() == [ALICE, BOB, BOB]
    one, two = desk.backend.messages
    assert one.raw == two.raw
    assert (second["sent"], second["message_id"]) == (True, first["message_id"])
    assert (second["accepted"], second["earlier_accepted"]) == ([BOB], [ALICE])
    assert (second["rejected"], third["rejected"]) == ([], [])
    assert (third["already_sent"], third["accepted"]) == (True, [ALICE, BOB])
    lines_of_audit = audit_lines(capsys.readouterr().err)
    assert [line["outcome"] for line in lines_of_audit] == ["partial", "sent", "already_sent"]
    assert [line["to"] for line in lines_of_audit[:2]] == [[ALICE, BOB], [BOB]]


@pytest.mark.requirement("S-10")
async def test_final_refusals_ask_nobody_and_are_named_again(desk: Desk) -> None:
    desk.backend.unknown = {BOB: GONE}
    person = Person()
    async with connect(desk.server(), MODERN, person) as client:
        first = structured(await call(client, "send_mail", BOTH))
        again = structured(await call(client, "send_mail", BOTH))
    assert len(person.messages) == 1
    assert again["already_sent"] is True
    assert again["accepted"] == [ALICE]
    assert again["rejected"] == first["rejected"]
    assert first["rejected"] == [
        {"address": BOB, "code": 550, "text": "5.1.1 gone", "temporary": False, "enhanced": "5.1.1"}
    ]
    assert str(first["note"]).endswith("sent again as a new message it would reach them twice.")


@pytest.mark.requirement("S-10")
async def test_four_recipients_in_all_three_states(desk: Desk) -> None:
    desk.backend.unknown = {BOB: [LATER, "550 5.1.1 gone now"], CAROL: [LATER, LATER], DAVE: GONE}
    arguments = {**MAIL, "to": [ALICE, BOB], "cc": [CAROL], "bcc": [DAVE]}
    person = Person()
    async with connect(desk.server(), MODERN, person) as client:
        structured(await call(client, "send_mail", arguments))
        refused = text(await call(client, "send_mail", arguments))
        last = structured(await call(client, "send_mail", arguments))
    lines = person.messages[1].split("\n")
    assert lines[0].startswith("This will send the same message to 2 of its 4 recipients")
    assert f"  Not reached yet 1/2: {BOB}" in lines
    assert f"  Not reached yet 2/2: {CAROL}" in lines
    assert f"  Refused for good, not tried again: {DAVE}" in lines
    assert refused.startswith("code: recipients_refused\n")
    assert f"  Not reached yet: {CAROL}" in person.messages[2].split("\n")
    assert last["accepted"] == [CAROL]
    told = [(entry["address"], entry["text"]) for entry in entries(last["rejected"])]
    assert sorted(told) == [(BOB, "5.1.1 gone now"), (DAVE, "5.1.1 gone")]


@pytest.mark.requirement("S-10")
async def test_an_answer_to_the_first_question_opens_no_second(desk: Desk) -> None:
    desk.backend.unknown = {BOB: [LATER]}
    async with connect(desk.server(), MODERN) as client:
        token = token_in(await call(client, "send_mail", BOTH))
        structured(await call(client, "send_mail", {**BOTH, "confirm_token": token}))
        again = await call(client, "send_mail", {**BOTH, "confirm_token": token})
        assert again.is_error
        fresh = await call(client, "send_mail", BOTH)
        assert "send the same message to 1 of its 2 recipients" in text(fresh)
    assert len(desk.backend.messages) == 1


async def test_a_declined_repeat_sends_nothing_and_costs_its_slot(desk: Desk) -> None:
    desk.backend.unknown = {BOB: [LATER]}
    server = desk.server()
    async with connect(server, LEGACY, Person()) as client:
        structured(await call(client, "send_mail", BOTH))
    async with connect(server, LEGACY, Person("decline")) as client:
        assert (await call(client, "send_mail", BOTH)).is_error
    assert len(desk.backend.messages) == 1
    assert desk.remaining == 18


@pytest.mark.requirement("S-10")
@pytest.mark.parametrize(
    ("seconds", "kept"), [(REMEMBER_SECONDS + 1, True), (REMEMBER_PARTIAL_SECONDS + 1, False)]
)
async def test_a_partly_delivered_message_is_kept_for_a_day(
    seconds: float, kept: bool, desk: Desk
) -> None:
    desk.backend.unknown = {BOB: [LATER]}
    person = Person()
    async with connect(desk.server(), MODERN, person) as client:
        structured(await call(client, "send_mail", BOTH))
        desk.clock.advance(seconds)
        await call(client, "send_mail", BOTH)
    assert ("of its 2 recipients" in person.messages[1]) is kept


async def test_an_unknown_outcome_of_a_repeat_keeps_its_rest(desk: Desk) -> None:
    desk.backend.unknown = {BOB: [LATER]}
    desk.timeouts = DeliveryTimeouts(final_seconds=0.05, bytes_per_second=1e9)
    desk.backend.faults = [Fault("DOT", HANG, nth=2)]
    person = Person()
    async with connect(desk.server(), MODERN, person) as client:
        structured(await call(client, "send_mail", BOTH))
        assert text(await call(client, "send_mail", BOTH)).startswith("code: outcome_unknown\n")
        structured(await call(client, "send_mail", BOTH))
    assert "ended with an unknown outcome" in person.messages[2]
    assert f"  Not reached yet: {BOB}" in person.messages[2].split("\n")
    assert desk.backend.recipients() == [ALICE, BOB, BOB, BOB]


async def test_another_content_is_another_message(desk: Desk) -> None:
    desk.put("a.txt", b"one")
    desk.backend.unknown = {BOB: [LATER]}
    arguments = {**BOTH, "attachments": ["a.txt"]}
    person = Person()
    async with connect(desk.server(), MODERN, person) as client:
        structured(await call(client, "send_mail", arguments))
        desk.put("a.txt", b"two")
        structured(await call(client, "send_mail", arguments))
    assert "to 2 recipient(s)" in person.messages[1]


async def test_the_first_leg_of_a_repeat_is_a_question_of_its_own(desk: Desk) -> None:
    desk.backend.unknown = {BOB: [LATER]}
    async with connect(desk.server(), MODERN, Person()) as client:
        structured(await call(client, "send_mail", BOTH))
        asked = await question(client, "send_mail", BOTH)
    assert asked.request_state


async def test_the_rest_is_part_of_what_an_answer_is_bound_to(desk: Desk) -> None:
    desk.backend.unknown = {BOB: [LATER, LATER]}
    outgoing = OutgoingMessage(to=(parse(ALICE), parse(BOB)), subject="Figures", body="Hello")
    server = desk.server()
    assert desk.app is not None
    before = dialogs.post("send_mail", await desk.app.outbox.draft(outgoing)).target
    async with connect(server, MODERN, Person()) as client:
        structured(await call(client, "send_mail", BOTH))
    after = dialogs.post("send_mail", await desk.app.outbox.draft(outgoing)).target
    assert before.parts == after.parts
    assert before.body == after.body
    assert (before.facts["recipients who lack it"], after.facts["recipients who lack it"]) == (
        None,
        [BOB],
    )
