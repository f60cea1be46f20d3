"""Keeping fields of the present revision: only what can be sent again exactly as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_serverkit.errors import Refused, ToolFailure
from mcp_serverkit.http.json_fields import Document, number_of, text_of, without_none
from mcp_serverkit.text.surrogates import replace_surrogates
from ntfy_mcp.content import Body
from ntfy_mcp.topic_state import Found, TopicState

if TYPE_CHECKING:
    from ntfy_mcp.api.polls import Poll

SOON_SECONDS = 20
"""ntfy delivers up to 10 s late and refuses a delay below 10 s; closer than this, the due time
of a pending notification can no longer be kept for certain."""


def kept_fields(state: TopicState, found: Found, given: Body) -> Body:
    """Take the fields of the newest revision that a call does not replace.

    Raises:
        ToolFailure: They cannot be read, or not be sent again unchanged.
    """
    poll = _read(state)
    if found.notification is None or found.state == "deleted":
        raise _impossible(
            "the notification is not in the cache of this topic (expired, deleted or never "
            "cached), so its fields cannot be kept"
        )
    entry = found.notification.newest
    if text_of(entry, "encoding"):
        raise _impossible("the notification holds binary data, which cannot be kept")
    present = _present_fields(entry) | _present_attachment(entry)
    if entry is found.notification.pending and "delay" not in given:
        present["delay"] = _due(entry, poll)
    if not all(map(_can_be_sent, present.values())):
        raise _impossible("the notification holds something that cannot be sent again unchanged")
    return {name: value for name, value in present.items() if name not in given}


def _read(state: TopicState) -> Poll:
    failure = state.failure
    if isinstance(failure, Refused) and failure.status == 403:
        raise _impossible(f"it needs the right to read the topic. {failure.text[:-1]}")
    if failure is not None:
        raise failure
    if state.poll is None or not state.complete:
        raise _impossible(
            "the answer of the instance could not be read in full, so the present revision is "
            "not known"
        )
    return state.poll


def _impossible(reason: str) -> ToolFailure:
    return ToolFailure(f"carry_over: {reason}. Nothing was changed.")


def _due(entry: Document, poll: Poll) -> str:
    due = number_of(entry, "time") or 0
    left = due - poll.time
    if left < SOON_SECONDS:
        raise _impossible(
            f"the notification is about to be delivered (in {max(0, round(left))} s); wait until "
            "it is, or give a delay"
        )
    return str(due)


def _present_fields(entry: Document) -> Body:
    fields: Body = {
        "message": text_of(entry, "message"),
        "title": text_of(entry, "title"),
        "priority": number_of(entry, "priority"),
        "tags": _present_tags(entry),
        "click": text_of(entry, "click"),
        "icon": text_of(entry, "icon"),
        "markdown": text_of(entry, "content_type") == "text/markdown" or None,
        "actions": _present_actions(entry),
    }
    return without_none(fields)


def _present_attachment(entry: Document) -> Body:
    """Take an attachment that lies elsewhere; a file that ntfy holds has a size or an expiry."""
    attachment = entry.get("attachment")
    if attachment is None:
        return {}
    if not isinstance(attachment, dict) or "size" in attachment or "expires" in attachment:
        raise _impossible("the notification holds a file, which cannot be kept")
    url, name = text_of(attachment, "url"), text_of(attachment, "name")
    if not url:
        raise _impossible("the notification holds a file without an address")
    kept: Body = {"attach": url}
    if name:
        kept["filename"] = name
    return kept


def _can_be_sent(value: object) -> bool:
    """Tell whether a value of ntfy's document can be sent back as it is."""
    if isinstance(value, str):
        return replace_surrogates(value) == value
    if isinstance(value, list):
        return all(map(_can_be_sent, value))
    if isinstance(value, dict):
        return all(_can_be_sent(key) and _can_be_sent(item) for key, item in value.items())
    return isinstance(value, bool | int)


def _present_tags(entry: Document) -> object:
    tags = entry.get("tags") or None
    if isinstance(tags, list) and all(isinstance(tag, str) for tag in tags):
        return tags
    # Anything else is no list of tags; not being sendable, it ends the call.
    return None if tags is None else object()


def _present_actions(entry: Document) -> list[Document] | None:
    actions = entry.get("actions")
    if not isinstance(actions, list):
        return None
    # ntfy adds an id to each button; it does not take one.
    return [
        {key: value for key, value in action.items() if key != "id"}
        for action in actions
        if isinstance(action, dict)
    ] or None
