"""Tools that read cached notifications."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from mcp_approval.wording import counted
from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.http.json_fields import Document
from mcp_serverkit.text.sanitize import clean_text
from mcp_serverkit.tools.constraints import Length, Range
from mcp_serverkit.tools.registry import Call
from mcp_serverkit.tools.results import LIST_BYTES, fit, size
from ntfy_mcp.argument_types import (
    MessageId,
    Priority,
    SequenceId,
    Since,
    Tag,
    Topic,
    priority_number,
)
from ntfy_mcp.listing import Filters, Item, OwnIds, Reading, read_since_then
from ntfy_mcp.registry import TOOLS
from ntfy_mcp.topic_state import Notification, TopicState
from ntfy_mcp.views import FULL_CHARS, PREVIEW_CHARS, message_view

Field = Literal["title", "message", "time", "priority", "tags", "click", "actions", "attachment"]

_ALWAYS = frozenset(
    ["id", "event", "topic", "updates", "time_unavailable", "delivered", "message_truncated"]
)
_STATE = frozenset(["own", "read", "deleted", "revisions"])
_WITH_FIELD = {"time": "delivers_at", "click": "redacted", "actions": "redacted"}
"""What a field brings along."""

if TYPE_CHECKING:
    from ntfy_mcp.app import Ntfy


class Listed(TypedDict):
    """A list of notifications, oldest first."""

    topics: list[str]
    count: int
    messages: list[dict[str, object]]
    next_since: str
    since_unknown: NotRequired[bool]
    kept: NotRequired[str]
    not_shown: NotRequired[int]
    dropped: NotRequired[int]
    unreadable: NotRequired[int]
    malformed: NotRequired[int]
    note: NotRequired[str]


class Shown(TypedDict):
    """One notification."""

    message: dict[str, object]
    pending: NotRequired[dict[str, object]]
    asked_for: NotRequired[dict[str, object]]
    revisions: NotRequired[int]
    latest_id: NotRequired[str]
    deleted: NotRequired[bool]
    read: NotRequired[bool]


@TOOLS.read("List notifications", foreign=True)
async def list_messages(
    call: Call[Ntfy],
    topics: Annotated[list[Topic] | None, "Else the default topic", Length(1, 10)] = None,
    since: Annotated[
        Since, "all, latest, none, next_since, an id, Unix seconds, ISO time, 30m, 24h"
    ] = "24h",
    id: Annotated[MessageId | None, "Only this message"] = None,  # noqa: A002 (ntfy's name)
    title: Annotated[str | None, "Only this exact title", Length(1, 200)] = None,
    message: Annotated[str | None, "Only this exact text", Length(1, 200)] = None,
    priority: Annotated[list[Priority] | None, "Any of these", Length(1, 5)] = None,
    tags: Annotated[list[Tag] | None, "All of these", Length(1, 10)] = None,
    scheduled: Annotated[bool, "Also those not delivered yet"] = False,
    view: Annotated[
        Literal["all", "current"],
        "current: what a phone shows now",
    ] = "all",
    fields: Annotated[list[Field] | None, "Only these fields", Length(1, 8)] = None,
    limit: Annotated[int, "Keep the newest", Range(1, 200)] = 50,
    oldest_first: Annotated[bool, "Keep the oldest"] = False,
    from_others: Annotated[bool, "Without own ones"] = False,
) -> Listed:
    """Read cached notifications, oldest first; texts are previews of 500 characters.

    Continue with since=next_since. The cache usually holds 12 hours. own marks what this process
    published.
    """
    ntfy = call.app
    wanted = ntfy.allowlist.resolve_all(topics)
    filters = Filters(
        id=id or "",
        title=title or "",
        message=message or "",
        priorities=frozenset(map(priority_number, priority or ())),
        tags=frozenset(tags or ()),
        not_from=ntfy.own if from_others else None,
    )
    reading = await read_since_then(ntfy.client, wanted, since, scheduled=scheduled)
    items = reading.choose(reading.items(view), filters)
    if not reading.since.shows:
        return _listed(reading, wanted, [], items, ntfy.own, fields, oldest_first=False)
    kept = items[:limit] if oldest_first else items[-limit:]
    rest = items[limit:] if oldest_first else items[:-limit]
    return _listed(reading, wanted, kept, rest, ntfy.own, fields, oldest_first=oldest_first)


def _listed(
    reading: Reading,
    topics: list[str],
    kept: Sequence[Item],
    rest: Sequence[Item],
    own: OwnIds,
    fields: Sequence[str] | None,
    *,
    oldest_first: bool,
) -> Listed:
    """Put the result together; the cursor last, from what it really holds."""
    result: Listed = {
        "topics": topics,
        "count": len(kept),
        "messages": [_selected(_view(reading, item, own), fields) for item in kept],
        "next_since": "",
    }
    _add_counts(result, reading, len(rest) if reading.since.shows else 0)
    fit(result, "messages", drop="last" if oldest_first else "first")
    count = result["count"] = len(result["messages"])
    entries = [entry for entry, _ in kept]
    shown = entries[:count] if oldest_first else entries[len(entries) - count :]
    left_out = [] if oldest_first else [entry for entry, _ in rest]
    result["next_since"], forgot = reading.cursor(shown, left_out)
    _add_notes(result, reading, oldest_first=oldest_first, forgot=forgot)
    return result


def _view(reading: Reading, item: Item, own: OwnIds) -> Document:
    entry, extra = item
    view = message_view(entry, delivered=reading.poll.is_delivered(entry)) | extra
    return view | {"own": True} if entry["id"] in own else view


def _add_counts(result: Listed, reading: Reading, not_shown: int) -> None:
    if not_shown:
        result["not_shown"] = not_shown
    if reading.poll.malformed:
        result["malformed"] = reading.poll.malformed
    if reading.poll.unreadable:
        result["unreadable"] = reading.poll.unreadable
    if reading.since_unknown:
        result["since_unknown"] = True


def _add_notes(result: Listed, reading: Reading, *, oldest_first: bool, forgot: bool) -> None:
    notes = []
    if (lost := reading.poll.unreadable) > 0:
        notes.append(
            f"{counted(lost, 'line')} of the answer could not be read: the list is incomplete"
        )
    if reading.since_unknown:
        notes.append(
            "the message to start behind has expired or belongs to another topic: everything "
            "cached is shown"
        )
    if "not_shown" in result or "dropped" in result:
        result["kept"] = "oldest" if oldest_first else "newest"
        if not oldest_first:
            notes.append("older ones are left out; oldest_first=true starts with them")
    if forgot:
        notes.append("so many came at once that a few may come twice with next_since")
    if notes:
        result["note"] = "; ".join(notes)


@TOOLS.read("Get one notification", foreign=True)
async def get_message(
    call: Call[Ntfy],
    id: Annotated[SequenceId, "Id or sequence id"],  # noqa: A002 (ntfy's name)
    topic: Annotated[Topic | None, "Else the default topic"] = None,
) -> Shown:
    """Read the newest revision of a cached notification, with its whole text.

    Also tells whether it was revised, dismissed or deleted.
    """
    ntfy = call.app
    wanted = ntfy.allowlist.resolve(topic)
    state = TopicState(await ntfy.client.poll([wanted], "all", scheduled=True))
    found = state.find(id)
    if found.notification is None:
        lost = "" if state.complete else " Part of the answer could not be read."
        raise ToolFailure(
            f"There is no message {id} in the cache of this topic. It may have expired (the cache "
            "usually holds 12 hours), be in another topic, or have been published without "
            f"caching.{lost}"
        )
    shown = _shown(found.notification, id, ntfy.own, FULL_CHARS)
    if size(shown) > LIST_BYTES:
        shown = _shown(found.notification, id, ntfy.own, PREVIEW_CHARS)
    return shown


def _shown(known: Notification, given: str, own: OwnIds, chars: int) -> Shown:
    newest = known.delivered or known.newest
    delivered = newest is not known.pending
    older = next((entry for entry in known.entries if entry["id"] == given), newest)
    result: Shown = {"message": _one(newest, own, chars, delivered=delivered)}
    if older is not newest and older is not known.pending:
        result["asked_for"] = _one(older, own, chars)
    if known.pending is not None and known.pending is not newest:
        result["pending"] = _one(known.pending, own, chars, delivered=False)
    if len(known.entries) > 1:
        result["revisions"] = len(known.entries) - 1
        result["latest_id"] = clean_text(str(known.newest["id"]))
    if known.deleted:
        result["deleted"] = True
    if known.read:
        result["read"] = True
    return result


def _one(entry: Document, own: OwnIds, chars: int, *, delivered: bool = True) -> Document:
    view = message_view(entry, delivered=delivered, chars=chars)
    return view | {"own": True} if entry["id"] in own else view


def _selected(view: Document, fields: Sequence[str] | None) -> Document:
    if fields is None:
        return view
    wanted = {*_ALWAYS, *_STATE, *fields, *(_WITH_FIELD.get(name, name) for name in fields)}
    return {key: value for key, value in view.items() if key in wanted}
