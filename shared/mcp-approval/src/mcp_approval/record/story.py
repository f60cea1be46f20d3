"""Whether a record tells one story: each answer has its question, each outcome its yes."""

from __future__ import annotations

from collections import OrderedDict

from mcp_approval.record.chain import APPROVALS, ENDS, OUTCOMES, QUESTIONS, Record
from mcp_approval.record.lines import FaultFound, Line

REMEMBERED = 100_000
"""Questions and approvals whose ends are looked for; older ones are not judged."""


class Story:
    """Whether each answer belongs to a question and each outcome to one approval."""

    def __init__(self) -> None:
        self._first = 0
        self._open: OrderedDict[int, tuple[str, str]] = OrderedDict()
        self._ended: set[int] = set()
        self._approved: OrderedDict[int, tuple[str, str]] = OrderedDict()
        self._done: set[int] = set()

    @property
    def without_outcome(self) -> int:
        """Approvals of which nothing more is told: the process ended there."""
        return len(self._approved.keys() - self._done)

    def tell(self, line: Line, record: Record) -> None:
        """Follow one more event.

        Raises:
            FaultFound: It does not fit what came before.
        """
        self._first = self._first or record.seq
        who = (record.text("process"), record.text("target"))
        if record.event in ENDS | {"token_refused"}:
            ends = self._ended if record.event in ENDS else None
            self._require(line, self._open, ends, record.number("asked"), who, _ANSWER)
        if record.event in OUTCOMES:
            self._require(line, self._approved, self._done, record.number("approval"), who, _ACT)
        if record.event in QUESTIONS:
            _remember(self._open, self._ended, record.seq, who)
        if record.event in APPROVALS:
            _remember(self._approved, self._done, record.seq, who)

    def _require(
        self,
        line: Line,
        known: OrderedDict[int, tuple[str, str]],
        ended: set[int] | None,
        number: int | None,
        who: tuple[str, str],
        words: tuple[str, str],
    ) -> None:
        forgotten = next(iter(known)) if len(known) >= REMEMBERED else self._first
        if number is None or number < forgotten:
            return
        unknown, twice = words
        if known.get(number) != who:
            raise FaultFound(f"{line.place}: {unknown}")
        if ended is None:
            return
        if number in ended:
            raise FaultFound(f"{line.place}: {twice} {number}")
        ended.add(number)


_ANSWER = ("an answer to a question that was never asked", "a second end of record")
_ACT = ("an outcome of an approval that was never given", "a second outcome for record")


def _remember(
    known: OrderedDict[int, tuple[str, str]], ended: set[int], number: int, who: tuple[str, str]
) -> None:
    known[number] = who
    if len(known) > REMEMBERED:
        forgotten, _ = known.popitem(last=False)
        ended.discard(forgotten)
