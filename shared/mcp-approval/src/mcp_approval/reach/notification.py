"""A question as a notification."""

from __future__ import annotations

import json
from collections.abc import Sequence

from mcp_approval.reach.channel import NotReached, Shown
from mcp_approval.reach.ntfy_instance import PhoneSettings

MESSAGE_BYTES = 4_095
"""ntfy takes 4,096 bytes as a file or refuses them."""

BODY_BYTES = 8_191
"""ntfy refuses a larger JSON document long before it looks at the message."""


def notification(settings: PhoneSettings, shown: Shown, answers: Sequence[str]) -> bytes:
    """Compose the document that ntfy is sent: the whole question, and its two buttons.

    Args:
        settings: Where it goes, and what the buttons log in with.
        shown: The question.
        answers: What each button sends: approve, decline.

    Raises:
        NotReached: It does not fit a notification.
    """
    size = len(shown.message.encode("utf-8", "replace"))
    if size > MESSAGE_BYTES:
        raise NotReached(f"the question has {size} bytes and a notification holds {MESSAGE_BYTES}")
    body = json.dumps(
        {
            "topic": settings.ask_topic,
            "title": shown.title,
            "message": shown.message,
            "sequence_id": shown.question,
            "priority": 4,
            "tags": ["raised_hand"],
            "actions": [
                {
                    "action": "http",
                    "label": label,
                    "url": f"{settings.url}/{settings.answer_topic}",
                    "method": "POST",
                    "headers": {"Authorization": f"Bearer {settings.button_token}"},
                    "body": answer,
                    "clear": True,
                }
                for label, answer in zip(("Approve", "Decline"), answers, strict=True)
            ],
        },
        ensure_ascii=False,
    ).encode("utf-8", "replace")
    if len(body) > BODY_BYTES:
        raise NotReached(
            f"the question has {len(body)} bytes with its buttons and a notification "
            f"holds {BODY_BYTES}"
        )
    return body
