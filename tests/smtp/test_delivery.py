"""What became of a mail, whatever happened on the wire."""

from __future__ import annotations

import asyncio

import pytest

from mcp_serverkit.outcome import LOOK_FIRST
from smtp_mcp.api.envelope import Delivery, DeliveryTimeouts
from smtp_mcp.api.reply import Reply
from tests.backends.smtp import DROP, HANG, Fault
from tests.smtp.support import LEGACY, MAIL, MODERN, Desk, audit_lines
from tests.support.clients import Result, call, connect, structured, text
from tests.support.person import Person


async def outcome(desk: Desk, *faults: Fault, **changes: str) -> tuple[str, Result]:
    """Send a mail to a faulty server; return the code of the failure."""
    desk.backend.faults = list(faults)
    result = await desk.ask("send_mail", {**MAIL, "cc": ["bert@example.test"]}, **changes)
    first = text(result).split("\n")[0]
    return first.removeprefix("code: "), result


@pytest.mark.requirement("T-smtp-33")
async def test_some_recipients_refused_is_a_mail_that_the_others_got(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.backend.unknown = {
        "bert@example.test": "550 5.1.1 no such user",
        "grey@example.test": "450 4.7.1 try later",
    }
    arguments = {**MAIL, "cc": ["bert@example.test"], "bcc": ["grey@example.test"]}
    result = structured(await desk.ask("send_mail", arguments))
    assert result["sent"] is True
    assert result["accepted"] == ["anna@example.test"]
    assert result["rejected"] == [
        {
            "address": "bert@example.test",
            "code": 550,
            "enhanced": "5.1.1",
            "text": "5.1.1 no such user",
            "temporary": False,
        },
        {
            "address": "grey@example.test",
            "code": 450,
            "enhanced": "4.7.1",
            "text": "4.7.1 try later",
            "temporary": True,
        },
    ]
    assert result["rejected_addresses"] == ["bert@example.test", "grey@example.test"]
    assert "2 recipients do not get this" in str(result["note"])
    assert desk.backend.messages[0].recipients == ("anna@example.test",)
    [line] = audit_lines(capsys.readouterr().err)
    assert (line["outcome"], line["accepted"]) == ("partial", 1)
    assert line["rejected"] == ["bert@example.test", "grey@example.test"]


@pytest.mark.requirement("T-smtp-33")
async def test_all_recipients_refused_is_an_error_and_the_content_never_leaves(desk: Desk) -> None:
    desk.backend.unknown = {
        "anna@example.test": "550 5.1.1 no such user",
        "bert@example.test": "450 4.7.1 try later",
    }
    code, result = await outcome(desk)
    assert code == "recipients_refused"
    assert "anna@example.test: 550 5.1.1 no such user" in text(result)
    assert "bert@example.test: 450 4.7.1 try later" in text(result)
    assert "DATA" not in desk.backend.verbs()


@pytest.mark.requirement("T-smtp-33")
async def test_a_server_that_closes_at_the_second_recipient_was_not_sent_anything(
    desk: Desk,
) -> None:
    code, result = await outcome(desk, Fault("RCPT", "421 4.3.2 closing", nth=2, then=DROP))
    assert code == "not_sent"
    assert "421 4.3.2 closing" in text(result)


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Fault("MAIL", "550 5.7.1 not yours"), "sender_refused"),
        (Fault("MAIL", "530 5.7.0 log in"), "sender_refused"),
        (Fault("MAIL", "451 4.3.0 later"), "temporary_failure"),
        (Fault("MAIL", "552 5.3.4 too big"), "too_large"),
        (Fault("MAIL", DROP), "not_sent"),
        (Fault("MAIL", HANG), "not_sent"),
        (Fault("RCPT", "550 5.1.1 no"), "recipients_refused"),
        (Fault("RCPT", "451 4.7.1 greylisted"), "recipients_refused"),
        (Fault("RCPT", DROP), "not_sent"),
        (Fault("RCPT", HANG), "not_sent"),
        (Fault("DATA", "554 5.7.1 no"), "message_refused"),
        (Fault("DATA", "451 4.3.0 later"), "temporary_failure"),
        (Fault("DATA", "421 4.3.2 closing"), "not_sent"),
        (Fault("DATA", DROP), "not_sent"),
        (Fault("DATA", HANG), "not_sent"),
        (Fault("DOT", "554 5.7.1 content"), "message_refused"),
        (Fault("DOT", "451 4.3.0 later"), "temporary_failure"),
        (Fault("DOT", "552 5.3.4 too big"), "too_large"),
        (Fault("DOT", DROP), "outcome_unknown"),
        (Fault("DOT", "354 go ahead"), "outcome_unknown"),
        (Fault("DOT", "what is this?"), "outcome_unknown"),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{value.step} {value.do}",
)
async def test_each_failure_has_its_name(fault: Fault, code: str, desk: Desk) -> None:
    found, result = await outcome(desk, fault, SMTP_TIMEOUT="1")
    assert found == code
    assert result.is_error
    assert ("Nothing was sent." in text(result)) is (code != "outcome_unknown")
    assert desk.remaining == 19
    assert desk.backend.messages == []


