"""The state of a topic: what became of each notification, folded from one poll.

ntfy takes a write for any id and answers success, so what an id means is looked up here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from mcp_serverkit.errors import Refused, ToolFailure
from mcp_serverkit.http.json_fields import Document, text_of
from ntfy_mcp.views import CONTENT_EVENT, FOLLOW_UPS, sequence_of

if TYPE_CHECKING:
    from ntfy_mcp.api.client import NtfyClient
    from ntfy_mcp.api.polls import Poll

State: TypeAlias = Literal["delivered", "scheduled", "read", "deleted", "absent", "unknown"]

HOPELESS = frozenset({400, 401, 404})
"""Refusals of a poll that a write to the same topic would meet as well."""


@dataclass(slots=True)
class Notification:
    """One notification with all its revisions.

    Attributes:
        sequence_id: What its revisions share.
        entries: All revisions, oldest first.
        follow_ups: Ids of its clears and deletions.
        delivered: The newest delivered revision.
        pending: The revision that is still to be delivered.
        deleted: Whether it was taken away since.
        read: Whether it was dismissed since.
        revisions: How often it was revised since it was new, or came back.
    """

    sequence_id: str
    entries: list[Document] = field(default_factory=list)
    follow_ups: set[str] = field(default_factory=set)
    delivered: Document | None = None
    pending: Document | None = None
    deleted: bool = False
    read: bool = False
    revisions: int = -1

    @property
    def newest(self) -> Document:
        """Its newest revision, delivered or not."""
        return self.pending or self.delivered or self.entries[-1]

    @property
    def state(self) -> State:
        """What it is now."""
        if self.deleted:
            return "deleted"
        if self.delivered is None:
            return "scheduled"
        return "read" if self.read else "delivered"

    def revise(self, entry: Document, *, delivered: bool) -> None:
        """Take one more publication; after a deletion it brings the notification back."""
        if self.deleted:
            self.deleted, self.delivered, self.pending, self.revisions = False, None, None, -1
        self.entries.append(entry)
        self.revisions += 1
        if delivered:
            self.delivered, self.read = entry, False
        else:
            self.pending = entry

    def follow(self, entry: Document, event: str) -> None:
        """Take a clear or a deletion."""
        self.follow_ups.add(str(entry["id"]))
        if event == "message_delete":
            self.deleted, self.read = True, False
        elif not self.deleted:
            self.read = True


@dataclass(frozen=True, slots=True)
class Found:
    """What an id that a caller gave means.

    Attributes:
        given: The id as given.
        sequence_id: What ntfy must be told.
        state: What the notification is now; absent and unknown where there is none.
        notification: The notification, if it is known.
    """

    given: str
    sequence_id: str
    state: State
    notification: Notification | None = None

    @property
    def found(self) -> bool | Literal["unknown"]:
        """Whether the topic holds it."""
        return "unknown" if self.state == "unknown" else self.notification is not None


class TopicState:
    """The notifications of one poll, and what each id among them means.

    Args:
        poll: The poll; nothing when it could not be read.
        failure: Why it could not be read.
    """

    def __init__(self, poll: Poll | None, failure: ToolFailure | None = None) -> None:
        self.poll = poll
        self.failure = failure
        self._known: dict[tuple[str, str], Notification] = {}
        for entry in poll.entries if poll else ():
            self._fold(entry, delivered=poll is None or poll.is_delivered(entry))
        self._by_id = self._ids()

    def __iter__(self) -> Iterator[Notification]:
        return iter(self._known.values())

    @property
    def complete(self) -> bool:
        """Whether what is not here is not in the cache."""
        return self.poll is not None and self.poll.complete

    def of(self, entry: Document) -> Notification | None:
        """Return the notification that an entry of the poll belongs to."""
        return self._known.get((text_of(entry, "topic") or "", sequence_of(entry)))

    def find(self, given: str) -> Found:
        """Tell what an id or a sequence id means, in a poll of one topic."""
        known = self._by_id.get(given)
        if known is not None:
            return Found(given, known.sequence_id, known.state, known)
        return Found(given, given, "absent" if self.complete else "unknown")

    def _fold(self, entry: Document, *, delivered: bool) -> None:
        event = text_of(entry, "event") or CONTENT_EVENT
        key = (text_of(entry, "topic") or "", sequence_of(entry))
        known = self._known.get(key)
        if event == CONTENT_EVENT:
            if known is None:
                known = self._known[key] = Notification(key[1])
            known.revise(entry, delivered=delivered)
        elif event in FOLLOW_UPS and known is not None:
            known.follow(entry, event)

    def _ids(self) -> dict[str, Notification]:
        # A sequence id goes before an equal id, as it does in ntfy.
        ids = {str(entry["id"]): known for known in self for entry in known.entries}
        follow_ups = {one: known for known in self for one in known.follow_ups}
        return follow_ups | ids | {known.sequence_id: known for known in self}


async def read_state(client: NtfyClient, topic: str) -> TopicState:
    """Read the whole state of a topic.

    Raises:
        Refused: The topic or the login is not accepted, so a write would not be either.
    """
    try:
        return TopicState(await client.poll([topic], "all", scheduled=True))
    except Refused as refusal:
        if refusal.status in HOPELESS:
            raise
        return TopicState(None, refusal)
    except ToolFailure as failure:
        return TopicState(None, failure)


async def look_up(client: NtfyClient, topic: str, ids: Sequence[str]) -> list[Found]:
    """Tell what each of some ids means on a topic."""
    state = await read_state(client, topic)
    return [state.find(given) for given in ids]
