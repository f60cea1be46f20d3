"""What became of a request that may change something: done, not done, or unknown.

Three facts decide and nothing else: the method, whether the request began to leave, and
who answered with what. A request that only reads has no outcome (`None`).

`HTTP` puts the outcome into each `Response` and into each failure that it raises itself.
An API client that raises for an answer hands it on: `Refused(..., outcome=reply.outcome)`.
Where the service is known to mean more than its status says, the client holds a table of
`Known` rows and asks `known_outcome(ROWS, reply.outcome, ...)` instead: a status together
with the service's own error code may turn *unknown* into *not done*, or the reverse. The
same goes for a reading that was made after the failure and excludes that anything
happened: `failure.outcome = proven_not_done()` beside a row of such a table. Each row names the
place in the service's source that proves it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from contextvars import ContextVar
from typing import Literal, NamedTuple, TypeAlias

Outcome: TypeAlias = Literal["not_done", "done", "unknown"]

LOOK_FIRST = "Whether it happened is unknown: look before you repeat it."

EARLIER_STEP = (
    "An earlier step of this call was carried out, or may have been: look before you repeat it."
)

carried_out: ContextVar[list[Outcome] | None] = ContextVar("carried_out", default=None)
"""Outcomes of the writes that one call has made so far, but for those that are not done.

A call may consist of several requests; of the last one's failure nobody may conclude that
nothing was changed."""

READING = frozenset({"GET", "HEAD"})

_NOT_DONE = frozenset({301, 307, 308, 501, 505, 511})
"""Statuses besides 4xx by which the answering side says that it passed nothing on."""

_UNKNOWN_4XX = frozenset({408, 499})
"""Time-outs: a proxy writes them also after it passed the request on."""


def outcome_of(
    method: str,
    sent: bool,
    status: int | None = None,
    content_type: str | None = None,
    announced: Collection[str] = (),
) -> Outcome | None:
    """Tell what became of a request.

    Args:
        method: HTTP method.
        sent: Whether the request began to leave.
        status: Status of the answer; `None` when no status line came.
        content_type: Media type of the answer, empty if it names none; `None` when its
            body is empty.
        announced: Media types that the service answers a success with.

    Returns:
        The outcome; nothing for a request that only reads.
    """
    if method in READING:
        return None
    if not sent:
        return "not_done"
    if status is None:
        return "unknown"
    if 200 <= status < 300:
        return "done" if content_type is None or content_type in announced else "unknown"
    if status in _NOT_DONE or (400 <= status < 500 and status not in _UNKNOWN_4XX):
        return "not_done"
    return "unknown"


def note_outcome(outcome: Outcome | None) -> None:
    """Note what became of one request of the running call."""
    noted = carried_out.get()
    if noted is not None and outcome in {"done", "unknown"}:
        noted.append(outcome)


class Known(NamedTuple):
    """What a service is known to mean by an answer.

    Attributes:
        status: HTTP status.
        outcome: What that answer means there.
        source: The place in the service's source that proves it.
        code: The service's own error code; `None` for any, or none.
        method: HTTP method; empty for any.
        path: Pattern that the whole path matches.
    """

    status: int
    outcome: Outcome
    source: str
    code: int | str | None = None
    method: str = ""
    path: str = r".*"


def known_outcome(
    rows: Iterable[Known],
    given: Outcome | None,
    *,
    method: str,
    path: str,
    status: int,
    code: int | str | None = None,
) -> Outcome | None:
    """Return what the first fitting row says, else the outcome that the answer itself has."""
    if given is None:
        return None
    for row in rows:
        if (
            row.status == status
            and row.code in {None, code}
            and row.method in {"", method}
            and re.fullmatch(row.path, path)
        ):
            return proven_not_done() if row.outcome == "not_done" else row.outcome
    return given


def proven_not_done() -> Outcome:
    """Say that the last request of this call did nothing after all, and return that."""
    noted = carried_out.get()
    if noted and noted[-1] == "unknown":
        noted.pop()
    return "not_done"
