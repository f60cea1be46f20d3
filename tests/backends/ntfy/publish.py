"""Publishing, and the follow-up events on a sequence."""

from __future__ import annotations

import base64
import posixpath
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from .actions import Action, checked, parse_actions, read_actions
from .cache import Message
from .durations import parse_delay
from .errors import NotModelledError, NtfyError
from .exchange import Reply, parse_priority
from .gojson import dump, read_fields

if TYPE_CHECKING:
    from .cache import Event
    from .core import Core
    from .exchange import Exchange
    from .settings import Settings

TOPIC = re.compile(r"[-_A-Za-z0-9]{1,64}", re.ASCII)
_EMAIL = re.compile(r"[^\s,;]+@[^\s,;]+")
_EMPTY_BODY = "triggered"
_TRUE = {"1", "yes", "true"}
_JSON_TEXTS = ("title", "attach", "filename", "click", "icon", "email", "delay", "call", "cache")
_JSON_TEXTS_TO_HEADERS = (*_JSON_TEXTS, "firebase")


@dataclass(slots=True)
class _Draft:
    """What a publish asks for, before its body is looked at."""

    topic: str
    body: bytes
    path_sequence_id: str = ""
    json_actions: list[Action] = field(default_factory=list)
    claimed_length: int | None = None


def publish_json(core: Core, exchange: Exchange) -> Reply:
    """`POST /`: the fields of the document take the place of headers."""
    limit = core.settings.message_size_limit
    document = read_fields(exchange.request.body, limit=2 * limit)
    texts = {name: document.text(name) for name in _JSON_TEXTS_TO_HEADERS}
    if core.settings.at_least(2, 16):
        texts["sequence-id"] = document.text("sequence_id")
    topic, message = document.text("topic"), document.text("message")
    priority, tags = document.integer("priority"), document.texts("tags")
    markdown = document.flag("markdown")
    actions = read_actions(document.objects("actions"), core.settings)
    if not TOPIC.fullmatch(topic):
        raise NtfyError(40009)
    texts["priority"] = str(priority) if priority else ""
    texts["tags"] = ",".join(tags)
    texts["markdown"] = "yes" if markdown else ""
    for name, value in texts.items():
        if value:
            exchange.override_header(f"x-{name}", value)
    body = (message or _EMPTY_BODY).encode()
    length = exchange.request.headers.get("content-length")
    draft = _Draft(topic, body, "", actions, int(length) if length else None)
    return _publish(core, exchange, draft)


def publish_raw(core: Core, exchange: Exchange) -> Reply:
    """`POST /{topic}`, `POST /{topic}/{sequence id}` and the GET spellings."""
    parts = exchange.path.split("/")
    from_path = exchange.request.method != "GET" and len(parts) > 2
    return _publish(
        core, exchange, _Draft(parts[1], exchange.request.body, parts[2] if from_path else "")
    )


def clear(core: Core, exchange: Exchange) -> Reply:
    """Announce that a notification was read."""
    return _follow_up(core, exchange, "message_clear")


def delete(core: Core, exchange: Exchange) -> Reply:
    """Announce that a notification is gone, and forget its scheduled message."""
    return _follow_up(core, exchange, "message_delete")


def _follow_up(core: Core, exchange: Exchange, event: Event) -> Reply:
    topic, sequence_id = exchange.path.split("/")[1:3]
    core.admit_writer(exchange, topic)
    exchange.visitor.count_message()
    now = int(core.now())
    message = Message(topic, now, event, sequence_id=sequence_id)
    message.expires = now + core.message_expiry_seconds(exchange.user)
    core.announce(message)
    if event == "message_delete":
        core.cache.drop_scheduled(topic, sequence_id)
    core.cache.add(message)
    core.total_messages += 1
    return Reply(dump(message.as_json()))


def _publish(core: Core, exchange: Exchange, draft: _Draft) -> Reply:
    core.admit_writer(exchange, draft.topic)
    now = int(core.now())
    message = Message(draft.topic, now)
    message.sequence_id = _sequence_id(core.settings, exchange, draft) or message.id
    cache = exchange.flag("x-cache", "cache", default=True)
    _set_links(exchange, message)
    _refuse_unsupported(core.settings, exchange)
    _set_texts(exchange, message)
    message.time = _due(core, exchange, cached=cache) or now
    _set_actions(core.settings, exchange, draft, message)
    exchange.visitor.count_message()
    poll_id = exchange.text("x-poll-id", "poll-id")
    if poll_id:
        message = Message(draft.topic, now, "poll_request", message="New message", poll_id=poll_id)
        cache = False
    if cache:
        message.expires = message.time + core.message_expiry_seconds(exchange.user)
    if not poll_id:
        _set_body(core, exchange, message, draft)
    _finish(core, message, cached=cache, now=now)
    return Reply(dump(message.as_json()))


def _finish(core: Core, message: Message, *, cached: bool, now: int) -> None:
    message.message = message.message or _EMPTY_BODY
    if core.settings.at_least(2, 19):
        message.message = message.message.replace("\x00", "")
        message.title = message.title.replace("\x00", "")
    message.published = message.time <= now
    if message.published:
        core.announce(message)
    if cached:
        core.cache.drop_scheduled(message.topic, message.sequence_id)
        core.cache.add(message)
    core.total_messages += 1


