"""What a phone does with a button."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .settings import JsonObject

# A phone asks no proxy of this machine.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def press(messages: Sequence[JsonObject], label: str) -> int:
    """Send the request of the newest http button with this label; return the status.

    Raises:
        KeyError: No message has such a button.
    """
    found = [
        action
        for message in messages
        for action in _objects(message.get("actions"))
        if action.get("label") == label and action.get("action") == "http"
    ]
    if not found:
        raise KeyError(label)
    action = found[-1]
    headers = action.get("headers")
    request = urllib.request.Request(
        str(action["url"]),
        data=str(action.get("body", "")).encode() or None,
        headers={k: str(v) for k, v in headers.items()} if isinstance(headers, dict) else {},
        method=str(action.get("method") or "POST"),
    )
    try:
        with _OPENER.open(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refusal:
        return refusal.code


def _objects(value: object) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
