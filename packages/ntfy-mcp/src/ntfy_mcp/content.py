"""The content of a notification: from arguments to ntfy's JSON, checked before sending."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from mcp_serverkit.errors import BadArgument
from mcp_serverkit.http.json_fields import without_none
from mcp_serverkit.tools.constraints import Bytes, Length
from mcp_serverkit.tools.results import compact
from ntfy_mcp.api.message_headers import headers_size, message_headers
from ntfy_mcp.argument_types import URL, priority_number
from ntfy_mcp.redaction import holds_redaction
from ntfy_mcp.written_times import delay_to_send, is_time_of_day

# A title is one line of a phone, which shows less.
TITLE_BYTES = 250

FILE_NAME = "text.txt"
"""Name of a file whose caller gave none."""

HEADERS_BYTES = 7_000
"""What proxies let through; the fields of a message are headers beside a file."""

Body = dict[str, object]

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class Action(TypedDict):
    """A button. Which fields go with it depends on `action`."""

    action: Annotated[
        Literal["view", "http", "copy", "broadcast"],
        "view, http need url; copy (ntfy 2.17) value; broadcast: Android",
    ]
    label: Annotated[str, Length(1, 64)]
    clear: NotRequired[bool]
    url: NotRequired[URL]
    method: NotRequired[Literal["GET", "POST", "PUT", "PATCH", "DELETE"]]
    headers: NotRequired[dict[str, str]]
    body: NotRequired[Annotated[str, Bytes(4096)]]
    value: NotRequired[Annotated[str, Length(1, 4096)]]
    intent: NotRequired[str]
    extras: NotRequired[dict[str, str]]


Action.__pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[attr-defined]

_ACTION_FIELDS: Mapping[str, tuple[set[str], set[str]]] = {
    "view": ({"url"}, {"url"}),
    "http": ({"url"}, {"url", "method", "headers", "body"}),
    "copy": ({"value"}, {"value"}),
    "broadcast": (set(), {"intent", "extras"}),
}
"""What each kind needs, and what it may have, beside action, label and clear."""


def content_body(
    *,
    message: str | None = None,
    title: str | None = None,
    priority: int | str | None = None,
    tags: Sequence[str] | None = None,
    click: str | None = None,
    icon: str | None = None,
    markdown: bool | None = None,
    actions: Sequence[Action] | None = None,
    delay: int | str | None = None,
) -> Body:
    """Translate the fields that publishing and updating share; what is absent stays absent."""
    if title is not None:
        _within("title", title, TITLE_BYTES)
    refuse_redacted(click=click, icon=icon, actions=actions)
    fields: Body = {
        "message": message,
        "title": title,
        "priority": None if priority is None else priority_number(priority),
        "tags": None if tags is None else list(tags),
        "click": click,
        "icon": icon,
        "markdown": markdown,
        "actions": None if actions is None else _checked_actions(actions),
        "delay": None if delay is None else _checked_delay(delay),
    }
    return without_none(fields)


def delivery_body(
    *,
    attach: str | None,
    attach_text: str | None,
    filename: str | None,
    cache: bool | None,
    firebase: bool | None,
    delay: int | str | None,
) -> Body:
    """Translate the fields that only publishing has."""
    refuse_redacted(attach=attach)
    if attach_text is not None:
        if attach is not None:
            raise BadArgument("attach_text", "does not go with attach: a message has one file")
        filename = FILE_NAME if filename is None else filename
    elif filename is not None and attach is None:
        raise BadArgument(
            "filename", "goes only with attach or attach_text; alone it turns the text into a file"
        )
    if cache is False and delay is not None:
        raise BadArgument(
            "cache", "a delayed notification must be cached (ntfy answers 40002): drop one of both"
        )
    fields: Body = {
        "attach": attach,
        "filename": filename,
        "cache": "no" if cache is False else None,
        "firebase": "no" if firebase is False else None,
    }
    return without_none(fields)


def refuse_redacted(**fields: object) -> None:
    """Refuse what a result of this server had taken out and a caller sends back."""
    for name, value in fields.items():
        if holds_redaction(value):
            raise BadArgument(
                name, "a value was redacted here: use carry_over to keep the button or address"
            )


def require_text(body: Body, *, with_file: bool = False) -> None:
    """Refuse a notification with nothing to read; a file is something."""
    if with_file:
        _refuse_beside_file(body)
    elif not str(body.get("message", "")).strip() and not str(body.get("title", "")).strip():
        raise BadArgument("message", "give a message or a title; white space alone counts as none")
    refuse_blank(body)


def refuse_blank(body: Body, argument: str = "message") -> None:
    """Refuse a given text that ntfy would trim to nothing and show as "triggered"."""
    if "message" in body and not str(body["message"]).strip():
        advice = "; leave it out to send a title" if argument == "message" else ""
        raise BadArgument(argument, f"holds nothing but white space{advice}")


def _refuse_beside_file(body: Body) -> None:
    """Refuse what ntfy reads otherwise as a header than in JSON."""
    if "\\n" in str(body.get("message", "")):
        raise BadArgument(
            "message",
            "holds the two characters \\n, which ntfy makes a line break beside attach_text",
        )
    if not str(body["filename"]).strip():
        raise BadArgument("filename", "holds nothing but white space")


def require_headers_size(body: Body, message_limit: int) -> None:
    """Refuse a message that is too large to travel beside a file."""
    _require_message_size(body, message_limit)
    headers = message_headers(body)
    total = headers_size(headers)
    if total > HEADERS_BYTES:
        largest = max(headers, key=lambda name: len(headers[name])).removeprefix("x-")
        raise BadArgument(
            largest,
            f"beside attach_text all fields together are {total} bytes of headers, of at most "
            f"{HEADERS_BYTES}; this one is the largest",
        )


def require_size(body: Body, message_limit: int, argument: str = "message") -> None:
    """Refuse what ntfy would refuse, or turn into an attachment, for its size.

    Args:
        body: The JSON body, `topic` included.
        message_limit: Bytes of one message on this instance.
        argument: The argument that holds the text.
    """
    _require_message_size(body, message_limit, argument)
    sizes = {name: _encoded(value) for name, value in body.items()}
    total = _encoded(body)
    if total >= 2 * message_limit:
        largest = sorted(sizes, key=lambda name: -sizes[name])[:3]
        raise BadArgument(
            largest[0],
            f"the whole request is {total} bytes of JSON and must stay below {2 * message_limit}; "
            f"largest fields: {', '.join(f'{name} ({sizes[name]})' for name in largest)}",
        )


def _require_message_size(body: Body, message_limit: int, argument: str = "message") -> None:
    size = len(str(body.get("message", "")).encode("utf-8"))
    if size >= message_limit:
        # At exactly the limit, ntfy turns the text into a file or fails.
        raise BadArgument(
            argument, f"is {size} bytes of UTF-8 long and must stay below {message_limit}"
        )


def content_notes(body: Body, *, with_file: bool = False) -> list[str]:
    """Tell what ntfy makes of a content that is taken, beyond what it says."""
    notes = []
    message = body.get("message")
    if message is None and not with_file:
        notes.append('without a message, ntfy shows the text "triggered"')
    elif isinstance(message, str) and message != message.strip():
        notes.append("ntfy takes white space off both ends of the text")
    if is_time_of_day(body.get("delay")):
        notes.append("delay was read in the time zone of the instance")
    return notes


def _within(name: str, text: str, limit: int) -> None:
    size = len(text.encode("utf-8"))
    if size > limit:
        raise BadArgument(name, f"is {size} bytes of UTF-8 long; at most {limit} are possible")


def _encoded(value: object) -> int:
    return len(compact(value).encode("utf-8"))


def _checked_delay(delay: int | str) -> str:
    try:
        return delay_to_send(delay)
    except ValueError as problem:
        raise BadArgument("delay", str(problem)) from None


def _refuse_control(path: str, action: Action) -> None:
    """Refuse what no button shows and no header carries."""
    label = action["label"]
    if not label.strip() or _CONTROL.search(label):
        raise BadArgument(f"{path}.label", "must be visible text without control characters")
    for name, value in action.get("headers", {}).items():
        if _CONTROL.search(name) or _CONTROL.search(value):
            raise BadArgument(f"{path}.headers", "holds a control character")
    for field in ("value", "body"):
        text = action.get(field)
        if isinstance(text, str) and _CONTROL.search(re.sub(r"[\t\n]", "", text)):
            raise BadArgument(
                f"{path}.{field}", "holds a control character other than tab and newline"
            )


def _checked_actions(actions: Sequence[Action]) -> list[Body]:
    return [_checked_action(f"actions[{index}]", action) for index, action in enumerate(actions)]


def _checked_action(path: str, action: Action) -> Body:
    kind = action["action"]
    needed, possible = _ACTION_FIELDS[kind]
    given = set(action) - {"action", "label", "clear"}
    for name in sorted(needed - given):
        raise BadArgument(f"{path}.{name}", f"is required for {kind}")
    for name in sorted(given - possible):
        raise BadArgument(f"{path}.{name}", f"does not go with {kind}")
    if kind == "http" and action.get("method") == "GET" and "body" in action:
        raise BadArgument(f"{path}.body", "a GET request carries no body (ntfy answers 40018)")
    _refuse_control(path, action)
    intent = action.get("intent")
    if intent is not None and not re.fullmatch(r"[A-Za-z0-9._]+", intent):
        raise BadArgument(f"{path}.intent", "must be letters, digits, . and _")
    return dict(action)