def _sequence_id(settings: Settings, exchange: Exchange, draft: _Draft) -> str:
    if not settings.at_least(2, 16) or draft.path_sequence_id:
        return draft.path_sequence_id
    sequence_id = exchange.text("x-sequence-id", "sequence-id", "sid")
    if sequence_id and not TOPIC.fullmatch(sequence_id):
        raise NtfyError(40049)
    return sequence_id


def _set_links(exchange: Exchange, message: Message) -> None:
    message.click = exchange.text("x-click", "click")
    icon = exchange.text("x-icon", "icon")
    filename = exchange.text("x-filename", "filename", "file", "f")
    attach = exchange.text("x-attach", "attach", "a")
    if attach and not attach.startswith(("http://", "https://")):
        raise NtfyError(40013)
    if attach:
        name = filename or _base_name(attach) or "attachment"
        message.attachment = {"name": name, "url": attach}
    elif filename:
        message.attachment = {"name": filename}
    if icon and not icon.startswith(("http://", "https://")):
        raise NtfyError(40021)
    message.icon = icon


def _base_name(url: str) -> str:
    try:
        path = unquote(urlsplit(url).path)
    except ValueError:
        return ""
    return posixpath.basename(path.rstrip("/"))


def _refuse_unsupported(settings: Settings, exchange: Exchange) -> None:
    email = exchange.text("x-email", "x-e-mail", "email", "e-mail", "mail", "e")
    if email:
        valid = _EMAIL.fullmatch(email) or email in _TRUE
        raise NtfyError(40001 if valid or not settings.at_least(2, 21) else 40050)
    if exchange.text("x-call", "call"):
        raise NtfyError(40032)
    if exchange.text("x-template", "template", "tpl"):
        raise NotModelledError


def _set_texts(exchange: Exchange, message: Message) -> None:
    message.title = exchange.text("x-title", "title", "t")
    message.message = exchange.text("x-message", "message", "m").replace("\\n", "\n")
    message.priority = parse_priority(exchange.text("x-priority", "priority", "prio", "p"))
    message.tags = [tag.strip() for tag in exchange.listed("x-tags", "tags", "tag", "ta")]
    content_type = exchange.text("content-type", "content_type").lower()
    markdown = exchange.flag("x-markdown", "markdown", "md", default=False)
    if markdown or content_type == "text/markdown":
        message.content_type = "text/markdown"


def _due(core: Core, exchange: Exchange, *, cached: bool) -> int | None:
    delay = exchange.text("x-delay", "delay", "x-at", "at", "x-in", "in")
    if not delay:
        return None
    if not cached:
        raise NtfyError(40002)
    due = parse_delay(delay, now=core.now(), zone=core.settings.time_zone)
    if due is None:
        raise NtfyError(40004)
    if due < int(core.now() + core.settings.delay_min_seconds):
        raise NtfyError(40005)
    if due > int(core.now() + core.settings.delay_max_seconds):
        raise NtfyError(40006)
    return due


def _set_actions(settings: Settings, exchange: Exchange, draft: _Draft, message: Message) -> None:
    actions = draft.json_actions
    text = exchange.text("x-actions", "actions", "action")
    if not actions and text:
        actions = parse_actions(text, settings)
    message.actions = checked(actions, settings)


def _set_body(core: Core, exchange: Exchange, message: Message, draft: _Draft) -> None:
    body = draft.body
    limit = core.settings.message_size_limit
    peeked = body[:limit]
    unified = exchange.flag("x-unifiedpush", "unifiedpush", "up", default=False)
    if message.attachment is None:
        is_text = len(body) < limit and _is_utf8(body)
    else:
        is_text = "url" in message.attachment
    if unified or exchange.text("content-encoding") == "aes128gcm":
        _set_push_body(message, peeked)
    elif is_text:
        _set_text_body(message, peeked)
    else:
        _store_file(core, message, draft)


def _set_text_body(message: Message, body: bytes) -> None:
    if not _is_utf8(body):
        raise NtfyError(40011)
    if body:
        message.message = body.decode().strip()
    if message.attachment is not None and not message.message:
        message.message = f"You received a file: {message.attachment['name']}"


def _set_push_body(message: Message, body: bytes) -> None:
    if _is_utf8(body):
        message.message = body.decode()
    else:
        message.message, message.encoding = base64.b64encode(body).decode(), "base64"


def _store_file(core: Core, message: Message, draft: _Draft) -> None:
    body = draft.body
    if not core.settings.attachments:
        raise NtfyError(40014)
    expires = int(core.now()) + core.settings.attachment_seconds
    if core.settings.at_least(2, 20) and message.expires:
        expires = min(expires, message.expires)
    if message.time > expires:
        raise NtfyError(40015)
    if len(body) > core.settings.attachment_size_limit:
        raise NtfyError(41301)
    # Since the file store of 2.20 the length of the request must be that of the file, which a
    # JSON document never has.
    if core.settings.at_least(2, 20) and draft.claimed_length not in {None, len(body)}:
        raise NtfyError(50001)
    kind, ending = _file_kind(body)
    name = message.attachment["name"] if message.attachment else f"attachment{ending}"
    url = f"{core.base_url}/file/{message.id}{ending}"
    core.files[message.id] = body
    message.attachment = {
        "name": name,
        "type": kind,
        "size": len(body),
        "expires": expires,
        "url": url,
    }
    message.message = message.message or f"You received a file: {name}"


def _file_kind(body: bytes) -> tuple[str, str]:
    if body.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png", ".png"
    if _is_utf8(body):
        return "text/plain; charset=utf-8", ".txt"
    return "application/octet-stream", ".bin"


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True
