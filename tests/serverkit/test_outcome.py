"""The one rule on what became of a write, and the words that serverkit makes of it."""

from __future__ import annotations

import pytest

from mcp_serverkit.errors import DoneUnreadable, Refused, ToolFailure, Unexpected
from mcp_serverkit.outcome import (
    Known,
    Outcome,
    carried_out,
    known_outcome,
    note_outcome,
    outcome_of,
    proven_not_done,
)
from mcp_serverkit.tools.results import done_note, failure_text

JSON = ("application/json",)
NOTHING = "Nothing was changed."

TABLE: list[tuple[bool, int | None, str | None, Outcome]] = [
    (False, None, "", "not_done"),
    (True, None, "", "unknown"),
    *[(True, status, "", "unknown") for status in (101, 300, 302, 303, 304, 408, 499)],
    *[(True, status, "", "not_done") for status in (301, 307, 308, 400, 404, 429, 451, 498)],
    *[(True, status, "", "not_done") for status in (501, 505, 511)],
    *[(True, status, "application/json", "unknown") for status in (500, 502, 503, 504, 507, 599)],
    (True, 200, "application/json", "done"),
    (True, 204, None, "done"),
    (True, 299, None, "done"),
    (True, 200, "text/html", "unknown"),
    (True, 200, "", "unknown"),
]


@pytest.mark.requirement("R-70", "C-9")
@pytest.mark.parametrize(("sent", "status", "kind", "outcome"), TABLE)
def test_method_progress_and_answer_decide(
    sent: bool, status: int | None, kind: str | None, outcome: Outcome
) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        assert outcome_of(method, sent, status, kind, JSON) == outcome
    for method in ("GET", "HEAD"):
        assert outcome_of(method, sent, status, kind, JSON) is None


ROWS = (
    Known(500, "not_done", "service/api.go: the transaction is rolled back", 7, "POST", r"/a/\d+"),
    Known(404, "unknown", "service/api.go: written before the lookup"),
)


def _known(
    given: Outcome | None, status: int, code: int | str | None, method: str, path: str
) -> Outcome | None:
    return known_outcome(ROWS, given, method=method, path=path, status=status, code=code)


@pytest.mark.requirement("C-9")
def test_a_table_with_sources_may_know_more_than_the_status() -> None:
    assert _known("unknown", 500, 7, "POST", "/a/12") == "not_done"
    assert _known("unknown", 500, 8, "POST", "/a/12") == "unknown"
    assert _known("unknown", 500, 7, "PUT", "/a/12") == "unknown"
    assert _known("unknown", 500, 7, "POST", "/a/12/b") == "unknown"
    assert _known("not_done", 404, None, "DELETE", "/x") == "unknown"
    assert _known(None, 404, None, "GET", "/x") is None


def test_what_a_call_did_earlier_is_noted_and_taken_back_where_it_is_disproved() -> None:
    note_outcome("done")
    assert carried_out.get() is None
    steps: list[Outcome] = []
    mark = carried_out.set(steps)
    try:
        note_outcome(None)
        note_outcome("not_done")
        assert steps == []
        note_outcome("unknown")
        assert _known("unknown", 500, 7, "POST", "/a/1") == "not_done"
        assert steps == []
        note_outcome("done")
        assert proven_not_done() == "not_done"
        assert steps == ["done"]
    finally:
        carried_out.reset(mark)


def _refused(outcome: Outcome | None) -> Refused:
    return Refused("kit refused it.", status=500, hint="Look there.", outcome=outcome)


@pytest.mark.requirement("C-9")
def test_the_servers_sentence_stands_only_where_nothing_happened_for_certain() -> None:
    assert failure_text(_refused("not_done"), NOTHING) == (
        "kit refused it. Nothing was changed.\nLook there."
    )
    assert failure_text(_refused(None), NOTHING) == "kit refused it.\nLook there."
    assert failure_text(_refused("unknown"), NOTHING) == (
        "code: outcome_unknown\nWhether it happened is unknown: look before you repeat it.\n"
        "kit refused it.\nLook there."
    )
    said = Refused("Nothing was changed.", status=400, outcome="not_done")
    assert failure_text(said, NOTHING) == "Nothing was changed."


@pytest.mark.parametrize("outcome", [None, "not_done"])
def test_after_an_earlier_step_nobody_says_that_nothing_happened(outcome: Outcome | None) -> None:
    assert failure_text(_refused(outcome), NOTHING, earlier=True) == (
        "code: outcome_unknown\nAn earlier step of this call was carried out, or may have been: "
        "look before you repeat it.\nkit refused it.\nLook there."
    )
    assert failure_text(ToolFailure("no"), NOTHING, earlier=True) == "no"


@pytest.mark.requirement("C-9")
def test_what_was_done_is_a_success_that_says_not_to_repeat_it() -> None:
    done = DoneUnreadable("kit compressed its answer.", hint="Look there.", result={"id": 5})
    assert done_note(done) == {
        "id": 5,
        "outcome": "done",
        "note": "It was done, but the answer cannot be used: kit compressed its answer. "
        "Do not repeat it. Look there.",
    }
    assert Unexpected("x").outcome is None
