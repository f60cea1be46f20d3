"""What a caller sees of ntfy's documents.

No shape is trusted: each field is read by its type, and what has another type is left
out.
"""

from __future__ import annotations

from mcp_serverkit.http.json_fields import Document, number_of, text_of, without_none
from mcp_serverkit.text.sanitize import clean, clean_text
from mcp_serverkit.text.times import iso_time
from mcp_serverkit.tools.results import size
from ntfy_mcp.redaction import Redactor

# A few sentences: enough to choose which notification to read whole.
PREVIEW_CHARS = 500
# Four times the 4,096 bytes that ntfy takes by default; operators may raise that.
FULL_CHARS = 16_384
# Longer than any address or name that is of use.
STRING_CHARS = 2_000
# More tags than anybody sets by hand.
TAG_LIMIT = 30
# ntfy takes three buttons at most.
ACTION_LIMIT = 3
# Room for a full text and little else: no single notification crowds out the rest.
ENTRY_BYTES = 16_000

CONTENT_EVENT = "message"
FOLLOW_UPS = frozenset({"message_clear", "message_delete"})
SILENT_EVENTS = frozenset({"open", "keepalive", "poll_request"})


def sequence_of(entry: Document) -> str:
    """Return the id that revisions of one notification share."""
    return text_of(entry, "sequence_id") or str(entry["id"])


def message_view(entry: Document, *, delivered: bool, chars: int = PREVIEW_CHARS) -> Document:
    """Show one message; fields with their default value are left out."""
    view: Document = {"id": clean_text(str(entry["id"]))[:STRING_CHARS]}
    event = text_of(entry, "event")
    if event not in {None, CONTENT_EVENT}:
        view["event"] = _short(event)
    view["topic"] = _short(text_of(entry, "topic"))
    _add_time(view, entry, delivered=delivered)
    sequence = text_of(entry, "sequence_id")
    if sequence and sequence != entry["id"]:
        view["updates"] = _short(sequence)
    view["title"] = _short(text_of(entry, "title"))
    _add_message(view, entry, chars)
    priority = number_of(entry, "priority")
    if priority is not None and 1 <= priority <= 5 and priority != 3:
        view["priority"] = priority
    _add_tags(view, entry)
    for key in ("content_type", "encoding"):
        view[key] = _short(text_of(entry, key))
    _add_links(view, entry)
    return without_none(view)


def _add_time(view: Document, entry: Document, *, delivered: bool) -> None:
    shown = iso_time(number_of(entry, "time"))
    if shown is None:
        view["time_unavailable"] = True
        return
    # Until its delivery, the time of a message is the time when it is due.
    view["time" if delivered else "delivers_at"] = shown
    if not delivered:
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


def _add_links(view: Document, entry: Document) -> None:
    """Add addresses, buttons and attachment, without the credentials in them."""
    redactor = Redactor()
    for key in ("click", "icon"):
        address = text_of(entry, key)
        view[key] = None if address is None else _cut(redactor.address(clean_text(address)))
    bulky: Document = {}
    actions = entry.get("actions")
    if isinstance(actions, list):
        kept = [redactor.action(one) for one in map(clean, actions) if isinstance(one, dict)]
        if kept:
            bulky["actions"] = [_cut(one) for one in kept[:ACTION_LIMIT]]
    attachment = clean(entry.get("attachment"))
    if isinstance(attachment, dict):
        address = text_of(attachment, "url")
        shown = {} if address is None else {"url": redactor.address(address)}
        bulky["attachment"] = _cut({**attachment, **shown})
    if bulky and size({**view, **bulky}) > ENTRY_BYTES:
        view["oversized"] = True
    else:
        view.update(bulky)
    if redactor.count:
        view["redacted"] = redactor.count


def file_view(answer: Document) -> Document | None:
    """Show the file that ntfy took with a message, if its answer names one."""
    attachment = clean(answer.get("attachment"))
    if not isinstance(attachment, dict):
        return None
    address = text_of(attachment, "url")
    view: Document = {
        "name": _short(text_of(attachment, "name")),
        "size": number_of(attachment, "size"),
        "expires": iso_time(number_of(attachment, "expires")),
        "url": None if address is None else _cut(Redactor().address(address)),
    }
    return without_none(view)


def _short(text: str | None) -> str | None:
    return None if text is None else clean_text(text)[:STRING_CHARS]


def _cut(value: object) -> object:
    """Cut every text of a cleaned document, and leave out what is None."""
    if isinstance(value, str):
        return value[:STRING_CHARS]
    if isinstance(value, dict):
        return {key: _cut(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_cut(item) for item in value]
    return value
