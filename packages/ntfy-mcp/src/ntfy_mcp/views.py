"""What a caller sees of ntfy's documents.

No shape is trusted: each field is read by its type, and what has another type is left
out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import cast

from mcp_serverkit.http.json_fields import Document, number_of, text_of
from mcp_serverkit.text.sanitize import clean, clean_text
from mcp_serverkit.tools.results import size

PREVIEW_CHARS = 500
FULL_CHARS = 16_384
STRING_CHARS = 2_000
TAG_LIMIT = 30
ACTION_LIMIT = 3
ENTRY_BYTES = 16_000

CONTENT_EVENT = "message"
FOLLOW_UPS = frozenset({"message_clear", "message_delete"})
SILENT_EVENTS = frozenset({"open", "keepalive", "poll_request"})


def iso_time(seconds: int | None) -> str | None:
    """Format Unix seconds as ISO 8601 in UTC; nothing where the calendar ends."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, OSError, ValueError):
        return None


def sequence_of(entry: Document) -> str:
    """Return the id that revisions of one notification share."""
    return text_of(entry, "sequence_id") or str(entry["id"])


def is_delivered(entry: Document, now: float) -> bool:
    """Tell whether a message has reached its time; one without a readable time has."""
    due = number_of(entry, "time")
    return due is None or due <= now


def message_view(entry: Document, now: float, *, chars: int = PREVIEW_CHARS) -> Document:
    """Show one message; fields with their default value are left out."""
    view: Document = {"id": clean_text(str(entry["id"]))[:STRING_CHARS]}
    event = text_of(entry, "event")
    if event not in {None, CONTENT_EVENT}:
        view["event"] = _short(event)
    view["topic"] = _short(text_of(entry, "topic"))
    _add_time(view, entry, now)
    sequence = text_of(entry, "sequence_id")
    if sequence and sequence != entry["id"]:
        view["updates"] = _short(sequence)
    view["title"] = _short(text_of(entry, "title"))
    _add_message(view, entry, chars)
    priority = number_of(entry, "priority")
    if priority is not None and 1 <= priority <= 5 and priority != 3:
        view["priority"] = priority
    _add_tags(view, entry)
    for key in ("click", "icon", "content_type", "encoding"):
        view[key] = _short(text_of(entry, key))
    _add_bulky(view, entry)
    return {key: value for key, value in view.items() if value is not None}


def current_entries(entries: Sequence[Document]) -> list[tuple[Document, Document]]:
    """Fold revisions, clears and deletions into what a phone shows now.

    Returns:
        The newest content of each notification that is still there, in order, with what
        the folding adds to its view.
    """
    newest: dict[str, Document] = {}
    extra: dict[str, Document] = {}
    for entry in entries:
        sequence = sequence_of(entry)
        event = text_of(entry, "event")
        if event == "message_delete":
            newest.pop(sequence, None)
            extra.pop(sequence, None)
        elif event == "message_clear":
            if sequence in newest:
                extra[sequence]["read"] = True
        else:
            count = cast("int", extra.get(sequence, {}).get("revisions", -1)) + 1
            newest.pop(sequence, None)
            newest[sequence] = entry
            extra[sequence] = {"revisions": count}
    return [(entry, _without_zero(extra[sequence])) for sequence, entry in newest.items()]


def matching_follow_ups(entries: Sequence[Document]) -> list[Document]:
    """Drop clears and deletions whose notification a filter left out."""
    shown = {sequence_of(entry) for entry in entries if text_of(entry, "event") not in FOLLOW_UPS}
    return [
        entry
        for entry in entries
        if text_of(entry, "event") not in FOLLOW_UPS or sequence_of(entry) in shown
    ]


def newest_revision(entries: Iterable[Document], sequence_id: str) -> Document | None:
    """Find the newest state of one notification, a deletion included."""
    found = None
    for entry in entries:
        if sequence_of(entry) == sequence_id and text_of(entry, "event") != "message_clear":
            found = entry
    return found


def _add_time(view: Document, entry: Document, now: float) -> None:
    due = number_of(entry, "time")
    shown = iso_time(due)
    if shown is None:
        view["time_unavailable"] = True
        return
    view["time"] = shown
    if due is not None and due > now:
        view["delivered"] = False
    view["expires"] = iso_time(number_of(entry, "expires"))


def _add_message(view: Document, entry: Document, chars: int) -> None:
    message = text_of(entry, "message")
    if message is None:
        return
    cleaned = clean_text(message)
    view["message"] = cleaned[:chars]
    if len(cleaned) > chars:
        view["message_truncated"] = True


def _add_tags(view: Document, entry: Document) -> None:
    tags = entry.get("tags")
    if not isinstance(tags, list):
        return
    kept = [_short(tag) for tag in tags if isinstance(tag, str)]
    if kept:
        view["tags"] = kept[:TAG_LIMIT]
    if len(kept) > TAG_LIMIT:
        view["tags_truncated"] = True


def _add_bulky(view: Document, entry: Document) -> None:
    bulky: Document = {}
    actions = entry.get("actions")
    if isinstance(actions, list):
        kept = [_strings_cut(action) for action in actions if isinstance(action, dict)]
        if kept:
            bulky["actions"] = kept[:ACTION_LIMIT]
    attachment = entry.get("attachment")
    if isinstance(attachment, dict):
        bulky["attachment"] = _strings_cut(attachment)
    if bulky and size({**view, **bulky}) > ENTRY_BYTES:
        view["oversized"] = True
    else:
        view.update(bulky)


def _short(text: str | None) -> str | None:
    return None if text is None else clean_text(text)[:STRING_CHARS]


def _strings_cut(value: object) -> object:
    return _map_strings(clean(value), lambda text: text[:STRING_CHARS])


def _map_strings(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _map_strings(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_map_strings(item, change) for item in value]
    return value


def _without_zero(extra: Document) -> Document:
    return {key: value for key, value in extra.items() if value}
