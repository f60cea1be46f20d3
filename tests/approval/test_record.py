# ruff: noqa: ASYNC240 (a file of a few lines, looked at between two calls)
"""The record of a server: every question has an end, every yes an outcome, or nothing happens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import mcp_types as types
import pytest
from mcp.client.session import ElicitationFnT

from mcp_approval.record import recorder
from mcp_approval.record.file import RecordFile
from mcp_approval.record.recorder import Recorder
from mcp_approval.record.verify import verify
from mcp_approval.typing import JSONValue
from tests.approval.fixture_server import Done
from tests.approval.kept import Kept, answering
from tests.approval.outside import Stand, settle, stand
from tests.support.clients import ERAS, Era, accept, call, connect, text, token_in

in_both_eras = pytest.mark.parametrize("era", ERAS)
SECRET = "apples-of-nobody-else"
NAMES = {"names": [SECRET]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "record.jsonl"


@pytest.mark.requirement("D-3", "D-10")
@in_both_eras
async def test_a_yes_is_asked_approved_and_done(path: Path, era: Era) -> None:
    kept = Kept(path)
    async with connect(kept.server(), era, answering(accept())) as client:
        await call(client, "delete_items", NAMES)
    assert kept.events() == ["started", "asked", "approved", "done"]
    started, asked, approved, done = kept.told()
    assert asked["protocol"] == era
    assert asked["client"]
    assert approved["asked"] == asked["seq"]
    assert approved["proof"] == "client said so"
    assert done["approval"] == approved["seq"]
    assert len({str(event.get("target")) for event in (asked, approved, done)}) == 1
    assert started["instance"] == "shop.example.org"
    head = verify(str(path)).last
    assert head is not None
    assert kept.lines[-1].endswith(f" record={approved['hash'][:16]}")  # type: ignore[index]


@in_both_eras
@pytest.mark.parametrize(
    ("answer", "end"),
    [
        (accept(confirm=False), "not_ticked"),
        (accept(confirm="true"), "not_ticked"),
        (types.ElicitResult(action="decline"), "declined"),
        (types.ElicitResult(action="cancel"), "cancelled"),
    ],
)
async def test_each_other_answer_ends_its_question(
    path: Path, era: Era, answer: types.ElicitResult, end: str
) -> None:
    kept = Kept(path)
    async with connect(kept.server(), era, answering(answer)) as client:
        await call(client, "delete_items", NAMES)
    assert kept.events() == ["started", "asked", end]
    assert kept.told()[2]["asked"] == 2
    assert kept.shop.acts == []


@pytest.mark.requirement("D-5")
@in_both_eras
async def test_a_call_that_fails_or_may_have_happened_is_told_so(path: Path, era: Era) -> None:
    kept = Kept(path)
    async with connect(kept.server(), era, answering(accept())) as client:
        kept.shop.broken = True
        await call(client, "delete_items", NAMES)
        kept.shop.act = None  # type: ignore[assignment]
        await call(client, "delete_items", {"names": ["pears"]})
    assert kept.events()[3::3] == ["failed", "unknown"]
    verify(str(path))


@pytest.mark.requirement("D-3")
@in_both_eras
async def test_the_token_is_on_record(path: Path, era: Era) -> None:
    kept = Kept(path)
    async with connect(kept.server(), era) as client:
        prompt = await call(client, "delete_items", NAMES)
        await call(client, "delete_items", {**NAMES, "confirm_token": "0" * 32})
        await call(client, "delete_items", {**NAMES, "confirm_token": token_in(prompt)})
    assert kept.events() == ["started", "token_issued", "token_refused", "token_accepted", "done"]
    assert kept.told()[3]["proof"] == "repeated call only"
    verify(str(path))


@pytest.mark.requirement("D-5")
@in_both_eras
async def test_facts_that_changed_leave_a_yes_unused(path: Path, era: Era) -> None:
    kept = Kept(path)
    readings: list[int] = []

    def read() -> None:
        readings.append(1)
        if len(readings) == 2:
            kept.shop.stock["apples"] += 1

    kept.shop.reads = read
    async with connect(kept.server(), era, answering(accept())) as client:
        await call(client, "clear_stock", {"name": "apples"})
    if era == "2025-11-25":
        assert kept.events()[2:5] == ["approved", "facts_changed", "unused"]
    assert kept.events()[-2:] == ["approved", "done"]
    verify(str(path))


async def test_a_channel_and_its_endings_are_on_record(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at: Stand = stand(monkeypatch, APPROVAL_RECORD=str(path), APPROVAL_APPROVER="anna")
    async with at.client("2026-07-28") as client:
        await call(client, "delete_items", NAMES)
        at.window.say("approve")
        await call(client, "delete_items", NAMES)
        await call(client, "delete_items", {"names": ["pears"]})
        at.advance(901)
        await call(client, "list_items")
        await call(client, "delete_items", {"names": ["pears"]})
        await settle()
    told = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert [event["event"] for event in told] == [
        "started",
        "asked",
        "approved",
        "done",
        "asked",
        "expired",
        "asked",
        "withdrawn",
    ]
    assert told[0]["reach"] == ["window"]
    assert told[1]["approver"] == told[2]["approver"] == "anna"
    assert told[2]["proof"] == "window"
    verify(str(path))


@pytest.mark.requirement("D-10")
async def test_the_head_that_comes_with_an_ending_covers_the_outcome(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at: Stand = stand(monkeypatch, APPROVAL_RECORD=str(path))
    heads: dict[str, str] = {}
    end = at.window.end

    async def told(question: str, words: str, *, final: bool) -> None:
        heads[words] = at.approver.head
        await end(question, words, final=final)

    monkeypatch.setattr(at.window, "end", told)
    async with at.client("2026-07-28") as client:
        await call(client, "delete_items", NAMES)
        at.window.say("approve")
        await call(client, "delete_items", NAMES)
        await settle()
    [done] = [event for event in Kept(path).told() if event["event"] == "done"]
    assert heads["Approved and carried out."] == str(done["hash"])[:16]
    verify(str(path), list(filter(None, heads.values())))


@pytest.mark.requirement("D-4")
@in_both_eras
async def test_no_argument_and_no_text_stands_in_it(path: Path, era: Era) -> None:
    kept = Kept(path)
    async with connect(kept.server(), era, answering(accept())) as client:
        await call(client, "delete_items", NAMES)
        await call(client, "create_login", {"name": "anna", "password": "a-password-of-hers"})
    content = path.read_text(encoding="utf-8")
    for value in (SECRET, "a-password-of-hers", "anna", "This will", str(path)):
        assert value not in content


@pytest.mark.requirement("D-6")
@in_both_eras
async def test_what_cannot_be_recorded_is_not_asked(path: Path, era: Era) -> None:
    kept = Kept(path)
    path.write_bytes(b"not ours\n")
    asked: list[object] = []

    async def answer(*_: object) -> types.ElicitResult:
        asked.append(1)
        return accept()

    async with connect(kept.server(), era, cast("ElicitationFnT", answer)) as client:
        refused = await call(client, "send", {"to": "anna"})
        assert text(refused) == (
            "Not asked: the record of approvals cannot be written (its last line is not its own; "
            "the operator can run mcp-approval verify). Nothing was changed."
        )
        assert asked == []
        assert (kept.shop.limiter.used, kept.shop.limiter.reserved) == (0, 0)
        assert not (await call(client, "list_items")).is_error
        path.unlink()
        assert not (await call(client, "send", {"to": "anna"})).is_error
    assert kept.shop.acts == [("send", "anna")]
    verify(str(path))


@pytest.mark.requirement("D-6")
@in_both_eras
async def test_an_answer_that_cannot_be_recorded_does_nothing(path: Path, era: Era) -> None:
    kept = Kept(path)

    async def answer(*_: object) -> types.ElicitResult:
        with path.open("ab") as file:
            file.write(b"somebody else\n")
        return accept()

    async with connect(kept.server(), era, cast("ElicitationFnT", answer)) as client:
        refused = await call(client, "delete_items", NAMES)
        assert text(refused).startswith("Not approved: the answer could not be recorded (")
    assert kept.shop.acts == []


@pytest.mark.requirement("D-6")
async def test_an_outcome_that_cannot_be_written_is_written_before_the_next_question(
    path: Path,
) -> None:
    kept = Kept(path)
    act = kept.shop.act

    async def acting(name: str, value: JSONValue) -> Done:
        whole = path.read_bytes()
        path.write_bytes(whole + b"somebody else\n")
        kept.whole = whole  # type: ignore[attr-defined]
        return await act(name, value)

    kept.shop.act = acting  # type: ignore[method-assign]
    async with connect(kept.server(), "2025-11-25", answering(accept())) as client:
        assert not (await call(client, "delete_items", NAMES)).is_error
        assert "the record of approvals cannot be written" in kept.lines[-1]
        path.write_bytes(kept.whole)  # type: ignore[attr-defined]
        kept.shop.act = act  # type: ignore[method-assign]
        await call(client, "delete_items", {"names": ["pears"]})
    assert kept.events() == [
        *("started", "asked", "approved", "done"),
        *("asked", "approved", "done"),
    ]
    verify(str(path))


@pytest.mark.requirement("D-1")
async def test_two_servers_share_one_file(path: Path) -> None:
    first, second = Kept(path), Kept(path)
    async with connect(first.server(), "2026-07-28", answering(accept())) as client:
        await call(client, "delete_items", NAMES)
        async with connect(second.server(), "2025-11-25", answering(accept())) as other:
            await call(other, "delete_items", NAMES)
        await call(client, "delete_items", NAMES)
    assert verify(str(path)).records == 11
    assert len({event["process"] for event in first.told()}) == 2


async def test_of_many_questions_and_approvals_the_newest_are_remembered(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "REMEMBERED", 2)
    keeping = Recorder(RecordFile(str(path)), "shop", "0" * 8, {})
    for target in ("a", "b", "c"):
        await keeping.append({"event": "asked", "target": target, "way": "dialog"})
    for target in ("a", "b", "c"):
        await keeping.append({"event": "approved", "target": target, "way": "dialog"})
    for target in ("a", "b", "c"):
        await keeping.append_later({"event": "done", "target": target})
    told = Kept(path).told()
    assert [event.get("asked") for event in told if event["event"] == "approved"] == [None, 3, 4]
    assert [event.get("approval") for event in told if event["event"] == "done"] == [None, 6, 7]
    verify(str(path))


async def test_where_nobody_could_be_reached_that_is_on_record_and_the_words_are_not(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at: Stand = stand(monkeypatch, APPROVAL_RECORD=str(path))
    at.window.refuses = "no display"
    async with at.client("2026-07-28") as client:
        await call(client, "delete_items", NAMES)
    told = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert [event["event"] for event in told] == ["started", "asked", "withdrawn", "refused"]
    assert told[-1]["reason"] == "unreached"
    verify(str(path))


async def test_without_a_record_the_log_is_all(path: Path) -> None:
    kept = Kept(path, approval_record=None)
    async with connect(kept.server(), "2025-11-25", answering(accept())) as client:
        await call(client, "delete_items", NAMES)
    assert not path.exists()
    assert "record=" not in kept.lines[-1]