@pytest.mark.requirement("T-smtp-34")
async def test_a_mail_put_off_is_not_remembered_as_sent(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    person, server = Person(), desk.server()
    desk.backend.faults = [Fault("DOT", "451 4.3.0 later", nth=1)]
    first = await desk.ask_at(server, "send_mail", MAIL, person)
    assert text(first).startswith("code: temporary_failure\n")
    assert "Do not try again on your own" in text(first)
    assert structured(await desk.ask_at(server, "send_mail", MAIL, person))["sent"] is True
    assert len(person.messages) == 2
    assert "unknown outcome" not in person.messages[1]
    outcomes = [line["outcome"] for line in audit_lines(capsys.readouterr().err)]
    assert outcomes == ["failed", "sent"]


@pytest.mark.requirement("T-smtp-35")
async def test_after_an_unknown_outcome_a_repeat_is_asked_about_with_a_word_of_the_first(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    person, server = Person(), desk.server()
    desk.backend.faults = [Fault("DOT", DROP, nth=1)]
    first = text(await desk.ask_at(server, "send_mail", MAIL, person))
    assert first.startswith("code: outcome_unknown\n")
    assert [line for line in first.splitlines() if "unknown" in line][1:] == [LOOK_FIRST]
    assert "may have been delivered" in first
    assert desk.remaining == 19
    result = structured(await desk.ask_at(server, "send_mail", MAIL, person))
    assert result["sent"] is True
    assert "ended with an unknown outcome" in person.messages[1]
    assert "ended with an unknown outcome" not in person.messages[0]
    lines = audit_lines(capsys.readouterr().err)
    assert [line["outcome"] for line in lines] == ["unknown", "sent"]
    assert lines[0]["message_id"] == lines[1]["message_id"] == result["message_id"]


@pytest.mark.requirement("T-smtp-35")
async def test_a_server_that_hangs_after_the_dot_leaves_the_outcome_open(desk: Desk) -> None:
    desk.timeouts = DeliveryTimeouts(final_seconds=0.05, bytes_per_second=1e9)
    desk.backend.faults = [Fault("DOT", HANG)]
    result = await desk.ask("send_mail", MAIL)
    assert text(result).startswith("code: outcome_unknown\n")


@pytest.mark.requirement("T-smtp-35")
async def test_a_call_cut_short_after_the_dot_is_remembered_as_unknown(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    person, server = Person(), desk.server()
    desk.backend.faults = [Fault("DOT", HANG, nth=1)]
    async with connect(server, LEGACY, person) as client:
        calling = asyncio.create_task(call(client, "send_mail", MAIL))
        await desk.backend.dot_seen.wait()
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        structured(await call(client, "get_server_info"))
        structured(await call(client, "send_mail", MAIL))
    assert "ended with an unknown outcome" in person.messages[1]
    lines = audit_lines(capsys.readouterr().err)
    assert [line["outcome"] for line in lines] == ["unknown", "sent"]
    assert lines[0]["error"] == "cancelled"


@pytest.mark.parametrize("do", [DROP, HANG])
async def test_a_connection_that_fails_during_the_upload_was_not_sent(do: str, desk: Desk) -> None:
    """The line that ends a message had not left, so no server may take it."""
    desk.put("large.txt", b"x" * 4_000_000)
    desk.timeouts = DeliveryTimeouts(stall_seconds=0.2)
    desk.backend.faults = [Fault("CONTENT", do)]
    result = await desk.ask("send_mail", {**MAIL, "attachments": ["large.txt"]})
    assert text(result).startswith("code: not_sent\n")
    assert "while the message was being uploaded" in text(result)
    assert ("so this client gave up" in text(result)) is (do == HANG)
    assert ("broke off" in text(result)) is (do == DROP)


async def test_a_slow_reader_gets_a_large_mail_whole(desk: Desk) -> None:
    content = b"0123456789" * 200_000
    desk.put("large.txt", content)
    desk.backend.slow_bytes = 1_000
    structured(await desk.ask("send_mail", {**MAIL, "attachments": ["large.txt"]}))
    [part] = desk.backend.messages[0].parsed.iter_attachments()
    assert part.get_payload(decode=True) == content


@pytest.mark.requirement("T-smtp-36")
@pytest.mark.parametrize("do", [HANG, DROP, "500 what?"])
async def test_nobody_waits_for_a_server_to_say_goodbye(do: str, desk: Desk) -> None:
    desk.backend.faults = [Fault("QUIT", do)]
    async with asyncio.timeout(3):
        async with connect(desk.server(), MODERN, Person()) as client:
            assert structured(await call(client, "send_mail", MAIL))["sent"] is True
            assert len(desk.backend.messages) == 1


@pytest.mark.requirement("T-smtp-37")
async def test_an_announced_size_is_respected_before_the_sender_is_named(desk: Desk) -> None:
    desk.backend.size = 300
    code, result = await outcome(desk)
    assert code == "too_large"
    assert "takes at most 300" in text(result)
    assert "MAIL" not in desk.backend.verbs()


@pytest.mark.requirement("T-smtp-37")
async def test_a_size_refused_at_the_sender_is_told_as_size(desk: Desk) -> None:
    desk.backend.size = 0
    code, result = await outcome(desk, Fault("MAIL", "552 5.3.4 message too big"))
    assert code == "too_large"
    assert "refused the sender" not in text(result)


async def test_the_size_of_a_mail_is_told_with_the_sender(desk: Desk) -> None:
    structured(await desk.ask("send_mail", MAIL))
    [line] = [line for line in desk.backend.commands if line.startswith("MAIL")]
    assert line == f"MAIL FROM:<ada@sender.test> SIZE={len(desk.backend.messages[0].raw)}"


async def test_a_page_of_html_is_not_repeated(desk: Desk) -> None:
    _, result = await outcome(desk, Fault("DOT", "554 5.7.1 <html><body>Blocked!</body></html>"))
    assert "Blocked!" not in text(result)
    assert "(an HTML page)" in text(result)


async def test_the_result_tells_the_servers_words_as_data(desk: Desk) -> None:
    result = structured(await desk.ask("send_mail", MAIL))
    assert result["server_response"] == "250 2.0.0 ok: queued as 4F7Zx2Q1"
    assert result["queue_id"] == "4F7Zx2Q1"
    assert (result["untrusted"], result["source"]) == (True, "smtp")
    assert result["bytes"] == len(desk.backend.messages[0].raw)
    assert result["sends_remaining_this_hour"] == 19


@pytest.mark.parametrize(
    ("words", "queue_id"),
    [
        ("2.0.0 Ok: queued as 4F7Zx2Q1", "4F7Zx2Q1"),
        ("OK id=1tKxyz-0001Ab-2C", "1tKxyz-0001Ab-2C"),
        ("2.6.0 thanks", None),
    ],
)
def test_a_queue_id_is_found_where_servers_put_it(words: str, queue_id: str | None) -> None:
    assert Delivery((), (), Reply(250, words)).queue_id == queue_id


async def test_the_wire_is_used_in_the_expected_order(desk: Desk) -> None:
    structured(await desk.ask("send_mail", {**MAIL, "cc": ["bert@example.test"]}))
    verbs = [verb for verb in desk.backend.verbs() if len(verb) < 9]
    assert verbs == ["EHLO", "AUTH", "MAIL", "RCPT", "RCPT", "DATA", "QUIT"]
