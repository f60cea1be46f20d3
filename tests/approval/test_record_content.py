# ruff: noqa: ASYNC240 (a file of a few lines, looked at after a call)
"""What a line of the record says beside what happened: whose client, how long, on what proof."""

from __future__ import annotations

from pathlib import Path

import mcp_types as types
import pytest
from mcp import Client

from mcp_approval.accounting import CLIENT_CHARS, EVIDENCE_BYTES
from mcp_approval.keys import canonical
from mcp_approval.reach.channel import Said
from mcp_approval.record.chain import read_line
from mcp_approval.record.verify import verify
from tests.approval.fixture_server import Done
from tests.approval.kept import Kept, answering
from tests.approval.outside import Stand, settle, stand
from tests.support.clients import ERAS, Era, accept, call, connect

in_both_eras = pytest.mark.parametrize("era", ERAS)
NAMES = {"names": ["apples-of-nobody-else"]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "record.jsonl"


@pytest.mark.requirement("D-3")
@in_both_eras
@pytest.mark.parametrize(
    ("name", "version", "told"),
    [
        ("a client", "1.2", "a client 1.2"),
        ("a\u202eclient\x1b[2J\n", "", "aclient[2J"),
        ("x" * 300, "1.2", "x" * CLIENT_CHARS),
        ("", "", ""),
    ],
)
async def test_the_client_is_named_as_it_named_itself_cleaned_and_cut(
    path: Path, era: Era, name: str, version: str, told: str
) -> None:
    kept = Kept(path)
    info = types.Implementation(name=name, version=version)
    mode = "legacy" if era == "2025-11-25" else era
    client = Client(
        kept.server(), mode=mode, elicitation_callback=answering(accept()), client_info=info
    )
    async with client:
        await call(client, "delete_items", NAMES)
    [asked] = [event for event in kept.told() if event["event"] == "asked"]
    assert asked["client"] == told
    verify(str(path))


@pytest.mark.requirement("D-5")
@in_both_eras
async def test_the_outcome_says_how_long_the_act_took(path: Path, era: Era) -> None:
    kept = Kept(path)
    act = kept.shop.act

    async def acting(name: str, value: object) -> Done:
        kept.clock.advance(1.25)
        return await act(name, value)  # type: ignore[arg-type]

    kept.shop.act = acting  # type: ignore[method-assign]
    async with connect(kept.server(), era, answering(accept())) as client:
        await call(client, "delete_items", NAMES)
    assert kept.told()[-1]["event"] == "done"
    assert kept.told()[-1]["ms"] == 1_250


@pytest.mark.requirement("D-3")
@in_both_eras
@pytest.mark.parametrize("answer", [accept(), types.ElicitResult(action="decline")])
async def test_each_end_says_how_long_its_question_was_open(
    path: Path, era: Era, answer: types.ElicitResult
) -> None:
    kept = Kept(path)
    kept.approver.wall = lambda: 1_796_000_000.0 + kept.clock()

    async def slowly(*_: object) -> types.ElicitResult:
        kept.clock.advance(20.5)
        return answer

    async with connect(kept.server(), era, slowly) as client:  # type: ignore[arg-type]
        await call(client, "delete_items", NAMES)
    [end] = [event for event in kept.told() if "asked" in event]
    assert end["waited_ms"] == 20_500


async def test_a_yes_that_came_too_late_for_its_facts_says_how_long_it_was_held(
    path: Path,
) -> None:
    kept = Kept(path)

    def read() -> None:
        kept.clock.advance(0.5)
        kept.shop.stock["apples"] += 1

    kept.shop.reads = read
    async with connect(kept.server(), "2025-11-25", answering(accept())) as client:
        await call(client, "clear_stock", {"name": "apples"})
    unused = [event for event in kept.told() if event["event"] == "unused"]
    assert [event["ms"] for event in unused] == [500] * 3


@pytest.mark.requirement("D-5")
async def test_a_yes_that_was_never_used_says_so_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at: Stand = stand(monkeypatch, APPROVAL_RECORD=str(path))
    async with at.client("2026-07-28") as client:
        await call(client, "delete_items", NAMES)
        at.advance(1)
        at.window.say("approve")
        at.advance(901)
        await call(client, "delete_items", {"names": ["pears"]})
        await settle()
    told = [read_line(line) for line in path.read_bytes().splitlines()]
    events = [record.event for record in told]
    assert events[:4] == ["started", "asked", "approved", "unused"]
    assert told[3].number("ms") == 901_000
    assert told[3].get("proof") is None
    verify(str(path))


@pytest.mark.requirement("D-3")
@pytest.mark.parametrize(
    "evidence",
    [
        {"credential": "k1", "signed": "a\u202eb"},
        {f"field {number}": "x" * 300 for number in range(20)},
        {"n" * 300: "x"},
    ],
    ids=["little", "much", "a long name"],
)
async def test_what_a_channel_kept_of_an_answer_is_on_record_as_far_as_it_fits(
    path: Path, monkeypatch: pytest.MonkeyPatch, evidence: dict[str, str]
) -> None:
    at: Stand = stand(monkeypatch, APPROVAL_RECORD=str(path))
    async with at.client("2026-07-28") as client:
        await call(client, "delete_items", NAMES)
        heard = at.window.heard[at.window.shown[-1].question]
        heard(Said("approve", "a key that was touched " * 9, evidence))
        assert not (await call(client, "delete_items", NAMES)).is_error
    records = [read_line(line) for line in path.read_bytes().splitlines()]
    [approved] = [record for record in records if record.event == "approved"]
    assert approved.text("proof") == ("a key that was touched " * 9)[:40]
    kept = approved["evidence"]
    assert isinstance(kept, dict)
    assert 0 < len(canonical(kept)) <= EVIDENCE_BYTES
    if len(evidence) == 2:
        assert kept == {"credential": "k1", "signed": "ab"}
    elif len(evidence) == 20:
        assert list(kept) == [f"field {number}" for number in range(len(kept))]
        assert len(kept) > 2
    verify(str(path))


@in_both_eras
async def test_an_event_that_fits_no_line_asks_nobody(path: Path, era: Era) -> None:
    kept = Kept(path)
    kept.approver.server = "s" * 2_000
    async with connect(kept.server(), era, answering(accept())) as client:
        refused = await call(client, "delete_items", NAMES)
    assert refused.is_error
    assert "the event is too large for a line" in str(refused.content)
    assert kept.shop.acts == []
