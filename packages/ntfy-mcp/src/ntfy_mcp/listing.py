"""A list of notifications: which entries it holds, in which order, and where to go on."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mcp_serverkit.http.json_fields import Document, number_of, text_of
from ntfy_mcp.since import LATE_SECONDS, SEEN_LIMIT, Since, cursor, read_since, since_time
from ntfy_mcp.topic_state import TopicState
from ntfy_mcp.views import FOLLOW_UPS, SILENT_EVENTS, sequence_of

if TYPE_CHECKING:
    from ntfy_mcp.api.client import NtfyClient
    from ntfy_mcp.api.polls import Poll

OWN_LIMIT = 1_000
"""How many own publications are remembered; a day of them under ntfy's limits at ease."""

# ntfy leaves the priority out where it is the default, which is 3.
DEFAULT_PRIORITY = 3

Item = tuple[Document, Document]
"""An entry, with what the state of its notification adds to its view."""


class OwnIds:
    """The ids that this process published or revised, the last ones of them."""

    def __init__(self) -> None:
        self._ids: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self._ids

    def add(self, answer: Document) -> None:
        """Remember what ntfy answered to a publication."""
        name = text_of(answer, "id")
        if name is not None:
            self._ids[name] = None
            if len(self._ids) > OWN_LIMIT:
                self._ids.popitem(last=False)


@dataclass(frozen=True, slots=True)
class Filters:
    """What a caller wants to see; applied here, since ntfy would filter deletions as well.

    Attributes:
        id: Id or sequence id; empty for any.
        title: Exact title; empty for any.
        message: Exact text; empty for any.
        priorities: Any of these; empty for any.
        tags: All of these.
        not_from: Ids that are left out.
    """

    id: str = ""
    title: str = ""
    message: str = ""
    priorities: frozenset[int] = frozenset()
    tags: frozenset[str] = frozenset()
    not_from: OwnIds | None = None

    def admit(self, entry: Document) -> bool:
        """Tell whether a message is wanted."""
        if self.id not in {"", entry["id"], sequence_of(entry)}:
            return False
        if self.title not in {"", text_of(entry, "title")}:
            return False
        if self.message not in {"", text_of(entry, "message")}:
            return False
        priority = number_of(entry, "priority") or DEFAULT_PRIORITY
        if self.priorities and priority not in self.priorities:
            return False
        tags = entry.get("tags")
        if not self.tags <= {tag for tag in _listed(tags) if isinstance(tag, str)}:
            return False
        return self.not_from is None or entry["id"] not in self.not_from


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of topics.

    Attributes:
        state: What was read.
        poll: The same, entry by entry.
        since: Where it started.
        since_unknown: Whether the message to start behind is not there.
    """

    state: TopicState
    poll: Poll
    since: Since
    since_unknown: bool = False

    def items(self, view: Literal["all", "current"]) -> list[Item]:
        """List the entries of a view, oldest first."""
        if view == "all":
            return [(entry, self._became(entry)) for entry in self._told()]
        current: dict[int, Document] = {}
        for known in self.state:
            if not known.deleted:
                revised: Document = {"revisions": known.revisions} if known.revisions else {}
                current[id(known.pending)] = revised
                current[id(known.delivered)] = revised | ({"read": True} if known.read else {})
        return [(entry, current[id(entry)]) for entry in self.poll.entries if id(entry) in current]

    def choose(self, items: Sequence[Item], filters: Filters) -> list[Item]:
        """Drop what a filter leaves out and what was handed over before.

        A clear or a deletion goes with its message.
        """
        messages = [entry for entry, _ in items if not _is_follow_up(entry)]
        wanted = [entry for entry in messages if filters.admit(entry)]
        chosen = {id(entry) for entry in wanted}
        kept = {_key(entry) for entry in wanted}
        # Without a filter, a clear or deletion is news although its message is long gone.
        whole = filters == Filters()
        passed = self._passed()
        return [
            (entry, extra)
            for entry, extra in items
            if not self.since.knows(entry)
            and id(entry) not in passed
            and ((whole or _key(entry) in kept) if _is_follow_up(entry) else id(entry) in chosen)
        ]

    def cursor(
        self, handed_over: Sequence[Document], left_out: Sequence[Document]
    ) -> tuple[str, bool]:
        """Make the cursor behind what was handed over, see `since.cursor`."""
        before = [entry for entry in self._told() if self.since.knows(entry)]
        return cursor(
            self.since,
            self.poll.time,
            self._delivered(handed_over),
            self._delivered([*before, *left_out]),
        )

    def _passed(self) -> frozenset[int]:
        """Find what a cursor handed over and had no room to remember: all before its first id.

        Within one topic ntfy keeps the order, and after some seconds nothing comes late any
        more. Without this, more entries of one second than a cursor remembers would come again
        and again.
        """
        told = self._told()
        topics = {text_of(entry, "topic") for entry in told}
        if len(self.since.seen) < SEEN_LIMIT or len(topics) > 1:
            return frozenset()
        first = next((place for place, entry in enumerate(told) if self.since.knows(entry)), 0)
        settled = self.poll.time - LATE_SECONDS
        return frozenset(
            id(entry) for entry in told[:first] if (number_of(entry, "time") or 0) < settled
        )

    def _told(self) -> list[Document]:
        return [
            entry for entry in self.poll.entries if text_of(entry, "event") not in SILENT_EVENTS
        ]

    def _delivered(self, entries: Sequence[Document]) -> list[Document]:
        return [entry for entry in entries if self.poll.is_delivered(entry)]

    def _became(self, entry: Document) -> Document:
        known = None if _is_follow_up(entry) else self.state.of(entry)
        if known is None or entry is known.pending:
            return {}
        if known.deleted:
            return {"deleted": True}
        return {"read": True} if known.read else {}


async def read_since_then(
    client: NtfyClient, topics: Sequence[str], text: str, *, scheduled: bool
) -> Reading:
    """Read topics from a start as the caller wrote it; a message id takes a request more."""
    since, unknown = read_since(text), False
    if since.message_id:
        since, unknown = await start_behind(client, topics, since.message_id)
    poll = await client.poll(topics, since.sent, scheduled=scheduled)
    return Reading(TopicState(poll), poll, since, unknown)


async def start_behind(
    client: NtfyClient, topics: Sequence[str], message_id: str
) -> tuple[Since, bool]:
    """Find the time of a message; everything of its second and later is shown, not it itself.

    ntfy compares ids by their order of arrival, and would leave out what was scheduled before
    and delivered since.
    """
    poll = await client.poll(topics, "all", filters={"id": message_id}, scheduled=True)
    found = next((entry for entry in poll.entries if entry["id"] == message_id), None)
    seconds = None if found is None else number_of(found, "time")
    if found is None or seconds is None:
        return Since("all"), True
    # What is still to be delivered has no time yet from which to start.
    start = seconds if poll.is_delivered(found) else 0
    return since_time(start, message_id=message_id), False


def _key(entry: Document) -> tuple[str | None, str]:
    return text_of(entry, "topic"), sequence_of(entry)


def _is_follow_up(entry: Document) -> bool:
    return text_of(entry, "event") in FOLLOW_UPS


def _listed(value: object) -> Collection[object]:
    return value if isinstance(value, list) else ()
