"""Tools that read cached notifications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.http.json_fields import Document, number_of, text_of
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
from ntfy_mcp.registry import TOOLS
from ntfy_mcp.topic_state import Notification, TopicState
from ntfy_mcp.views import (
    FULL_CHARS,
    PREVIEW_CHARS,
    SILENT_EVENTS,
    matching_follow_ups,
    message_view,
)

Field = Literal["title", "message", "time", "priority", "tags", "click", "actions", "attachment"]

_ALWAYS = frozenset(
    ["id", "event", "topic", "updates", "time_unavailable", "delivered", "message_truncated"]
)

if TYPE_CHECKING:
    from ntfy_mcp.api.polls import Poll
    from ntfy_mcp.app import Ntfy


class Listed(TypedDict):
    """A list of notifications, oldest first."""

    topics: list[str]
    count: int
    messages: list[dict[str, object]]
    next_since: NotRequired[str]
    next_since_time: NotRequired[int]
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
        Since, "all, latest, none, a message id, Unix seconds, or 30m, 24h, 7d"
    ] = "24h",
    id: Annotated[MessageId | None, "Only this message"] = None,  # noqa: A002 (ntfy's name)
    title: Annotated[str | None, "Only this exact title", Length(1, 200)] = None,
    message: Annotated[str | None, "Only this exact text", Length(1, 200)] = None,
    priority: Annotated[list[Priority] | None, "Any of these", Length(1, 5)] = None,
    tags: Annotated[list[Tag] | None, "All of these", Length(1, 10)] = None,
    scheduled: Annotated[bool, "Also those not delivered yet"] = False,
    view: Annotated[
        Literal["all", "current"],
        "current: what a phone shows now, revisions and deletions folded in",
    ] = "all",
    fields: Annotated[list[Field] | None, "Only these fields of each", Length(1, 8)] = None,
    limit: Annotated[int, "Keep the newest", Range(1, 200)] = 50,
) -> Listed:
    """Read cached notifications of topics, oldest first; texts are previews of 500 characters.

    Continue later with since=next_since. The cache usually holds 12 hours.
    """
    ntfy = call.app
    wanted = ntfy.allowlist.resolve_all(topics)
    filters = _filters(id, title, message, priority, tags)
    poll = await ntfy.client.poll(wanted, since, filters=filters, scheduled=scheduled)
    entries = [entry for entry in poll.entries if text_of(entry, "event") not in SILENT_EVENTS]
    if filters:
        entries = matching_follow_ups(entries)
    state = TopicState(poll)
    folded = _current(state) if view == "current" else [(entry, {}) for entry in entries]
    kept = folded[-limit:]
    result: Listed = {
        "topics": wanted,
        "count": len(kept),
        "messages": [
            _selected(message_view(entry, delivered=poll.is_delivered(entry)), fields) | extra
            for entry, extra in kept
        ],
    }
    _add_cursor(result, entries, poll)
    _add_counts(result, len(folded) - len(kept), poll.unreadable, poll.malformed)
    return _fitted(result)


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
    shown = _shown(found.notification, id, FULL_CHARS)
    return shown if size(shown) <= LIST_BYTES else _shown(found.notification, id, PREVIEW_CHARS)


def _shown(known: Notification, given: str, chars: int) -> Shown:
    newest = known.delivered or known.newest
    result: Shown = {
        "message": message_view(newest, delivered=known.delivered is not None, chars=chars)
    }
    if known.pending is not None and known.pending is not newest:
        result["pending"] = message_view(known.pending, delivered=False, chars=chars)
    older = next((entry for entry in known.entries if entry["id"] == given), newest)
    if older is not newest and older is not known.pending:
        result["asked_for"] = message_view(older, delivered=True, chars=chars)
    if len(known.entries) > 1:
        result["revisions"] = len(known.entries) - 1
        result["latest_id"] = clean_text(str(known.newest["id"]))
    if known.deleted:
        result["deleted"] = True
    if known.read:
        result["read"] = True
    return result


def _current(state: TopicState) -> list[tuple[Document, Document]]:
    """List what a phone shows now, with what the folding adds to each view."""
    current: list[tuple[Document, Document]] = []
    for known in state:
        if known.deleted:
            continue
        extra: Document = {"read": True} if known.read else {}
        if known.revisions:
            extra["revisions"] = known.revisions
        current += [(one, extra) for one in (known.delivered, known.pending) if one is not None]
    place = (
        {id(entry): number for number, entry in enumerate(state.poll.entries)} if state.poll else {}
    )
    return sorted(current, key=lambda item: place[id(item[0])])


def _filters(
    message_id: str | None,
    title: str | None,
    message: str | None,
    priority: Sequence[int | str] | None,
    tags: Sequence[str] | None,
) -> dict[str, str]:
    numbers = None if priority is None else [str(priority_number(one)) for one in priority]
    given: Mapping[str, str | None] = {
        "id": message_id,
        "title": title,
        "message": message,
        "priority": None if numbers is None else ",".join(numbers),
        "tags": None if tags is None else ",".join(tags),
    }
    return {name: value for name, value in given.items() if value is not None}


def _selected(view: Document, fields: Sequence[str] | None) -> Document:
    if fields is None:
        return view
    return {key: value for key, value in view.items() if key in _ALWAYS or key in fields}


def _add_cursor(result: Listed, entries: Sequence[Document], poll: Poll) -> None:
    """Point behind the last delivered message; a scheduled one would replay the others."""
    delivered = [entry for entry in entries if poll.is_delivered(entry)]
    if not delivered:
        return
    result["next_since"] = str(delivered[-1]["id"])
    seconds = number_of(delivered[-1], "time")
    if seconds is not None:
        result["next_since_time"] = seconds


def _add_counts(result: Listed, not_shown: int, unreadable: int, malformed: int) -> None:
    if not_shown:
        result["not_shown"] = not_shown
    if malformed:
        result["malformed"] = malformed
    if unreadable:
        result["unreadable"] = unreadable
        result["note"] = (
            f"{unreadable} line{'s' if unreadable > 1 else ''} of the answer could not be read: "
            "the list is incomplete."
        )


def _fitted(result: Listed) -> Listed:
    fit(result, "messages", drop="first")
    result["count"] = len(result["messages"])
    return result
